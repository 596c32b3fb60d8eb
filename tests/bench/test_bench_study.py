"""How long a scorecard takes."""

from datetime import UTC, datetime, timedelta

import numpy as np
import polars as pl
import pytest

from signals.catalog import SIGNALS, require_signal
from signals.schema import TIMESTAMP, Panel, PanelColumn
from signals.study.scorecard import evaluate_panel

CANDIDATES = ("decode_tps", "gpu_util", "sm_active", "kv_usage", "ttft_p90", "itl_mean", "power_w")


def daily_panel(days: float, tick_s: float, candidates: tuple[str, ...] = CANDIDATES) -> Panel:
    """A decode pool under a daily load; every candidate follows it with noise of 3 %."""
    rng = np.random.default_rng(5)
    seconds = np.arange(1, round(days * 86400.0 / tick_s) + 1) * tick_s
    load = 5000.0 * (1.2 - np.cos(2.0 * np.pi * seconds / 86400.0))
    first = datetime(2026, 1, 5, tzinfo=UTC)
    names = ("service:offered_output_tps", *(f"decode:{name}" for name in candidates))
    frame: dict[str, pl.Series] = {
        "tick": pl.Series([first + timedelta(seconds=float(s)) for s in seconds]).cast(TIMESTAMP)
    }
    columns = []
    for name in names:
        pool, _, signal = name.partition(":")
        spec = require_signal(signal)
        frame[name] = pl.Series(load / load.max() * (1.0 + 0.03 * rng.standard_normal(load.size)))
        columns.append(
            PanelColumn(
                name,
                pool,
                signal,
                spec.unit,
                spec.scope,
                (name,),
                resolution_s=tick_s,
                window_s=tick_s,
            )
        )
    return Panel("bench", tick_s, pl.DataFrame(frame), tuple(columns))


@pytest.mark.benchmark(group="scorecard")
@pytest.mark.parametrize(
    ("days", "tick_s"),
    [pytest.param(1.0, 60.0, id="1d-60s"), pytest.param(3.0, 60.0, id="3d-60s")],
)
def test_bench_scorecard(benchmark, days, tick_s):
    """Every measure of seven signals, with intervals."""
    panel = daily_panel(days, tick_s)
    card = benchmark.pedantic(evaluate_panel, args=(panel,), rounds=3)
    assert {score.signal for score in card.signals} >= {f"decode:{name}" for name in CANDIDATES}
    assert {score.verdict for score in card.signals} != {"insufficient_data"}


@pytest.mark.benchmark(group="scorecard")
def test_bench_scorecard_of_twenty_signals(benchmark):
    """Every measure of twenty signals on a week of minutes, one core."""
    signals = [s.name for s in SIGNALS if s.role not in {"capacity", "load"}][:20]
    panel = daily_panel(7.0, 60.0, tuple(signals))
    card = benchmark.pedantic(evaluate_panel, args=(panel,), rounds=3, warmup_rounds=1)
    assert len(card.signals) == 21
