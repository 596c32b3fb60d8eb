"""A folder of scrapes as one source: when each was taken, and of which target."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import polars as pl

from signals.errors import FormatError, InputError
from signals.schema import Finding
from signals.store.parsed import ReadOptions
from signals.store.sources.part import clip
from signals.store.sources.stamps import StampReader
from signals.store.sources.stream import line_blocks, read_head
from signals.store.tree import walk

__all__ = ["ScrapeFolder", "TimedScrape", "is_index", "open_folder", "tells_times"]

_INDEXES = ("index.jsonl", "index.csv")
_FILE_KEYS = ("file", "path", "filename", "name")
_TIME_KEYS = ("time", "ts", "timestamp", "unix", "at", "scraped_at")
_TARGET_LABELS = ("pod", "instance", "host", "hostname", "node", "namespace", "job", "role")
_OPENMETRICS = "openmetrics"
_SUFFIX = re.compile(r"(?:\.(?:prom|om|openmetrics|txt|metrics|gz))+$")
_ISO = re.compile(
    r"(?<!\d)((?:19|20)\d\d)-?(0[1-9]|1[0-2])-?([0-3]\d)[T_ -]?([0-2]\d)[:_-]?([0-5]\d)[:_-]?([0-5]\d)"
    r"(?:[.,](\d{1,9}))?(Z|[+-]\d\d:?\d\d)?(?!\d)"
)
_EPOCH = re.compile(r"(?<!\d)(?<!\d\.)([1-3]\d{9}(?:\.\d{1,9}|\d{3}|\d{6}|\d{9})?)(?!\d)")
_WORD = re.compile(r"[\w.-]*[A-Za-z][\w.-]*")
# files of one round through all targets lie closer together than two scrapes of one target
_ROUND_S = 5.0
_NAMED = 8


@dataclass(frozen=True)
class TimedScrape:
    """One scrape of a folder.

    Attributes:
        path: the text.
        at: when it was taken; None if neither an index nor its name tells.
        labels: of its target, beside those that the text itself has.
    """

    path: Path
    at: datetime | None
    labels: Mapping[str, str]


@dataclass(frozen=True)
class ScrapeFolder:
    """What a folder holds.

    Attributes:
        scrapes: in order of time, those without one last.
        findings: remarks about the folder.
        ask: what to tell the user if a time is missing.
    """

    scrapes: tuple[TimedScrape, ...]
    findings: tuple[Finding, ...]
    ask: str = (
        "give the time of all scrapes with --at, or put it into the file names "
        "(decode-0_1780300815.prom), or into index.jsonl or index.csv as file and time"
    )


def open_folder(
    folder: Path, options: ReadOptions, is_scrape: Callable[[bytes, Path], bool]
) -> ScrapeFolder:
    """Find the scrapes of a folder and what is known about them.

    Args:
        folder: searched with all folders in it; hidden files and the index are no scrapes.
        options: zone of times without one.
        is_scrape: whether the head of a file is a scrape's.

    Raises:
        InputError: there is no scrape, the index is broken or does not tell files apart, or a time has no zone.
    """
    files = [file for file in walk(folder).files if not is_index(file)]
    scrapes = [file for file in files if _is_text(file, is_scrape)]
    if not scrapes:
        raise InputError(
            "the folder holds no scrape",
            where=str(folder),
            expected="files of OpenMetrics or Prometheus text",
        )
    findings = [_skipped(files, scrapes)] if len(scrapes) < len(files) else []
    index = next((folder / name for name in _INDEXES if (folder / name).is_file()), None)
    timed, more = _by_index(index, scrapes, options) if index else ([], [])
    findings += more
    named, more = _by_name(
        folder, [one for one in scrapes if one not in {t.path for t in timed}], options
    )
    ordered = sorted([*timed, *named], key=_when)
    return ScrapeFolder(tuple(ordered), (*findings, *more))


def _is_text(file: Path, is_scrape: Callable[[bytes, Path], bool]) -> bool:
    try:
        return is_scrape(read_head(file), file)
    except FormatError:
        return False


def is_index(file: Path) -> bool:
    """Whether a file tells of the others when they were taken."""
    return file.name in _INDEXES


def tells_times(folder: Path, files: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """Files that an index or their own names give a time to, and the others.

    Args:
        folder: the folder.
        files: all of its files; an index is not among the answers.

    Returns:
        All files and none where there is an index; else those with a time in their names and those without. None
        and all of them if fewer than two have one.
    """
    scrapes = [file for file in files if not is_index(file)]
    if len(scrapes) < len(files):
        return scrapes, []
    timed = [file for file in scrapes if _take_stamp(file.relative_to(folder).as_posix())[0]]
    if len(timed) < 2:
        return [], scrapes
    known = set(timed)
    return timed, [file for file in scrapes if file not in known]


def _when(scrape: TimedScrape) -> tuple[bool, float, Path]:
    return scrape.at is None, scrape.at.timestamp() if scrape.at else 0.0, scrape.path


def _skipped(files: Sequence[Path], scrapes: Sequence[Path]) -> Finding:
    known = set(scrapes)
    others = [file.name for file in files if file not in known]
    more = f" and {len(others) - _NAMED} more" if len(others) > _NAMED else ""
    return Finding(
        "file_skipped",
        "warning",
        f"no scrape: {', '.join(map(clip, others[:_NAMED]))}{more}",
        count=len(others),
        action="not loaded",
    )


# --- an index -------------------------------------------------------------------------------------------


def _by_index(
    index: Path, files: Sequence[Path], options: ReadOptions
) -> tuple[list[TimedScrape], list[Finding]]:
    rows = _rows(index)
    key = next((name for name in _TIME_KEYS if rows and name in rows[0]), "")
    if not key:
        raise InputError(
            "the index names no times",
            where=f"{index}, columns {clip(', '.join(rows[0]) if rows else 'none')}",
            expected=f"file, and one of {', '.join(_TIME_KEYS)}",
        )
    reader = StampReader(f"{index}, '{key}'", options)
    texts = pl.Series([row.get(key) or None for row in rows], dtype=pl.String)
    times = reader.read(texts, pl.int_range(1, len(rows) + 1, eager=True))
    found = []
    for file in files:
        fitting = _fitting(rows, file, index)
        moments = {times[number] for number in fitting}
        if len(moments) > 1:
            raise InputError(
                f"the index has {len(moments)} times for one file",
                where=f"{index}: {file.name}",
                expected="one row per file, with its name under `file`",
            )
        if fitting and (at := moments.pop()) is not None:
            row = rows[fitting[0]]
            labels = {name: row[name] for name in _TARGET_LABELS if row.get(name)}
            found.append(TimedScrape(file, at, labels))
    return found, [*reader.findings()]


def _rows(index: Path) -> list[dict[str, str]]:
    text = b"".join(block.data for block in line_blocks(index)).decode("utf-8")
    if index.suffix == ".csv":
        return [
            {name: cell for name, cell in row.items() if name and isinstance(cell, str)}
            for row in csv.DictReader(text.splitlines())
        ]
    rows = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(
                "a line of the index is no JSON", where=f"{index}, line {number}: {clip(line)}"
            ) from error
        if isinstance(row, dict):
            rows.append({str(name): str(cell) for name, cell in row.items() if cell is not None})
    return rows


def _fitting(rows: Sequence[Mapping[str, str]], file: Path, index: Path) -> list[int]:
    """Rows about a file: by its name if the index has names, else by the words of it that a row holds."""
    key = next((name for name in _FILE_KEYS if rows and name in rows[0]), "")
    if key:
        names = {file.name, file.relative_to(index.parent).as_posix()}
        return [number for number, row in enumerate(rows) if row.get(key) in names]
    scores = [_words_of(row, file.name) for row in rows]
    best = max(scores, default=0)
    fitting = [number for number, score in enumerate(scores) if best and score == best]
    # the same target asked for both forms: the names of the files tell which is which
    form = _OPENMETRICS in file.name.lower()
    same = [n for n in fitting if (_OPENMETRICS in " ".join(rows[n].values()).lower()) == form]
    return same or fitting


def _words_of(row: Mapping[str, str], name: str) -> int:
    """Letters of a file's name that a row's words account for; 0 if one of its words is not in the name."""
    words = [cell for cell in row.values() if _WORD.fullmatch(cell)]
    held = [re.search(rf"(?<![A-Za-z0-9]){re.escape(word)}(?![A-Za-z0-9])", name) for word in words]
    return sum(map(len, words)) if words and all(held) else 0


# --- names ----------------------------------------------------------------------------------------------


def _by_name(
    folder: Path, files: Sequence[Path], options: ReadOptions
) -> tuple[list[TimedScrape], list[Finding]]:
    if not files:
        return [], []
    parts = [_take_stamp(file.relative_to(folder).as_posix()) for file in files]
    reader = StampReader(f"{folder}, names of files", options)
    texts = pl.Series([stamp for stamp, _ in parts], dtype=pl.String)
    times: list[datetime | None] = reader.read(
        texts, pl.int_range(1, len(files) + 1, eager=True)
    ).to_list()
    labels = _target_labels([rest for _, rest in parts], times)
    scrapes = [
        TimedScrape(file, at, label) for file, at, label in zip(files, times, labels, strict=True)
    ]
    findings = [one for one in reader.findings() if one.code != "epoch_unit_inferred"]
    targets = {label["instance"] for label in labels if label}
    if targets:
        findings.append(
            Finding(
                "targets_from_names",
                "info",
                f"names of files tell {len(targets)} targets apart, such as {clip(min(targets))}",
                count=len(targets),
                action="added as the label instance where a series has none",
            )
        )
    return scrapes, findings


def _take_stamp(name: str) -> tuple[str | None, str]:
    """A time in a file's name, as ISO 8601 or epoch, and what is left of the name without it and its ending."""
    bare = _SUFFIX.sub("", name)
    iso = list(_ISO.finditer(bare))
    epochs = list(_EPOCH.finditer(bare))
    if iso:
        found = iso[-1]
        year, month, day, hour, minute, second, fraction, zone = found.groups()
        stamp = f"{year}-{month}-{day}T{hour}:{minute}:{second}"
        stamp += (f".{fraction}" if fraction else "") + (zone or "")
    elif epochs:
        found = epochs[-1]
        stamp = found[1]
    else:
        return None, bare
    rest = bare[: found.start()] + bare[found.end() :]
    return stamp, re.sub(r"[-_.]+(?=/|$)|(?<=/)[-_.]+|^[-_.]+", "", rest).strip("/")


def _target_labels(
    rests: Sequence[str], times: Sequence[datetime | None]
) -> list[Mapping[str, str]]:
    """What is left of the names as the target, if it comes back with every round or there is only one round."""
    counts = Counter(rests)
    stamps = [time.timestamp() for time in times if time is not None]
    one_round = not stamps or max(stamps) - min(stamps) < _ROUND_S
    if len(counts) == 1 or (max(counts.values()) == 1 and not one_round):
        return [{} for _ in rests]
    return [{"instance": rest} if rest else {} for rest in rests]
