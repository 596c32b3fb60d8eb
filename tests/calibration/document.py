"""The tables of a calibration as one page of Markdown."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from importlib.metadata import version

from tests.calibration.table import Check, Column, Family, Row

__all__ = ["page", "section", "sections_of"]

PACKAGES = ("numpy", "scipy", "numba")
HEADING = "# Calibration"
_ERRORS = 2.0
"""Standard errors of the count within which a band is missed by little."""
PREFACE = """\
Does each measure say what is true of series whose truth is known? Every row is one way to make series and was drawn
many times; the number stands over its table. **Coverage** is the share of the 95 % intervals that hold the truth: 0.95 is right, much less promises too
much, more is too careful. **Rejected**, **found** and **false** are shares of series in which something was seen; where nothing is there, 5 % is
what a test at 5 % owes. **Median error** is how far the middle of the estimates lies from the truth, **RMSE** the usual size of
one error, and the **bound** beside it is the least that any unbiased method could reach. The last column says whether
the band that was asked is met; a band in brackets is one that is not, `by little` within two standard errors of such a count: of many settings that are right some miss by chance. With 1,000 series a coverage of 0.95 is known to 0.014 either way.

`make calibrate` writes this page. Each series has a seed of its own, made from the names of table and setting and from its
number, so the same versions give the same page, in whatever order and on however many processors. `make test` runs a
short form of it (`tests/calibration`)."""


def page(sections: Mapping[str, str], families: Sequence[Family]) -> str:
    """The whole page.

    Args:
        sections: Markdown by title.
        families: in the order of the page; one without a section is left out.

    Returns:
        Text that ends with a newline.
    """
    parts = [sections[family.title] for family in families if family.title in sections]
    return "\n\n".join([HEADING, PREFACE, *parts]) + "\n"


def sections_of(text: str) -> dict[str, str]:
    """Take a page apart, so that some of its tables can be made anew.

    Args:
        text: a page.

    Returns:
        Markdown by title.
    """
    parts = re.split(r"^(?=## )", text, flags=re.MULTILINE)[1:]
    return {part.split("\n", 1)[0].removeprefix("## "): part.strip() for part in parts}


def section(family: Family, rows: Sequence[Row]) -> str:
    """One table under its heading.

    Args:
        family: the family.
        rows: in any order; one for each setting.

    Returns:
        Markdown without a last newline.
    """
    by_name = {row.setting: row for row in rows}
    ordered = [by_name[setting.name] for setting in family.settings if setting.name in by_name]
    heads = ["setting", *(column.head for column in family.columns), "asked"]
    lines = [
        f"## {family.title}",
        "",
        family.text,
        "",
        _facts(family, ordered),
        "",
        f"| {' | '.join(heads)} |",
        f"|---|{'---:|' * len(family.columns)}---|",
        *(_line(family, row) for row in ordered),
    ]
    return "\n".join([*lines, *_reasons(family, ordered)])


def _facts(family: Family, rows: Sequence[Row]) -> str:
    series = " / ".join(f"{count:,}" for count in sorted({row.series for row in rows}))
    missed = sum(bool(row.missed()) for row in rows)
    asked = sum(bool(row.checks) for row in rows)
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return (
        f"{series} series a setting (seed: CRC-32 of `{family.name}/SETTING`, and the number); {versions}. "
        f"**{asked - missed} of {asked} settings meet their band.**"
    )


def _line(family: Family, row: Row) -> str:
    cells = [_cell(column, row.figures[column.key]) for column in family.columns]
    return f"| {row.setting} | {' | '.join(cells)} | {_verdict(family, row)} |"


def _verdict(family: Family, row: Row) -> str:
    if not row.checks:
        return ""
    missed = row.missed()
    if not missed:
        return "met"
    forms = {column.key: column for column in family.columns}
    bands = ", ".join(_band(forms[check.figure], check) for check in missed)
    return f"**missed**{'' if row.missed(errors=_ERRORS) else ' by little'} ({bands})"


def _band(column: Column, check: Check) -> str:
    low, high = _cell(column, check.low), _cell(column, check.high)
    if not math.isfinite(check.high):
        return f"{column.head} at least {low}"
    if not math.isfinite(check.low):
        return f"{column.head} at most {high}"
    return f"{column.head} {low} to {high}"


def _cell(column: Column, value: float) -> str:
    if not math.isfinite(value):
        return ""
    if column.form == "share":
        return f"{_unsigned(value * 100, 1)} %"
    if column.form == "coverage":
        return f"{value:.3f}"
    if column.form == "exact":
        return f"{value:.2g}"
    return _unsigned(value, int(column.form))


def _unsigned(value: float, digits: int) -> str:
    """Rounded, without a sign before nothing."""
    text = f"{value:.{digits}f}"
    return text.lstrip("-") if not float(text) else text


def _reasons(family: Family, rows: Sequence[Row]) -> list[str]:
    lines: list[str] = []
    left = [row for row in rows if row.missed()]
    for reason in family.reasons:
        here = [row for row in left if reason.of(row.setting)]
        if here:
            lines.append(f"- {len(here)} missed: {reason.text}")
            left = [row for row in left if row not in here]
    unknown = [row.setting for row in left if row.missed(errors=_ERRORS)]
    if unknown:
        lines.append(
            f"- {len(unknown)} missed without a reason that is known: {'; '.join(unknown)}."
        )
    return ["", *lines] if lines else []
