"""Pictures of a few signals: made anew they show what was kept, and that is what was put in."""

from __future__ import annotations

import json

import pytest

from signals.usecases.illustrations.captions import kept
from signals.usecases.illustrations.cases import CASES
from signals.usecases.illustrations.spec import Numbers
from tests.contracts.tree import ROOT

KEPT: dict[str, Numbers] = json.loads(
    (ROOT / "docs" / "figures" / "numbers.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("name", ["association", "granger", "redundancy"])
def test_picture_made_anew_shows_the_kept_numbers(name: str) -> None:
    """As far as other versions of the libraries round alike."""
    picture = next(picture for picture in CASES if picture.name == name)
    assert kept(picture.make().numbers) == pytest.approx(KEPT[name], rel=1e-3)


def at(picture: str, name: str) -> float:
    """A kept number that is known."""
    value = KEPT[picture][name]
    assert value is not None
    return value


def test_only_one_association_sees_a_valley() -> None:
    """Least in the middle of load: distance correlation."""
    assert at("association", "distance_corr@least in the middle_low") > 0.3
    assert at("association", "spearman@least in the middle_high") < 0.3


def test_what_follows_the_clock_is_told() -> None:
    """High with the daily shape, nothing without it."""
    for case in ("follows the clock", "load of yesterday"):
        assert at("partial", f"pearson@{case}") > 0.8
        assert abs(at("partial", f"partial@{case}")) < 0.1
    assert at("partial", "partial@follows load") > 0.8


def test_departures_of_hours_are_scatter_and_no_noise() -> None:
    """White noise is both."""
    assert at("scatter", "noise_ratio@departs from load for hours") < 0.03
    assert at("scatter", "scatter_ratio@departs from load for hours") > 0.06
    for measure in ("noise_ratio", "scatter_ratio"):
        assert at("scatter", f"{measure}@white noise") == pytest.approx(0.1, rel=0.15)


def test_second_copy_adds_what_two_copies_are_worth() -> None:
    """1 - 1 / sqrt 2 as noisy, 1 - 1 / sqrt 1.25 twice as noisy."""
    assert at("redundancy", "redundancy@a second copy, as noisy") == pytest.approx(0.29, abs=0.03)
    twice = at("redundancy", "redundancy@a second copy, twice as noisy")
    assert twice == pytest.approx(0.106, abs=0.03)
    assert abs(at("redundancy", "redundancy@unrelated")) < 0.02
