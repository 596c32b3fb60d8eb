"""Chunks of a source on their way into the tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import duckdb
import polars as pl
import pytest

from signals.errors import InputError, SchemaError
from signals.schema import Finding
from signals.store import intake as module
from signals.store.connect import empty
from signals.store.deposit import Deposit
from signals.store.extents import Extents
from signals.store.intake import Intake
from signals.store.parsed import Chunk, Reject, Series
from signals.store.registry import Registry
from signals.store.settle import write_registry
from signals.store.tally import SourceTally
from tests.sql.hand import START, Hand, chunk_of

RUNNING = Series("vllm:num_requests_running", {"pod": "a"})
WAITING = Series("vllm:num_requests_waiting", {"pod": "a"})
OWN = Series("someones_own_gauge", {"pod": "a"})


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with empty("schema") as made:
        yield made


@pytest.fixture
def intake(connection: duckdb.DuckDBPyConnection) -> Intake:
    registry = Registry()
    deposit = Deposit(connection, Extents(), lambda: write_registry(connection, registry))
    deposit.start()
    return Intake(registry, deposit)


@pytest.fixture
def tally() -> SourceTally:
    return SourceTally(1, "svc", "file")


def engine(
    connection: duckdb.DuckDBPyConnection, *columns: str
) -> list[tuple[int | float | None, ...]]:
    """Second and values of the rows of the engine's family, and the source of each."""
    names = ", ".join(columns)
    return connection.execute(
        f"select epoch(ts)::bigint - ?, {names}, source_id from sample_engine order by ts, source_id",
        [int(START.timestamp())],
    ).fetchall()


def test_samples_wait_until_their_source_is_read(
    intake: Intake, tally: SourceTally, connection: duckdb.DuckDBPyConnection
) -> None:
    intake.take(tally, chunk_of((RUNNING, [(0, 1), (15, 2)]), (WAITING, [(0, 7)])))
    intake.take(tally, chunk_of((RUNNING, [(30, 3)])))
    assert engine(connection, "running") == []
    intake.close(tally)
    assert engine(connection, "running", "queue_depth") == [
        (0, 1, 7, 1),
        (15, 2, None, 1),
        (30, 3, None, 1),
    ]
    assert (tally.rows_read, tally.rows_kept, len(tally.series)) == (4, 4, 2)


def test_findings_and_rejects_are_taken_over(intake: Intake, tally: SourceTally) -> None:
    for count in (2, 3):
        odd = Finding("odd", "info", "odd rows", count, "x")
        intake.take(tally, Chunk(findings=(odd,), rejects=(Reject(1, "bad", "x"),), rows_read=1))
    assert tally.finding_counts() == {"odd": 5}
    assert (tally.rows_rejected, tally.rows_read) == (2, 2)


def test_a_reader_must_name_every_series(intake: Intake, tally: SourceTally) -> None:
    chunk = replace(chunk_of((RUNNING, [(0, 1)]), (WAITING, [(0, 1)])), series=(RUNNING,))
    with pytest.raises(InputError, match="samples without a series"):
        intake.take(tally, chunk)


def test_requests_must_be_what_was_promised(intake: Intake, tally: SourceTally) -> None:
    chunk = chunk_of(requests=[{"arrived_s": 1}])
    assert chunk.requests is not None
    with pytest.raises(SchemaError):
        intake.take(tally, Chunk(requests=chunk.requests.drop("status")))


def test_parts_of_a_scrape_in_several_batches_end_in_one_row(
    intake: Intake,
    tally: SourceTally,
    connection: duckdb.DuckDBPyConnection,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_BATCH", 1)
    kv = Series("vllm:kv_cache_usage_perc", {"pod": "a"})
    for series, value in ((RUNNING, 1.0), (WAITING, 8.0), (kv, 0.5)):
        intake.take(tally, chunk_of((series, [(0, value), (15, value / 2)])))
    intake.close(tally)
    assert engine(connection, "running", "queue_depth", "kv_usage") == [
        (0, 1, 8, 0.5, 1),
        (15, 0.5, 4, 0.25, 1),
    ]
    assert connection.execute("select count(*) from staged_sample").fetchall() == [(0,)]


def test_batches_one_after_the_other_in_time_are_not_staged(
    intake: Intake,
    tally: SourceTally,
    connection: duckdb.DuckDBPyConnection,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_BATCH", 1)
    intake.take(tally, chunk_of((RUNNING, [(0, 1)]), (WAITING, [(0, 5)])))
    intake.take(tally, chunk_of((RUNNING, [(15, 2)]), (WAITING, [(15, 6)])))
    assert engine(connection, "running", "queue_depth") == [(0, 1, 5, 1)]
    intake.close(tally)
    assert engine(connection, "running", "queue_depth") == [(0, 1, 5, 1), (15, 2, 6, 1)]


def test_disorder_and_copies_are_counted_over_batches(
    intake: Intake,
    tally: SourceTally,
    connection: duckdb.DuckDBPyConnection,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_BATCH", 1)
    for points in ([(15, 2), (30, 3)], [(0, 1)], [(15, 2), (15, 4)]):
        intake.take(tally, chunk_of((RUNNING, points)))
    intake.close(tally)
    assert engine(connection, "running") == [(0, 1, 1), (15, 2, 1), (30, 3, 1)]
    # in a batch the second of two at one moment is held against the first, which repeats a stored one
    assert tally.finding_counts() == {"conflict": 1, "duplicate": 1, "out_of_order": 1}
    assert tally.rows_kept == 3


def test_the_next_source_has_its_own_order_of_reading(intake: Intake) -> None:
    first, second = SourceTally(1, "svc", "a"), SourceTally(2, "svc", "b")
    intake.take(first, chunk_of((RUNNING, [(30, 3)])))
    intake.close(first)
    intake.take(second, chunk_of((RUNNING, [(0, 1)])))
    intake.close(second)
    assert (first.finding_counts(), second.finding_counts()) == ({}, {})


def test_what_another_source_of_the_load_brought_overlaps(
    intake: Intake, connection: duckdb.DuckDBPyConnection
) -> None:
    first, second = SourceTally(1, "svc", "a"), SourceTally(2, "svc", "b")
    intake.take(first, chunk_of((RUNNING, [(0, 1), (15, 2)])))
    intake.close(first)
    intake.take(second, chunk_of((RUNNING, [(0, 1), (15, 9), (30, 3)]), (WAITING, [(0, 4)])))
    intake.close(second)
    assert second.finding_counts() == {"conflict": 1, "overlap": 1}
    assert (second.overlapping, second.rows_kept) == (2, 2)
    assert engine(connection, "running", "queue_depth") == [
        (0, 1, None, 1),
        (0, None, 4, 2),
        (15, 2, None, 1),
        (30, 3, None, 2),
    ]


def test_two_collectors_are_stored_once(
    intake: Intake, tally: SourceTally, connection: duckdb.DuckDBPyConnection
) -> None:
    pair = [Series(RUNNING.metric, {"pod": "a", "prometheus_replica": replica}) for replica in "xy"]
    intake.take(
        tally, chunk_of((pair[0], [(0, 1), (15, 2)]), (pair[1], [(0, 1), (15, 3), (30, 4)]))
    )
    intake.close(tally)
    assert engine(connection, "running") == [(0, 1, 1), (15, 2, 1), (30, 4, 1)]
    counts = tally.finding_counts()
    assert (counts["duplicate"], counts["conflict"]) == (1, 1)
    assert "out_of_order" not in counts
    assert len(tally.series) == 1


def test_series_the_catalog_does_not_know_have_rows_of_their_own(
    intake: Intake, tally: SourceTally, connection: duckdb.DuckDBPyConnection
) -> None:
    intake.take(tally, chunk_of((OWN, [(0, 1e200), (15, -2)]), (RUNNING, [(0, 1)])))
    intake.close(tally)
    rows = connection.execute("select value, source_id from sample_other order by ts").fetchall()
    assert rows == [(1e200, 1), (-2, 1)]
    assert engine(connection, "running") == [(0, 1, 1)]


def test_an_old_name_of_equal_rank_is_the_same_series(
    intake: Intake, tally: SourceTally, connection: duckdb.DuckDBPyConnection
) -> None:
    names = ("vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc")
    new, old = (Series(name, {"pod": "a"}) for name in names)
    intake.take(tally, chunk_of((new, [(0, 0.5)]), (old, [(0, 0.5), (15, 0.6)])))
    intake.close(tally)
    assert engine(connection, "kv_usage") == [(0, 0.5, 1), (15, 0.6, 1)]
    counts = tally.finding_counts()
    assert (counts["old_name"], counts["duplicate"], tally.rows_kept) == (1, 1, 2)


def test_series_without_a_value_leave_nothing_but_a_count(
    intake: Intake, tally: SourceTally, connection: duckdb.DuckDBPyConnection
) -> None:
    nan = float("nan")
    intake.take(tally, chunk_of((RUNNING, [(0, nan), (15, nan)]), (WAITING, [(0, nan)])))
    intake.close(tally)
    assert (tally.rows_read, tally.rows_kept, tally.series) == (3, 0, set())
    assert sorted(tally.blanks.values()) == [1, 2]
    assert (tally.first_us, tally.last_us) == (None, None)
    assert engine(connection, "running") == []


def test_many_series_of_one_chunk(
    intake: Intake, tally: SourceTally, connection: duckdb.DuckDBPyConnection
) -> None:
    many = 3000
    series = tuple(Series(RUNNING.metric, {"pod": f"pod-{n}"}) for n in range(many))
    samples = pl.DataFrame(
        {
            "series": pl.Series([*range(many), *range(many)], dtype=pl.UInt32),
            "ts": pl.Series([START] * (2 * many), dtype=pl.Datetime("us", "UTC")),
            "value": [float(n % 7) for n in (*range(many), *range(many))],
        }
    )
    intake.take(tally, Chunk(series=series, samples=samples, rows_read=2 * many))
    intake.close(tally)
    assert tally.finding_counts()["duplicate"] == many
    assert connection.execute(
        "select count(*), count(distinct target_id), sum(running) from sample_engine"
    ).fetchall() == [(many, many, float(sum(n % 7 for n in range(many))))]


@pytest.mark.parametrize("batch", [1, 3, 1000])
def test_a_panel_does_not_depend_on_batches(
    hand: Hand, monkeypatch: pytest.MonkeyPatch, batch: int
) -> None:
    monkeypatch.setattr(module, "_BATCH", batch)
    tokens = [Series("vllm:generation_tokens_total", {"pod": pod}) for pod in "ab"]
    running = [Series(RUNNING.metric, {"pod": pod}) for pod in "ab"]
    # metric after metric and pod after pod: parts of a scrape come far from each other
    chunks = [
        chunk_of((one, [(15.0 * step, scale * step)]))
        for scale, pair in ((3, tokens), (1, running))
        for one in pair
        for step in range(6)
    ]
    hand.load(*chunks)
    frame = hand.store.panel("svc").frame
    assert frame["unified:decode_tps"].drop_nulls().to_list() == pytest.approx([0.4] * 5)
    assert frame["unified:running"].drop_nulls().to_list() == [0, 2, 4, 6, 8, 10]


@pytest.mark.parametrize("batch", [1, 3, 1000])
def test_a_value_that_does_not_move_is_followed_over_batches(
    hand: Hand, monkeypatch: pytest.MonkeyPatch, batch: int
) -> None:
    monkeypatch.setattr(module, "_BATCH", batch)
    tokens = Series("vllm:generation_tokens_total", {"pod": "a"})
    chunks = [chunk_of((RUNNING, [(15.0 * step, min(step, 5))])) for step in range(30)]
    chunks += [chunk_of((tokens, [(15.0 * step, step)])) for step in range(6)]
    findings = hand.load(*chunks).sources[0].findings
    assert findings["staleness_ghost"] == 1


@pytest.mark.parametrize("copied", [True, False])
def test_an_hour_that_comes_again_is_a_clock_unless_it_is_a_copy(hand: Hand, copied: bool) -> None:
    points = [(60.0 * step, step % 7) for step in range(240)]
    again = [(60.0 * step, step % 7 if copied else step % 5) for step in range(180, 300)]
    rows = points + again
    findings = hand.load(chunk_of((RUNNING, rows), (WAITING, rows))).sources[0].findings
    assert findings.get("clock_change", 0) == (0 if copied else 2)
    assert findings["out_of_order"] == 2
