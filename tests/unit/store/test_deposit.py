"""Samples into the tables: what is stored already, and histograms put together from their buckets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import duckdb
import numpy as np
import polars as pl
import pytest

from signals.schema import TIMESTAMP
from signals.store import intake as intake_module
from signals.store.connect import empty
from signals.store.deposit import Deposit, ask_with, hand_over
from signals.store.extents import Extents
from signals.store.intake import Intake
from signals.store.parsed import Chunk, Series
from signals.store.registry import Registry
from signals.store.settle import write_registry
from signals.store.tally import SourceTally
from tests.sql.hand import START, at, chunk_of

RUNNING = Series("vllm:num_requests_running", {"pod": "a"})
OWN = Series("someones_own_gauge", {"pod": "a"})
NAME = "vllm:time_to_first_token_seconds_bucket"
INF = float("inf")


class Bench:
    """An empty store that takes sources one after the other."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        registry = Registry()
        self.connection = connection
        self.deposit = Deposit(connection, Extents(), lambda: write_registry(connection, registry))
        self.deposit.start()
        self.intake = Intake(registry, self.deposit)
        self.sources = 0

    def load(self, *chunks: Chunk) -> SourceTally:
        self.sources += 1
        tally = SourceTally(self.sources, "svc", f"file{self.sources}")
        for chunk in chunks:
            self.intake.take(tally, chunk)
        self.intake.close(tally)
        return tally

    def ask(self, sql: str) -> list[tuple[object, ...]]:
        return self.connection.execute(sql).fetchall()


@pytest.fixture
def bench() -> Iterator[Bench]:
    with empty("schema") as connection:
        yield Bench(connection)


def scrape(counts: Mapping[str, float], second: float = 0.0, pod: str = "p") -> Chunk:
    """A scrape of a histogram: cumulative counts by bound."""
    return chunk_of(
        *((Series(NAME, {"pod": pod, "le": le}), [(second, count)]) for le, count in counts.items())
    )


def histograms(bench: Bench) -> list[tuple[object, ...]]:
    """Seconds after START, bounds, counts and source."""
    return bench.ask(
        f"select epoch(ts)::bigint - {int(START.timestamp())}, le, counts, source_id"
        " from histogram join bounds using (bounds_id) order by series_id, ts"
    )


def test_a_frame_is_there_for_its_statement_only(bench: Bench) -> None:
    frame = pl.DataFrame({"series_id": pl.Series([4], dtype=pl.Int32)})
    hand_over(bench.connection, "load/create_touched", frame)
    assert bench.ask("select * from touched") == [(4,)]
    with pytest.raises(duckdb.CatalogException):
        bench.ask("select * from chunk")


def test_a_frame_goes_even_if_its_statement_fails(bench: Bench) -> None:
    for act in (hand_over, ask_with):
        with pytest.raises(duckdb.Error):
            act(bench.connection, "load/insert_other", pl.DataFrame({"odd": [1]}))
        with pytest.raises(duckdb.CatalogException):
            bench.ask("select * from chunk")


def test_each_value_is_stored_once_by_the_source_that_brought_it_first(bench: Bench) -> None:
    first = bench.load(chunk_of((RUNNING, [(0, 1), (30, 3)]), (OWN, [(0, 5)])))
    second = bench.load(chunk_of((RUNNING, [(0, 1), (15, 2), (30, 9)]), (OWN, [(0, 5), (15, 6)])))
    assert (first.rows_kept, second.rows_kept) == (3, 2)
    assert second.finding_counts() == {"conflict": 1, "overlap": 2}
    assert second.overlapping == 3
    assert bench.ask("select running, source_id from sample_engine order by ts") == [
        (1, 1),
        (2, 2),
        (3, 1),
    ]
    assert bench.ask("select value, source_id from sample_other order by ts") == [(5, 1), (6, 2)]


def test_a_source_that_brings_nothing_new_stores_nothing(bench: Bench) -> None:
    chunk = chunk_of((RUNNING, [(0, 1), (15, 2)]), (OWN, [(0, 5)]))
    bench.load(chunk)
    again = bench.load(chunk)
    assert (again.rows_kept, again.overlapping) == (0, 3)
    assert bench.ask("select count(*) from sample_engine") == [(2,)]


def test_series_that_do_not_meet_are_not_looked_up_and_those_that_do_are_told_apart(
    bench: Bench,
) -> None:
    pods = [Series(RUNNING.metric, {"pod": pod}) for pod in "abc"]
    bench.load(chunk_of(*((pod, [(0, 1), (30, 1)]) for pod in pods)))
    tally = bench.load(
        chunk_of((pods[0], [(45, 2)]), (pods[1], [(30, 1)]), (pods[2], [(15, 2), (30, 1)]))
    )
    assert (tally.rows_kept, tally.overlapping) == (2, 2)
    rows = bench.deposit.extents.touched().select("series_id", "samples").rows()
    assert rows == [(1, 3), (2, 2), (3, 3)]


def test_rows_count_each_value(bench: Bench) -> None:
    rows = pl.DataFrame(
        {
            "ts": pl.Series([at(0), at(15)], dtype=TIMESTAMP),
            "target_id": pl.Series([1, 1], dtype=pl.Int32),
            "source_id": pl.Series([1, 1], dtype=pl.Int32),
            "running": [1.0, None],
            "queue_depth": [2.0, 3.0],
        }
    )
    tally = SourceTally(1, "svc", "file")
    bench.deposit.add_rows(tally, "engine", rows)
    bench.deposit.close(tally)
    assert tally.rows_kept == 3
    assert bench.ask("select running, queue_depth from sample_engine order by ts") == [
        (1, 2),
        (None, 3),
    ]


@pytest.mark.parametrize(
    ("later", "merged"),
    [([(1, 15)], False), ([(2, 0)], False), ([(1, 0)], True), ([(2, 0), (1, 5), (1, 0)], True)],
)
def test_parts_with_a_moment_in_common_are_merged(
    bench: Bench, later: list[tuple[int, float]], *, merged: bool
) -> None:
    def part(name: str, moments: list[tuple[int, float]]) -> pl.DataFrame:
        return pl.DataFrame(
            {
                "ts": pl.Series([at(second) for _, second in moments], dtype=TIMESTAMP),
                "target_id": pl.Series([target for target, _ in moments], dtype=pl.Int32),
                "source_id": pl.Series(np.ones(len(moments)), dtype=pl.Int32),
                name: np.arange(len(moments)) + 1.0,
            }
        )

    tally = SourceTally(1, "svc", "file")
    bench.deposit.add_rows(tally, "engine", part("running", [(1, 0), (1, 10)]))
    bench.deposit.add_rows(tally, "engine", part("queue_depth", later))
    bench.deposit.close(tally)
    both = bench.ask("select count(*) from sample_engine where running = 1 and queue_depth >= 1")
    assert both == [(int(merged),)]
    found = bench.ask("select count(running), count(queue_depth), count(*) from sample_engine")
    assert found == [(2, len(later), 2 + len(later) - merged)]


def test_buckets_become_lists_in_the_order_of_their_bounds(bench: Bench) -> None:
    tally = bench.load(scrape({"+Inf": 9, "0.5": 4, "0.1": 1}))
    assert histograms(bench) == [(0, [0.1, 0.5, INF], [1, 4, 9], 1)]
    assert (tally.rows_kept, len(tally.series)) == (3, 1)


def test_buckets_of_several_batches_are_put_together(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intake_module, "_BATCH", 1)
    tally = bench.load(
        scrape({"0.5": 4}),
        scrape({"0.5": 5}, 15),
        scrape({"+Inf": 9}),
        scrape({"+Inf": 10}, 15),
    )
    assert histograms(bench) == [(0, [0.5, INF], [4, 9], 1), (15, [0.5, INF], [5, 10], 1)]
    assert (tally.rows_kept, tally.finding_counts()) == (4, {})


@pytest.mark.parametrize("batch", [1, 1000])
def test_a_bucket_that_comes_again_counts_once(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, batch: int
) -> None:
    monkeypatch.setattr(intake_module, "_BATCH", batch)
    tally = bench.load(
        scrape({"0.5": 4, "+Inf": 9}), scrape({"0.5": 4, "+Inf": 8}), scrape({"0.5": 1})
    )
    assert histograms(bench) == [(0, [0.5, INF], [4, 9], 1)]
    assert (tally.rows_kept, tally.finding_counts()) == (2, {"conflict": 2, "duplicate": 1})


def test_histograms_of_the_store_overlap_and_others_conflict(bench: Bench) -> None:
    bench.load(scrape({"0.5": 4, "+Inf": 9}), scrape({"0.5": 5, "+Inf": 10}, 15))
    tally = bench.load(
        scrape({"0.5": 4, "+Inf": 9}),
        scrape({"0.5": 6, "+Inf": 10}, 15),
        scrape({"0.5": 7, "+Inf": 11}, 30),
    )
    assert (tally.rows_kept, tally.overlapping) == (2, 4)
    assert tally.finding_counts() == {"conflict": 2, "overlap": 2}
    assert [row[2:] for row in histograms(bench)] == [([4, 9], 1), ([5, 10], 1), ([7, 11], 2)]
    assert bench.ask("select count(*) from bounds") == [(1,)]


def test_a_source_leaves_no_buckets_to_the_next(bench: Bench) -> None:
    bench.load(scrape({"0.5": 4, "+Inf": 9}))
    tally = bench.load(scrape({"0.5": 5, "+Inf": 9}, 15), chunk_of((RUNNING, [(0, 1)])))
    assert tally.rows_kept == 3
    assert bench.ask("select count(*) from staged_bucket") == [(0,)]
    assert len(histograms(bench)) == 2


def test_extents_of_histograms_follow_from_what_is_stored(bench: Bench) -> None:
    for second, total in ((0, 10), (15, 12), (30, 3)):
        bench.load(scrape({"0.5": 1, "+Inf": total}, second))
    assert bench.ask("select samples, resets, resolution_s, stored_in from series") == [
        (3, 1, 15.0, "histogram")
    ]


@pytest.mark.parametrize(
    ("counts", "moments"),
    [
        ({"0.1": 1, "0.5": 4, "+Inf": 9}, 0),
        ({"0.1": 4, "0.5": 4, "+Inf": 4}, 0),
        ({"0.1": 5, "0.5": 4, "+Inf": 9}, 1),
        ({"0.1": 1, "0.5": 9, "+Inf": 8}, 1),
    ],
)
def test_counts_that_fall_with_the_bound_are_told(
    bench: Bench, counts: dict[str, float], moments: int
) -> None:
    tally = bench.load(scrape({"0.1": 0, "0.5": 0, "+Inf": 0}), scrape(counts, 15))
    assert tally.finding_counts().get("falling_buckets", 0) == moments
    if moments:
        (finding,) = tally.remarks.values()
        assert (finding.severity, finding.subject) == ("warning", NAME)
    again = bench.load(scrape(counts, 15))
    assert set(again.finding_counts()) == {"overlap"}, "said with the source that brought it"
