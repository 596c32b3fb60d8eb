"""Checks find nothing in a sound store and the planted row in a broken one."""

from __future__ import annotations

import duckdb
import pytest

from signals.store.sql import query_names, run
from tests.sql.hand import put_histogram, put_series

PLANTS = {
    "checks/falling_buckets": "insert into histogram select 2, now(), bounds_id, [3, 2], 1 from bounds",
    "checks/lost_samples": "insert into sample_other values (now(), 99, 1, 1)",
    "checks/repeated_samples": "insert into sample_other select * from sample_other limit 1",
    "checks/targets_without_one_pool": "delete from target_pool where target_id = 1",
    "checks/wrong_extents": "update series set samples = 7 where series_id = 1",
}


@pytest.mark.parametrize("name", [name for name in query_names() if name.startswith("checks/")])
def test_a_check_finds_the_planted_row_alone(name: str, memory: duckdb.DuckDBPyConnection) -> None:
    put_series(memory, 1, "running", [(0, 1.0), (15, 2.0)])
    put_histogram(memory, 2, [1.0, float("inf")], [(0, [1, 2])])
    assert run(memory, name).is_empty()
    memory.execute(PLANTS[name])
    assert run(memory, name).height == 1
