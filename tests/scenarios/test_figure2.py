"""The published day of HeteroScale's Figure 2 gets the verdicts and figures that were published for it."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from signals.catalog import require_signal
from signals.schema import TIMESTAMP, Panel, PanelColumn
from signals.store import LoadOptions, create_store
from signals.store.parsed import ReadOptions
from signals.study.score import Scorecard, SignalScore
from signals.study.scorecard import evaluate_panel

DECODE, PREFILL = "decode:decode_tps", "prefill:prefill_tps"

# elasticity, capacity error and calibrated capacity error by load; the load itself has none
PUBLISHED = {
    (DECODE, "prefill:prefill_tps"): (1.04, 0.07, 0.11),
    (PREFILL, "decode:decode_tps"): (0.95, 0.07, 0.12),
    (DECODE, "prefill:gpu_util"): (0.92, 0.08, 0.11),
    (PREFILL, "prefill:gpu_util"): (0.88, 0.09, 0.04),
    (DECODE, "prefill:sm_active"): (0.99, 0.07, 0.13),
    (PREFILL, "prefill:sm_active"): (0.95, 0.04, 0.05),
    (DECODE, "decode:itl_mean"): (0.30, 0.45, 0.12),
    (PREFILL, "decode:itl_mean"): (0.29, 0.52, 0.08),
    (DECODE, "prefill:ttft_mean"): (0.32, 0.43, 0.34),
    (PREFILL, "prefill:ttft_mean"): (0.31, 0.48, 0.29),
    (DECODE, "decode:sm_active"): (0.28, 0.49, 0.07),
    (PREFILL, "decode:sm_active"): (0.27, 0.56, 0.08),
    (DECODE, "decode:gpu_util"): (0.02, 0.65, 0.43),
    (PREFILL, "decode:gpu_util"): (0.02, 0.73, 0.48),
}


def _panel(path: Path) -> Panel:
    table = pl.read_csv(path)
    series = [table["ts"].str.to_datetime(time_zone="UTC").cast(TIMESTAMP).alias("tick")]
    columns = []
    for header in table.columns[1:]:
        name, unit = header.removesuffix("]").split(" [")
        pool, signal = name.split(":")
        factor = 0.01 if unit == "%" else 1.0
        series.append((table[header].cast(pl.Float64) * factor).alias(name))
        columns.append(
            PanelColumn(
                name,
                pool,
                signal,
                "ratio" if unit == "%" else "rel",
                require_signal(signal).scope,
                sources=(f"{signal}@{pool}",),
                resolution_s=180.0,
                exported=True,
            )
        )
    return Panel("fig2", 180.0, pl.DataFrame(series), tuple(columns))


@pytest.fixture(scope="module")
def scorecards(shared: Path) -> dict[str, Scorecard]:
    """The day evaluated against the load of either pool."""
    panel = _panel(shared / "figures" / "heteroscale_fig2.wide.csv")
    return {load: evaluate_panel(panel, load=load) for load in (DECODE, PREFILL)}


@pytest.fixture(scope="module")
def stored(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Panel:
    """The same day, read from the file by the store."""
    store = create_store(tmp_path_factory.mktemp("fig2") / "fleet.duckdb")
    options = LoadOptions(read=ReadOptions(service="fig2"))
    store.load([shared / "figures" / "heteroscale_fig2.wide.csv"], options)
    return store.panel("fig2")


def _score(scorecards: dict[str, Scorecard], load: str, signal: str) -> SignalScore:
    return next(s for s in scorecards[load].signals if s.signal == signal)


@pytest.mark.parametrize("load", [DECODE, PREFILL])
@pytest.mark.parametrize(
    ("signal", "verdict"),
    [
        ("prefill:prefill_tps", "proportional"),
        ("decode:decode_tps", "proportional"),
        ("prefill:gpu_util", "proportional"),
        ("prefill:sm_active", "proportional"),
        ("decode:gpu_util", "unusable"),
        ("prefill:ttft_mean", "feedback"),
        ("decode:itl_mean", "feedback"),
        ("decode:sm_active", "feedback"),
    ],
)
def test_verdict_is_the_published_one(
    scorecards: dict[str, Scorecard], load: str, signal: str, verdict: str
) -> None:
    """Tokens/s and the prefill side steer, latencies guard, decode utilisation does neither."""
    assert _score(scorecards, load, signal).verdict == verdict


@pytest.mark.parametrize(("load", "signal"), list(PUBLISHED))
def test_figures_are_the_published_ones(
    scorecards: dict[str, Scorecard], load: str, signal: str
) -> None:
    """Elasticity, capacity error and the calibrated one within rounding of two digits."""
    measures = _score(scorecards, load, signal).measures
    found = [
        measures[name].value
        for name in ("elasticity", "capacity_error", "capacity_error_calibrated")
    ]
    assert found == pytest.approx(PUBLISHED[load, signal], abs=0.0075)


@pytest.mark.parametrize("load", [DECODE, PREFILL])
def test_load_itself_is_identity_without_a_rank(
    scorecards: dict[str, Scorecard], load: str
) -> None:
    """Its error is zero because it is compared with itself, so it wins nothing."""
    score = _score(scorecards, load, load)
    assert (score.identity, score.rank) == (True, None)
    assert score.measures["capacity_error"].value == 0.0
    ranked = [s for s in scorecards[load].signals if not s.identity]
    assert all(s.rank is not None for s in ranked)


@pytest.mark.parametrize("load", [DECODE, PREFILL])
def test_decode_sm_activity_is_held_back_for_being_insensitive(
    scorecards: dict[str, Scorecard], load: str
) -> None:
    """It correlates at 0.92 and ranks load almost perfectly, and still cannot drive a ratio rule."""
    score = _score(scorecards, load, "decode:sm_active")
    assert "insensitive" in {reason.code for reason in score.reasons}
    assert score.measures["pearson"].value == pytest.approx(0.925, abs=0.01)
    assert score.measures["spearman"].value is not None
    assert score.measures["spearman"].value > 0.99


def test_inter_token_latency_correlates_best_and_still_only_guards(
    scorecards: dict[str, Scorecard],
) -> None:
    """0.99 with load: correlation decides nothing."""
    score = _score(scorecards, DECODE, "decode:itl_mean")
    assert score.measures["pearson"].value == pytest.approx(0.99, abs=0.005)
    assert {reason.code for reason in score.reasons} == {"insensitive", "inaccurate"}


def test_decode_utilisation_is_unusable_because_it_does_not_move(
    scorecards: dict[str, Scorecard],
) -> None:
    """Elasticity 0.02, pinned to its plateau most of the day."""
    score = _score(scorecards, DECODE, "decode:gpu_util")
    assert {reason.code for reason in score.reasons} == {"insensitive", "pinned"}


@pytest.mark.parametrize("load", [DECODE, PREFILL])
def test_bias_at_peak_and_trend_stay_as_measured(
    scorecards: dict[str, Scorecard], load: str
) -> None:
    """The load is another pool's rate: peak bias to -0.145, trend gap from -0.20 to +0.14."""
    steering = [
        s for s in scorecards[load].signals if s.verdict == "proportional" and not s.identity
    ]
    biases = [s.measures["peak_bias"].value for s in steering]
    gaps = [s.measures["trend_gap"].value for s in steering]
    assert all(b is not None and -0.15 <= b <= 0.06 for b in biases)
    assert all(g is not None and -0.21 <= g <= 0.15 for g in gaps)


def test_conditions_say_what_is_not_known(scorecards: dict[str, Scorecard]) -> None:
    """Throughput is served load, and the figure does not tell the number of instances."""
    codes = {c.code for c in _score(scorecards, DECODE, "prefill:gpu_util").conditions}
    assert {"served_load", "assumed_constant_fleet"} <= codes
    findings = {finding.code for finding in scorecards[DECODE].findings}
    assert findings == {"served_load", "assumed_constant_fleet", "clock_unchecked"}


def test_headline_names_the_best_signal_and_the_unusable_one(
    scorecards: dict[str, Scorecard],
) -> None:
    """One sentence: what comes first, and why not decode utilisation."""
    headline = scorecards[PREFILL].headline
    assert headline.startswith("prefill:sm_active")
    assert "decode:gpu_util is unusable (it hardly moves" in headline
    assert headline.endswith(".")


def test_store_reads_the_day_as_it_is(shared: Path, stored: Panel) -> None:
    """All 481 rows at 3 minutes, per cent as shares, relative figures as they are."""
    made = _panel(shared / "figures" / "heteroscale_fig2.wide.csv")
    assert stored.tick_s == 180.0
    assert {c.name: (c.unit, c.scope) for c in stored.columns} == {
        c.name: (c.unit, c.scope) for c in made.columns
    }
    for column in made.columns:
        found = stored.frame[column.name].to_list()
        assert found == pytest.approx(made.frame[column.name].to_list())
    assert stored.frame["decode:gpu_util"][0] == pytest.approx(0.86556)


@pytest.mark.parametrize("load", [DECODE, PREFILL])
def test_stored_day_gets_the_same_verdicts(
    scorecards: dict[str, Scorecard], stored: Panel, load: str
) -> None:
    """The way through the store changes neither class, order, reasons nor headline."""
    found, expected = evaluate_panel(stored, load=load), scorecards[load]
    assert [(s.signal, s.rank) for s in found.signals] == [
        (s.signal, s.rank) for s in expected.signals
    ]
    for score in found.signals:
        same = _score(scorecards, load, score.signal)
        assert score.verdict == same.verdict
        assert [r.code for r in score.reasons] == [r.code for r in same.reasons]
    assert found.headline == expected.headline


@pytest.mark.parametrize("load", [None, DECODE, PREFILL])
def test_load_itself_has_no_lag(stored: Panel, load: str | None) -> None:
    """Zero by definition, although one day of load is too smooth to tell the lag of any other signal."""
    card = evaluate_panel(stored, load=load, signals=(DECODE, PREFILL))
    own = [s for s in card.signals if s.identity]
    assert len(own) == (2 if load is None else 1)
    for score in own:
        lag = score.measures["lag_s"]
        assert (lag.value, lag.low, lag.high, lag.determined) == (0.0, 0.0, 0.0, True)
        assert "lag_undetermined" not in {f.code for f in score.findings}
