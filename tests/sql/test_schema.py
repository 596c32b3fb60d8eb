"""Tables carry their meaning: every column is commented, families show the catalog's measurements."""

from __future__ import annotations

import duckdb
import pytest

from signals.catalog import MEASUREMENTS, find_measurement
from signals.store.registry import FAMILIES

KEYS = {"ts", "target_id", "source_id"}


@pytest.mark.parametrize("kind", ["memory", "results"])
def test_every_table_and_column_has_a_comment(kind: str, request: pytest.FixtureRequest) -> None:
    connection: duckdb.DuckDBPyConnection = request.getfixturevalue(kind)
    bare = connection.execute(
        "select table_name, column_name from duckdb_columns()"
        " where database_name = 'memory' and not internal and comment is null"
        " and not starts_with(table_name, 'stg_')"
    ).fetchall()
    assert bare == []


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_shows_its_measurements_with_their_units(
    family: str, memory: duckdb.DuckDBPyConnection
) -> None:
    rows = memory.execute(
        "select column_name, comment from duckdb_columns() where table_name = $table",
        {"table": f"sample_{family}"},
    ).fetchall()
    found = {name: comment for name, comment in rows if name not in KEYS}
    wanted = {m.name for m in MEASUREMENTS if m.family == family and m.kind != "histogram"}
    assert set(found) == wanted
    for name, comment in found.items():
        spec = find_measurement(name)
        assert spec is not None
        assert comment == f"{spec.title}, {spec.unit}"


def test_the_results_hold_the_frames_of_a_comparison(results: duckdb.DuckDBPyConnection) -> None:
    from signals.replay.frames import RUN_EVENT, RUN_MINUTE, RUN_READING, RUN_TICK

    for schema in (RUN_EVENT, RUN_MINUTE, RUN_READING, RUN_TICK):
        columns = results.sql(f"from {schema.name}").columns
        assert columns == ["run_id", *schema.polars()]
