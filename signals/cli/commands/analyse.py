"""Commands that answer: evaluate and report."""

from __future__ import annotations

import functools
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from signals.cli.commands.windows import FROM, SINCE, TO, window_of
from signals.cli.session import Session, command
from signals.errors import UsageError
from signals.moments import parse_duration

if TYPE_CHECKING:
    from signals.store import Store
    from signals.usecases.gate import Condition

__all__ = ["register"]

PANEL = "Answers"
SERVICE = Annotated[
    str | None,
    typer.Argument(
        help="Name of the service. Default: the only one in the store.", show_default=False
    ),
]


SERVICES = Annotated[
    list[str] | None,
    typer.Argument(
        help="Names of services. Default: the only one in the store.", show_default=False
    ),
]


def register(app: typer.Typer) -> None:
    """Register the commands of this file."""
    command(app, "evaluate", panel=PANEL)(evaluate)
    command(app, "report", panel=PANEL)(report)


def evaluate(
    session: Session,
    service: SERVICES = None,
    load: Annotated[
        str | None,
        typer.Option(
            help="Signal taken as load, such as decode:decode_tps. Default: what clients asked for."
        ),
    ] = None,
    tick: Annotated[
        str | None,
        typer.Option(help="Grid width. Default: the larger of 15s and the data's own step."),
    ] = None,
    signal: Annotated[
        list[str] | None, typer.Option(help="Only this signal (repeatable).", show_default=False)
    ] = None,
    since: SINCE = None,
    first: FROM = None,
    last: TO = None,
    every: Annotated[bool, typer.Option("--all", help="Every service of the store.")] = False,  # noqa: FBT002 - a flag
    workers: Annotated[
        int | None,
        typer.Option(help="Processes for several services. Default: one per core."),
    ] = None,
    tear_sheet: Annotated[
        Path | None,
        typer.Option(
            help="Folder for one HTML page per signal, of one service.", show_default=False
        ),
    ] = None,
    fail_on: Annotated[
        str | None,
        typer.Option(help="Exit with 6 if this holds: 'decode:decode_tps.verdict!=proportional'."),
    ] = None,
) -> None:
    """Score every candidate signal of a service for lag, noise, association and worth as a ratio rule."""
    from signals.report import json_form, terminal
    from signals.usecases import evaluate as evaluation
    from signals.usecases import gate
    from signals.usecases import report as reporting

    condition = gate.parse(fail_on) if fail_on else None
    store = session.open()
    tick_s = parse_duration(tick, where="--tick").total_seconds() if tick else None
    names = tuple(service or ())
    if every or len(names) > 1:
        _only_for_one(names, every=every, tear_sheet=tear_sheet)
        window = functools.partial(window_of, store, since=since, first=first, last=last)
        asked = {"load": load, "tick_s": tick_s, "signals": tuple(signal or ())}
        _survey(session, store, names, window, asked, workers, condition)
        return
    name = evaluation.choose_service(store, names[0] if names else None)
    begin, end = window_of(store, name, since, first, last)
    with session.timed("evaluated"):
        panel = evaluation.read_panel(store, name, tick_s=tick_s, first=begin, last=end)
        card = evaluation.score(store, panel, load=load, signals=tuple(signal or ()))
    met = gate.met(condition, card) if condition else ""
    if tear_sheet:
        pages = reporting.write_tear_sheets(panel, card, tear_sheet, load=load)
        session.remark(f"wrote {len(pages)} pages to {tear_sheet}")
    session.remark(f"window: {card.span.first.isoformat()} to {card.span.last.isoformat()}")
    session.emit(json_form.scorecard_json(card))
    session.show(*terminal.scorecard_tables(card))
    if met:
        session.remark(f"--fail-on is met: {met}")
        raise typer.Exit(6)


def _only_for_one(names: tuple[str, ...], *, every: bool, tear_sheet: Path | None) -> None:
    if every and names:
        raise UsageError(
            "services are named beside --all", where="SERVICE", expected="names, or --all"
        )
    if tear_sheet:
        raise UsageError(
            "pages are written of one service at a time", where="--tear-sheet", expected="a service"
        )


def _survey(
    session: Session,
    store: Store,
    names: tuple[str, ...],
    window: Callable[[str], tuple[datetime | None, datetime | None]],
    asked: dict[str, Any],
    workers: int | None,
    condition: Condition | None,
) -> None:
    """Evaluate several services, and end with the code of the first that could not be."""
    from signals.report import json_form
    from signals.report.terminal_survey import survey_table
    from signals.usecases import gate
    from signals.usecases.survey import Question, chosen_services, survey

    questions = []
    for name in chosen_services(store, names):
        begin, end = window(name)
        questions.append(Question(name, first=begin, last=end, **asked))
    with session.timed("evaluated"), session.progress("evaluate") as progress:
        answers = survey(store, questions, workers=workers, progress=progress)
    cards = [answer.card for answer in answers if answer.card is not None]
    failed = {answer.service: answer.error for answer in answers if answer.error is not None}
    session.emit(json_form.survey_json(cards, failed))
    session.show(survey_table(cards, failed))
    if failed:
        session.remark(f"{len(failed)} of {len(answers)} services could not be evaluated")
        raise typer.Exit(next(iter(failed.values())).exit_code)
    met = [text for card in cards if condition and (text := gate.met(condition, card))]
    if met:
        session.remark(f"--fail-on is met: {met[0]}")
        raise typer.Exit(6)


def report(
    session: Session,
    service: SERVICE = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="File to write: .html, .md or .json.")
    ] = Path("report.html"),
    load: Annotated[str | None, typer.Option(help="Signal taken as load.")] = None,
    since: SINCE = None,
    first: FROM = None,
    last: TO = None,
) -> None:
    """Write one page to hand to a team: the scorecard, the evidence, the stored backtests."""
    from signals.usecases import evaluate as evaluation
    from signals.usecases import report as reporting

    store = session.open()
    name = evaluation.choose_service(store, service)
    begin, end = window_of(store, name, since, first, last)
    with session.progress("report") as progress:
        written = reporting.write(
            store, name, output, load=load, first=begin, last=end, progress=progress
        )
    session.emit(
        {"schema_version": 1, "service": name, "report": str(output), "bytes": written.size_bytes}
    )
    session.show(f"{output}: {written.headline}")
