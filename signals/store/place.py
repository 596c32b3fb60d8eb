"""The file behind a store's path: what it is, who writes it, and how it is replaced as a whole."""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from signals.errors import StoreError

__all__ = [
    "DRAFTS",
    "INDEX",
    "INDEX_REMEDY",
    "clear_leftovers",
    "copied",
    "idle",
    "is_index",
    "is_utf8",
    "locate",
    "locked",
    "replace",
    "shared",
    "shown",
]

INDEX = "lake.duckdb"
INDEX_REMEDY = (
    f"put {INDEX} back from a copy, or load the exports into a new folder: "
    "signals load FILE... --lake NEW"
)
DRAFTS = ".writing"
"""Folder in which a writer of a lake prepares a change."""

_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def is_utf8(text: str) -> bool:
    """False for text that holds bytes of another encoding, as file names and arguments can."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def shown(text: str | Path) -> str:
    """Text for people: what is not UTF-8 is written as escapes."""
    return str(text).encode(errors="backslashreplace").decode()


def is_index(file: Path) -> bool:
    """Whether a store's file is the index of a lake, which its name tells."""
    return file.name == INDEX


def locate(path: Path) -> Path:
    """The file that a path leads to, links followed, without opening it.

    Args:
        path: as given; the file need not exist. A folder that holds a lake stands for the lake's index.

    Returns:
        The absolute path of a regular file, or of one that can be made.

    Raises:
        StoreError: it is no regular file, a link leads nowhere, the path cannot be followed, or it is a lake
            without its index.
    """
    if not is_utf8(str(path)):
        raise StoreError("the path of the store is not UTF-8", where=shown(path))
    try:
        mode = path.stat().st_mode
    except FileNotFoundError as error:
        if path.is_symlink():
            raise StoreError(
                "the store is a link to a file that does not exist",
                where=f"{path} -> {shown(path.readlink())}",
                hint="make the file's folder and remove the link, or name another store",
            ) from error
        if path.name == INDEX:
            _refuse_lost_index(path.parent)
        return Path(os.path.realpath(path))
    except (OSError, ValueError) as error:
        raise StoreError(
            "the path of the store cannot be followed", where=str(path), hint=_reason(error)
        ) from error
    if stat.S_ISDIR(mode) and (path / INDEX).is_file():
        return locate(path / INDEX)
    if stat.S_ISDIR(mode):
        _refuse_lost_index(path)
    if not stat.S_ISREG(mode):
        kind = next((name for is_kind, name in _KINDS if is_kind(mode)), "no regular file")
        raise StoreError(
            f"the store is {kind}",
            where=str(path),
            expected="a DuckDB file, or the folder of a lake",
        )
    return Path(os.path.realpath(path))


def _refuse_lost_index(folder: Path) -> None:
    """Tell a folder with files of a lake, but without the index that tells of them, from one that is no lake.

    A killed first load leaves files too, but beside its draft.
    """
    index = folder / INDEX
    if index.exists() or (folder / DRAFTS).exists():
        return
    # meanwhile the first load may have ended
    if any(folder.glob("*/service=*/day=*/*.parquet")) and not index.exists():
        raise StoreError(
            "the lake has lost its index",
            where=str(index),
            expected="the file that tells which of the Parquet files beside it count, and what they hold",
            hint=INDEX_REMEDY,
        )


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Keep other writers out.

    Raises:
        StoreError: the side lock cannot be made.
    """
    handle = _open_lock(path)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


@contextmanager
def shared(path: Path) -> Iterator[None]:
    """Wait for a writer, and keep writers out."""
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


@contextmanager
def idle(path: Path) -> Iterator[bool]:
    """Keep those out that share the lock, if nobody holds it; else go on at once.

    Yields:
        Whether nobody does.

    Raises:
        StoreError: the side lock cannot be made.
    """
    handle = _open_lock(path)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            alone = True
        except BlockingIOError:
            alone = False
        yield alone
    finally:
        os.close(handle)


@contextmanager
def copied(path: Path) -> Iterator[Path]:
    """A private copy for the holder of the lock, removed in the end unless it took the file's place.

    Left-overs of a killed writer are overwritten.

    Yields:
        The copy's path; there is no file at it if there is none to copy.

    Raises:
        StoreError: the copy cannot be made.
    """
    target = _copy_of(path)
    try:
        _remove(target)
        if path.exists():
            # nobody else may read it before it has the mode of the original
            os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            shutil.copyfile(path, target)
    except OSError as error:
        with suppress(OSError):
            _remove(target)
        raise StoreError(
            "the store cannot be copied for writing", where=str(path), hint=_reason(error)
        ) from error
    try:
        yield target
    finally:
        _remove(target)


def clear_leftovers(path: Path) -> None:
    """Remove what killed writers left beside a store, for the holder of the lock; its log is part of the store."""
    spilled = path.with_name(f"{path.name}.tmp")
    # what cannot be removed is told by the one in whose way it is; others may keep files of their own there
    with suppress(OSError):
        _remove(_copy_of(path))
        for file in spilled.glob("duckdb_temp_*"):
            file.unlink(missing_ok=True)
        spilled.rmdir()


def replace(target: Path, path: Path) -> None:
    """Put a copy in the file's place, with the file's mode and, where permitted, its owner.

    Raises:
        StoreError: the folder does not take it.
    """
    try:
        handle = os.open(target, os.O_RDONLY)
        try:
            if path.exists():
                _take_over(handle, path.stat())
            os.fsync(handle)
        finally:
            os.close(handle)
        target.replace(path)
    except OSError as error:
        raise StoreError(
            "the store cannot be replaced", where=str(path), hint=_reason(error)
        ) from error


def _open_lock(path: Path) -> int:
    try:
        return os.open(_side_file(path), os.O_RDONLY | os.O_CREAT, 0o644)
    except OSError as error:
        raise StoreError(
            "the folder of the store cannot be written", where=str(path.parent), hint=_reason(error)
        ) from error


def _take_over(handle: int, before: os.stat_result) -> None:
    for owner, group in ((-1, before.st_gid), (before.st_uid, -1)):
        # only the system's administrator may give files away
        with suppress(PermissionError):
            os.fchown(handle, owner, group)
    os.fchmod(handle, stat.S_IMODE(before.st_mode))


def _copy_of(path: Path) -> Path:
    return path.with_name(f".{path.name}.writing")


def _side_file(path: Path) -> Path:
    return path.with_name(f".{path.name}.lock")


def _remove(target: Path) -> None:
    target.unlink(missing_ok=True)
    target.with_name(f"{target.name}.wal").unlink(missing_ok=True)
    shutil.rmtree(target.with_name(f"{target.name}.tmp"), ignore_errors=True)


def _reason(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
