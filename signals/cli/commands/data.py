"""Commands that bring data in and take it out: load, inventory, forget."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from signals.cli.commands.intake import AS_HELP, MAX_REJECT, POOL, SERVICE
from signals.cli.session import Session, command
from signals.errors import UsageError
from signals.moments import parse_duration, parse_moment, parse_zone

if TYPE_CHECKING:
    from signals.store import Store

__all__ = ["register"]

PANEL = "Data"


def register(app: typer.Typer) -> None:
    """Register the commands of this file."""
    command(app, "load", panel=PANEL)(load)
    command(app, "inventory", panel=PANEL)(inventory)
    command(app, "forget", panel=PANEL)(forget)


def load(
    session: Session,
    paths: Annotated[
        list[Path],
        # whether one can be read is told by who reads it, as an error of a file and not of the command
        typer.Argument(help="Files and folders.", show_default=False, readable=False),
    ],
    *,
    lake: Annotated[
        Path | None,
        typer.Option(
            help="Folder for Parquet files by service and day, instead of one store file.",
            show_default=False,
        ),
    ] = None,
    source_format: Annotated[
        str,
        typer.Option(
            "--format", help="Name of the format (signals formats); detected unless given."
        ),
    ] = "",
    service: SERVICE = "",
    pool: POOL = None,
    as_name: Annotated[str, typer.Option("--as", help=f"{AS_HELP}.")] = "",
    column: Annotated[
        list[str] | None,
        typer.Option(
            "--map",
            help="Name a column, a legend or a whole file: 'COLUMN=NAME\\[unit]' (repeatable).",
            show_default=False,
        ),
    ] = None,
    tz: Annotated[
        str,
        typer.Option(help="Zone of times that carry none, of --at and --start too: Europe/Paris."),
    ] = "",
    at: Annotated[
        str,
        typer.Option(help="Time of a scrape whose text has none: RFC 3339, a day, epoch, now-6h."),
    ] = "",
    start: Annotated[
        str,
        typer.Option(help="Time zero of relative times (ts_s): RFC 3339, a day, epoch, now-6h."),
    ] = "",
    interval: Annotated[
        str, typer.Option(help="Spacing of samples in formats without times, such as 1s.")
    ] = "",
    seed: Annotated[
        int, typer.Option(help="Seed of requests that are drawn from a log of rates (servegen).")
    ] = 0,
    skip: Annotated[
        str, typer.Option(help="Head of a log of rates to leave out, such as 24h.")
    ] = "",
    span: Annotated[str, typer.Option(help="Stretch of a log of rates to draw, such as 6h.")] = "",
    share: Annotated[
        float, typer.Option(help="Share of the requests of a log of rates to keep, 0 to 1.")
    ] = 1.0,
    max_reject: MAX_REJECT = 0.05,
) -> None:
    """Load exports, scrapes and request logs into the store or a lake."""
    from signals.report import json_form, terminal
    from signals.usecases import load as loading

    now = loading.clock()
    zone = parse_zone(tz, where="--tz") if tz else None
    moments = {
        name: parse_moment(text, where=f"--{name}", now=now, zone=zone) if text else None
        for name, text in (("at", at), ("start", start))
    }
    seconds = {
        name: parse_duration(text, where=f"--{name}").total_seconds() if text else None
        for name, text in (("interval", interval), ("skip", skip), ("span", span))
    }
    options = loading.options(
        service=service,
        source_format=source_format,
        pool_rules=tuple(pool or ()),
        as_name=as_name,
        columns=tuple(column or ()),
        zone=tz,
        at=moments["at"],
        start=moments["start"],
        interval_s=seconds["interval"],
        seed=seed,
        skip_s=seconds["skip"] or 0.0,
        span_s=seconds["span"],
        share=share,
        max_reject=max_reject,
    )
    store = _target(session, lake)
    with session.progress("load") as progress:
        report = store.load(paths, options, progress=progress)
    session.emit(json_form.load_json(report))
    session.show(*terminal.load_tables(report))


def _target(session: Session, lake: Path | None) -> Store:
    """The store or the lake that a load goes into."""
    if lake is None:
        return session.create()
    if session.store is not None:
        raise UsageError(
            "--lake and --store name two places to load into",
            where=f"--lake {lake}, --store {session.store}",
            expected="one of them",
        )
    from signals.store import create_lake

    return create_lake(lake)


def inventory(session: Session) -> None:
    """Show services, pools, signals, spans, coverage and findings."""
    from signals.report import json_form, terminal

    stock = session.open().inventory()
    session.emit(json_form.inventory_json(stock))
    session.show(*terminal.inventory_tables(stock))


def forget(
    session: Session,
    what: Annotated[str, typer.Argument(help="A service, or a source as inventory names it.")],
) -> None:
    """Undo a load: remove a service or a source."""
    from signals.report import json_form, terminal

    report = session.open().forget(what)
    session.emit(json_form.forget_json(report))
    session.show(terminal.forget_text(report))
