"""Tables that fit the terminal by leaving out columns."""

from __future__ import annotations

import io

import pytest
from rich.console import Console
from rich.measure import Measurement
from rich.text import Text

from signals.report.grid import Column, Grid, chip, note, title

GRID = Grid(
    (Column("name"), Column("value", right=True), Column("more", keep=1), Column("most", keep=2)),
    (("first", "1.0", "aaaaaaaaaa", "bbbbbbbbbb"), ("[red]x[/red]", "20.0", "a", "b")),
)


def drawn(part: object, width: int, **settings: object) -> list[str]:
    out = io.StringIO()
    Console(file=out, width=width, **settings).print(part)  # type: ignore[arg-type]
    return [line.rstrip() for line in out.getvalue().splitlines()]


@pytest.mark.parametrize(
    ("width", "head"),
    [
        (60, "name          value  more        most"),
        (35, "name          value  more"),
        (20, "name          value"),
    ],
)
def test_least_important_columns_go_first(width: int, head: str) -> None:
    """Those with the largest `keep` leave until the rest fits; those with 0 stay."""
    lines = drawn(GRID, width)
    assert lines[0] == head
    assert all(len(line) <= width for line in lines)


def test_data_carries_no_markup_and_numbers_align_right() -> None:
    """Square brackets of data are text."""
    lines = drawn(GRID, 60)
    assert lines[3].startswith("[red]x[/red]   20.0")


def test_long_text_wraps_in_its_column() -> None:
    """A column that may wrap shrinks to its least width before others are left out."""
    grid = Grid((Column("k"), Column("text", wrap=10), Column("x", keep=1)), (("a", "one two three four", "1"),))  # fmt: skip
    assert drawn(grid, 18)[2:] == ["a  one two       1", "   three four"]


def test_measure_is_the_width_of_what_is_drawn() -> None:
    """A grid inside other renderables asks for no more than it draws."""
    console = Console(width=60)
    assert Measurement.get(console, console.options, GRID).maximum <= 60


def test_no_color_is_respected() -> None:
    """Colours are the console's to refuse."""
    colored = drawn(chip("ok", "ok"), 20, force_terminal=True, color_system="standard")
    plain = drawn(chip("ok", "ok"), 20, force_terminal=True, no_color=True)
    assert "\x1b[32m" in colored[0]
    assert "\x1b[32m" not in plain[0]


def test_notes_and_titles_are_text() -> None:
    """A title leaves a line free above it."""
    assert drawn(note("x"), 9) == ["x"]
    assert drawn(title("t"), 9) == ["", "t"]
    assert isinstance(note("x"), Text)


def test_names_break_behind_signs_and_the_widest_gives_way() -> None:
    """Short names stay whole where a long path has room to give."""
    grid = Grid(
        (Column("file", wrap=8), Column("service", wrap=8)),
        (("…/traces/azure_llm_2023_conv.csv", "llmservingsim_vllm"),),
    )
    assert drawn(grid, 40)[2:] == ["…/traces/azure_llm_   llmservingsim_vllm", "2023_conv.csv"]
    assert [line.split() for line in drawn(grid, 28)[2:]] == [
        ["…/traces/", "llmservingsim_"],
        ["azure_llm_", "vllm"],
        ["2023_"],
        ["conv.csv"],
    ]


def test_no_line_is_broken_twice_on_a_terminal_that_is_too_narrow() -> None:
    """Below their least widths, columns that may wrap go on giving way."""
    grid = Grid((Column("k"), Column("text", wrap=20)), (("aaaaaaaa", "one two three four five"),))
    assert drawn(grid, 18)[2:] == [
        "aaaaaaaa  one two",
        "          three",
        "          four",
        "          five",
    ]
