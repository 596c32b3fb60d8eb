"""What a header promises is what its statement does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import duckdb
import pytest

from signals.store.connect import empty
from signals.store.sql import Query, load_query

FOLDERS = ("checks", "connection", "forget", "lake", "load", "mart", "results", "staging")
VIEWS = ("stg_series", "stg_sample", "stg_histogram", "stg_request")
CHUNK = (
    "create temp table chunk (row_no bigint, series_id integer, ts timestamptz, value double,"
    " target_id integer, first_at timestamptz, last_at timestamptz)"
)
SAMPLE_VALUES: dict[str, object] = {
    "service": "svc",
    "tick_us": 15_000_000,
    "phase_us": 0,
    "first_us": 0,
    "last_us": 15_000_000,
    "gap_us": 300_000_000,
    "window_ticks": 4,
    "first": None,
    "last": None,
    "what": "svc",
    "run_id": "r",
    "content": "c",
    "sources": [1],
    "source_id": 1,
    "most": 1,
    "lost": [1],
    "tables": ["sample_engine"],
}
OWN_VALUES: dict[str, dict[str, object]] = {
    "lake/parts_by_series": {"table": "sample_other"},
    "lake/parts_by_target": {"table": "sample_engine"},
}


def names() -> list[str]:
    return sorted(
        f"{folder}/{entry.name.removesuffix('.sql')}"
        for folder in FOLDERS
        for entry in files("queries").joinpath(folder).iterdir()
        if entry.name.endswith(".sql")
    )


QUERIES = names()
READS = [name for name in QUERIES if load_query(name).returns]


@pytest.fixture(scope="module")
def both() -> Iterator[dict[str, duckdb.DuckDBPyConnection]]:
    """Empty tables of the store and of the results, with the temporary tables of a load."""
    with empty("schema", VIEWS) as store, empty("runs") as results:
        store.execute(CHUNK).fetchall()
        for name in ("create_staged", "create_staged_bucket", "judge_histograms"):
            store.execute(load_query(f"load/{name}").text).fetchall()
        yield {"results": results, "store": store}


def connection_for(
    query: Query, both: dict[str, duckdb.DuckDBPyConnection]
) -> duckdb.DuckDBPyConnection:
    return both["results" if query.name.startswith("results/") else "store"]


@pytest.mark.parametrize("name", QUERIES)
def test_a_file_is_one_statement_with_the_declared_parameters(name: str) -> None:
    query = load_query(name)
    statements = duckdb.extract_statements(query.text)
    assert len(statements) == 1
    assert set(statements[0].named_parameters) == set(query.params)


@pytest.mark.parametrize("name", QUERIES)
def test_every_parameter_has_a_type_and_every_header_a_meaning(name: str) -> None:
    query = load_query(name)
    assert all(text[:1].isupper() for text in query.params.values()), query.params
    assert query.title
    assert query.grain
    assert query.note


@pytest.mark.parametrize("name", READS)
def test_on_empty_tables_the_declared_columns_come_and_no_wrong_row(
    name: str, both: dict[str, duckdb.DuckDBPyConnection]
) -> None:
    query = load_query(name)
    known = SAMPLE_VALUES | OWN_VALUES.get(name, {})
    values = {key: known[key] for key in query.params}
    relation = connection_for(query, both).sql(query.text, params=values)
    found = list(zip(relation.columns, relation.types, strict=True))
    assert found == [(column, duckdb.sqltype(dtype)) for column, dtype in query.returns]
    single = {
        "connection/self_test",
        "connection/version",
        "load/count_bucket_copies",
        "load/count_judged",
        "load/count_requests",
        "mart/request_span",
        "results/new_identifier",
    }
    assert len(relation.fetchall()) == (1 if name in single else 0)


@pytest.mark.parametrize("name", READS)
def test_the_declared_tables_are_the_ones_read(name: str) -> None:
    query = load_query(name)
    text = duckdb.connect().sql("select json_serialize_sql($s)", params={"s": query.text})
    tree = json.loads(text.fetchall()[0][0])
    assert not tree["error"], tree
    read, defined = set(tables(tree)), set(ctes(tree))
    assert read - defined == set(query.reads)


def test_queries_that_users_may_run_write_nothing() -> None:
    public = [name for name in QUERIES if name.startswith(("mart/", "checks/"))]
    assert all(load_query(name).returns for name in public)


def tables(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if node.get("type") == "BASE_TABLE":
            yield node["table_name"]
        for value in node.values():
            yield from tables(value)
    elif isinstance(node, list):
        for value in node:
            yield from tables(value)


def ctes(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        for entry in (node.get("cte_map") or {}).get("map", []):
            yield entry["key"]
        for value in node.values():
            yield from ctes(value)
    elif isinstance(node, list):
        for value in node:
            yield from ctes(value)
