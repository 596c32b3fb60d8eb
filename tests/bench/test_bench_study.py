"""How long a scorecard takes, and how long the same measures take by the libraries one would take instead."""

from __future__ import annotations

import resource

import pytest

from signals.study.panel import choose_loads, resolve_column
from signals.study.scorecard import evaluate_panel, observe_signal
from tests.bench.libraries import library_measures
from tests.bench.panels import CANDIDATES, busy_pool
from tests.bench.ratios import Ways

SEVEN = ("decode_tps", "gpu_util", "sm_active", "kv_usage", "ttft_p90", "itl_mean", "power_w")
SOME = CANDIDATES[0]
WAYS = Ways("Every default measure of one signal, a week of minutes", ours="signals")


@pytest.mark.benchmark(group="scorecard")
@pytest.mark.parametrize(
    ("days", "tick_s"),
    [pytest.param(1.0, 60.0, id="1d-60s"), pytest.param(3.0, 60.0, id="3d-60s")],
)
def test_bench_scorecard(benchmark, days, tick_s):
    """Every measure of seven signals, with intervals."""
    panel = busy_pool(days, tick_s, SEVEN)
    card = benchmark.pedantic(evaluate_panel, args=(panel,), rounds=3)
    assert {score.signal for score in card.signals} >= {f"decode:{name}" for name in SEVEN}
    assert {score.verdict for score in card.signals} != {"insufficient_data"}


@pytest.mark.benchmark(group="scorecard")
def test_bench_scorecard_of_twenty_signals(benchmark):
    """Every measure of twenty signals on a week of minutes; how much memory the process ever had."""
    panel = busy_pool(7.0, 60.0)
    card = benchmark.pedantic(evaluate_panel, args=(panel,), rounds=3, warmup_rounds=1)
    assert len(card.signals) == 21
    measured = [score.measures[name] for score in card.signals for name in ("lag_s", "rise_s")]
    assert all(estimate.determined for estimate in measured)
    peak_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    benchmark.extra_info["peak_memory_mb"] = round(peak_kib * 1024 / 1e6)


@pytest.mark.benchmark(group="measures-of-one-signal")
@pytest.mark.parametrize("way", ["libraries", "signals"])
def test_bench_measures_of_one_signal(benchmark, request, way):
    """The libraries take so long that one signal has to stand for all; ours are a twentieth of twenty."""
    if benchmark.disabled:
        pytest.skip("takes a while, and there is nothing to time")
    panel = busy_pool(7.0, 60.0)
    choices, _ = choose_loads(panel)
    column = resolve_column(panel, SOME, where="bench")
    observed, _ = observe_signal(panel, column, choices)
    if way == "signals":
        card = WAYS.time(benchmark, request, way, lambda: evaluate_panel(panel), share=1 / 21)
        assert len(card.signals) == 21
        return
    found = WAYS.time(benchmark, request, way, lambda: library_measures(observed), rounds=1)
    score = evaluate_panel(panel, signals=[SOME]).signals[0]
    ours = {name: estimate.value for name, estimate in score.measures.items()}
    assert found["lag_ticks"] == score.measures["lag_s"].extra["ticks"]
    assert found["pearson"] == pytest.approx(ours["pearson"], abs=1e-6)
    assert found["elasticity"] == pytest.approx(ours["elasticity"], rel=0.02)
    assert found["capacity_error"] == pytest.approx(ours["capacity_error"], rel=0.02)
