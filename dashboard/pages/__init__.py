"""The pages, in the order of the navigation; adding one is a file and a row here."""

from __future__ import annotations

from typing import Protocol, cast

from dash import Dash
from dash.development.base_component import Component

from dashboard.source import Source

__all__ = ["Page", "all_pages"]


class Page(Protocol):
    """What a page module declares."""

    PATH: str
    TITLE: str

    @staticmethod
    def layout() -> Component:
        """The page without data; callbacks fill it."""
        ...

    @staticmethod
    def register(app: Dash, source: Source) -> None:
        """Register the page's callbacks."""
        ...


def all_pages() -> tuple[Page, ...]:
    """Every page."""
    from dashboard.pages import backtest, overview, scorecard

    return cast("tuple[Page, ...]", (overview, scorecard, backtest))
