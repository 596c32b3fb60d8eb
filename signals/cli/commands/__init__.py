"""The commands, one file per group; each registers itself on the application."""

from __future__ import annotations

import typer

from signals.cli.commands import analyse, data, listings, pull, replays

__all__ = ["register_all"]


def register_all(app: typer.Typer) -> None:
    """Register every command that lives on this floor."""
    data.register(app)
    pull.register(app)
    analyse.register(app)
    replays.register(app)
    listings.register(app)
