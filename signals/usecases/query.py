"""Run a named query of the store with parameters given as text."""

from __future__ import annotations

import polars as pl

from signals.errors import UsageError
from signals.store import Store

__all__ = ["run"]


def run(store: Store, name: str, parameters: tuple[str, ...]) -> pl.DataFrame:
    """The rows of a named query.

    Args:
        store: the store.
        name: path of the query below `queries/`, without `.sql`.
        parameters: `key=value`; DuckDB casts the text to the declared type.

    Raises:
        UsageError: a parameter is not `key=value`.
        QueryError: no such query, or missing or unknown parameters.
    """
    values: dict[str, object] = {}
    for text in parameters:
        key, equals, value = text.partition("=")
        if not equals or not key:
            raise UsageError(f"'{text}' is not a parameter", where="--param", expected="key=value")
        values[key] = value
    return store.query(name, values)
