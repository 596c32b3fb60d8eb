"""What there is, on a terminal."""

from __future__ import annotations

import io
from dataclasses import dataclass
from datetime import UTC, datetime

import polars as pl
import pytest
from rich.console import Console

from signals.catalog import MEASUREMENTS, SIGNALS
from signals.policies import POLICIES
from signals.profiles import profile_names
from signals.report import terminal
from signals.store.sources import SOURCES


@dataclass(frozen=True)
class Check:
    name: str
    state: str
    text: str


def drawn(parts: list[object], width: int = 100) -> str:
    out = io.StringIO()
    console = Console(file=out, width=width, highlight=False)
    for part in parts:
        console.print(part)
    return out.getvalue()


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize(
    ("make", "names"),
    [
        (terminal.catalog_tables, [s.name for s in (*SIGNALS, *MEASUREMENTS)]),
        (
            terminal.policies_tables,
            [p.name for e in POLICIES for p in (e.spec, *e.spec.parameters)],
        ),
        (terminal.profiles_tables, list(profile_names())),
        (terminal.formats_tables, [s.name for s in SOURCES]),
    ],
)
def test_listing_names_every_row_and_fits(make, names: list[str], width: int) -> None:
    """Nothing that exists is left out."""
    text = drawn(make(), width)
    assert max(map(len, text.splitlines())) <= width
    assert [name for name in names if name not in text] == []


def test_query_rows_show_times_missing_values_and_numbers() -> None:
    """A dash for null; six digits for floats; no markup from data."""
    frame = pl.DataFrame(
        {"t": [datetime(2026, 11, 23, tzinfo=UTC)], "v": [1 / 3], "s": ["[b]x"], "n": [None]},
        schema_overrides={"n": pl.Float64},
    )
    text = drawn([terminal.frame_table("q", frame)])
    assert text.splitlines()[2].split() == ["2026-11-23", "00:00:00+00:00", "0.333333", "[b]x", "–"]


def test_query_names_are_one_column() -> None:
    """Under the heading that is given."""
    assert drawn([terminal.frame_table("queries", ["a", "b"])]).split() == [
        "queries",
        "-------",
        "a",
        "b",
    ]


def test_checks_show_state_and_text() -> None:
    """One line each."""
    text = drawn(
        [terminal.checks_table([Check("python", "ok", "3.11"), Check("jit", "fail", "no")])]
    )
    assert [line.split() for line in text.splitlines()[2:]] == [["python", "ok", "3.11"], ["jit", "fail", "no"]]  # fmt: skip
