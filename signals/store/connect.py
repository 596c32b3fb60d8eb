"""Connections: readers that see one state of a file, writers that replace it as a whole.

A writer holds a side lock, changes a copy and puts it in the store's place, so that readers never wait and
a killed writer leaves the store as it was. Stores above `IN_PLACE_BYTES` are changed in place in one
transaction instead; readers then retry for a while.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from signals.errors import StoreError
from signals.store.sql import execute, run, script

__all__ = ["IN_PLACE_BYTES", "SCHEMA_VERSION", "empty", "reading", "self_test", "writing"]

SCHEMA_VERSION = 1
IN_PLACE_BYTES = 2_000_000_000
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
    if not path.exists():
        raise StoreError("the store does not exist", where=str(path), hint=hint)
    with _shared(path):
        connection = _attach(path)
        try:
            _check_version(connection, path)
            for view in views:
                execute(connection, f"staging/{view}")
            connection.execute("set lock_configuration = true").fetchall()
            yield connection
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
    if not path.parent.is_dir():
        raise StoreError("the folder of the store does not exist", where=str(path.parent))
    with _locked(path):
        in_place = _is_written_in_place(path)
        target = path if in_place else _copy(path)
        try:
            with _transaction(path, target, schema) as connection:
                yield connection
            if not in_place:
                _replace(target, path)
        except (duckdb.IOException, duckdb.OutOfMemoryException) as error:
            raise _unusable(path, error) from error
        finally:
            if not in_place:
                _remove(target)


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
        connection = duckdb.connect(str(target), config=_CONFIG)
    except duckdb.Error as error:
        raise _unusable(path, error) from error
    try:
        _prepare(connection)
        if is_new:
            for text in script(schema):
                connection.execute(text).fetchall()
        _check_version(connection, path)
        connection.begin()
        yield connection
        connection.commit()
        connection.checkpoint()
    finally:
        connection.close()


def _attach(path: Path) -> duckdb.DuckDBPyConnection:
    """An instance of its own with the store attached: another one of this process may hold an older file."""
    connection = duckdb.connect(":memory:", config=_CONFIG)
    try:
        _prepare(connection)
        for attempt in range(_RETRIES):
            try:
                execute(connection, "connection/attach", {"path": str(path)})
                break
            except duckdb.IOException as error:
                # a writer in place holds the file for one transaction
                if "lock" not in str(error).lower() or attempt == _RETRIES - 1:
                    raise
                time.sleep(_RETRY_S)
        execute(connection, "connection/enter")
        connection.execute("set enable_external_access = false").fetchall()
    except duckdb.Error as error:
        connection.close()
        raise _unusable(path, error) from error
    return connection


def _prepare(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute("set TimeZone = 'UTC'").fetchall()
    connection.execute("set enable_progress_bar = false").fetchall()


def _check_version(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    try:
        versions = run(connection, "connection/version")["version"].to_list()
    except duckdb.CatalogException as error:
        raise _unusable(path, error) from error
    if versions != [SCHEMA_VERSION]:
        raise StoreError(
            "the store was written by another version of this program",
            where=str(path),
            expected=f"form {SCHEMA_VERSION}, found {versions[0] if versions else 'none'}",
            hint="load the files into a new store",
        )


def _unusable(path: Path, error: duckdb.Error) -> StoreError:
    return StoreError(
        "the store cannot be used",
        where=str(path),
        expected="a DuckDB file that signals wrote, and free space beside it",
        hint=str(error).splitlines()[0],
    )


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    try:
        handle = os.open(_side_file(path), os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise StoreError(
            "the folder of the store cannot be written", where=str(path.parent), hint=str(error)
        ) from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


@contextmanager
def _shared(path: Path) -> Iterator[None]:
    """Wait for a writer that changes a large store in place; other stores are replaced as a whole."""
    if path.stat().st_size <= IN_PLACE_BYTES:
        yield
        return
    try:
        handle = os.open(_side_file(path), os.O_RDONLY)
    except OSError:
        yield  # no writer was ever here
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_SH)
        yield
    finally:
        os.close(handle)


def _is_written_in_place(path: Path) -> bool:
    """Large stores are; and one with a log that a killed writer in place left, which a copy would lose."""
    if not path.exists():
        return False
    return path.stat().st_size > IN_PLACE_BYTES or path.with_name(f"{path.name}.wal").exists()


def _side_file(path: Path) -> Path:
    return path.with_name(f".{path.name}.lock")


def _copy(path: Path) -> Path:
    """A private copy; left-overs of a killed writer are overwritten, as the lock is ours."""
    target = path.with_name(f".{path.name}.writing")
    _remove(target)
    if path.exists():
        try:
            shutil.copyfile(path, target)
        except OSError as error:
            _remove(target)
            raise StoreError(
                "the store cannot be copied for writing", where=str(path), hint=str(error)
            ) from error
    return target


def _replace(target: Path, path: Path) -> None:
    handle = os.open(target, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
    target.replace(path)


def _remove(target: Path) -> None:
    target.unlink(missing_ok=True)
    target.with_name(f"{target.name}.wal").unlink(missing_ok=True)
    shutil.rmtree(target.with_name(f"{target.name}.tmp"), ignore_errors=True)
