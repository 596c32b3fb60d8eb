"""The files of a lake: where a part of a table lies, and which files nobody needs any more."""

from __future__ import annotations

import hashlib
import os
import re
import uuid
from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path, PurePosixPath
from urllib.parse import quote

from signals.errors import StoreError
from signals.store.families import table_of
from signals.store.place import idle
from signals.store.registry import FAMILIES

__all__ = ["READERS", "TABLES", "move", "new_path", "settle_down", "sweep"]

# a table and what its rows belong to
TABLES: Mapping[str, str] = {
    **{table_of(family): "target" for family in FAMILIES},
    table_of("other"): "series",
    "histogram": "series",
    "request": "arrival",
}
READERS = "lake.files"
_LONGEST = 120
_NO_NAME = "__HIVE_DEFAULT_PARTITION__"
_OWN_NAME = re.compile(r"[0-9a-f]{32}\.parquet")


def new_path(table: str, service: str, day: date) -> str:
    """A path below the folder of a lake that no file ever had.

    Args:
        table: name of the table.
        service: any text; what a path cannot hold is written as %XX, and long names are cut.
        day: day of the rows, UTC.
    """
    name = f"{uuid.uuid4().hex}.parquet"
    return str(PurePosixPath(table, f"service={_escaped(service)}", f"day={day}", name))


def _escaped(service: str) -> str:
    text = quote(service, safe="") or _NO_NAME
    if len(text) <= _LONGEST:
        return text
    # the cut may part an escape, and the hash tells services apart
    head = re.sub(r"%.?$", "", text[:_LONGEST])
    return f"{head}~{hashlib.sha256(service.encode()).hexdigest()[:16]}"


def move(moves: Mapping[Path, Path]) -> None:
    """Bring finished files to where they belong, all or none.

    Args:
        moves: from where, to where.

    Raises:
        StoreError: the folder does not take them.
    """
    made: list[Path] = []
    try:
        for source, target in moves.items():
            settle_down(source)
            target.parent.mkdir(parents=True, exist_ok=True)
            source.rename(target)
            made.append(target)
        for folder in {target.parent for target in made}:
            settle_down(folder)
    except OSError as error:
        for target in made:
            target.unlink(missing_ok=True)
        raise StoreError(
            "the files of the lake cannot be written",
            where=str(error.filename or ""),
            hint=error.strerror or str(error),
        ) from error


def settle_down(path: Path) -> None:
    """Wait until a file, or what a folder lists, is on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sweep(folder: Path, kept: Iterable[str]) -> None:
    """Remove files that are not part of the lake, unless somebody reads: an older index may name them.

    Args:
        folder: of the lake; its writers are kept out by the caller.
        kept: paths below it that are part of it.
    """
    names = set(kept)
    with idle(folder / READERS) as alone:
        if not alone:
            return
        for table in TABLES:
            for file in folder.glob(f"{table}/service=*/day=*/*.parquet"):
                # what this program did not write is left alone
                is_own = _OWN_NAME.fullmatch(file.name) and not file.is_dir()
                if is_own and file.relative_to(folder).as_posix() not in names:
                    file.unlink(missing_ok=True)
                    _remove_empty(file.parent, file.parent.parent)


def _remove_empty(*folders: Path) -> None:
    for folder in folders:
        if any(folder.iterdir()):
            return
        folder.rmdir()
