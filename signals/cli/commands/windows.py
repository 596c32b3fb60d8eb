"""The time options that several commands share."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from signals.moments import resolve_window

if TYPE_CHECKING:
    from signals.store import Store

__all__ = ["FROM", "SINCE", "TO", "window_of"]

SINCE = Annotated[
    str | None,
    typer.Option(help="Only the last such time of the data: 14d, 6h.", show_default=False),
]
FROM = Annotated[
    str | None,
    typer.Option(
        "--from", help="Begin: RFC 3339, a day (from 00:00 UTC), epoch, now-6h.", show_default=False
    ),
]
TO = Annotated[
    str | None,
    typer.Option(
        "--to", help="End: RFC 3339, a day (until 00:00 UTC), epoch, now-6h.", show_default=False
    ),
]


def window_of(
    store: Store, service: str, since: str | None, first: str | None, last: str | None
) -> tuple[datetime | None, datetime | None]:
    """The window that `--since`, `--from` and `--to` ask for, over the service's data."""
    from signals.usecases.load import clock

    if not (since or first or last):
        return None, None
    rows = store.inventory().services.filter(service=service)
    end = rows["last_at"][0] if rows.height else None
    return resolve_window(since, first, last, now=clock(), data_end=end)
