"""The demo's simulated day: the published verdicts, for the published reasons, through the path of a user's files."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from signals.store import LoadOptions, open_store
from signals.store.parsed import ReadOptions
from signals.study.score import SignalScore
from signals.usecases import evaluate
from signals.usecases.demo import DemoResult, run_demo

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> DemoResult:
    return run_demo(tmp_path_factory.mktemp("demo"))


def _score(demo: DemoResult, name: str) -> SignalScore:
    return next(s for s in demo.scorecard.signals if s.signal == name)


@pytest.mark.parametrize(
    ("signal", "verdict"),
    [
        ("prefill:prefill_tps", "proportional"),
        ("prefill:gpu_util", "proportional"),
        ("prefill:sm_active", "proportional"),
        ("decode:decode_tps", "proportional"),
        ("decode:gpu_util", "unusable"),
        ("prefill:ttft_mean", "feedback"),
        ("decode:itl_mean", "feedback"),
    ],
)
def test_verdicts_are_those_of_figure_2(demo: DemoResult, signal: str, verdict: str) -> None:
    assert _score(demo, signal).verdict == verdict


def test_decode_sm_activity_is_insensitive(demo: DemoResult) -> None:
    score = _score(demo, "decode:sm_active")
    assert score.verdict in {"feedback", "unusable"}
    assert "insensitive" in [r.code for r in score.reasons]


def test_the_load_itself_has_no_rank(demo: DemoResult) -> None:
    score = _score(demo, "service:offered_output_tps")
    assert score.identity
    assert score.rank is None


def test_decode_stays_busy_at_low_load_and_prefill_is_linear(demo: DemoResult) -> None:
    """A decode instance with one request is busy; a prefill instance works only while prompts are there."""
    frame = evaluate.read_panel(open_store(demo.store), "demo").frame
    load = "service:offered_output_tps"
    low = frame.filter(pl.col(load) < 0.12 * frame[load].max())
    high = frame.filter(pl.col(load) > 0.7 * frame[load].max())
    busy = pl.col("decode:gpu_util").median()
    assert low.select(busy).item() > 0.85 * high.select(busy).item()
    assert low["prefill:gpu_util"].median() < 0.2 * high["prefill:gpu_util"].median()
    assert low["decode:sm_active"].median() > 0.3 * high["decode:sm_active"].median()


def test_backtest_tells_the_three_policies_apart(demo: DemoResult) -> None:
    by_name = {p.policy: p for p in demo.comparison.policies}
    static, tokens, util = by_name["static"], by_name["heteroscale"], by_name["hpa"]
    assert tokens.gpu_hours < 0.8 * static.gpu_hours
    assert (tokens.attainment["both"] or 0) > 0.98
    # decode utilisation stays above its target until night, so the scaler climbs to the quota
    assert util.gpu_hours > 1.3 * static.gpu_hours
    for policy in by_name.values():
        counts = policy.requests
        kept = sum(counts[key] for key in ("completed", "dropped", "cut", "running"))
        assert counts["arrived"] == kept == demo.comparison.workload["requests"]
    assert "simulated_fleet" in {finding.code for finding in demo.comparison.findings}


def test_report_is_whole_and_the_last_line_says_what_was_found(demo: DemoResult) -> None:
    text = demo.report.read_text(encoding="utf-8")
    for name in ("decode:decode_tps", "decode:gpu_util", "heteroscale", "GPU-hours"):
        assert name in text
    assert "decode on decode_tps" in demo.sentence
    assert "heteroscale (target " in demo.sentence
    assert "would have kept" in demo.sentence
    assert demo.sentence.count(".") >= 1


def test_the_same_files_loaded_again_change_nothing(demo: DemoResult) -> None:
    store = open_store(demo.store)
    files = [demo.store.parent / name for name in ("telemetry.parquet", "requests.parquet")]
    report = store.load(files, LoadOptions(read=ReadOptions(service="demo")))
    assert [s.already_loaded for s in report.sources] == [True, True]


def test_the_folder_holds_store_report_and_sources(demo: DemoResult) -> None:
    names = {path.name for path in demo.report.parent.iterdir()}
    assert {"fleet.duckdb", "report.html", "telemetry.parquet", "requests.parquet"} <= names
    assert Path(demo.report).stat().st_size < 12_000_000
