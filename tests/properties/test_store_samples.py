"""Whatever comes in whatever parts and order, the store keeps what a dictionary would."""

from __future__ import annotations

import tempfile
from pathlib import Path

import duckdb
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from signals.schema import TIMESTAMP
from signals.store import intake
from signals.store.parsed import Chunk, Series
from signals.store.reports import SourceReport
from tests.reference.samples_kept import Kept
from tests.sql.hand import START, Hand, at

SETTINGS = settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
METRICS = (
    "vllm:num_requests_running",  # a column of the engine family
    "vllm:generation_tokens_total",
    "vllm:gpu_cache_usage_perc",  # an old name, beside the new one
    "vllm:kv_cache_usage_perc",
    "DCGM_FI_DEV_POWER_USAGE",
    "someones_own_gauge",  # not in the catalog
)
PODS = ("a", "b")
COPIES = ("conflict", "duplicate", "overlap")
POINTS = st.tuples(
    st.integers(0, len(METRICS) * len(PODS) - 1), st.integers(0, 5), st.integers(0, 3)
)
SOURCES = st.lists(st.lists(POINTS, min_size=1, max_size=25), min_size=1, max_size=3)


def name_of(number: int) -> tuple[str, str]:
    return METRICS[number // len(PODS)], PODS[number % len(PODS)]


def stored_as(name: tuple[str, str]) -> tuple[str, str]:
    """Both names of one gauge are one series."""
    return name[0].replace("gpu_cache_usage", "kv_cache_usage"), name[1]


def series_of(number: int) -> Series:
    metric, pod = name_of(number)
    return Series(metric, {"pod": pod})


def chunk_in_order(points: list[tuple[int, int, int]]) -> Chunk:
    """A chunk whose samples stand in the order of reading, series mixed."""
    names = sorted({number for number, _, _ in points})
    rows = [(names.index(n), at(15.0 * step), value / 4) for n, step, value in points]
    schema = pl.Schema({"series": pl.UInt32(), "ts": TIMESTAMP, "value": pl.Float64()})
    return Chunk(
        series=tuple(series_of(number) for number in names),
        samples=pl.DataFrame(rows, schema=schema, orient="row"),
        rows_read=len(rows),
    )


def stored(hand: Hand) -> dict[tuple[object, float], tuple[float, int]]:
    with duckdb.connect(str(hand.path), read_only=True) as connection:
        rows = connection.execute(
            "select metric, labels['pod'], epoch(ts), value, source_id"
            " from sample join series using (series_id)"
        ).fetchall()
    found: dict[tuple[object, float], tuple[float, int]] = {
        (stored_as((metric, pod)), second - START.timestamp()): (value, source)
        for metric, pod, second, value, source in rows
    }
    assert len(found) == len(rows)
    return found


def told(report: SourceReport) -> tuple[int, int, int]:
    """Samples kept, out of order, and left out as copies.

    Which kind of copy one is depends on batches: of three at one moment, the last may be held against the second
    of its batch or against the stored first.
    """
    copies = sum(report.findings.get(code, 0) for code in COPIES)
    return report.rows_kept, report.findings.get("out_of_order", 0), copies


@SETTINGS
@given(sources=SOURCES, batch=st.sampled_from([1, 4, 1000]), cut=st.integers(1, 9))
def test_the_store_keeps_what_a_dictionary_would(
    sources: list[list[tuple[int, int, int]]],
    batch: int,
    cut: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(intake, "_BATCH", batch)
    twin = Kept()
    with tempfile.TemporaryDirectory() as folder:
        hand = Hand(Path(folder))
        for number, points in enumerate(sources, start=1):
            pieces = [points[first : first + cut] for first in range(0, len(points), cut)]
            report = hand.load(*(chunk_in_order(piece) for piece in pieces)).sources[0]
            named = [(name_of(n), s, v) for n, s, v in points]
            wanted = twin.load(number, [(n, stored_as(n), 15.0 * s, v / 4) for n, s, v in named])
            copies = sum(wanted[code] for code in COPIES)
            assert told(report) == (wanted["kept"], wanted["out_of_order"], copies)
        assert stored(hand) == twin.samples
        for check in ("lost_samples", "repeated_samples", "wrong_extents"):
            assert hand.store.query(f"checks/{check}").is_empty(), check


ROWS = st.lists(
    st.tuples(
        st.integers(0, 1),
        st.integers(0, 6),
        st.lists(st.none() | st.integers(0, 4), min_size=3, max_size=3),
    ),
    min_size=1,
    max_size=20,
)
COLUMNS = ("vllm:num_requests_running", "DCGM_FI_DEV_GPU_UTIL", "someones_own_gauge")


def side_by_side(rows: list[tuple[int, int, list[int | None]]]) -> Chunk:
    frame = pl.DataFrame(
        {
            "series": pl.Series([3 * pod for pod, _, _ in rows], dtype=pl.UInt32),
            "ts": pl.Series([at(15.0 * step) for _, step, _ in rows], dtype=TIMESTAMP),
            **{
                str(column): pl.Series(
                    [None if (cell := cells[column]) is None else cell / 4 for *_, cells in rows],
                    dtype=pl.Float64,
                )
                for column in range(3)
            },
        }
    )
    series = tuple(Series(metric, {"pod": pod}) for pod in PODS for metric in COLUMNS)
    return Chunk(series=series, rows=frame, rows_read=1)


@SETTINGS
@given(rows=ROWS, cut=st.integers(1, 20))
def test_rows_and_their_samples_are_stored_alike(
    rows: list[tuple[int, int, list[int | None]]], cut: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        tables, columns = Hand(Path(folder) / "rows"), Hand(Path(folder) / "columns")
        for hand in (tables, columns):
            hand.folder.mkdir()
        pieces = [side_by_side(rows[first : first + cut]) for first in range(0, len(rows), cut)]
        direct = tables.load(Chunk(rows_read=1), *pieces).sources[0]
        long = [
            Chunk(series=piece.series, samples=piece.column(number))
            for piece in pieces
            for number in range(3)
        ]
        plain = columns.load(Chunk(rows_read=1), *long).sources[0]
        assert told(direct) == told(plain)
        assert stored(tables) == stored(columns)
        for check in ("lost_samples", "repeated_samples", "wrong_extents"):
            assert tables.store.query(f"checks/{check}").is_empty(), check
