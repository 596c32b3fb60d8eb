"""The functions of `import signals`: one call per question, for scripts and notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from signals.replay.result import Comparison
from signals.scenario import Scenario
from signals.store import LoadReport, Store, create_store
from signals.study.score import Scorecard, SignalDetail
from signals.usecases import backtest as backtesting
from signals.usecases import evaluate as evaluation
from signals.usecases import load as loading
from signals.usecases import report as reporting
from signals.usecases import survey as surveying
from signals.usecases.survey import Surveyed

__all__ = ["backtest", "detail", "evaluate", "evaluate_all", "load", "write_report"]


def load(
    store: Store | str | Path,
    paths: Sequence[str | Path] | str | Path,
    *,
    service: str = "",
    source_format: str = "",
    pool_rules: Sequence[str] = (),
    as_name: str = "",
    columns: Sequence[str] = (),
    zone: str = "",
    at: datetime | None = None,
    start: datetime | None = None,
    interval_s: float | None = None,
    seed: int = 0,
    skip_s: float = 0.0,
    span_s: float | None = None,
    share: float = 1.0,
    max_reject: float = 0.05,
) -> LoadReport:
    """Load files into a store, which is made if it does not exist; options as in `signals load`.

    Raises:
        InputError: a file cannot be read; the store is then unchanged.
    """
    target = store if isinstance(store, Store) else create_store(store)
    files = [paths] if isinstance(paths, str | Path) else list(paths)
    options = loading.options(
        service=service,
        source_format=source_format,
        pool_rules=tuple(pool_rules),
        as_name=as_name,
        columns=tuple(columns),
        zone=zone,
        at=at,
        start=start,
        interval_s=interval_s,
        seed=seed,
        skip_s=skip_s,
        span_s=span_s,
        share=share,
        max_reject=max_reject,
    )
    return target.load([Path(p) for p in files], options)


def evaluate(
    store: Store,
    service: str | None = None,
    *,
    load: str | None = None,
    tick_s: float | None = None,
    first: datetime | None = None,
    last: datetime | None = None,
    signals: Sequence[str] = (),
) -> Scorecard:
    """Score the candidate signals of a service; see `signals.usecases.evaluate.evaluate`."""
    return evaluation.evaluate(
        store, service, load=load, tick_s=tick_s, first=first, last=last, signals=signals
    )


def evaluate_all(
    store: Store,
    services: Sequence[str] = (),
    *,
    load: str | None = None,
    tick_s: float | None = None,
    first: datetime | None = None,
    last: datetime | None = None,
    signals: Sequence[str] = (),
    workers: int | None = None,
) -> tuple[Surveyed, ...]:
    """Score the candidate signals of several services at once, each in a process of its own turn.

    In a script it has to stand under `if __name__ == "__main__":`, as every process that starts reads the script.

    Args:
        store: the store.
        services: their names; empty for all.
        load: as in `evaluate`, like all that follow.
        tick_s: the same.
        first: the same.
        last: the same.
        signals: the same.
        workers: processes; None for one per core.

    Returns:
        Per service its name and its `card`, or the `error` that left it without one.

    Raises:
        UsageError: a service is not in the store, or the number of workers is not possible.
    """
    questions = [
        surveying.Question(name, load, tick_s, first, last, tuple(signals))
        for name in surveying.chosen_services(store, services)
    ]
    return surveying.survey(store, questions, workers=workers)


def detail(
    store: Store,
    signal: str,
    service: str | None = None,
    *,
    load: str | None = None,
    tick_s: float | None = None,
) -> SignalDetail:
    """Score and curves of one signal, for the `plot_*` functions."""
    return evaluation.detail(store, service, signal, load=load, tick_s=tick_s)


def backtest(
    scenario: Scenario | str | Path,
    store: Store | None = None,
    *,
    policies: Sequence[str] = (),
) -> Comparison:
    """Run policies on a workload.

    Args:
        scenario: a `Scenario`, a scenario file (.toml), a trace file, or the name of a service in `store`.
        store: where services are looked up; None for scenarios whose workload is a file.
        policies: policy texts; empty for the scenario's own.

    Raises:
        SignalsError: a name is not known, or there is nothing to replay.
    """
    asked = scenario if isinstance(scenario, Scenario) else Scenario(workload=str(scenario))
    asked = backtesting.from_scenario(asked)
    if policies:
        asked = backtesting.with_policies(asked, policies)
    path = store.path if store is not None else Path("fleet.duckdb")
    with backtesting.opened(asked, path) as (source, service):
        comparison, _ = backtesting.run(source, service, asked)
    return comparison


def write_report(
    store: Store, output: str | Path, service: str | None = None, *, load: str | None = None
) -> Path:
    """Write the report of a service as .html, .md or .json, and return its path."""
    name = evaluation.choose_service(store, service)
    reporting.write(store, name, Path(output), load=load)
    return Path(output)
