"""Connections for tests of SQL."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest

from signals.store.connect import empty

VIEWS = ("stg_series", "stg_sample", "stg_histogram", "stg_request")


@pytest.fixture
def memory() -> Iterator[duckdb.DuckDBPyConnection]:
    """An empty store in memory, with the staging views."""
    with empty("schema", VIEWS) as connection:
        yield connection


@pytest.fixture
def results() -> Iterator[duckdb.DuckDBPyConnection]:
    """An empty file of results in memory."""
    with empty("runs") as connection:
        yield connection
