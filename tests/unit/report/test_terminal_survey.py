"""Several services on a terminal."""

from __future__ import annotations

import io

from rich.console import Console

from signals.errors import AnalysisError
from signals.report.terminal_survey import survey_table
from tests.builders import make_scorecard


def test_every_service_has_an_answer_or_an_error() -> None:
    """Scorecards first, in their order; long answers break into lines."""
    cards = [make_scorecard("chat"), make_scorecard("code")]
    out = io.StringIO()
    table = survey_table(cards, {"batch": AnalysisError("there is no load")})
    Console(file=out, width=60, highlight=False).print(table)
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= 60
    first = [line.split()[0] for line in lines if line and not line.startswith((" ", "-"))]
    assert [word for word in first if word != "service"] == ["chat", "code", "batch"]
    assert "error: there is no load" in out.getvalue()
    told = " ".join(out.getvalue().split())
    assert f"chat {cards[0].headline.split(',')[0]}" in told
