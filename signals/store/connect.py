"""Connections: readers that see one state of a file, writers that replace it as a whole.

A writer holds a side lock, changes a copy and puts it in the store's place, so that readers never wait and
a killed writer leaves the store as it was. Stores above `IN_PLACE_BYTES` are changed in place in one
transaction instead; readers then retry for a while. A lake is changed by way of a draft.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from signals.errors import StoreError
from signals.store.lake import drafted, open_files
from signals.store.lake_files import READERS, sweep
from signals.store.place import copied, is_index, locate, locked, replace, shared
from signals.store.sql import execute, run, script

__all__ = ["IN_PLACE_BYTES", "MEMORY", "SCHEMA_VERSION", "empty", "reading", "self_test", "writing"]

SCHEMA_VERSION = 2
IN_PLACE_BYTES = 2_000_000_000
MEMORY = "1GB"
"""What DuckDB may hold while it writes; more of it goes to a folder beside the store. Its own default, most of the
machine's memory, would leave none to the reader of a large file."""
_RETRIES = 50
_RETRY_S = 0.1
_VIEWS = ("stg_series", "stg_sample", "stg_histogram", "stg_request")
_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "python_enable_replacements": False,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}


@contextmanager
def reading(
    path: Path, *, hint: str = "signals load FILE...", views: tuple[str, ...] = _VIEWS
) -> Iterator[duckdb.DuckDBPyConnection]:
    """A read-only connection for one question.

    Args:
        path: the DuckDB file.
        hint: what to do if it does not exist.
        views: staging views to define on the connection.

    Yields:
        A connection in UTC, without access to other files.

    Raises:
        StoreError: there is no such file, it cannot be opened, or it is no store.
    """
    file = locate(path)
    if not file.exists():
        raise StoreError("the store does not exist", where=str(path), hint=hint)
    with _waiting(file):
        connection = _attach(path, file)
        try:
            _check_version(connection, path)
            for view in views:
                execute(connection, f"staging/{view}")
            connection.execute("set lock_configuration = true").fetchall()
            yield connection
        except duckdb.Error as error:
            raise _unusable(path, error) from error
        finally:
            connection.close()


@contextmanager
def writing(path: Path, *, schema: str = "schema") -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection that changes the store as a whole or not at all; other writers wait.

    Args:
        path: the DuckDB file; made if it does not exist.
        schema: folder below `queries/` with the tables of a new file.

    Yields:
        A connection in UTC, inside a transaction.

    Raises:
        StoreError: the file cannot be written, or it is no store.
    """
    file = locate(path)
    if is_index(file) and file.parent.parent.is_dir():
        try:
            file.parent.mkdir(exist_ok=True)
        except OSError as error:
            raise StoreError(
                "the folder of the lake cannot be made",
                where=str(file.parent),
                hint=error.strerror or str(error),
            ) from error
    if not file.parent.is_dir():
        raise StoreError("the folder of the store does not exist", where=str(path.parent))
    with locked(file):
        if is_index(file):
            with _draft(path, file, schema) as connection:
                yield connection
            return
        if _is_written_in_place(file):
            with _transaction(path, file, schema) as connection:
                yield connection
            return
        with copied(file) as copy:
            with _transaction(path, copy, schema) as connection:
                yield connection
            replace(copy, file)


@contextmanager
def empty(schema: str, views: tuple[str, ...] = ()) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection to a new file in memory, for the columns of an answer without rows.

    Args:
        schema: folder below `queries/` with its tables.
        views: staging views to define on the connection.
    """
    with duckdb.connect(":memory:", config=_CONFIG) as connection:
        _prepare(connection)
        for text in script(schema):
            connection.execute(text).fetchall()
        for view in views:
            execute(connection, f"staging/{view}")
        yield connection


def self_test() -> str:
    """Check that DuckDB computes, knows time zones, and say its version."""
    with duckdb.connect(":memory:", config=_CONFIG) as connection:
        _prepare(connection)
        version, moment = run(connection, "connection/self_test").row(0)
    if moment != 1_767_225_600_000_000:
        raise StoreError("DuckDB does not know time zones", expected="its icu extension")
    return f"DuckDB {version}"


@contextmanager
def _transaction(path: Path, target: Path, schema: str) -> Iterator[duckdb.DuckDBPyConnection]:
    is_new = not target.exists()
    try:
        with duckdb.connect(str(target), config={**_CONFIG, "memory_limit": MEMORY}) as connection:
            _prepare(connection)
            if is_new:
                for text in script(schema):
                    connection.execute(text).fetchall()
            _check_version(connection, path)
            connection.begin()
            yield connection
            connection.commit()
            connection.checkpoint()
    except duckdb.Error as error:
        raise _unusable(path, error) from error


@contextmanager
def _draft(path: Path, index: Path, schema: str) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection to a draft of a lake, which becomes the lake in the end."""
    _tidy(path, index)
    with drafted(index) as draft:
        with _transaction(path, draft.work, schema) as connection:
            draft.open(connection)
            yield connection
            draft.write(connection)
        with _transaction(path, draft.new_index, schema) as connection:
            draft.keep(connection)
        draft.publish()
    _tidy(path, index)


def _tidy(path: Path, index: Path) -> None:
    """Remove files that are not part of a lake."""
    kept: list[str] = []
    if index.exists():
        with reading(path, views=()) as connection:
            kept = run(connection, "lake/files")["path"].to_list()
    sweep(index.parent, kept)


def _attach(path: Path, file: Path) -> duckdb.DuckDBPyConnection:
    """An instance of its own with the store attached: another one of this process may hold an older file."""
    connection = duckdb.connect(":memory:", config=_CONFIG)
    try:
        _prepare(connection)
        for attempt in range(_RETRIES):
            try:
                execute(connection, "connection/attach", {"path": str(file)})
                break
            except duckdb.IOException as error:
                # a writer in place holds the file for one transaction
                if "lock" not in str(error).lower() or attempt == _RETRIES - 1:
                    raise
                time.sleep(_RETRY_S)
        execute(connection, "connection/enter")
        if is_index(file):
            open_files(connection, file.parent)
        connection.execute("set enable_external_access = false").fetchall()
    except duckdb.Error as error:
        connection.close()
        raise _unusable(path, error) from error
    return connection


def _prepare(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute("set TimeZone = 'UTC'").fetchall()
    connection.execute("set enable_progress_bar = false").fetchall()


def _check_version(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    versions = run(connection, "connection/version")["version"].to_list()
    if versions != [SCHEMA_VERSION]:
        raise StoreError(
            "the store was written by another version of this program",
            where=str(path),
            expected=f"form {SCHEMA_VERSION}, found {versions[0] if versions else 'none'}",
            hint="load the files into a new store",
        )


def _unusable(path: Path, error: duckdb.Error) -> StoreError:
    cause: BaseException = error
    # after the first error of a transaction, all else that is tried in it fails too and says nothing
    while isinstance(cause.__context__, duckdb.Error):
        cause = cause.__context__
    room = "free space beside it"
    if isinstance(cause, duckdb.OutOfMemoryException):
        room += " for what does not fit into memory"
    return StoreError(
        "the store cannot be used",
        where=str(path),
        expected=f"a DuckDB file that signals wrote, and {room}",
        hint=str(cause).splitlines()[0],
    )


@contextmanager
def _waiting(file: Path) -> Iterator[None]:
    """Wait for a writer that changes a large store in place; other stores are replaced as a whole.

    Files of a lake stay while it is read.
    """
    if is_index(file):
        with shared(file.with_name(READERS)):
            yield
        return
    if file.stat().st_size <= IN_PLACE_BYTES:
        yield
        return
    with shared(file):
        yield


def _is_written_in_place(file: Path) -> bool:
    """Large stores are; and one with a log that a killed writer in place left, which a copy would lose."""
    if not file.exists():
        return False
    return file.stat().st_size > IN_PLACE_BYTES or file.with_name(f"{file.name}.wal").exists()
