"""Where pages get their results from: a protocol of named loads, and the one that asks a store."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

import polars as pl

from dashboard.cache import Cache
from dashboard.jobs import Progress, run_apart

if TYPE_CHECKING:
    from signals.replay.result import Comparison
    from signals.schema import Slo
    from signals.study.score import Scorecard, SignalDetail

__all__ = ["BacktestRequest", "Overview", "Source", "StoreSource"]

CACHED_RESULTS = 48
T = TypeVar("T")


class Overview(Protocol):
    """What is loaded, as frames; columns as in `signals.store.Inventory`."""

    @property
    def services(self) -> pl.DataFrame:
        """`service`, `first_at`, `last_at`, `targets`, `series`, `samples`, `requests`."""
        ...

    @property
    def pools(self) -> pl.DataFrame:
        """`service`, `pool`, `instances`, `rule`."""
        ...

    @property
    def signals(self) -> pl.DataFrame:
        """`service`, `pool`, `signal`, `unit`, `resolution_s`, `first_at`, `last_at`, `coverage_ratio`."""
        ...

    @property
    def findings(self) -> pl.DataFrame:
        """`service`, `source`, `code`, `severity`, `subject`, `count`, `text`, `action`."""
        ...

    @property
    def sources(self) -> pl.DataFrame:
        """`uri`, `format`, `service`, `rows_read`, `rows_kept`, `rows_rejected`, times."""
        ...


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

    def overview(self) -> Overview:
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
