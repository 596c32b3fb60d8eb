"""The command-line application: commands are registered here, errors become exit codes here."""

from __future__ import annotations

import errno
import inspect
import io
import sys
import traceback
from importlib.metadata import entry_points
from typing import Annotated

import typer

# typer carries its own copy of click and does not re-export these
from typer._click.exceptions import ClickException, NoArgsIsHelpError
from typer._click.exceptions import UsageError as ClickUsage

from signals.cli.commands import register_all
from signals.cli.plain import plain
from signals.cli.session import common_options, merge
from signals.errors import SignalsError

__all__ = ["build", "run"]

PLUGINS = "signals.commands"
"""Entry-point group of commands that live on a floor above this one."""


def build() -> typer.Typer:
    """The application with every command."""
    app = typer.Typer(
        name="signals",
        help="Which signal should an LLM-serving fleet scale on, at what threshold, "
        "and what would last week have looked like under that rule?",
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode="rich",
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    shared = common_options()

    def root(context: typer.Context, **values: object) -> None:
        version = values.pop("version")
        if version:
            from signals import __version__

            sys.stdout.write(f"autoscale-signals {__version__}\n")
            raise typer.Exit
        context.obj = merge(None, values)

    keyword = inspect.Parameter.KEYWORD_ONLY
    parameters = [
        inspect.Parameter("context", keyword, annotation=typer.Context),
        inspect.Parameter(
            "version",
            keyword,
            annotation=Annotated[bool, typer.Option("--version", help="Print the version.")],
            default=False,
        ),
        *(
            inspect.Parameter(key, keyword, annotation=annotation, default=default)
            for key, (annotation, default) in shared.items()
        ),
    ]
    root.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    root.__annotations__ = {p.name: p.annotation for p in parameters}
    app.callback(invoke_without_command=True)(root)
    register_all(app)
    for plugin in sorted(entry_points(group=PLUGINS), key=lambda e: e.name):
        plugin.load()(app)
    return app


def run(argv: list[str]) -> int:
    """Run the command line.

    Args:
        argv: arguments without the program's name.

    Returns:
        0 ok, 1 bug, 2 usage, 3 bad input, 4 store, 5 analysis impossible, 6 a `--fail-on` condition met.

    Raises:
        KeyboardInterrupt: Ctrl-C, also where DuckDB met it.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # a terminal that cannot show a sign shows a question mark
            stream.reconfigure(errors="replace")
    try:
        code = build()(argv, standalone_mode=False)
    except BrokenPipeError:
        return 0
    except Exception as error:  # the outermost frame: everything ends in one block
        if "--debug" in argv:
            traceback.print_exc()
        if not _is_interrupt(error):
            return _explain(error)
        raise KeyboardInterrupt from error
    return code if isinstance(code, int) else 0


def _is_interrupt(error: BaseException | None) -> bool:
    """Whether it is a Ctrl-C that came while DuckDB computed: it has errors of its own for that."""
    met: set[int] = set()
    while error is not None and id(error) not in met:
        met.add(id(error))
        if isinstance(error, RuntimeError) and str(error) == "Query interrupted":
            return True
        if type(error).__name__ == "InterruptException":
            return True
        # the rest of a transaction that it broke off fails too, and only that reaches the caller
        error = error.__cause__ or error.__context__
    return False


def _explain(error: Exception) -> int:
    """Say on stderr what went wrong, and choose the exit code."""
    if isinstance(error, SignalsError):
        sys.stderr.write(f"{plain(str(error))}\n")
        return error.exit_code
    if isinstance(error, NoArgsIsHelpError):
        sys.stdout.write(error.format_message() + "\n")
        return 2
    if isinstance(error, ClickException):
        hint = _usage_hint(error) if isinstance(error, ClickUsage) else ""
        sys.stderr.write(f"error: {plain(error.format_message())}\n{hint}")
        return 2
    if isinstance(error, OSError) and error.errno in {errno.ENOSPC, errno.EIO, errno.EDQUOT}:
        sys.stderr.write(f"error: the output cannot be written: {error.strerror}\n")
        return 3
    sys.stderr.write(
        f"error: this is a bug in signals: {type(error).__name__}: {plain(str(error))}\n"
        "  hint: run the command again with --debug and report what it prints\n"
    )
    return 1


def _usage_hint(error: ClickUsage) -> str:
    if error.ctx is None:
        return ""
    return f"  hint: {error.ctx.command_path} --help\n"
