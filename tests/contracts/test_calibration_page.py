"""docs/calibration.md speaks of the settings that the calibration has."""

from __future__ import annotations

import pytest

from tests.calibration.document import sections_of
from tests.calibration.families import FAMILIES
from tests.calibration.run import PAGE
from tests.calibration.table import Family

SECTIONS = sections_of(PAGE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_page_names_every_setting_and_no_other(family: Family) -> None:
    """In their order. `make calibrate` writes the page, CALIBRATE_ARGS="--only NAME" one table of it."""
    lines = SECTIONS[family.title].splitlines()
    rows = [line.split(" | ")[0].removeprefix("| ") for line in lines if line.startswith("| ")]
    assert rows[1:] == [setting.name for setting in family.settings]


def test_page_has_no_other_table() -> None:
    """A family that is gone leaves with its table."""
    assert list(SECTIONS) == [family.title for family in FAMILIES]
