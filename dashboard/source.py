"""Where pages get their results from: a protocol of named loads, and the one that asks a store."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

import polars as pl

from dashboard.cache import Cache
from dashboard.jobs import Progress, run_apart

if TYPE_CHECKING:
    from signals.replay.result import Comparison
    from signals.report.document import Stock
    from signals.schema import Panel, Slo
    from signals.store import Store
    from signals.study.score import Scorecard, SignalDetail

__all__ = ["BacktestRequest", "Source", "StoreSource"]

CACHED_RESULTS = 48
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class BacktestRequest:
    """A backtest as the form asks for it.

    Attributes:
        service: whose recorded arrivals are replayed.
        policies: policy texts, `NAME[:key=value,...]`.
        slo: the objectives.
        load_factor: multiplies arrivals at every moment.
    """

    service: str
    policies: tuple[str, ...]
    slo: Slo
    load_factor: float


class Source(Protocol):
    """Named loads; every one may raise a `SignalsError`, which the page shows."""

    def services(self) -> list[str]:
        """Names of the services, sorted."""
        ...

    def overview(self) -> Stock:
        """What is loaded."""
        ...

    def scorecard(self, service: str, load: str | None) -> Scorecard:
        """Scores of all signals; `load` None for what clients asked for."""
        ...

    def detail(self, service: str, signal: str, load: str | None) -> SignalDetail:
        """Curves of one signal."""
        ...

    def runs(self, service: str) -> pl.DataFrame:
        """Stored backtests of a service, newest first: `run_id`, `created_at`, `policies`."""
        ...

    def comparison(self, run_id: str) -> Comparison:
        """One stored backtest."""
        ...

    def start_backtest(self, request: BacktestRequest, progress: Progress) -> str:
        """Run and store a backtest; returns its run id."""
        ...


class StoreSource:
    """Results of a store, computed by the use cases and kept until the store changes."""

    def __init__(self, path: Path) -> None:
        # Loaded before requests come in on many threads: plotly takes a pandas that another thread has
        # only half imported for a whole one.
        for name in ("pandas", "signals.usecases.evaluate"):
            importlib.import_module(name)
        self._path = path
        self._cache = Cache(CACHED_RESULTS)

    def services(self) -> list[str]:
        """Names of the services, sorted."""
        return self._kept(("services",), lambda: _open(self._path).services())

    def overview(self) -> Stock:
        """What is loaded."""
        return self._kept(("overview",), lambda: _open(self._path).inventory())

    def scorecard(self, service: str, load: str | None) -> Scorecard:
        """Scores of all signals; `load` None for what clients asked for. Nothing is written."""
        from signals.study.scorecard import evaluate_panel

        return self._kept(
            ("scorecard", service, load), lambda: evaluate_panel(self._panel(service), load=load)
        )

    def detail(self, service: str, signal: str, load: str | None) -> SignalDetail:
        """Curves of one signal."""
        from signals.usecases import evaluate

        def compute() -> SignalDetail:
            card = self.scorecard(service, load)
            return evaluate.details(self._panel(service), [signal], load=load, card=card)[0]

        return self._kept(("detail", service, signal, load), compute)

    def runs(self, service: str) -> pl.DataFrame:
        """Stored backtests of a service, newest first: `run_id`, `created_at`, `policies`."""
        frame: pl.DataFrame = _open(self._path).runs.list(service)
        return frame.sort("created_at", descending=True)

    def comparison(self, run_id: str) -> Comparison:
        """One stored backtest; it never changes once stored."""
        return self._cache.get(("comparison", run_id), lambda: _open(self._path).runs.load(run_id))

    def start_backtest(self, request: BacktestRequest, progress: Progress) -> str:
        """Run and store a backtest; returns its run id."""
        return run_apart(_run_backtest, (self._path, request), progress)

    def _panel(self, service: str) -> Panel:
        from signals.usecases import evaluate

        return self._kept(
            ("panel", service), lambda: evaluate.read_panel(_open(self._path), service)
        )

    def _kept(self, question: tuple[Hashable, ...], compute: Callable[[], T]) -> T:
        return self._cache.get((*question, _stamp(self._path)), compute)


def _open(path: Path) -> Store:
    from signals.store import open_store

    return open_store(path)


def _stamp(path: Path) -> tuple[int, int, int]:
    """Differs whenever the store has been replaced or written to; zeros if it is not there."""
    try:
        about = path.stat()
    except OSError:
        return (0, 0, 0)
    return (about.st_mtime_ns, about.st_size, about.st_ino)


def _run_backtest(path: Path, request: BacktestRequest, *, progress: Progress) -> str:
    from signals.scenario import Scenario
    from signals.usecases import backtest

    asked = Scenario(
        workload=request.service,
        policies=request.policies,
        slo=f"ttft={request.slo.ttft_s:.6f}s,tpot={request.slo.tpot_s:.6f}s",
        load_factor=request.load_factor,
    )
    _, run_id = backtest.run(_open(path), request.service, asked, progress=progress)
    return run_id
