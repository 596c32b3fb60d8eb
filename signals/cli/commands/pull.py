"""The command that brings data in from a server: pull."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from signals.cli import STOPPED
from signals.cli.commands.intake import AS_HELP, MAX_REJECT, POOL, SERVICE
from signals.cli.commands.windows import FROM, TO
from signals.cli.session import Session, command
from signals.errors import UsageError
from signals.moments import parse_duration, resolve_window

if TYPE_CHECKING:
    from signals.usecases.pull import Pull, PullRequest

__all__ = ["register"]

PANEL = "Data"
_ENDS = (signal.SIGINT, signal.SIGTERM)
_ACCESS = "Access (secrets come from files or the environment)"
_SIZE = re.compile(r"(\d{1,6})\s*(k|m|g)i?b?", re.IGNORECASE)
_SIZES = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
_LEAST_SIZE, _MOST_SIZE = 16 << 10, 256 << 20


def register(app: typer.Typer) -> None:
    """Register the commands of this file."""
    command(app, "pull", panel=PANEL)(pull)


def pull(
    session: Session,
    *,
    url: Annotated[str, typer.Argument(help="Address of the server, with its path prefix.")],
    preset: Annotated[
        list[str] | None,
        typer.Option(
            help="aibrix, dcgm, dynamo, epp, ray, sglang, tgi, trtllm, vllm (repeatable). "
            "Default: all of which the server has metrics.",
            show_default=False,
        ),
    ] = None,
    query: Annotated[
        list[str] | None,
        typer.Option(
            help="A selector for raw samples, or an expression with --step and --as (repeatable).",
            show_default=False,
        ),
    ] = None,
    as_name: Annotated[
        list[str] | None,
        typer.Option("--as", help=f"{AS_HELP}, one for each expression.", show_default=False),
    ] = None,
    match: Annotated[
        list[str] | None,
        typer.Option(
            help='Only series with this label, such as namespace="llm" (repeatable).',
            show_default=False,
        ),
    ] = None,
    service: SERVICE = "",
    pool: POOL = None,
    max_reject: MAX_REJECT = 0.05,
    since: Annotated[
        str | None,
        typer.Option(
            help="The last such time: 14d, 6h. Default: what came after the last pull, or 1d.",
            show_default=False,
        ),
    ] = None,
    first: FROM = None,
    last: TO = None,
    step: Annotated[str, typer.Option(help="Step of expressions, such as 15s.")] = "",
    follow: Annotated[
        bool, typer.Option("--follow", help="Go on pulling until Ctrl-C.", show_default=False)
    ] = False,
    every: Annotated[
        str,
        typer.Option(help="Pause of --follow. Default: the spacing of the samples, 5s at least."),
    ] = "",
    settle: Annotated[
        str, typer.Option(help="How long after its time a sample may still reach the server.")
    ] = "30s",
    limit: Annotated[str, typer.Option(help="Size that an answer should stay under.")] = "16MB",
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Say what would be asked and its cost.", show_default=False),
    ] = False,
    keep: Annotated[
        bool,
        typer.Option(
            "--keep", help="Keep the answers' files beside the store.", show_default=False
        ),
    ] = False,
    token_file: Annotated[
        Path | None,
        typer.Option(
            help="File with a bearer token (or $SIGNALS_PULL_TOKEN).",
            rich_help_panel=_ACCESS,
            show_default=False,
        ),
    ] = None,
    user: Annotated[
        str, typer.Option(help="User of basic authentication.", rich_help_panel=_ACCESS)
    ] = "",
    password_file: Annotated[
        Path | None,
        typer.Option(
            help="File with its password (or $SIGNALS_PULL_PASSWORD).",
            rich_help_panel=_ACCESS,
            show_default=False,
        ),
    ] = None,
    ca: Annotated[
        Path | None,
        typer.Option(
            help="Certificates to trust, PEM.", rich_help_panel=_ACCESS, show_default=False
        ),
    ] = None,
    cert: Annotated[
        Path | None,
        typer.Option(help="Client certificate, PEM.", rich_help_panel=_ACCESS, show_default=False),
    ] = None,
    key: Annotated[
        Path | None,
        typer.Option(help="Its key, PEM.", rich_help_panel=_ACCESS, show_default=False),
    ] = None,
    insecure: Annotated[
        bool,
        typer.Option(
            "--insecure",
            help="Trust any certificate.",
            rich_help_panel=_ACCESS,
            show_default=False,
        ),
    ] = False,
    org_id: Annotated[
        str, typer.Option(help="Tenant (X-Scope-OrgID).", rich_help_panel=_ACCESS)
    ] = "",
) -> None:
    """Pull telemetry from a Prometheus-compatible server, raw samples with their true times."""
    from signals.store.pull.endpoint import Access, parse_endpoint
    from signals.store.pull.selection import Wanted
    from signals.usecases import load as loading
    from signals.usecases.pull import Pull, PullRequest

    _check_follow(follow=follow, every=every, last=last, dry_run=dry_run)
    wait = _span(settle, "--settle")
    begin, end = _window(since, first, last, settle=wait, now=loading.clock())
    request = PullRequest(
        endpoint=parse_endpoint(url, org_id=org_id),
        access=Access(token_file, user, password_file, ca, cert, key, insecure),
        wanted=Wanted(
            presets=tuple(preset or ()),
            queries=tuple(query or ()),
            names=tuple(loading.name_choice(text, where="--as") for text in as_name or ()),
            matchers=tuple(match or ()),
            step_ms=_span(step, "--step") // timedelta(milliseconds=1) if step else 0,
        ),
        service=service,
        pool_rules=tuple(pool or ()),
        max_reject=max_reject,
        first=begin,
        last=end,
        settle=wait,
        aim_bytes=_size(limit),
        keep=keep,
    )
    pause = _span(every, "--every").total_seconds() if every else None
    with closing(Pull(session.create(), request, clock=loading.clock)) as puller:
        if dry_run:
            _show_costs(session, puller, request)
        elif follow:
            _show(session, puller, follow_s=pause, follow=True)
        else:
            _show(session, puller)


def _check_follow(*, follow: bool, every: str, last: str | None, dry_run: bool) -> None:
    if every and not follow:
        raise UsageError("--every needs --follow", where="--every")
    if follow and (last or dry_run):
        other = "--to" if last else "--dry-run"
        raise UsageError(f"--follow and {other} exclude each other", where="--follow")


def _window(
    since: str | None, first: str | None, last: str | None, *, settle: timedelta, now: datetime
) -> tuple[datetime | None, datetime | None]:
    return resolve_window(since, first, last, now=now, data_end=now - settle)


def _show_costs(session: Session, puller: Pull, request: PullRequest) -> None:
    from signals.report import pulls

    with session.progress("count"), _interruptible(puller), _stopped_early(session):
        costs = puller.costs()
    words = {"server": request.endpoint.base, "service": request.name}
    missing = puller.missing()
    session.emit(pulls.cost_json(costs, missing, **words))
    session.show(*pulls.cost_tables(costs, missing, **words))


def _show(
    session: Session,
    puller: Pull,
    *,
    follow_s: float | None = None,
    follow: bool = False,
) -> None:
    from signals.report import pulls

    with _interruptible(puller), _stopped_early(session):
        if follow:
            report = puller.follow(follow_s, lambda line: session.remark(f"pull: {line}"))
        else:
            with session.progress("pull") as progress:
                report = puller.run(progress)
    session.emit(pulls.pull_json(report))
    session.show(*pulls.pull_tables(report))
    if follow:
        return
    if report.stopped:
        session.remark(pulls.stopped_text(report))
        raise typer.Exit(STOPPED)
    if report.refused:
        raise report.refusal()


@contextmanager
def _stopped_early(session: Session) -> Iterator[None]:
    """Before anything was pulled there is nothing to report."""
    from signals.store.pull.faults import Stopped

    try:
        yield
    except Stopped:
        session.remark("stopped before anything was pulled; the store is as it was")
        raise typer.Exit(STOPPED) from None


@contextmanager
def _interruptible(puller: Pull) -> Iterator[None]:
    """Let Ctrl-C, or a service manager's request, end the pull after the load under way; a second one at once."""
    asked: list[int] = []

    def interrupt(number: int, _frame: FrameType | None) -> None:
        if asked:
            raise KeyboardInterrupt
        asked.append(number)
        puller.interrupt()

    before = {number: signal.signal(number, interrupt) for number in _ENDS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _span(text: str, option: str) -> timedelta:
    # no pause at all is a sensible wish for samples that are imported rather than scraped
    return timedelta(0) if text in {"0", "0s"} else parse_duration(text, where=option)


def _size(text: str) -> int:
    found = _SIZE.fullmatch(text.strip())
    size = int(found[1]) * _SIZES[found[2].lower()] if found else 0
    if not _LEAST_SIZE <= size <= _MOST_SIZE:
        raise UsageError(
            f"'{text}' is no size of answers", where="--limit", expected="16KB to 256MB"
        )
    return size
