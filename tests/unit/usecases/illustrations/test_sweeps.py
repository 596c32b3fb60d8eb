"""Pictures of a measure as one property varies: made anew they show what was kept, and that is what was put in."""

from __future__ import annotations

import json

import pytest

from signals.usecases.illustrations.captions import kept
from signals.usecases.illustrations.spec import Numbers
from signals.usecases.illustrations.sweeps import SWEEPS
from tests.contracts.tree import ROOT

KEPT: dict[str, Numbers] = json.loads(
    (ROOT / "docs" / "figures" / "numbers.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("name", ["peak_bias", "trend_gap"])
def test_picture_made_anew_shows_the_kept_numbers(name: str) -> None:
    """As far as other versions of the libraries round alike."""
    picture = next(picture for picture in SWEEPS if picture.name == name)
    assert kept(picture.make().numbers) == pytest.approx(KEPT[name], rel=1e-3)


@pytest.mark.parametrize("truth", [0.3, 0.5, 0.8, 1, 1.25, 1.5, 2])
def test_elasticities_are_found(truth: float) -> None:
    """Within 5 %."""
    assert KEPT["elasticity"][f"elasticity@{truth:g}"] == pytest.approx(truth, rel=0.05)


@pytest.mark.parametrize("share", [0, 0.2, 0.4, 0.6, 0.8, 1])
def test_what_follows_the_clock_is_told(share: float) -> None:
    """The share of load's departures that a signal follows."""
    found = KEPT["residual_elasticity"][f"residual_elasticity@{share:g}"]
    assert found == pytest.approx(share, abs=0.03)


def test_errors_move_as_the_guide_says() -> None:
    """More noise more flaps; more time at capacity, or more lateness, the lower the bias."""
    flaps = [KEPT["flaps"][f"flap_rate_per_h@{x}"] for x in (0, 2, 5, 10, 20, 30)]
    bias = [KEPT["peak_bias"][f"peak_bias@{x}"] for x in (30, 20, 10, 5, 2, 0)]
    gap = [KEPT["trend_gap"][f"trend_gap@{x}"] for x in (10, 5, 2, 0)]
    for values in (flaps, bias, gap):
        assert values == sorted(values, key=lambda value: value or 0.0)
        assert len(set(values)) == len(values)
