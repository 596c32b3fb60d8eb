"""Chunks on their way into a load."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest

from signals.errors import SchemaError
from signals.schema import Finding
from signals.store.connect import empty
from signals.store.intake import Intake, SourceTally
from signals.store.parsed import Chunk, Reject, Series
from signals.store.registry import Registry
from tests.sql.hand import chunk_of


@pytest.fixture
def intake() -> Iterator[Intake]:
    with empty("schema") as connection:
        made = Intake(connection, Registry())
        made.start()
        yield made


def rows(connection: duckdb.DuckDBPyConnection) -> list[tuple[object, ...]]:
    return connection.execute(
        "select input_id, series_id, le, seq, value from incoming order by seq"
    ).fetchall()


def test_samples_are_numbered_in_the_order_of_reading(intake: Intake) -> None:
    tally = SourceTally(1, "svc", "file")
    power = Series("power_w", {"instance": "a"}, unit="kW")
    bucket = Series("ttft", {"instance": "a", "le": "0.5"})
    intake.take(tally, chunk_of((power, [(0, 1), (15, 2)]), (bucket, [(0, 7)])))
    intake.take(tally, chunk_of((power, [(30, 3)])))
    assert rows(intake.connection) == [
        (1, 1, None, 0, 1000.0),
        (1, 1, None, 1, 2000.0),
        (2, 2, 0.5, 2, 7.0),
        (1, 1, None, 3, 3000.0),
    ]
    assert tally.rows_read == 4


def test_findings_of_one_kind_add_up(intake: Intake) -> None:
    tally = SourceTally(1, "svc", "file")
    for count in (2, 3):
        intake.take(tally, Chunk(findings=(Finding("odd", "info", "odd rows", count, "x"),)))
    intake.take(tally, Chunk(findings=(Finding("odd", "info", "odd rows", 1, "y"),)))
    assert tally.finding_counts() == {"odd": 6}
    assert [finding.count for finding in tally.remarks.values()] == [5, 1]


def test_rejects_are_counted_all_and_kept_in_part() -> None:
    tally = SourceTally(1, "svc", "file")
    tally.reject(tuple(Reject(line, "bad_number", "x") for line in range(1500)))
    assert tally.rows_rejected == 1500
    assert len(tally.excerpts) == 1000


def test_requests_must_be_what_was_promised(intake: Intake) -> None:
    chunk = chunk_of(requests=[{"arrived_s": 1}])
    assert chunk.requests is not None
    with pytest.raises(SchemaError):
        intake.take(SourceTally(1, "svc", "file"), Chunk(requests=chunk.requests.drop("status")))


def test_values_outside_of_their_range_are_told_with_their_extent(intake: Intake) -> None:
    tally = SourceTally(1, "svc", "file")
    intake.take(tally, chunk_of((Series("vllm:kv_cache_usage_perc", {}), [(0, 55), (15, 99)])))
    (finding,) = tally.remarks.values()
    assert finding.text == (
        "values of vllm:kv_cache_usage_perc from 55 to 99 lie outside of 0 to 1"
    )
    assert finding.severity == "warning"
