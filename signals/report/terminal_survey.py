"""Several services in one table of the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.text import Text

from signals.errors import SignalsError
from signals.report.grid import Column, Grid
from signals.study.score import Scorecard

__all__ = ["survey_table"]


def survey_table(cards: Sequence[Scorecard], failed: Mapping[str, SignalsError]) -> Grid:
    """One row for each of several services: the answer, or why there is none.

    Args:
        cards: their scorecards.
        failed: what ails the services that have none.

    Returns:
        A table for a console of any width of 60 and more.
    """
    told = [(card.service, Text(card.headline)) for card in cards]
    told += [(name, Text(f"error: {error.what}", style="red")) for name, error in failed.items()]
    return Grid((Column("service", wrap=12), Column("answer", wrap=30)), tuple(told))
