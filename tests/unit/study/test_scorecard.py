"""The scores of all signals of a service."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from signals.errors import AnalysisError, UsageError
from signals.schema import Panel
from signals.series.synthetic import ar1, daily_load
from signals.study.scorecard import evaluate_panel


@pytest.fixture
def panel(make_panel) -> Panel:
    """One day of a decode pool: throughput late by a minute, a bent latency, a flat utilisation."""
    rng = np.random.default_rng(2)
    load = 100 * daily_load(1440, 60.0, wander=0.1, phi=0.95, rng=rng)

    def noise() -> np.ndarray:
        return np.exp(0.02 * rng.standard_normal(1440))

    return make_panel(
        60.0,
        {
            "service:offered_output_tps": load,
            "decode:decode_tps": np.roll(load, 1) * noise(),
            "decode:itl_mean": load**0.3 * noise(),
            "decode:gpu_util": 0.9 * noise(),
            "decode:kv_usage": load**0.9 / 100 * noise(),
            "decode:ready": np.full(1440, 4.0),
        },
    )


def test_scores_are_ranked_inside_their_class(panel: Panel) -> None:
    """By capacity error; the load itself last in its class, without a rank."""
    card = evaluate_panel(panel)
    assert [(s.signal, s.verdict, s.rank) for s in card.signals] == [
        ("decode:decode_tps", "proportional", 1),
        ("decode:kv_usage", "proportional", 2),
        ("service:offered_output_tps", "proportional", None),
        ("decode:itl_mean", "feedback", 1),
        ("decode:gpu_util", "unusable", 1),
    ]
    load = card.signals[2]
    assert load.identity
    assert load.measures["capacity_error"].value == 0.0


def test_headline_is_the_answer(panel: Panel) -> None:
    """What to scale on, with verdict, lag and error, and what to leave alone."""
    text = evaluate_panel(panel).headline
    assert re.match(
        r"Scale on decode:decode_tps: proportional, (59|6\d) s behind load, capacity error 3\.\d %; ",
        text,
    )
    assert "decode:gpu_util is unusable" in text
    assert "decode:itl_mean is a guard rail only" in text


def test_card_says_what_it_looked_at(panel: Panel) -> None:
    """Service, tick, span, the load of each pool, findings."""
    card = evaluate_panel(panel)
    assert (card.service, card.tick_s) == ("svc", 60.0)
    assert card.span == panel.span
    assert {c.pool: c.column for c in card.loads} == {
        "service": "service:offered_output_tps",
        "decode": "service:offered_output_tps",
    }
    assert {f.code for f in card.findings} == {"clock_unchecked"}


def test_signal_filter_changes_no_score(panel: Panel) -> None:
    """Intervals depend on seed and signal alone, not on what else is scored."""
    whole = {s.signal: s for s in evaluate_panel(panel).signals}
    alone = evaluate_panel(panel, signals=("kv_usage",)).signals
    assert [s.signal for s in alone] == ["decode:kv_usage"]
    for name in ("lag_s", "capacity_error", "elasticity", "noise_ratio"):
        assert alone[0].measures[name] == whole["decode:kv_usage"].measures[name]


def test_same_seed_same_card_other_seed_other_intervals(panel: Panel) -> None:
    """Deterministic; the seed moves intervals, never values."""
    first, again = evaluate_panel(panel, seed=1), evaluate_panel(panel, seed=1)
    other = evaluate_panel(panel, seed=2)
    assert first == again
    for a, b in zip(first.signals, other.signals, strict=True):
        assert a.measures["capacity_error"].value == b.measures["capacity_error"].value
    assert any(
        a.measures["capacity_error"].low != b.measures["capacity_error"].low
        for a, b in zip(first.signals, other.signals, strict=True)
    )


def test_p_values_are_corrected_over_signals_but_not_for_the_load(panel: Panel) -> None:
    """The load against itself is no test."""
    card = evaluate_panel(panel)
    for score in card.signals:
        assert ("p_adjusted" in score.measures["pearson"].extra) != score.identity


def test_wrong_names_and_empty_windows_are_errors(panel: Panel) -> None:
    """What the user can mend is said."""
    with pytest.raises(UsageError):
        evaluate_panel(panel, load="nonsense")
    with pytest.raises(UsageError):
        evaluate_panel(panel, signals=("nonsense",))
    empty = Panel("svc", 60.0, panel.frame.head(0), panel.columns)
    with pytest.raises(AnalysisError, match="no tick"):
        evaluate_panel(empty)


def test_pinned_utilisation_of_a_short_series_is_undefined_not_zero(
    make_panel, shared: Path
) -> None:
    """Constant: no correlation and a reason; the other signal keeps its own."""
    data = pl.read_csv(shared / "cases" / "24-constant-util" / "input.csv")
    card = evaluate_panel(
        make_panel(
            60.0,
            {
                "service:request_rate": data["load_rps"].to_numpy(),
                "unified:gpu_util": data["gpu_util_pct"].to_numpy() / 100,
                "unified:sm_active": data["sm_active"].to_numpy(),
            },
        )
    )
    scores = {s.column.signal: s for s in card.signals}
    pinned, active = scores["gpu_util"], scores["sm_active"]
    assert pinned.measures["pearson"].value is None
    assert pinned.measures["pearson"].reason == "constant series"
    assert active.measures["pearson"].value == pytest.approx(0.9961, abs=5e-5)
    assert active.measures["spearman"].value == pytest.approx(1.0)
    assert card.headline.startswith("Too little data for a verdict")


def test_lag_sign_survives_the_whole_way(make_panel, shared: Path) -> None:
    """45 s behind load, r = 1.000 on 21 pairs, from 24 ticks."""
    data = pl.read_csv(shared / "cases" / "22-lag-sign" / "input.csv")
    card = evaluate_panel(
        make_panel(
            15.0,
            {
                "service:request_rate": data["load_rps"].to_numpy(),
                "unified:ttft_mean": data["ttft_s"].to_numpy(),
            },
        ),
        signals=("ttft_mean",),
    )
    measures = card.signals[0].measures
    assert measures["lag_s"].value == pytest.approx(45.0)
    assert measures["lag_s"].extra["leader"] == "load"
    assert measures["pearson"].value == pytest.approx(1.0)
    assert measures["pearson"].extra["pairs"] == 21


def test_twenty_signals_of_a_day_are_scored_in_seconds(make_panel) -> None:
    """20 x 5,760 ticks; the bound leaves room for a busy machine."""
    rng = np.random.default_rng(0)
    load = 100 * daily_load(5760, 15.0, wander=0.1, rng=rng)
    names = [f"decode:signal{number}" for number in range(20)]
    panel = make_panel(
        15.0,
        {"service:request_rate": load}
        | {name: load * np.exp(0.05 * rng.standard_normal(5760)) for name in names},
    )
    evaluate_panel(panel, signals=(names[0],))
    assert len(evaluate_panel(panel).signals) == 21


def test_fleet_held_flat_by_a_scaler_is_said_so(make_panel) -> None:
    """Instances in proportion to load leave no response to see, and the condition names the cause."""
    rng = np.random.default_rng(6)
    load = 100 * daily_load(1440, 60.0, rng=rng)
    ready = np.ceil(load / 2)
    panel = make_panel(
        60.0,
        {
            "service:offered_output_tps": load,
            "decode:gpu_util": load / ready / 3 * np.exp(0.02 * rng.standard_normal(1440)),
            "decode:ready": ready,
        },
    )
    score = next(s for s in evaluate_panel(panel).signals if s.signal == "decode:gpu_util")
    assert score.verdict == "insufficient_data"
    assert score.reasons[0].code == "load_hardly_moves"
    assert [c.code for c in score.conditions] == ["closed_loop"]


def test_four_days_of_seconds_can_be_scored(make_panel) -> None:
    """345,600 ticks, three signals 20, 45 and 5 s late: no cost grows with the square of the ticks."""
    count, rng = 345_600, np.random.default_rng(3)
    load = 100 + 20 * np.interp(np.arange(count), np.arange(0, count, 30), ar1(11_520, 0.9, rng))
    load = np.maximum(load, 1.0)
    delays = {"running": 20, "kv_usage": 45, "gpu_util": 5}
    signals = {
        f"decode:{name}": np.roll(load, delay) + rng.standard_normal(count)
        for name, delay in delays.items()
    }
    panel = make_panel(1.0, {"service:request_rate": load, **signals})
    card = evaluate_panel(panel, signals=tuple(signals))
    for score in card.signals:
        lag = score.measures["lag_s"]
        assert lag.determined
        assert lag.value == pytest.approx(delays[score.column.signal], abs=0.5)


def test_others_are_held_against_the_best_of_their_pool(panel: Panel) -> None:
    """Throughput is first; a noisy copy of load adds to it, and the first says which adds most."""
    scores = {score.signal: score for score in evaluate_panel(panel).signals}
    first = scores["decode:decode_tps"].measures["redundancy"]
    others = {
        name: scores[name].measures["redundancy"]
        for name in ("decode:kv_usage", "decode:itl_mean", "decode:gpu_util")
    }
    assert all(estimate.extra["first"] == "decode:decode_tps" for estimate in others.values())
    best = max(others, key=lambda name: others[name].value or 0.0)
    assert (first.value, first.extra["second"]) == (None, best)
    assert first.extra["second_ratio"] == others[best].value
    assert others["decode:kv_usage"].value is not None
    assert others["decode:kv_usage"].value > 0.3, "it is on time, throughput a minute late"
    assert others["decode:gpu_util"].value == pytest.approx(0.0, abs=0.03)
    load = scores["service:offered_output_tps"].measures["redundancy"]
    assert load.reason == "no signal of its pool has a rank"


def test_perfect_signal_holds_in_every_part(panel: Panel) -> None:
    """The load itself, on one day: by hours and by load; not by day."""
    scores = {score.signal: score for score in evaluate_panel(panel).signals}
    estimate = scores["service:offered_output_tps"].measures["stability"]
    assert estimate.value == 1.0
    assert estimate.reason == "not by day: fewer than three whole days"
