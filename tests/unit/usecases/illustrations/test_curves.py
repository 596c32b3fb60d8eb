"""Pictures of one signal: made anew they show what was kept, and that is what was put in."""

from __future__ import annotations

import json

import pytest

from signals.usecases.illustrations.captions import kept
from signals.usecases.illustrations.curves import CURVES
from signals.usecases.illustrations.spec import Numbers
from tests.contracts.tree import ROOT

KEPT: dict[str, Numbers] = json.loads(
    (ROOT / "docs" / "figures" / "numbers.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("name", ["coverage", "hysteresis", "knee", "rise", "saturation"])
def test_picture_made_anew_shows_the_kept_numbers(name: str) -> None:
    """As far as other versions of the libraries round alike."""
    picture = next(picture for picture in CURVES if picture.name == name)
    assert kept(picture.make().numbers) == pytest.approx(KEPT[name], rel=1e-3)


def test_pictures_show_what_was_put_in() -> None:
    """Lag of 37.5 s, half of the way in 62 s, a knee at 3,000 tokens/s, 40 % pinned."""
    lag = KEPT["lag"]
    low, high = lag["lag_s_low"], lag["lag_s_high"]
    assert low is not None
    assert high is not None
    assert low < 37.5 < high
    assert KEPT["rise"]["rise_s"] == pytest.approx(62, abs=15)
    assert KEPT["knee"]["knee"] == pytest.approx(3_000, rel=0.05)
    assert KEPT["saturation"]["saturation_ratio"] == pytest.approx(0.4, abs=0.03)
    assert KEPT["stability"]["capacity_error@day 3"] == pytest.approx(0.357, abs=0.03)
