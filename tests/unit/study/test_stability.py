"""Whether a verdict holds by day, by hour and by load."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from signals.schema import Estimate, Panel
from signals.series.synthetic import daily_load
from signals.study.panel import choose_loads, observe
from signals.study.stability import Part, parts, parts_frame, stability

TICK_S = 300.0
PER_DAY = 288
LOAD = "service:offered_output_tps"
MIDNIGHT = datetime(2026, 1, 5, tzinfo=UTC)

Found = Callable[..., tuple[Part, ...]]


@pytest.fixture
def found(make_panel: Callable[..., Panel]) -> Found:
    """Parts of a total signal under a load, with the figures of the whole left away."""

    def find(load: np.ndarray, signal: np.ndarray, first: datetime = MIDNIGHT) -> tuple[Part, ...]:
        panel = make_panel(TICK_S, {LOAD: load, "decode:decode_tps": signal})
        choices, _ = choose_loads(panel, LOAD)
        column = panel.column("decode:decode_tps")
        assert column is not None
        return parts(observe(panel, column, choices["decode"]), {}, first=first)

    return find


def _load(days: int) -> np.ndarray:
    return 100 * daily_load(
        days * PER_DAY, TICK_S, trough=0.1, wander=0.1, rng=np.random.default_rng(8)
    )


def _verdicts(found: tuple[Part, ...], kind: str) -> dict[str, str]:
    return {part.name: part.verdict for part in found if part.kind == kind}


def test_perfect_signal_is_proportional_in_every_part(found: Found) -> None:
    """Four days, four quarters of the day, three thirds of load, without an error anywhere."""
    load = _load(4)
    result = found(load, 3 * load)
    assert list(_verdicts(result, "day")) == ["1", "2", "3", "4"]
    assert list(_verdicts(result, "hours")) == ["00-06", "06-12", "12-18", "18-24"]
    assert list(_verdicts(result, "load")) == ["low", "middle", "high"]
    judged = [part for part in result if part.verdict != "insufficient_data"]
    assert len(judged) >= 8
    assert {(part.verdict, part.capacity_error) for part in judged} == {("proportional", 0.0)}
    estimate = stability(result, "proportional")
    assert (estimate.value, estimate.reason) == (1.0, "")
    assert estimate.extra["day_ratio"] == 1.0
    assert estimate.extra["parts"] == len(judged)


def test_broken_day_is_named(found: Found) -> None:
    """A signal that stands still on the third of five days: four days agree, and the third is the worst."""
    load = _load(5)
    signal = load.copy()
    signal[2 * PER_DAY : 3 * PER_DAY] = np.median(load)
    result = found(load, signal)
    assert _verdicts(result, "day") == {
        "1": "proportional", "2": "proportional", "3": "unusable", "4": "proportional", "5": "proportional"
    }  # fmt: skip
    estimate = stability(result, "proportional")
    assert estimate.extra["day_ratio"] == pytest.approx(4 / 5)
    assert estimate.extra["worst"] == "day 3"
    third = next(part for part in result if part.name == "3")
    assert estimate.extra["worst_capacity_error"] == third.capacity_error
    assert third.elasticity == pytest.approx(0.0, abs=1e-6)


def test_hours_are_those_of_the_clock(found: Found) -> None:
    """A series that begins at noon and is wrong by half from midnight to six: only 00-06 is."""
    load = _load(4)
    hour = (12 + np.arange(len(load)) * TICK_S / 3600) % 24
    signal = np.where(hour < 6, 2 * load, load)
    result = found(load, signal, MIDNIGHT + timedelta(hours=12))
    errors = {part.name: part.capacity_error for part in result if part.kind == "hours"}
    assert errors["00-06"] == pytest.approx(np.log(2), abs=0.01)
    assert max(errors[name] or 0.0 for name in ("06-12", "12-18", "18-24")) < 0.02


def test_bent_response_shows_by_load(found: Found) -> None:
    """Slopes of a half and of two average to one; the thirds of load see each."""
    load = _load(4)
    middle = float(np.exp(np.median(np.log(load))))
    signal = np.where(load < middle, (load / middle) ** 0.5, (load / middle) ** 2)
    slopes = {part.name: part.elasticity for part in found(load, signal) if part.kind == "load"}
    assert slopes["low"] == pytest.approx(0.5, abs=0.05)
    assert slopes["high"] == pytest.approx(2.0, abs=0.1)
    estimate = stability(found(load, signal), "proportional")
    assert estimate.extra["load_ratio"] != 1.0


def test_a_signal_that_is_missing_at_high_load_is_not_judged_there(found: Found) -> None:
    """What ticks lack it counts in thirds of load as in days."""
    load = _load(4)
    busy = load > np.quantile(load, 2 / 3)
    signal = np.where(busy & (np.arange(len(load)) % 5 > 0), np.nan, load)
    edges = np.quantile(load[np.isfinite(signal)], (1 / 3, 2 / 3))
    assert edges[1] < np.quantile(load, 2 / 3)
    assert _verdicts(found(load, signal), "load")["high"] == "insufficient_data"


def test_one_day_is_not_judged_by_day(found: Found) -> None:
    """The other two views stay, and the reason says which is missing."""
    load = _load(2)
    estimate = stability(found(load, load), "proportional")
    assert estimate.value == 1.0
    assert estimate.extra["day_ratio"] is None
    assert estimate.reason == "not by day: fewer than three whole days"


def test_too_little_says_why(found: Found) -> None:
    """Of the whole, or of every part; a signal without a value is one."""
    load = _load(3)
    nothing = found(load, np.full(len(load), np.nan))
    assert {part.verdict for part in nothing} == {"insufficient_data"}
    assert stability(nothing, "feedback").reason == "no part has enough data for a verdict"
    assert stability(nothing, "insufficient_data").value is None


def test_whole_figures_are_carried_into_every_part(found: Found) -> None:
    """Parts as a frame; a part that agrees counts wherever it stands."""
    load = _load(3)
    result = found(load, load)
    frame = parts_frame(result)
    assert frame.columns == ["kind", "part", "verdict", "capacity_error", "elasticity", "ticks"]
    assert frame.height == len(result) == 10
    assert frame.filter(kind="day")["ticks"].sum() == len(load)
    turned = [replace(part, verdict="feedback") for part in result[:5]]
    kept = [replace(part, verdict="proportional") for part in result[5:]]
    assert stability([*turned, *kept], "feedback").value == pytest.approx(0.5)
    assert parts_frame(()).height == 0


def test_what_a_part_cannot_tell_is_that_of_the_whole(make_panel: Callable[..., Panel]) -> None:
    """A signal that follows the clock on the whole does so in every part."""
    load = _load(3)
    panel = make_panel(TICK_S, {LOAD: load, "decode:decode_tps": load})
    column = panel.column("decode:decode_tps")
    assert column is not None
    observed = observe(panel, column, choose_loads(panel, LOAD)[0]["decode"])
    whole = {"residual_elasticity": Estimate(0.1)}
    found = parts(observed, whole, first=MIDNIGHT)
    assert {part.verdict for part in found} <= {"unusable", "insufficient_data"}


@pytest.mark.parametrize(("ticks", "hours"), [(300, False), (390, False), (450, True)])
def test_a_part_that_is_the_whole_is_no_part(
    make_panel: Callable[..., Panel], ticks: int, hours: bool
) -> None:
    """Five hours from noon agree with themselves; of six and a half all but half an hour does, of seven and a half not."""
    load = 100 * (1.5 + np.sin(np.arange(ticks) / 20))
    panel = make_panel(60.0, {LOAD: load, "decode:decode_tps": load})
    column = panel.column("decode:decode_tps")
    assert column is not None
    observed = observe(panel, column, choose_loads(panel, LOAD)[0]["decode"])
    found = parts(observed, {}, first=MIDNIGHT + timedelta(hours=12))
    assert ("hours" in {part.kind for part in found}) is hours
    reason = stability(found, "proportional").reason
    assert ("not by hour: nearly all within one quarter of the day" in reason) is not hours


def test_nothing_but_the_whole_has_no_stability() -> None:
    """Thirds without enough data, and neither days nor hours: no share, and why."""
    third = Part("load", "low", "insufficient_data", None, None, 40)
    estimate = stability([third], "feedback")
    assert estimate.value is None
    assert estimate.reason == (
        "no part has enough data for a verdict; not by day: fewer than three whole days; "
        "not by hour: nearly all within one quarter of the day"
    )
