"""Rows of tables straight into the rows of a family's table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import duckdb
import polars as pl
import pytest

from signals.schema import TIMESTAMP
from signals.store.connect import empty
from signals.store.deposit import Deposit
from signals.store.extents import Extents
from signals.store.intake import Intake
from signals.store.parsed import Chunk, Series
from signals.store.registry import Registry
from signals.store.settle import write_registry
from signals.store.tally import SourceTally
from tests.sql.hand import at

NAN = float("nan")
METRICS = ("vllm:num_requests_running", "vllm:kv_cache_usage_perc")
Row = tuple[int, float, Sequence[float | None]]


def rows_of(rows: Sequence[Row], metrics: Sequence[str] = METRICS, pods: str = "ab") -> Chunk:
    """A chunk with the samples of each row, a pod's at some second, side by side."""
    width = len(metrics)
    frame = pl.DataFrame(
        {
            "series": pl.Series([width * pod for pod, _, _ in rows], dtype=pl.UInt32),
            "ts": pl.Series([at(second) for _, second, _ in rows], dtype=TIMESTAMP),
            **{
                str(number): pl.Series([cells[number] for *_, cells in rows], dtype=pl.Float64)
                for number in range(width)
            },
        }
    )
    series = tuple(Series(metric, {"pod": pod}) for pod in pods for metric in metrics)
    return Chunk(series=series, rows=frame, rows_read=len(rows))


class Bench:
    """One source on its way into an empty store, and what goes straight."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        registry = Registry()
        self.connection = connection
        self.deposit = Deposit(connection, Extents(), lambda: write_registry(connection, registry))
        self.deposit.start()
        self.intake = Intake(registry, self.deposit)
        self.tally = SourceTally(1, "svc", "file")

    def take(self, *chunks: Chunk) -> int:
        """Take chunks of rows; the number of samples that could not go straight."""
        long_way = 0
        for chunk in chunks:
            before = self.intake._batch.size
            self.intake.take(self.tally, chunk)
            long_way += self.intake._batch.size - before
        return long_way

    def close(self) -> list[tuple[object, ...]]:
        """What the family holds: second, pod's number, running, KV cache; a moment's rows as one."""
        self.intake.close(self.tally)
        return self.connection.execute(
            "select epoch(ts)::bigint - ?, target_id, max(running), max(kv_usage)"
            " from sample_engine group by all order by 2, 1",
            [int(at(0).timestamp())],
        ).fetchall()


@pytest.fixture
def bench() -> Iterator[Bench]:
    with empty("schema") as connection:
        yield Bench(connection)


def test_rows_go_as_they_are(bench: Bench) -> None:
    rows: list[Row] = [(0, 0, [1, 0.1]), (1, 0, [2, 0.2]), (0, 15, [3, 0.3]), (1, 15, [4, 0.4])]
    assert bench.take(rows_of(rows)) == 0
    assert bench.close() == [(0, 1, 1, 0.1), (15, 1, 3, 0.3), (0, 2, 2, 0.2), (15, 2, 4, 0.4)]
    assert bench.tally.rows_kept == 8
    assert (bench.tally.first_us, bench.tally.last_us) == tuple(
        int(at(second).timestamp() * 1e6) for second in (0, 15)
    )
    assert len(bench.tally.series) == 4
    assert bench.tally.remarks == {}
    assert bench.deposit.extents.touched()["samples"].to_list() == [2, 2, 2, 2]


def test_missing_cells_stay_missing(bench: Bench) -> None:
    rows: list[Row] = [(0, 0, [1, None]), (0, 15, [None, 0.2]), (0, 30, [3, 0.3])]
    assert bench.take(rows_of(rows)) == 0
    assert bench.close() == [(0, 1, 1, None), (15, 1, None, 0.2), (30, 1, 3, 0.3)]
    assert bench.tally.rows_kept == 4
    frame = bench.deposit.extents.touched()
    assert frame["samples"].to_list() == [2, 2]
    assert frame["spacing_us"].to_list() == [30e6, 15e6]


def test_a_column_without_any_value_is_no_series_with_samples(bench: Bench) -> None:
    rows: list[Row] = [(0, 0, [1, None]), (0, 15, [2, None]), (1, 15, [2, None])]
    assert bench.take(rows_of(rows)) == 0
    assert bench.close() == [(0, 1, 1, None), (15, 1, 2, None), (15, 2, 2, None)]
    assert len(bench.tally.series) == 2


@pytest.mark.parametrize(
    ("rows", "long_way"),
    [
        ([(0, 0, [1, 0.1]), (0, 15, [NAN, 0.2])], 1),  # a staleness marker
        ([(0, 0, [1, 0.1]), (0, 15, [NAN, None])], 1),  # beside a missing cell
        ([(0, 0, [1, 0.1]), (0, 15, [2, 7.0])], 2),  # out of its range
        ([(0, 0, [1, 0.1]), (0, 15, [1e18, 0.2])], 1),  # no quantity
        ([(0, 15, [1, 0.1]), (0, 0, [2, 0.2])], 4),  # not in order
        ([(0, 0, [1, 0.1]), (0, 0, [1, 0.1])], 4),  # twice
        ([(0, 0, [1, 0.1]), (1, 0, [1, 0.1]), (1, -15, [1, 0.1])], 6),
    ],
)
def test_what_needs_a_closer_look_takes_the_long_way(
    bench: Bench, rows: list[Row], long_way: int
) -> None:
    assert bench.take(rows_of(rows)) == long_way


def test_only_the_column_that_needs_it_takes_the_long_way_and_ends_in_the_same_row(
    bench: Bench,
) -> None:
    rows: list[Row] = [(0, 0, [1, 0.1]), (0, 15, [NAN, 0.2]), (0, 30, [3, 0.3])]
    assert bench.take(rows_of(rows)) == 2
    assert bench.close() == [(0, 1, 1, 0.1), (15, 1, None, 0.2), (30, 1, 3, 0.3)]
    assert bench.tally.finding_counts() == {"not_a_number": 1}


def test_units_are_converted(bench: Bench) -> None:
    chunk = rows_of([(0, 0, [50.0]), (0, 15, [75.0])], ("DCGM_FI_DEV_GPU_UTIL",))
    assert bench.take(chunk) == 0
    bench.close()
    query = "select gpu_util from sample_gpu order by ts"
    assert bench.connection.execute(query).fetchall() == [(0.5,), (0.75,)]
    frame = bench.deposit.extents.touched()
    assert frame.select("lowest", "highest", "last_value").rows() == [(0.5, 0.75, 0.75)]


def test_series_without_a_column_take_the_long_way(bench: Bench) -> None:
    rows: list[Row] = [(0, 0, [1, 0.1, 5]), (0, 15, [2, 0.2, 6])]
    assert bench.take(rows_of(rows, (*METRICS, "someones_own_gauge"))) == 2
    assert bench.close() == [(0, 1, 1, 0.1), (15, 1, 2, 0.2)]
    query = "select value from sample_other order by ts"
    assert bench.connection.execute(query).fetchall() == [(5,), (6,)]


def test_a_name_for_what_another_column_holds_takes_the_long_way(bench: Bench) -> None:
    rows: list[Row] = [(0, 0, [0.1, 0.2]), (0, 15, [0.3, 0.4])]
    names = ("vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc")
    assert bench.take(rows_of(rows, names)) == 2
    assert bench.close() == [(0, 1, None, 0.1), (15, 1, None, 0.3)]
    assert bench.tally.finding_counts()["old_name"] == 2  # of each pod


def test_rows_go_on_in_the_next_chunk_and_meet_no_earlier_ones(bench: Bench) -> None:
    first: list[Row] = [(0, 0, [1, 0.1]), (0, 15, [2, 0.2])]
    later: list[Row] = [(0, 30, [3, 0.3])]
    again: list[Row] = [(0, 30, [3, 0.5])]
    assert bench.take(rows_of(first), rows_of(later)) == 0
    assert bench.take(rows_of(again)) == 2
    assert bench.close() == [(0, 1, 1, 0.1), (15, 1, 2, 0.2), (30, 1, 3, 0.3)]
    assert bench.tally.finding_counts() == {"conflict": 1, "duplicate": 1}


def test_older_rows_in_a_later_chunk_are_out_of_order(bench: Bench) -> None:
    bench.take(
        rows_of([(0, 0, [1, 0.1]), (0, 30, [2, None])]),
        rows_of([(0, 15, [3, 0.3])]),  # between: running is older than before, its usage is not
        rows_of([(0, -15, [4, 0.4])]),  # before all
    )
    assert bench.close() == [
        (-15, 1, 4, 0.4),
        (0, 1, 1, 0.1),
        (15, 1, 3, 0.3),
        (30, 1, 2, None),
    ]
    assert bench.tally.finding_counts() == {"out_of_order": 3}


def test_samples_that_wait_go_before_rows_of_their_series(bench: Bench) -> None:
    chunk = rows_of([(0, 0, [1, 0.1]), (0, 15, [2, 0.2])])
    samples = Chunk(series=chunk.series, samples=chunk.column(0))
    bench.take(samples)
    assert bench.intake._batch.size == 2
    bench.take(rows_of([(0, 15, [9, 0.2]), (0, 30, [3, 0.3])]))
    assert bench.close() == [(0, 1, 1, None), (15, 1, 2, 0.2), (30, 1, 3, 0.3)]
    assert bench.tally.finding_counts() == {"conflict": 1}


def test_two_rows_of_one_target_at_one_moment_are_copies(bench: Bench) -> None:
    # two collectors: series of their own, one target
    frame = rows_of([(0, 0, [1, 0.1]), (1, 0, [1, 0.2])])
    series = tuple(
        Series(metric, {"pod": "a", "prometheus_replica": replica})
        for replica in ("x", "y")
        for metric in METRICS
    )
    assert bench.take(Chunk(series=series, rows=frame.rows, rows_read=2)) == 4
    assert bench.close() == [(0, 1, 1, 0.1)]
    counts = bench.tally.finding_counts()
    assert (counts["duplicate"], counts["conflict"]) == (1, 1)


def test_far_times_take_the_long_way(bench: Bench) -> None:
    rows: list[Row] = [(0, 0, [1, 0.1]), (0, 86_400 * 365 * 600, [2, 0.2])]
    assert bench.take(rows_of(rows)) == 2
    assert bench.close() == [(0, 1, 1, 0.1)]
    assert bench.tally.finding_counts() == {"far_time": 2}


def test_a_column_of_another_target_than_its_row_takes_the_long_way(bench: Bench) -> None:
    chunk = rows_of([(0, 0, [1, 0.1]), (0, 15, [2, 0.2])])
    series = (Series(METRICS[0], {"pod": "a"}), Series(METRICS[1], {"pod": "b"}))
    assert bench.take(Chunk(series=series, rows=chunk.rows, rows_read=2)) == 2
    assert bench.close() == [
        (0, 1, 1, None),
        (15, 1, 2, None),
        (0, 2, None, 0.1),
        (15, 2, None, 0.2),
    ]


def test_an_old_name_that_the_new_one_follows_is_one_column(bench: Bench) -> None:
    # the exporter was updated in between
    names = ("vllm:gpu_cache_usage_perc", "vllm:kv_cache_usage_perc")
    rows: list[Row] = [(0, 0, [0.1, None]), (0, 15, [0.2, None]), (0, 30, [None, 0.3])]
    bench.take(rows_of(rows, names))
    assert bench.close() == [(0, 1, None, 0.1), (15, 1, None, 0.2), (30, 1, None, 0.3)]
    assert bench.deposit.extents.touched()["samples"].to_list() == [3]
