"""Commands that list what there is: catalog, policies, profiles, formats, query, doctor."""

from __future__ import annotations

from typing import Annotated

import typer

from signals.cli.session import Session, command

__all__ = ["register"]

PANEL = "What there is"


def register(app: typer.Typer) -> None:
    """Register the commands of this file."""
    command(app, "catalog", panel=PANEL)(catalog)
    command(app, "policies", panel=PANEL)(policies)
    command(app, "profiles", panel=PANEL)(profiles)
    command(app, "formats", panel=PANEL)(formats)
    command(app, "query", panel=PANEL)(query)
    command(app, "doctor", panel=PANEL)(doctor)


def catalog(session: Session) -> None:
    """List the signals and measurements, each with its unit and meaning."""
    from signals.report import json_listings, terminal

    session.emit(json_listings.catalog_json())
    session.show(*terminal.catalog_tables())


def policies(session: Session) -> None:
    """List the scaling policies and their parameters."""
    from signals.report import json_listings, terminal

    session.emit(json_listings.policies_json())
    session.show(*terminal.policies_tables())


def profiles(session: Session) -> None:
    """List the shipped service-time profiles, their source and fit error."""
    from signals.report import json_listings, terminal

    session.emit(json_listings.profiles_json())
    session.show(*terminal.profiles_tables())


def formats(
    session: Session,
    name: Annotated[
        str | None,
        typer.Argument(help="Name of one format, to tell all about it.", show_default=False),
    ] = None,
) -> None:
    """List the file formats that load understands, or tell all about one."""
    from signals.report import json_listings, terminal
    from signals.store.sources import find_source

    session.emit(json_listings.formats_json(name or ""))
    session.show(
        *(
            terminal.format_card(find_source(name, where="NAME"))
            if name is not None
            else terminal.formats_tables()
        )
    )


def query(
    session: Session,
    name: Annotated[
        str | None,
        typer.Argument(help="Name of the query; without one, list them.", show_default=False),
    ] = None,
    param: Annotated[
        list[str] | None,
        typer.Option(help="A parameter: key=value (repeatable).", show_default=False),
    ] = None,
) -> None:
    """Run a named query of the store."""
    from signals.report import json_listings, terminal
    from signals.usecases import query as querying

    store = session.open()
    rows = store.query_names() if name is None else querying.run(store, name, tuple(param or ()))
    session.emit(json_listings.frame_json(name or "queries", rows))
    session.show(terminal.frame_table(name or "queries", rows))


def doctor(session: Session) -> None:
    """Check the installation: versions, time zones, name clashes, the store."""
    from signals.report import json_listings, terminal
    from signals.usecases import doctor as checking

    checks = checking.examine(session.store_path)
    session.emit(json_listings.checks_json(checks))
    session.show(terminal.checks_table(checks))
    failed = [c.name for c in checks if c.state == "fail"]
    if failed:
        raise typer.Exit(4 if failed == ["store"] else 5)
