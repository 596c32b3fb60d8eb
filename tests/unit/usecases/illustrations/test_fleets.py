"""The fleets that the pictures show."""

from __future__ import annotations

import numpy as np
import pytest

from signals.schema import Estimate
from signals.usecases.illustrations.fleets import day_shaped, fleet, scores, spread_of, tabled


def test_load_has_the_length_and_shape_of_days(rng: np.random.Generator) -> None:
    """Nights are low, and what departs from the daily shape is a fifth."""
    load = day_shaped(rng, days=2, tick_s=30.0)
    assert len(load) == 2 * 2_880
    hours = np.arange(len(load)) * 30.0 / 3600 % 24
    assert load[hours < 5].mean() < 0.5 * load[(hours > 13) & (hours < 17)].mean()


def test_fleet_is_scored_by_bare_names(rng: np.random.Generator) -> None:
    """A copy of load is in proportion to it, whatever it is called; load and instances are not among them."""
    load = day_shaped(rng, days=1)
    panel = fleet(load, {"a copy": 3 * load, "0.5": np.sqrt(load)}, ready=4.0)
    assert panel.frame["decode:ready"].unique().to_list() == [4.0]
    found = scores(panel)
    assert list(found) == ["a copy", "0.5"]
    assert found["a copy"].measures["capacity_error"].value == 0.0
    assert found["0.5"].measures["elasticity"].value == pytest.approx(0.5, abs=0.02)


def test_range_is_that_between_percentiles() -> None:
    """Of 0, 1, ..., 100 it is 90."""
    assert spread_of(np.arange(101.0)) == pytest.approx(90.0)


def test_table_holds_each_measure_of_each_case() -> None:
    """Titles for readers, names for the numbers."""
    found = {
        "x": {"snr_db": Estimate(1.0, 0.5, 2.0), "knee": Estimate(None)},
        "y": {"snr_db": Estimate(3.0), "knee": Estimate(4.0)},
    }
    frame, numbers = tabled(found, ("snr_db", "knee"))
    assert frame.rows() == [
        ("x", "SNR", 1.0, 0.5, 2.0),
        ("y", "SNR", 3.0, None, None),
        ("x", "knee", None, None, None),
        ("y", "knee", 4.0, None, None),
    ]
    assert numbers["snr_db@x_high"] == 2.0
    assert numbers["knee@x"] is None
