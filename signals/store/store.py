"""The store: what can be loaded into it and asked of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

import duckdb
import polars as pl

from signals.errors import StoreError
from signals.schema import REQUESTS, Panel
from signals.store.connect import reading
from signals.store.forget import forget
from signals.store.inventory import Inventory, take_inventory
from signals.store.lake import ask
from signals.store.load import load_paths
from signals.store.panel import build_panel
from signals.store.place import INDEX, locate, shown
from signals.store.reports import ForgetReport, LoadOptions, LoadReport
from signals.store.runs import Runs
from signals.store.sql import public_query, query_names, run

__all__ = ["Store", "create_lake", "create_store", "open_store"]


class Store:
    """A DuckDB file or a lake with telemetry and request logs, and the results kept beside it.

    Every question opens its own read-only connection, so a store object is only a path: it may be shared
    between threads and sees what other processes load.

    Attributes:
        path: the DuckDB file, or the folder of a lake.
        runs: results kept beside it.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.runs = Runs(self.path)

    def __repr__(self) -> str:
        return f"Store({str(self.path)!r})"

    def load(
        self,
        paths: Sequence[str | Path],
        options: LoadOptions | None = None,
        *,
        progress: Callable[[str, float], None] | None = None,
    ) -> LoadReport:
        """Load files and folders: all of them or, after an error, nothing.

        Args:
            paths: files and folders.
            options: how to read them; None to detect everything.
            progress: told what is being done and the share done, 0..1.

        Raises:
            InputError: an input is broken, empty or of no known format.
            StoreError: the store cannot be written.
        """
        return load_paths(
            self.path, [Path(path) for path in paths], options or LoadOptions(), progress
        )

    def services(self) -> list[str]:
        """Names of the loaded services, alphabetical."""
        return self.query("mart/services", {})["service"].to_list()

    def inventory(self) -> Inventory:
        """What is loaded: services, pools, signals, findings and sources."""
        return take_inventory(self.path)

    def forget(self, what: str) -> ForgetReport:
        """Undo loads: remove a service, or one source.

        Args:
            what: a service's name, or a source's path or file name.

        Raises:
            UsageError: neither is in the store, or sources of several services have this name.
        """
        return forget(self.path, what)

    def panel(
        self,
        service: str,
        *,
        tick_s: float | None = None,
        first: datetime | None = None,
        last: datetime | None = None,
    ) -> Panel:
        """All signals of a service on one tick grid.

        Args:
            service: name of the service.
            tick_s: grid width, seconds; None for the larger of 15 s and the data's own step.
            first: start of the first window, UTC; None for the data's begin.
            last: end, UTC; None for the data's end.

        Raises:
            StoreError: the service is not loaded.
            UsageError: the grid width is not possible.
            AnalysisError: nothing in it is a known signal, or the window is empty, or the panel would be too large.
        """
        with reading(self.path) as connection:
            self._require(connection, service)
            return build_panel(connection, service, tick_s=tick_s, first=first, last=last)

    def requests(
        self, service: str, first: datetime | None = None, last: datetime | None = None
    ) -> pl.DataFrame:
        """The request log of a service, by arrival; columns as in `schema.REQUESTS`.

        Args:
            service: name of the service.
            first: begin, UTC, included; None for all.
            last: end, UTC, not included; None for all.

        Raises:
            StoreError: the service is not loaded.
        """
        params = {"service": service, "first": first, "last": last}
        with reading(self.path) as connection:
            self._require(connection, service)
            frame = ask(connection, "requests", params)
        return frame.cast(pl.Schema(REQUESTS.polars()))

    def query(self, name: str, params: Mapping[str, object] | None = None) -> pl.DataFrame:
        """Run a named query of `queries/mart` or `queries/checks`.

        Args:
            name: as `query_names` lists it; `mart/` may be left out.
            params: values by parameter name.

        Raises:
            QueryError: no such query, one that is not public, or wrong parameters.
        """
        query = public_query(name)
        with reading(self.path) as connection:
            return ask(connection, query.name, params or {})

    def query_names(self) -> tuple[str, ...]:
        """Names of the queries that `query` runs."""
        return query_names()

    def _require(self, connection: duckdb.DuckDBPyConnection, service: str) -> None:
        known = run(connection, "services")["service"].to_list()
        if service not in known:
            raise StoreError(
                f"service '{shown(service)}' is not in the store",
                where=str(self.path),
                expected=f"one of {', '.join(known)}" if known else "a loaded service",
                hint="signals inventory lists what is loaded",
            )


def open_store(path: str | Path) -> Store:
    """A store that exists.

    Raises:
        StoreError: there is no such file, or it is none.
    """
    store = Store(path)
    if not locate(store.path).exists():
        raise StoreError(
            "the store does not exist",
            where=str(store.path),
            hint="signals load FILE... makes it; --store or SIGNALS_STORE names another one",
        )
    return store


def create_store(path: str | Path) -> Store:
    """A store to load into; the file is made by the first load."""
    return Store(path)


def create_lake(folder: str | Path) -> Store:
    """A lake to load into: rows in Parquet files by service and day, for more than one file should hold.

    Args:
        folder: made by the first load, as the lake in it is; then `open_store` takes it too.
    """
    return Store(Path(folder) / INDEX)
