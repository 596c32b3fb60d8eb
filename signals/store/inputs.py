"""The sources of a load: which files, in which format, for which service, and what tells them apart."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from signals.errors import InputError, UsageError
from signals.store.parsed import ReadOptions, Source
from signals.store.place import is_utf8, shown
from signals.store.reports import LoadOptions

__all__ = ["Input", "identity", "options_text", "plan_inputs", "size_of"]


@dataclass(frozen=True)
class Input:
    """One source of a load.

    Attributes:
        path: file or folder.
        source: its format.
        service: service its rows go to.
        asked: the path that the user gave, which may be a folder around it.
        origin: where it came from, if the path does not tell; empty otherwise.
    """

    path: Path
    source: Source
    service: str
    asked: Path
    origin: str = ""

    @property
    def uri(self) -> str:
        """What the store calls it."""
        return self.origin or str(self.path)


def plan_inputs(paths: Sequence[Path], options: LoadOptions) -> list[Input]:
    """Find out what is to be read.

    Args:
        paths: files and folders.
        options: of the load.

    Raises:
        InputError: a path does not exist, is neither file nor folder, or its format is not recognised.
        UsageError: the format that was named does not exist, or an option is not UTF-8 or means nothing to it.
    """
    from signals.store.sources import detect, detect_folder, find_source, input_files

    _check_options(options)
    named = find_source(options.source_format) if options.source_format else None
    inputs = []
    for path in paths:
        _check_path(path)
        service = options.read.service or _stem(path)
        whole = (named or detect_folder(path)) if path.is_dir() else None
        if whole is not None and whole.folder:
            inputs.append(Input(path, whole, service, path))
            continue
        for file in input_files(path):
            _check_name(file)
            inputs.append(Input(file, named or detect(file), service, path))
    _refuse_idle_options(inputs, options.read)
    return inputs


def _refuse_idle_options(inputs: Sequence[Input], read: ReadOptions) -> None:
    """Options that would leave something out must not be passed over in silence."""
    whole = ReadOptions()
    asked = [
        f"--{word}"
        for word, is_set in (
            ("skip", read.skip_s != whole.skip_s),
            ("span", read.span_s != whole.span_s),
            ("share", read.share != whole.share),
        )
        if is_set
    ]
    idle = next((item for item in inputs if not item.source.draws), None)
    if asked and idle is not None:
        raise UsageError(
            f"{', '.join(asked)} cannot leave out a part of this file",
            where=f"{idle.path}, format {idle.source.name}",
            expected="a format that draws requests from rates, such as servegen",
            hint="load the whole file; --from, --to and --since of the other commands choose a time",
        )


def _check_options(options: LoadOptions) -> None:
    """Refuse text that the store could not hold."""
    values = {**asdict(options.read), "format": options.source_format, "pool": options.pool_rules}
    for name, value in values.items():
        # JSON makes one text of lists and mappings, whatever is in them
        if not is_utf8(json.dumps(value, ensure_ascii=False, default=str)):
            raise UsageError(f"the option {name} is not UTF-8", where=shown(str(value)))


def _check_path(path: Path) -> None:
    """Refuse what has no end or cannot be read twice, before it is opened."""
    _check_name(path)
    try:
        mode = path.stat().st_mode
    except FileNotFoundError as error:
        raise InputError("there is no such file or folder", where=str(path)) from error
    except (OSError, ValueError) as error:
        raise InputError("the path cannot be followed", where=str(path), hint=str(error)) from error
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise InputError(
            "this is no regular file",
            where=str(path),
            expected="a file on disk or a folder of files",
            hint="write what a pipe or device gives to a file first",
        )


def _check_name(path: Path) -> None:
    if not is_utf8(str(path)):
        raise InputError(
            "the file's name is not UTF-8", where=shown(path), hint="rename it, then load it again"
        )


def identity(item: Input, options: LoadOptions) -> tuple[str, str]:
    """Hashes of the content and of everything that decides what becomes of it."""
    text = options_text(item, options)
    return _content_hash(item.path), hashlib.sha256(text.encode()).hexdigest()


def _content_hash(path: Path) -> str:
    """SHA-256 of a file; of the names and hashes of all files for a folder."""
    if not path.is_dir():
        return _file_hash(path)
    digest = hashlib.sha256()
    for file in _files(path):
        digest.update(os.fsencode(file.relative_to(path)) + b"\0")
        digest.update(bytes.fromhex(_file_hash(file)))
    return digest.hexdigest()


def _file_hash(file: Path) -> str:
    try:
        with file.open("rb") as handle:
            return hashlib.file_digest(handle, "sha256").hexdigest()
    except OSError as error:
        raise InputError("the file cannot be read", where=str(file), hint=str(error)) from error


def options_text(item: Input, options: LoadOptions) -> str:
    """Everything of the options that decides what becomes of a source, as JSON."""
    read: ReadOptions = replace(options.read, service=item.service)
    values = {
        **asdict(read),
        "columns": {name: asdict(choice) for name, choice in read.columns.items()},
        "format": item.source.name,
        "pool_rules": options.pool_rules,
    }
    return json.dumps(values, sort_keys=True, default=str)


def _files(path: Path) -> Iterable[Path]:
    return sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else (path,)


def size_of(path: Path) -> int:
    """Bytes of a file, or of all files of a folder."""
    return sum(file.stat().st_size for file in _files(path))


def _stem(path: Path) -> str:
    """The file's name up to its first dot; the folder's own name."""
    name = shown(path.resolve().name)
    return name if path.is_dir() else name.split(".")[0] or name
