"""The sources of a load: which files, in which format, for which service, and what tells them apart."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from signals.errors import FormatError, InputError, UsageError
from signals.store.parsed import ReadOptions, Source
from signals.store.place import is_utf8, shown
from signals.store.reports import LoadOptions
from signals.store.tree import Skipped, walk

__all__ = [
    "Input",
    "Plan",
    "identity",
    "options_text",
    "plan_inputs",
    "plan_load",
    "size_of",
    "whole_or_nothing",
]

_SEEN = 8


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


@dataclass(frozen=True)
class Plan:
    """What a load reads.

    Attributes:
        inputs: its sources.
        skipped: what lies in the folders beside them.
    """

    inputs: tuple[Input, ...]
    skipped: tuple[Skipped, ...] = ()


def plan_inputs(paths: Sequence[Path], options: LoadOptions) -> list[Input]:
    """The sources that are to be read; see `plan_load`."""
    return list(plan_load(paths, options).inputs)


def plan_load(paths: Sequence[Path], options: LoadOptions) -> Plan:
    """Find out what is to be read.

    A file that was named must have a known format; of a folder, files of none are skipped, and so are tables that
    only resemble one. A format that was named is that of all files.

    Args:
        paths: files and folders.
        options: of the load.

    Raises:
        FormatError: a file that was named has no known format, or no file of a folder has one.
        InputError: a path does not exist, is neither file nor folder, or cannot be read.
        UsageError: the format that was named does not exist, or an option is not UTF-8 or means nothing to it.
    """
    from signals.store.sources import find_source

    _check_options(options)
    named = find_source(options.source_format) if options.source_format else None
    inputs: list[Input] = []
    skipped: list[Skipped] = []
    for path in paths:
        _check_path(path)
        plan = (_plan_folder if path.is_dir() else _plan_file)(path, named, options.read)
        inputs += plan.inputs
        skipped += plan.skipped
    _refuse_idle_options(inputs, options.read)
    return Plan(tuple(inputs), tuple(skipped))


def _plan_file(path: Path, named: Source | None, read: ReadOptions) -> Plan:
    from signals.store.sources import detect

    return Plan((Input(path, named or detect(path), read.service or _stem(path), path),))


def _plan_folder(path: Path, named: Source | None, read: ReadOptions) -> Plan:
    from signals.store.sources import detect_folder

    service = read.service or _stem(path)
    tree = walk(path)
    whole = named or detect_folder(path)
    if whole is not None and whole.folder:
        return Plan((Input(path, whole, service, path),), tree.skipped)
    inputs, unknown = [], []
    for file in tree.files:
        try:
            source = named or _recognised(file, read)
        except FormatError as error:
            unknown.append(Skipped(file, _why(error)))
            continue
        except InputError as error:
            _check_name(file)
            raise whole_or_nothing(error) from error
        _check_name(file)
        inputs.append(Input(file, source, service, path))
    skipped = (*tree.skipped, *unknown)
    if not inputs:
        raise _nothing_known(path, skipped)
    return Plan(tuple(inputs), skipped)


def _recognised(file: Path, read: ReadOptions) -> Source:
    """The format of a file of a folder.

    Raises:
        FormatError: it has none, or resembles one that it cannot be read as.
        InputError: as `recognise`.
    """
    from signals.store.sources import RESEMBLES, recognise

    source, share = recognise(file)
    if share <= RESEMBLES:
        try:
            next(source.read(file, read), None)
        except InputError as error:
            raise FormatError(f"like {source.name}, but {error.what}", where=str(file)) from error
    return source


def _why(error: FormatError) -> str:
    """`a ZIP archive`, `empty`, `holds a NUL byte`, `the format is not recognised`."""
    short = error.what if error.what.startswith("like ") else error.what.partition(",")[0]
    return short.removeprefix("the file ").removeprefix("is ")


def whole_or_nothing(error: InputError) -> InputError:
    """An error of one file of several, which says what becomes of the others."""
    note = "nothing of this load was stored: mend or move this file, then load again"
    hint = f"{error.hint}; {note}" if error.hint else note
    return type(error)(error.what, where=error.where, expected=error.expected, hint=hint)


def _nothing_known(folder: Path, skipped: Sequence[Skipped]) -> FormatError:
    if not skipped:
        return FormatError(
            "the folder holds no file", where=str(folder), expected="files of a known format"
        )
    seen = [f"{shown(one.path.relative_to(folder))} ({one.why})" for one in skipped[:_SEEN]]
    more = f" and {len(skipped) - _SEEN} more" if len(skipped) > _SEEN else ""
    return FormatError(
        "no file of the folder has a known format",
        where=f"{folder}: {', '.join(seen)}{more}",
        expected="at least one; `signals formats` lists them",
        hint="load one of them by its name to be told what it lacks, or name the format of all with --format",
    )


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
    return walk(path).files if path.is_dir() else (path,)


def size_of(path: Path) -> int:
    """Bytes of a file, or of all files of a folder."""
    return sum(file.stat().st_size for file in _files(path))


def _stem(path: Path) -> str:
    """The file's name up to its first dot; the folder's own name."""
    name = shown(path.resolve().name)
    return name if path.is_dir() else name.split(".")[0] or name
