"""Commands that replay: backtest."""

from __future__ import annotations

from typing import Annotated

import typer

from signals.cli.commands.analyse import SERVICE
from signals.cli.commands.windows import FROM, SINCE, TO, window_of
from signals.cli.session import Session, command

__all__ = ["register"]

PANEL = "Answers"


def register(app: typer.Typer) -> None:
    """Register the commands of this file."""
    command(app, "backtest", panel=PANEL)(backtest)


def backtest(
    session: Session,
    workload: SERVICE = None,
    policy: Annotated[
        list[str] | None,
        typer.Option(
            help="NAME[:key=value,...] (repeatable). Default: static, heteroscale and hpa on decode GPU use.",
            show_default=False,
        ),
    ] = None,
    slo: Annotated[str, typer.Option(help="Objectives of one request.")] = "ttft=1s,tpot=50ms",
    profile: Annotated[
        str, typer.Option(help="Service-time profile (signals profiles).")
    ] = "llama2-70b-h100",
    load_factor: Annotated[float, typer.Option(help="Multiplies arrivals at every moment.")] = 1.0,
    initial: Annotated[
        str,
        typer.Option(help="Instances at the start, such as 4P2D. Default: from a pressure test."),
    ] = "",
    max_instances: Annotated[int, typer.Option(help="Most instances of a pool.")] = 64,
    max_gpus: Annotated[
        int | None, typer.Option(help="GPU budget of the fleet.", show_default=False)
    ] = None,
    cold_start: Annotated[str, typer.Option(help="Time from order to ready.")] = "2m",
    seed: Annotated[int, typer.Option(help="Seed of every random draw.")] = 0,
    since: SINCE = None,
    first: FROM = None,
    last: TO = None,
) -> None:
    """Run scaling policies on one workload and compare them.

    The workload is a loaded service with a request log, a trace file, or a scenario file (.toml).
    """
    from signals.report import json_form, terminal
    from signals.scenario import Scenario
    from signals.usecases import backtest as backtesting

    asked = Scenario(
        workload=workload or "",
        policies=tuple(policy or ()),
        slo=slo,
        profile=profile,
        load_factor=load_factor,
        initial=initial,
        max_instances=max_instances,
        max_gpus=max_gpus,
        cold_start=cold_start,
        seed=seed,
    )
    asked = backtesting.from_scenario(asked)
    with backtesting.opened(asked, session.store_path) as (store, service):
        begin, end = window_of(store, service, since, first, last)
        with session.progress("backtest") as progress:
            comparison, run_id = backtesting.run(
                store,
                service,
                asked,
                first=begin,
                last=end,
                progress=progress,
            )
    session.remark(
        f"window: {comparison.span.first.isoformat()} to {comparison.span.last.isoformat()}"
    )
    session.emit(json_form.comparison_json(comparison) | {"run_id": run_id})
    session.show(*terminal.comparison_tables(comparison))
