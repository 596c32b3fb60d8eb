"""Stores made by hand: small chunks instead of files, and rows put straight into tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import polars as pl

from signals.schema import REQUESTS, TIMESTAMP
from signals.store import LoadOptions, LoadReport, Store, open_store
from signals.store.inputs import Input
from signals.store.load import load_inputs
from signals.store.parsed import Chunk, ReadOptions, Reject, Series, Source

START = datetime(2026, 3, 1, tzinfo=UTC)
START_US = int(START.timestamp()) * 1_000_000
SECOND = 1_000_000
Points = Sequence[tuple[float, float]]


def at(seconds: float) -> datetime:
    """A moment after START."""
    return START + timedelta(seconds=seconds)


def chunk_of(
    *series: tuple[Series, Points],
    requests: Sequence[Mapping[str, object]] = (),
    rejects: tuple[Reject, ...] = (),
) -> Chunk:
    """A chunk from series with (seconds after START, value) points and request rows."""
    rows = [
        (number, at(seconds), float(value))
        for number, (_, points) in enumerate(series)
        for seconds, value in points
    ]
    schema = {"series": pl.UInt32, "ts": TIMESTAMP, "value": pl.Float64}
    samples = pl.DataFrame(rows, schema=schema, orient="row") if series else None
    return Chunk(
        series=tuple(one for one, _ in series),
        samples=samples,
        requests=request_frame(requests) if requests else None,
        rows_read=len(rows) + len(requests) + len(rejects),
        rejects=rejects,
    )


def request_frame(rows: Sequence[Mapping[str, object]]) -> pl.DataFrame:
    """REQUESTS rows; `arrived_s` counts from START, what is absent is null."""
    names = REQUESTS.polars()
    full = [
        {**dict.fromkeys(names), **row, "arrived_at": at(float(str(row["arrived_s"])))}
        for row in rows
    ]
    return pl.DataFrame([{n: r[n] for n in names} for r in full], schema=pl.Schema(names))


@dataclass
class Hand:
    """A store in a folder, loaded from chunks."""

    folder: Path
    loads: int = 0
    sources: dict[str, Sequence[Chunk]] = field(default_factory=dict)

    @property
    def path(self) -> Path:
        return self.folder / "fleet.duckdb"

    @property
    def store(self) -> Store:
        return open_store(self.path)

    def load(
        self,
        *chunks: Chunk,
        service: str = "svc",
        pool_rules: tuple[str, ...] = (),
        max_reject: float = 0.05,
        name: str = "",
    ) -> LoadReport:
        """Load chunks as one source; a name that was used before stands for the same content."""
        self.loads += 1
        file = self.folder / (name or f"source{self.loads}")
        file.write_text(file.name)
        options = LoadOptions(
            read=ReadOptions(service=service), pool_rules=pool_rules, max_reject=max_reject
        )
        item = Input(file, _source(chunks), service, file)
        return load_inputs(self.path, [item], options)


def _source(chunks: Sequence[Chunk]) -> Source:
    def read(_path: Path, _options: ReadOptions) -> Iterator[Chunk]:
        yield from chunks

    return Source("hand", "made by hand", (), lambda _head, _path: 0.0, read, open_end=None)


def put_series(
    connection: duckdb.DuckDBPyConnection,
    series_id: int,
    measurement: str,
    points: Points,
    *,
    pool: str = "decode",
    instance: str = "",
    kind: str = "gauge",
    part: str = "value",
    family: str = "engine",
    resolution_s: float | None = 15.0,
    priority: int = 10,
    service: str = "svc",
) -> None:
    """Put a series with its own target straight into the tables."""
    moments = [at(seconds) for seconds, _ in points]
    connection.execute(
        "insert into target values (?, ?, '', ?, ?, '', '', '', '', false, map([], []))",
        [series_id, service, instance, f"t={series_id}"],
    )
    connection.execute(
        "insert into target_pool values (?, ?, 'test', null, null)", [series_id, pool]
    )
    connection.execute(
        "insert into series values (?, ?, ?, map([], []), ?, ?, '', ?, ?, ?, '', '', 1, false,"
        " 'raw', '', ?, ?, ?, ?, 0, 'sample_other')",
        [
            *(series_id, series_id, measurement, measurement, part, kind, family, priority),
            *(resolution_s, min(moments), max(moments), len(points)),
        ],
    )
    connection.executemany(
        "insert into sample_other values (?, ?, ?, 1)",
        [[moment, series_id, value] for moment, (_, value) in zip(moments, points, strict=True)],
    )


def put_histogram(
    connection: duckdb.DuckDBPyConnection,
    series_id: int,
    bounds: Sequence[float],
    points: Sequence[tuple[float, Sequence[int]]],
    *,
    measurement: str = "ttft",
    pool: str = "prefill",
) -> None:
    """Put a histogram series with cumulative counts straight into the tables."""
    put_series(
        connection,
        series_id,
        measurement,
        [(seconds, 0.0) for seconds, _ in points],
        pool=pool,
        kind="histogram",
        part="bucket",
    )
    connection.execute("delete from sample_other where series_id = ?", [series_id])
    connection.execute("update series set stored_in = 'histogram' where series_id = ?", [series_id])
    connection.execute("insert into bounds values (?, ?)", [series_id, list(bounds)])
    connection.executemany(
        "insert into histogram values (?, ?, ?, ?, 1)",
        [[series_id, at(seconds), series_id, list(counts)] for seconds, counts in points],
    )


def grid(
    last_s: float, *, tick_s: float = 15.0, first_s: float = 0.0, **more: int
) -> dict[str, object]:
    """Parameters of the marts that work on ticks, counted from START."""
    return {
        "service": "svc",
        "tick_us": int(tick_s * SECOND),
        "phase_us": 0,
        "first_us": START_US + int(first_s * SECOND),
        "last_us": START_US + int(last_s * SECOND),
        **more,
    }


def ticks(frame: pl.DataFrame, value: str, *, tick_s: float = 15.0) -> dict[float, float | None]:
    """Values by seconds after START."""
    pairs = frame.select("tick_no", value).iter_rows()
    return {number * tick_s - START_US / SECOND: found for number, found in pairs}
