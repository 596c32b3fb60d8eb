"""The short form of the calibration: the most telling settings, few series, bands as wide as so few series need."""

from __future__ import annotations

import numpy as np
import pytest

from tests.calibration.families import FAMILIES
from tests.calibration.table import Check, Family, row_of

SERIES = 60
ERRORS = 2.6
"""Binomial standard errors by which a band is moved out: one setting in a hundred would still leave it by chance."""
SHORT = [(family, name) for family in FAMILIES for name in family.short]


@pytest.mark.parametrize(
    ("family", "name"), SHORT, ids=[f"{family.name}: {name}" for family, name in SHORT]
)
def test_setting_meets_its_band(family: Family, name: str) -> None:
    """What `make calibrate` asks of 1,000 series, asked of 60 of them."""
    row = row_of(family, family.setting(name), SERIES)
    assert row.checks
    assert row.missed(errors=ERRORS) == [], row.figures


def test_row_is_the_same_whatever_was_drawn_before() -> None:
    """Seeds come from names and numbers: again, and after another setting, the figures are equal."""
    family = next(family for family in FAMILIES if family.name == "association")
    first = row_of(family, family.settings[0], 3)
    row_of(family, family.settings[1], 2)
    assert row_of(family, family.settings[0], 3) == first
    assert row_of(family, family.settings[0], 4) != first


def test_every_family_has_a_short_form_and_names_of_its_own() -> None:
    """Names are what seeds are made of; verdicts have their short form in `test_verdicts.py`."""
    assert [family.name for family in FAMILIES if not family.short] == ["verdict", "fooling"]
    for family in FAMILIES:
        names = [setting.name for setting in family.settings]
        assert len(names) == len(set(names)), family.name
    assert len({family.title for family in FAMILIES}) == len(FAMILIES)


def test_band_is_moved_out_by_the_error_of_a_count() -> None:
    """0.92 of 100 series has a standard error of 0.027; a figure that is no count has none."""
    check = Check("coverage", 0.92, 0.98)
    assert check.met(0.92, 100)
    assert not check.met(0.9, 100)
    assert check.met(0.92 - 0.027, 100, errors=1)
    assert not check.met(0.92 - 0.0272, 100, errors=1)
    assert check.met(1.0, 100, errors=2)
    assert not check.met(1.0, 1000, errors=2)
    exact = Check("off", -0.05, 0.05, counted=False)
    assert not exact.met(0.051, 10, errors=9)
    assert not check.met(np.nan, 100)
