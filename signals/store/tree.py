"""The files of a folder, links followed, and what of it is no file to read."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from signals.errors import InputError
from signals.store.place import shown

__all__ = ["Skipped", "Tree", "walk"]

_KINDS = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


@dataclass(frozen=True, slots=True)
class Skipped:
    """What lies in a folder and is not loaded.

    Attributes:
        path: of a file, or of a folder with all that is in it.
        why: in a few words.
    """

    path: Path
    why: str


@dataclass(frozen=True, slots=True)
class Tree:
    """What a folder holds.

    Attributes:
        files: regular files that are not hidden, by path.
        skipped: everything else, by path.
    """

    files: tuple[Path, ...]
    skipped: tuple[Skipped, ...]


def walk(folder: Path) -> Tree:
    """Find all files of a folder and of the folders in it.

    Links are followed. No folder is read twice: one that links to a folder which is read anyway adds nothing, and
    one that links to a folder around it is skipped.

    Args:
        folder: an existing folder.

    Raises:
        InputError: a folder cannot be read.
    """
    files: list[Path] = []
    skipped: list[Skipped] = []
    seen: set[tuple[int, int]] = set()
    waiting, links = [folder], list[Path]()
    while waiting or links:
        # folders come before links to them, so that a file is called by its own path
        here = waiting.pop() if waiting else links.pop(0)
        if not _is_new(here, seen):
            continue
        for entry in _entries(here):
            path = Path(entry.path)
            kind, why = _kind(entry, folder)
            if why:
                skipped.append(Skipped(path, why))
            elif kind == stat.S_IFREG:
                files.append(path)
            else:
                (links if entry.is_symlink() else waiting).append(path)
    return Tree(tuple(sorted(files)), tuple(sorted(skipped, key=_path)))


def _path(one: Skipped) -> Path:
    return one.path


def _is_new(folder: Path, seen: set[tuple[int, int]]) -> bool:
    found = folder.stat()
    mark = (found.st_dev, found.st_ino)
    is_new = mark not in seen
    seen.add(mark)
    return is_new


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return sorted(found, key=lambda entry: entry.name)
    except OSError as error:
        raise InputError(
            f"the folder cannot be read: {error.strerror or error}", where=shown(folder)
        ) from error


def _kind(entry: os.DirEntry[str], root: Path) -> tuple[int, str]:
    """What an entry is or leads to, as `S_IFREG` or `S_IFDIR`; and why it is passed over, empty if it is not."""
    if entry.name.startswith("."):
        return 0, "hidden"
    try:
        kind = stat.S_IFMT(entry.stat().st_mode)
    except OSError:
        return 0, "a link that leads nowhere" if entry.is_symlink() else "not readable"
    if kind not in {stat.S_IFREG, stat.S_IFDIR}:
        return kind, _KINDS.get(kind, "no file")
    if kind == stat.S_IFDIR and entry.is_symlink():
        here, target = Path(entry.path).parent.resolve(), Path(entry.path).resolve()
        if target in {here, *here.parents}:
            return kind, "a link to a folder around it"
        if target in root.resolve().parents:
            return kind, "a link to a folder around it"
    return kind, ""
