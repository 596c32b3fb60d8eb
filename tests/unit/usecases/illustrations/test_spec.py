"""How the numbers of a picture are named and written."""

from __future__ import annotations

from signals.schema import Estimate
from signals.usecases.illustrations.spec import extras_of, numbers_of, said


def test_numbers_have_the_ends_of_their_intervals() -> None:
    """Where there are any."""
    found = numbers_of({"lag_s": Estimate(3.0, 2.0, 4.5), "knee": Estimate(None)})
    assert found == {"lag_s": 3.0, "lag_s_low": 2.0, "lag_s_high": 4.5, "knee": None}


def test_extras_are_numbers_or_nothing() -> None:
    """Words and what is missing are no numbers."""
    estimate = Estimate(1.0, extra={"events": 7, "leader": "load"})
    assert extras_of(estimate, ["events", "leader", "none"]) == {
        "events": 7.0,
        "leader": None,
        "none": None,
    }


def test_numbers_are_said_with_their_interval() -> None:
    """A value alone without one, `none` without a value, no minus before zero."""
    numbers = {"a": 37.62, "a_low": 36.9, "a_high": 38.44, "b": -0.001, "c": None}
    assert said(numbers, "a", ".1f", " s") == "37.6 s (36.9 s to 38.4 s)"
    assert said(numbers, "b", ".2f") == "0.00"
    assert said(numbers, "c", ".2f") == "none"
