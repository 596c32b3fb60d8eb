"""Files of a lake that are missing or cannot be read: which ones, what they held, and what to do."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import polars as pl

from signals.errors import StoreError
from signals.store.place import shown
from signals.store.sql import run

__all__ = ["NOTHING_LOST", "Lost", "find_lost", "tell_damage"]

_MAGIC = b"PAR1"
_LEAST = 12
_NAMED = 3
# what DuckDB raises for bytes that it did not expect
_UNREADABLE = (duckdb.Error, RuntimeError)
# what it raises where columns of a file are not those of its table
_MISFIT = (duckdb.BinderException, duckdb.ConversionException, duckdb.TypeMismatchException)
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Lost:
    """Files of a service that are given up.

    Attributes:
        paths: below the lake's folder.
        tables: tables whose rows they held.
        sources: source.source_id that the rows came from.
    """

    paths: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    sources: tuple[int, ...] = ()


NOTHING_LOST = Lost()


def find_lost(
    connection: duckdb.DuckDBPyConnection, folder: Path, service: str, sources: Sequence[int]
) -> Lost:
    """Files of a service that cannot be read, if rows of these sources were in one of them.

    Args:
        connection: to the index; of a store without files nothing is lost.
        folder: of the lake.
        service: the service.
        sources: numbers of its sources that are to go.
    """
    files = run(connection, "lake/contents").filter(service=service)
    wanted = set(sources)
    is_theirs = pl.Series(
        [not wanted.isdisjoint(held) for held in files["sources"]], dtype=pl.Boolean
    )
    lost = list(_flawed(folder, files))
    paths = [row["path"] for row, _ in lost]
    lost += _broken(connection, folder, files.filter(is_theirs & ~files["path"].is_in(paths)))
    if all(wanted.isdisjoint(row["sources"]) for row, _ in lost):
        return NOTHING_LOST
    # one that is left would be in the way of what is done next
    paths = [row["path"] for row, _ in lost]
    lost += _broken(connection, folder, files.filter(~is_theirs & ~files["path"].is_in(paths)))
    return Lost(
        paths=tuple(row["path"] for row, _ in lost),
        tables=tuple(sorted({row["table_name"] for row, _ in lost})),
        sources=tuple(sorted({source for row, _ in lost for source in row["sources"]})),
    )


def tell_damage(
    connection: duckdb.DuckDBPyConnection, store: Path, folder: Path, error: Exception
) -> StoreError | None:
    """Find the file that an error is about.

    Args:
        connection: to the index.
        store: as the user named it.
        folder: of the lake.
        error: that ended a question or a change.

    Returns:
        What to raise; None if all files seem to be right.
    """
    files = run(connection, "lake/contents")
    found = list(_flawed(folder, files))
    if not found:
        text = str(error)
        named = files.filter(pl.Series([path in text for path in files["path"]], dtype=pl.Boolean))
        if named.is_empty() and type(error) in (*_UNREADABLE, duckdb.InvalidInputException):
            named = files
        found = list(_broken(connection, folder, named))
    if not found and isinstance(error, _MISFIT):
        found = list(_misfits(connection, folder, files))
    if not found:
        return None
    row, flaw = found[0]
    more = f"; {len(found) - 1} more are missing or damaged" if len(found) > 1 else ""
    sources = [shown(uri) for uri in row["uris"]]
    told = ", ".join(sources[:_NAMED]) + (" and others" if len(sources) > _NAMED else "")
    forget = f"signals --store {shlex.quote(shown(store))} forget {shlex.quote(sources[0])}"
    return StoreError(
        f"a file of the lake {flaw}{more}",
        where=str(folder / row["path"]),
        expected=f"{row['row_count']:,} rows of service '{shown(row['service'])}' of {row['day']}, from {told}",
        hint=f"put the file back from a copy; or give it up: {forget}; then load that source again, "
        "and those that the command names",
    )


def _flawed(folder: Path, files: pl.DataFrame) -> Iterator[tuple[Row, str]]:
    """Rows of `contents` whose files are wrong at a glance, and what is wrong."""
    for row in files.iter_rows(named=True):
        flaw = _glance(folder / row["path"])
        if flaw:
            yield row, flaw


def _glance(file: Path) -> str:
    try:
        with file.open("rb") as handle:
            size = handle.seek(0, os.SEEK_END)
            if size < _LEAST:
                return "is cut short" if size else "is empty"
            handle.seek(0)
            begin = handle.read(len(_MAGIC))
            handle.seek(-len(_MAGIC), os.SEEK_END)
            end = handle.read(len(_MAGIC))
    except FileNotFoundError:
        return "is missing"
    except OSError as error:
        return f"cannot be read ({error.strerror})"
    if begin != _MAGIC:
        return "is no Parquet file"
    return "" if end == _MAGIC else "is cut short"


def _misfits(
    connection: duckdb.DuckDBPyConnection, folder: Path, files: pl.DataFrame
) -> Iterator[tuple[Row, str]]:
    """Rows of `contents` whose files have other columns than their tables: somebody exchanged them."""
    forms = {table: _form(connection.table(f"main.{table}")) for table in set(files["table_name"])}
    with duckdb.connect(":memory:") as other:
        for row in files.iter_rows(named=True):
            file = str(folder / row["path"])
            if _form(other.read_parquet(file, hive_partitioning=False)) != forms[row["table_name"]]:
                yield row, "holds something else: another file stands in its place"


def _form(content: duckdb.DuckDBPyRelation) -> list[tuple[str, str]]:
    """Names and types of columns."""
    return list(zip(content.columns, map(str, content.types), strict=True))


def _broken(
    connection: duckdb.DuckDBPyConnection, folder: Path, files: pl.DataFrame
) -> Iterator[tuple[Row, str]]:
    """Rows of `contents` whose files show that they are wrong when they are read to the end."""
    for row in files.iter_rows(named=True):
        form = _form(connection.table(f"main.{row['table_name']}"))
        flaw = _study(folder / row["path"], form, row["row_count"])
        if flaw:
            yield row, flaw


def _study(file: Path, form: Sequence[tuple[str, str]], rows: int) -> str:
    column, function = duckdb.ColumnExpression, duckdb.FunctionExpression
    try:
        with duckdb.connect(":memory:") as other:
            content = other.read_parquet(str(file), hive_partitioning=False)
            if _form(content) != list(form):
                return "holds something else"
            values = function("hash", *(column(name) for name, _ in form))
            answer = content.aggregate([function("count"), function("bit_xor", values)])
            found = answer.fetchall()[0][0]
    except _UNREADABLE:
        return "is damaged"
    return "" if found == rows else f"holds {found:,} rows"
