"""What every command shares: the options that may stand before or after its name, and its output."""

from __future__ import annotations

import functools
import inspect
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from signals.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from signals.store import Store

__all__ = ["DEFAULT_STORE", "Session", "command", "common_options"]

DEFAULT_STORE = "fleet.duckdb"
_PANEL = "Options of every command"


@dataclass(frozen=True)
class Session:
    """The shared options of one call.

    Attributes:
        store: path of the DuckDB store, or the folder of a lake; None if none was named.
        debug: show tracebacks.
        as_json: one JSON document on stdout, all else on stderr.
        quiet: no progress and no remarks.
        verbose: more remarks.
        no_color: plain text.
    """

    store: Path | None = None
    debug: bool = False
    as_json: bool = False
    quiet: bool = False
    verbose: bool = False
    no_color: bool = False

    @property
    def store_path(self) -> Path:
        """The store that was named, else that of the environment, else the usual one."""
        return self.store or Path(os.environ.get("SIGNALS_STORE") or DEFAULT_STORE)

    def console(self, *, stderr: bool = False) -> Console:
        """A terminal for people; with `--json` everything but the document goes to stderr."""
        from signals.cli.terminal import Terminal

        return Terminal(
            stderr=stderr or self.as_json, no_color=self.no_color or None, highlight=False
        )

    def show(self, *parts: RenderableType) -> None:
        """Print tables or texts for people, unless `--json` asked for the document alone."""
        if self.as_json:
            return
        console = self.console()
        for part in parts:
            console.print(part)

    def remark(self, text: str) -> None:
        """Say something beside the result, on stderr."""
        if not self.quiet:
            self.console(stderr=True).print(text, style="dim", markup=False, soft_wrap=True)

    def emit(self, document: Mapping[str, Any]) -> None:
        """Print the JSON document, if it was asked for."""
        if self.as_json:
            # where the terminal or a name is not UTF-8, escapes keep the document whole
            text = json.dumps(document, ensure_ascii=False, allow_nan=False, indent=2)
            if not _can_write(text, sys.stdout.encoding):
                text = json.dumps(document, ensure_ascii=True, allow_nan=False, indent=2)
            sys.stdout.write(text + "\n")

    def open(self) -> Store:
        """The store, which must exist."""
        from signals.store import open_store

        return open_store(self.store_path)

    def create(self) -> Store:
        """The store, made if it does not exist."""
        from signals.store import create_store

        return create_store(self.store_path)

    @contextmanager
    def progress(
        self, title: str, *, elsewhere: Literal["silent", "lines"] = "silent"
    ) -> Iterator[Callable[[str, float], None]]:
        """A progress bar on a terminal.

        Args:
            title: what is being done.
            elsewhere: what happens where there is no terminal: nothing, or a line for each new step.

        Yields:
            A function that takes what is being done and the share done, 0..1.
        """
        console = self.console(stderr=True)
        if self.quiet or not console.is_terminal:
            told: set[str] = set()

            def tell(text: str, _share: float) -> None:
                if elsewhere == "lines" and text and text not in told:
                    told.add(text)
                    self.remark(f"{title}: {text}")

            yield tell
            return
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
        with Progress(*columns, console=console, transient=True) as bar:
            task = bar.add_task(title, total=1.0)
            yield lambda text, share: bar.update(
                task, description=f"{title}: {text}" if text else title, completed=share
            )

    @contextmanager
    def timed(self, title: str) -> Iterator[None]:
        """Say on stderr what took how long."""
        begin = time.perf_counter()
        yield
        self.remark(f"{title}: {time.perf_counter() - begin:.1f} s")


def _can_write(text: str, encoding: str | None) -> bool:
    try:
        text.encode(encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def common_options() -> dict[str, tuple[Any, object]]:
    """Annotation and default of every shared option, by the session's field."""
    return {
        "store": (
            Annotated[
                Path | None,
                typer.Option(
                    "--store",
                    readable=False,
                    help=f"DuckDB store, or folder of a lake. Default: $SIGNALS_STORE or {DEFAULT_STORE}.",
                    rich_help_panel=_PANEL,
                    show_default=False,
                ),
            ],
            None,
        ),
        "debug": (_flag("--debug", "Show tracebacks."), False),
        "as_json": (_flag("--json", "One JSON document on stdout; all else on stderr."), False),
        "quiet": (_flag("--quiet", "No progress and no remarks.", "-q"), False),
        "verbose": (_flag("--verbose", "More remarks.", "-v"), False),
        "no_color": (_flag("--no-color", "Plain text (also $NO_COLOR)."), False),
    }


def _flag(name: str, text: str, *more: str) -> Any:  # noqa: ANN401 - an annotation object
    return Annotated[bool, typer.Option(name, *more, help=text, rich_help_panel=_PANEL)]


def merge(before: Session | None, given: Mapping[str, Any]) -> Session:
    """The session of a command: what stood after its name, else before it."""
    base = before or Session()
    changes = {name: value for name, value in given.items() if value}
    return replace(base, **changes)


def command(
    app: typer.Typer,
    name: str,
    *,
    panel: str = "",
    **settings: Any,  # noqa: ANN401
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Register a function `(session, ...)` as a command that also takes every shared option.

    Args:
        app: the application.
        name: the command's name.
        panel: heading it stands under in the help.
        settings: passed on to typer.

    Returns:
        A decorator that leaves the function as it is.
    """

    def register(function: Callable[..., None]) -> Callable[..., None]:
        own = inspect.signature(function, eval_str=True)
        shared = common_options()
        names = [f.name for f in fields(Session)]

        @functools.wraps(function)
        def run(**values: Any) -> None:  # noqa: ANN401
            given = {key: values.pop(key) for key in names}
            context = values.pop("typer_context")
            before = context.obj if isinstance(context.obj, Session) else None
            function(merge(before, given), **values)

        context = inspect.Parameter(
            "typer_context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context
        )
        mine = [
            p.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            for p in list(own.parameters.values())[1:]
        ]
        extra = [
            inspect.Parameter(
                key, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default
            )
            for key, (annotation, default) in shared.items()
        ]
        parameters = [context, *mine, *extra]
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {p.name: p.annotation for p in parameters}
        del run.__wrapped__
        app.command(name, rich_help_panel=panel or None, **settings)(run)
        return function

    return register


def require(value: str | None, *, what: str, hint: str) -> str:
    """A value that the call cannot do without.

    Raises:
        UsageError: it is missing.
    """
    if value:
        return value
    raise UsageError(f"{what} is missing", hint=hint)
