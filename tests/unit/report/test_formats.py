"""Formats on a terminal."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from signals.report.formats import format_card, formats_tables, load_command, needed_options
from signals.store.parsed import Source
from signals.store.sources import SOURCES


def source(load: str, **more: object) -> Source:
    words = {"example": "a,b", "export": "`make it`", "traps": ("Mind this.",), **more}
    return Source("made", "made up", (".csv", ".gz"), lambda *_: 0.0, lambda *_: iter(()), load=load, **words)  # type: ignore[arg-type]  # fmt: skip


def drawn(parts: list[object], width: int) -> str:
    out = io.StringIO()
    console = Console(file=out, width=width, highlight=False)
    for part in parts:
        console.print(part)
    return out.getvalue()


@pytest.mark.parametrize(
    ("load", "needed"),
    [
        ("", ()),
        ("--start TIME", ("--start TIME",)),
        ("[--start TIME] [--map 'LEGEND=NAME[unit]']", ()),
        ("--tz ZONE [--map 'COLUMN=ts[s]'] --interval D", ("--tz ZONE", "--interval D")),
        ("--map 'format=a,b c'", ("--map 'format=a,b c'",)),
    ],
)
def test_needed_options_are_those_without_brackets(load: str, needed: tuple[str, ...]) -> None:
    """Brackets of units inside quotes are no brackets around an option."""
    assert needed_options(source(load)) == needed


def test_command_names_a_file_with_the_usual_ending() -> None:
    """The first ending, then the options."""
    assert load_command(source("--tz ZONE")) == "signals load FILE.csv --tz ZONE"
    assert load_command(source("")) == "signals load FILE.csv"


@pytest.mark.parametrize("width", [80, 120])
def test_table_names_options_and_marks_those_that_depend(width: int) -> None:
    """Once each, whatever is said with them."""
    text = drawn(formats_tables(), width)
    assert max(map(len, text.splitlines())) <= width
    for name, options in (
        ("dcgmi-dmon", "--start --interval"),
        ("cloudwatch-csv", "--tz [--map]"),
        ("own-wide", "[--map]"),
    ):
        line = next(line for line in text.splitlines() if line.startswith(name))
        assert options in line, line


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("one", SOURCES, ids=lambda one: one.name)
def test_card_tells_all_of_a_format_and_fits(one: Source, width: int) -> None:
    """Every word of export, command and traps."""
    text = drawn(format_card(one), width)
    assert max(map(len, text.splitlines())) <= width
    packed = "".join(text.split())
    for words in (one.title, one.example, one.export, load_command(one), *one.traps):
        assert "".join(words.split()) in packed


def test_folders_are_told_only_of_formats_that_have_them() -> None:
    """Scrapes."""
    assert "folder" in drawn(format_card(source("", folder=True)), 80)
    assert "folder" not in drawn(format_card(source("")), 80)


@pytest.mark.parametrize("width", [80, 200])
def test_the_list_fits_and_examples_take_one_line(width: int) -> None:
    """A long one is begun; the card of its format shows it whole."""
    text = drawn(formats_tables(), width)
    assert max(map(len, text.splitlines())) <= width
    assert ('{"metadata": {"request_start_ns": 1759813207532…' in text) == (width == 200)
    assert text.rstrip().endswith("signals formats NAME: all about one")
    assert text.splitlines()[-1].startswith("options in brackets")
