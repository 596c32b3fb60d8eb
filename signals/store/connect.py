"""Connections: readers that see one state of a file, writers that replace it as a whole.

A writer holds a side lock, changes a copy and puts it in the store's place, so that readers never wait and
a killed writer leaves the store as it was. Stores above `IN_PLACE_BYTES` are changed in place in one
transaction instead; readers then retry for a while. A lake is changed by way of a draft.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import duckdb

from signals.errors import QueryError, StoreError
from signals.store.lake import Part, drafted, open_files
from signals.store.lake_damage import tell_damage
from signals.store.lake_files import READERS, sweep
from signals.store.place import (
    INDEX_REMEDY,
    clear_leftovers,
    copied,
    is_index,
    locate,
    locked,
    replace,
    shared,
)
from signals.store.sql import execute, run, script

__all__ = ["IN_PLACE_BYTES", "MEMORY", "SCHEMA_VERSION", "empty", "reading", "self_test", "writing"]

SCHEMA_VERSION = 2
IN_PLACE_BYTES = 2_000_000_000
MEMORY = "600MB"
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
        views: staging views to define on the connection; without any, the files of a lake are not looked at.

    Yields:
        A connection in UTC, without access to other files.

    Raises:
        StoreError: there is no such file, it cannot be opened, or it is no store.
    """
    file = locate(path)
    if not file.exists():
        raise StoreError("the store does not exist", where=str(path), hint=hint)
    with _waiting(file):
        connection = _connect()
        try:
            _attach(connection, file)
            if views and is_index(file):
                open_files(connection, file.parent)
            connection.execute("set enable_external_access = false").fetchall()
            _check_version(connection, path)
            for view in views:
                execute(connection, f"staging/{view}")
            connection.execute("set lock_configuration = true").fetchall()
            yield connection
        except duckdb.Error as error:
            raise _unusable(path, file, error) from error
        except QueryError as error:
            # a value that does not convert may be one of an exchanged file
            if isinstance(error.__cause__, duckdb.ConversionException):
                _raise_damage(path, file, error.__cause__)
            raise
        except RuntimeError as error:
            _raise_damage(path, file, error)
            raise
        finally:
            connection.close()


@contextmanager
def writing(
    path: Path, *, schema: str = "schema", part: Part | None = None
) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection that changes the store as a whole or not at all; other writers wait.

    Args:
        path: the DuckDB file; made if it does not exist.
        schema: folder below `queries/` with the tables of a new file.
        part: what of a lake changes; None for anything.

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
            with _draft(path, file, schema, part) as connection:
                yield connection
            return
        clear_leftovers(file)
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
        raise _unusable(path, locate(path), error) from error
    except RuntimeError as error:
        _raise_damage(path, locate(path), error)
        raise


@contextmanager
def _draft(
    path: Path, index: Path, schema: str, part: Part | None
) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection to a draft of a lake, which becomes the lake in the end."""
    _tidy(path, index)
    with drafted(index) as draft:
        with _transaction(path, draft.work, schema) as connection:
            draft.open(connection, part)
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


def _connect() -> duckdb.DuckDBPyConnection:
    """An instance of its own, to which a store is attached: another one of this process may hold an older file."""
    connection = duckdb.connect(":memory:", config=_CONFIG)
    _prepare(connection)
    return connection


def _attach(connection: duckdb.DuckDBPyConnection, file: Path) -> None:
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


def _unusable(path: Path, file: Path, error: duckdb.Error) -> StoreError:
    cause: BaseException = error
    # after the first error of a transaction, all else that is tried in it fails too and says nothing
    while isinstance(cause.__context__, duckdb.Error):
        cause = cause.__context__
    damage = _damage(path, file, cause)
    if damage is not None:
        return damage
    room = "free space beside it"
    if isinstance(cause, duckdb.OutOfMemoryException):
        room += " for what does not fit into memory"
    return StoreError(
        "the store cannot be used",
        where=str(path),
        expected=f"a DuckDB file that signals wrote, and {room}",
        hint=str(cause).splitlines()[0],
    )


def _raise_damage(path: Path, file: Path, error: RuntimeError | duckdb.Error) -> None:
    """What DuckDB says of a damaged file need not be text, and then its binding says that instead."""
    damage = _damage(path, file, error)
    if damage is not None:
        raise damage from error


def _damage(path: Path, file: Path, error: BaseException) -> StoreError | None:
    """What is wrong with the files of a lake, if it is one and something is."""
    if not is_index(file) or not file.exists() or not isinstance(error, Exception):
        return None
    with closing(_connect()) as connection:
        try:
            _attach(connection, file)
            return tell_damage(connection, path, file.parent, error)
        except duckdb.Error as index_error:
            return StoreError(
                "the index of the lake cannot be used",
                where=str(file),
                expected=f"a DuckDB file that signals wrote: {str(index_error).splitlines()[0]}",
                hint=INDEX_REMEDY,
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
