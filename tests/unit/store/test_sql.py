"""The loader of named SQL."""

from __future__ import annotations

import duckdb
import pytest

from signals.errors import QueryError
from signals.store.connect import empty
from signals.store.sql import load_query, query_names, run, script


def test_a_query_is_found_by_its_path_or_its_name() -> None:
    assert load_query("mart/services") == load_query("services")
    assert load_query("services").reads == ("target", "series", "stg_request")
    assert load_query("services").returns[0] == ("service", "VARCHAR")


def test_an_unknown_name_gets_the_nearest_one() -> None:
    with pytest.raises(QueryError) as caught:
        load_query("servces")
    assert caught.value.hint == "did you mean 'services'?"


@pytest.mark.parametrize("name", ["../secret", "mart/../load/insert_samples", "", "/etc/passwd"])
def test_a_name_is_no_path(name: str) -> None:
    with pytest.raises(QueryError):
        load_query(name)


def test_parameters_are_all_there_and_no_others() -> None:
    with empty("schema", ("stg_request",)) as connection:
        with pytest.raises(QueryError) as caught:
            run(connection, "request_span", {"servce": "x"})
        assert caught.value.where == "missing: service; unknown: servce"
        assert caught.value.hint.endswith("--param service=VALUE")
        assert "$service VARCHAR" in caught.value.expected


def test_a_value_of_another_type_is_named() -> None:
    with empty("schema", ("stg_request",)) as connection:
        connection.execute(
            "insert into request (service, arrived_at, source_id) values ('x', now(), 1)"
        )
        with pytest.raises(QueryError) as caught:
            run(connection, "requests", {"service": "x", "first": "noon", "last": None})
    assert "noon" in caught.value.where


def test_text_values_take_the_declared_type() -> None:
    with empty("schema", ("stg_request",)) as connection:
        found = run(connection, "requests", {"service": "x", "first": "2026-01-01", "last": None})
    assert found.is_empty()


def test_users_may_run_marts_and_checks_only() -> None:
    assert "mart/services" in query_names()
    assert all(name.startswith(("mart/", "checks/")) for name in query_names())


def test_views_come_after_the_tables_they_read() -> None:
    texts = script("schema")
    kinds = ["create view" in text for text in texts]
    assert kinds == sorted(kinds)
    assert any(kinds)
    with duckdb.connect() as connection:
        for text in texts:
            connection.execute(text)
