"""What the study says of fleets that others measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from signals.schema import Panel
from signals.store import create_store
from signals.study.score import Scorecard
from signals.study.scorecard import evaluate_panel
from signals.usecases.load import options
from tests.builders_real import GENTD, GPU_LOG, REAL, START


@pytest.fixture(scope="module")
def a10g(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Scorecard:
    """vLLM on one A10G at saturation, 54 experiments."""
    real = next(one for one in REAL if "akamas" in one.file)
    store = create_store(tmp_path_factory.mktemp("a10g") / "fleet.duckdb")
    store.load([shared / "data" / real.file], options(service="svc", **real.words))
    signals = ("gpu_util", "sm_active", "tensor_active", "running")
    return evaluate_panel(store.panel("svc"), signals=signals)


def test_utilisation_of_a_busy_gpu_is_pinned_and_unusable(a10g: Scorecard) -> None:
    """At 100 % on two ticks of three, it moves by a tenth of what load does; three signals stand above it."""
    order = [score.column.signal for score in a10g.signals]
    assert order.index("gpu_util") == 3
    pinned = a10g.signals[3]
    assert pinned.verdict == "unusable"
    assert {"pinned", "insensitive"} <= {reason.code for reason in pinned.reasons}
    usable = {s.column.signal for s in a10g.signals if s.verdict != "unusable"}
    assert usable == {"tensor_active", "running"}


def _small_run(shared: Path, folder: Path, scale: int, tick_s: float | None = None) -> Panel:
    """One replay of BurstGPT on a 24 GB card: the engine's log and that of the GPU."""
    store = create_store(folder / "fleet.duckdb")
    data = shared / "data/vllm_burstgpt_scales"
    engine = data / f"vllm_log_scale{scale}_prompt500.csv.gz"
    store.load([engine], options(service="svc", start=START))
    gpu = data / f"gpu_log_scale{scale}_prompt500.json.gz"
    words = options(service="svc", source_format="own-wide", columns=GPU_LOG, start=START)
    store.load([gpu], words)
    return store.panel("svc", tick_s=tick_s)


def test_a_replay_of_two_minutes_says_why_it_is_too_short(shared: Path, tmp_path: Path) -> None:
    """No class on 11 ticks, and the finer grid that the half-second logs allow is named."""
    card = evaluate_panel(_small_run(shared, tmp_path, 1500), signals=("gpu_util", "running"))
    assert {s.verdict for s in card.signals} == {"insufficient_data"}
    assert {r.code for s in card.signals for r in s.reasons} == {"few_ticks"}
    advice = {f.code: f for f in card.findings}["finer_tick"]
    assert advice.action == "evaluate with --tick 1s"


def test_utilisation_says_nothing_on_the_finer_grid_either(shared: Path, tmp_path: Path) -> None:
    """Seven minutes in seconds: 0.07 % when load moves by 1 %."""
    card = evaluate_panel(_small_run(shared, tmp_path, 100, 1.0), signals=("gpu_util",))
    (score,) = card.signals
    assert score.verdict == "unusable"
    assert "insensitive" in {reason.code for reason in score.reasons}
    assert "finer_tick" not in {finding.code for finding in card.findings}


def test_image_service_has_nothing_in_proportion_and_says_so(shared: Path, tmp_path: Path) -> None:
    """Duty cycles move less than requests; a queue that is nearly always empty tells nothing."""
    store = create_store(tmp_path / "fleet.duckdb")
    folder = shared / "data" / "alibaba_gentd26"
    for name, words in (
        ("qps", ("value=request_rate[req/s]", "request_type=label:request_type")),
        ("queue_size", ("value=queue_depth",)),
        ("pod_gpu_duty_cycle", ("value=gpu_util[%]",)),
    ):
        files = [folder / f"{name}.{part}.csv.gz" for part in ("A_0h-5h", "C_11h-end")]
        form = options(service="sd", source_format="own-wide", columns=(*GENTD, *words))
        store.load(files, form)
    card = evaluate_panel(store.panel("sd"), signals=("gpu_util", "queue_depth"))
    scores = {score.column.signal: score for score in card.signals}
    assert scores["gpu_util"].verdict == "feedback"
    assert scores["queue_depth"].verdict == "unusable"
    assert "mostly_zero" in {condition.code for condition in scores["queue_depth"].conditions}
    assert card.headline.startswith("No signal")
