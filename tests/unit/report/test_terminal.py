"""Results on a terminal: what must be there at any width."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from signals.report import terminal
from tests.builders import make_comparison, make_scorecard
from tests.builders_advice import make_advised


def drawn(parts: list[object], width: int, **settings: object) -> str:
    out = io.StringIO()
    console = Console(file=out, width=width, highlight=False, **settings)  # type: ignore[arg-type]
    for part in parts:
        console.print(part)
    return out.getvalue()


@pytest.mark.parametrize("width", [80, 100, 160])
def test_scorecard_fits_and_hides_no_signal(width: int) -> None:
    """Every signal with verdict, error and lag; lines no longer than the terminal; the answer last."""
    text = drawn(terminal.scorecard_tables(make_scorecard()), width)
    lines = text.splitlines()
    assert max(map(len, lines)) <= width
    for score in make_scorecard().signals:
        assert any(line.startswith(score.signal) for line in lines)
    row = next(line for line in lines if line.startswith("decode:decode_tps"))
    assert [word for word in ("proportional", "6.29 %", "9.8 s") if word not in row] == []
    assert " ".join(text.split()).endswith("10 s behind load, capacity error 6.3 %.")


def test_wide_scorecard_shows_intervals_and_elasticity() -> None:
    """With room, everything is shown; a signal that is the load is marked."""
    text = drawn(terminal.scorecard_tables(make_scorecard()), 160)
    assert "5.64 to 7.07 %" in text
    assert "elasticity" in text
    identity = next(
        line for line in text.splitlines() if line.startswith("decode:offered_output_tps")
    )
    assert " load " in identity


def test_scorecard_tells_why_and_what_was_found() -> None:
    """Sentences for signals that are not plainly proportional; findings with severity and code."""
    text = drawn(terminal.scorecard_tables(make_scorecard()), 100)
    assert "Hardly moves when load moves; pinned part of the time." in text
    assert "warning  scrape_gap: no samples for 4 min after 03:12: prefill-2 (left empty)" in text


def test_narrow_scorecard_says_which_signal_is_the_load_itself() -> None:
    """Where the column of ranks has no room, the sentence below tells it."""
    text = " ".join(drawn(terminal.scorecard_tables(make_scorecard()), 80).split())
    assert "This signal is the load itself, so it has no rank." in text


@pytest.mark.parametrize("width", [80, 120])
def test_comparison_fits_and_names_what_was_assumed(width: int) -> None:
    """Policies with attainment and GPU-hours; objectives, profile and seed; the money line last."""
    text = drawn(terminal.comparison_tables(make_comparison(hours=1)), width)
    lines = text.splitlines()
    assert max(map(len, lines)) <= width
    assert any(
        line.startswith("heteroscale") and "1,157.1" in line and "−33.0 %" in line for line in lines
    )
    assert "TTFT ≤ 1 s, TPOT ≤ 50 ms; profile llama2-70b-h100, P/D 1:2, start 4P8D, seed 7" in text
    assert "33 % fewer than static" in " ".join(text.split())


def test_colours_can_be_refused() -> None:
    """With no_color there is no colour code, and nothing is lost."""
    parts = terminal.scorecard_tables(make_scorecard())
    plain = drawn(parts, 100, force_terminal=True, no_color=True)
    assert "\x1b[32m" not in plain
    assert "proportional" in plain


@pytest.mark.parametrize("width", [80, 120])
def test_recommendations_stand_under_the_answer(width: int) -> None:
    """A row per pool with the value to hold, then why; nothing without a recommendation."""
    text = drawn(terminal.scorecard_tables(make_advised()), width)
    assert max(map(len, text.splitlines())) <= width
    head, _, advice = text.rpartition("6.3 %.\n")
    assert head
    row = next(line for line in advice.splitlines() if line.startswith("decode"))
    assert "464 tokens/s per instance" in row
    told = " ".join(advice.split())
    assert "Next best decode:running: larger capacity error 9 % against 6.3 %." in told
    assert "Nothing to scale on: none of its signals moves" in told
    assert ("HPA or KEDA, AverageValue" in row) == (width == 120)
