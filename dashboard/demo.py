"""The `demo` command: the main job on generated data, then the dashboard."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dashboard.commands import DEFAULT_PORT, serve
from signals.cli.session import Session, command

__all__ = ["demo"]


def demo(app: typer.Typer) -> None:
    """Register the command."""
    command(app, "demo", panel="Answers")(_demo)


def _demo(
    session: Session,
    *,
    folder: Annotated[
        Path, typer.Option("--dir", help="Folder for the store and the report.")
    ] = Path("demo"),
    hours: Annotated[float, typer.Option(help="Length of the generated day, 1 to 24.")] = 24.0,
    seed: Annotated[int, typer.Option(help="Seed of every random draw.")] = 0,
    serving: Annotated[
        bool, typer.Option("--serve/--no-serve", help="Serve the dashboard at the end.")
    ] = True,
    port: Annotated[
        int, typer.Option(help="Port of the dashboard; 0 for any free one.")
    ] = DEFAULT_PORT,
) -> None:
    """Do the main job on a generated day: load, evaluate, backtest, report, dashboard."""
    from signals.report import json_form, terminal
    from signals.report.json_values import SCHEMA_VERSION
    from signals.usecases.demo import run_demo

    with session.progress("demo", elsewhere="lines") as progress:
        result = run_demo(folder, hours=hours, seed=seed, progress=progress)
    session.emit(
        {
            "schema_version": SCHEMA_VERSION,
            "store": str(result.store),
            "report": str(result.report),
            "sentence": result.sentence,
            "evaluate": json_form.scorecard_json(result.scorecard),
            "backtest": json_form.comparison_json(result.comparison),
        }
    )
    session.show(
        *terminal.scorecard_tables(result.scorecard), *terminal.comparison_tables(result.comparison)
    )
    session.show(f"\nreport: {result.report}   store: {result.store}", f"{result.sentence}\n")
    if serving and not session.as_json:
        serve(result.store, port=port)
