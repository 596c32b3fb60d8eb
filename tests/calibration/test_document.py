"""The page of the calibration: what it says of bands that are met and missed, and that it can be taken apart."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from tests.calibration.document import page, section, sections_of
from tests.calibration.families import FAMILIES
from tests.calibration.table import Check, Column, Family, Reason, Row, Setting, row_from


def _draw(_: float, rng: np.random.Generator) -> Mapping[str, float]:
    return {"held": float(rng.random() < 0.5)}


FAMILY = Family(
    name="coins",
    title="Coins",
    text="Heads.",
    columns=(Column("held", "heads", "coverage"), Column("off", "off by", "share")),
    settings=(Setting("fair", 0.5), Setting("loaded", 0.9), Setting("unasked", 0.0)),
    draw=_draw,
    summarise=lambda truth, outcomes: {"held": float(outcomes["held"].mean()), "off": math.nan},
    asked=lambda truth, figures: (Check("held", 0.4, 0.6),),
)


def _row(setting: str, held: float, *checks: Check) -> Row:
    return Row("coins", setting, 1000, {"held": held, "off": -1e-9}, checks)


BAND = Check("held", 0.4, 0.6)
ROWS = (_row("unasked", 0.1), _row("loaded", 0.9, BAND), _row("fair", 0.5, BAND))


def test_section_has_the_settings_in_their_order_and_says_which_bands_are_met() -> None:
    """Rows come in any order; a missed band is named; what is not a number is blank; nothing has no sign."""
    lines = section(FAMILY, ROWS).splitlines()
    table = [line for line in lines if line.startswith("| ")]
    assert table == [
        "| setting | heads | off by | asked |",
        "| fair | 0.500 | 0.0 % | met |",
        "| loaded | 0.900 | 0.0 % | **missed** (heads 0.400 to 0.600) |",
        "| unasked | 0.100 | 0.0 % |  |",
    ]
    assert any("1,000 series" in line and "**1 of 2 settings" in line for line in lines)
    assert lines[-1] == "- 1 missed without a reason that is known: loaded."


def test_reason_stands_beneath_what_it_explains_and_nowhere_else() -> None:
    """A reason whose settings all meet their band is not written."""
    family = replace(FAMILY, reasons=(Reason("^load", "they are loaded."), Reason("^fair", "no.")))
    text = section(family, ROWS)
    assert text.endswith("- 1 missed: they are loaded.")
    assert "no." not in text


def test_band_missed_by_what_so_few_series_cannot_tell_needs_no_reason() -> None:
    """0.62 of 1,000 series where 0.6 was asked: the standard error is 0.015."""
    text = section(FAMILY, (_row("fair", 0.62, BAND), _row("loaded", 0.64, BAND)))
    assert "| fair | 0.620 | 0.0 % | **missed** by little (heads 0.400 to 0.600) |" in text
    assert text.endswith("- 1 missed without a reason that is known: loaded.")


def test_page_is_taken_apart_and_put_together() -> None:
    """So that one table can be made anew and the others stay."""
    first, second = FAMILIES[:2]
    sections = {first.title: f"## {first.title}\n\none", second.title: f"## {second.title}\n\ntwo"}
    text = page(sections, FAMILIES)
    assert sections_of(text) == sections
    assert text.index("one") < text.index("two")
    assert page(sections_of(text), FAMILIES) == text


def test_row_sums_up_all_parts() -> None:
    """Two parts of two series are four."""
    parts = [{"held": np.array([1.0, 0.0])}, {"held": np.array([1.0, 1.0])}]
    row = row_from(FAMILY, FAMILY.settings[0], parts)
    assert (row.series, row.figures["held"]) == (4, 0.75)
    assert row.missed() == [BAND]
