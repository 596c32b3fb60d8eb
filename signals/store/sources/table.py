"""Tables in CSV, JSON or Parquet, in parts of bounded size, with the line of every row."""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from signals.errors import InputError
from signals.schema import Finding
from signals.store.parsed import NameChoice, Reject
from signals.store.sources.json_table import is_json, open_json
from signals.store.sources.parquet import is_parquet, open_parquet
from signals.store.sources.part import TablePart, clip
from signals.store.sources.stream import LineBlock, line_blocks, read_head

if TYPE_CHECKING:
    from pyarrow.csv import InvalidRow

__all__ = [
    "TablePart",
    "clip",
    "csv_parts",
    "head_names",
    "is_parquet",
    "is_row_number",
    "open_table",
    "parse_header",
    "require_columns",
    "row_number_findings",
]

_NAMELESS = "unnamed column "
# each takes some KB, whatever is in it
_MOST_COLUMNS = 50_000
_INDEX_NAMES = ("Unnamed: 0", "__index_level_0__")


def open_table(
    path: Path, choices: Mapping[str, NameChoice] | None = None
) -> tuple[list[str], Iterator[TablePart]]:
    """Open a table.

    Args:
        path: CSV, JSON (each plain or gzip) or Parquet, told by content.
        choices: names that the user gives to columns, by the file's header.

    Returns:
        The column names, and the parts, read when asked for.

    Raises:
        InputError: the file is empty, broken, or names a column twice.
    """
    try:
        with path.open("rb") as raw:
            magic = raw.read(4)
    except OSError as error:
        raise InputError(
            f"the file cannot be read: {error.strerror or error}", where=str(path)
        ) from error
    if is_parquet(magic):
        names, parts = open_parquet(path)
    else:
        names, parts = open_json(path) if is_json(read_head(path)) else _open_csv(path)
    wanted = [_chosen_name(name, choices or {}) for name in names]
    _refuse_repeats(wanted, path)
    return wanted, _renamed(parts, wanted)


def _chosen_name(name: str, choices: Mapping[str, NameChoice]) -> str:
    choice = choices.get(name)
    if choice is None:
        return name
    return f"{choice.name} [{choice.unit}]" if choice.unit else choice.name


def _renamed(parts: Iterator[TablePart], names: list[str]) -> Iterator[TablePart]:
    for part in parts:
        part.frame.columns = names
        yield part


def require_columns(
    names: Sequence[str],
    wanted: Sequence[str],
    path: Path,
    form: str,
    *,
    known: Collection[str] = (),
    mapped: bool = False,
) -> None:
    """Raise InputError unless the table has the columns that a form needs.

    Args:
        names: the table's header.
        wanted: columns of the form.
        path: the table.
        form: what the form is called.
        known: columns of the form that the header has, with a unit behind their name.
        mapped: whether the user may say with --map which column is which.
    """
    missing = [name for name in wanted if name not in names and name not in known]
    if missing:
        raise InputError(
            f"column {', '.join(repr(name) for name in missing)} is missing",
            where=f"{path}, header: {clip(', '.join(names))}",
            expected=f"{form}: columns {', '.join(wanted)}",
            hint="check the header's spelling, or name another form with --format"
            + (f"; --map 'COLUMN={missing[0]}' says which column it is" if mapped else ""),
        )


def is_row_number(name: str) -> bool:
    """Whether a column is a data frame's index, written without a name: it counts rows and says nothing."""
    return name.startswith(_NAMELESS) or name in _INDEX_NAMES


def row_number_findings(names: Sequence[str]) -> list[Finding]:
    """One finding for each column that is left out as a row number."""
    return [
        Finding(
            "unnamed_column",
            "info",
            f"'{name}' has no name, as the index of a data frame",
            subject=name,
            action="left out",
        )
        for name in names
        if is_row_number(name)
    ]


# --- CSV ------------------------------------------------------------------------------------------------


def parse_header(line: str) -> tuple[list[str], str]:
    """Column names and delimiter of a CSV's first line."""
    delimiter = next((mark for mark in (",", ";", "\t") if mark in line), ",")
    try:
        cells = next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:  # a carriage return inside, or a cell beyond the module's limit
        cells = line.split(delimiter)
    return [cell.strip() for cell in cells], delimiter


def head_names(head: bytes, path: Path) -> list[str]:
    """Column names by the head of a file; none if it is no table."""
    if is_parquet(head):
        try:
            return open_table(path)[0]
        except InputError:
            return []
    line = head.split(b"\n", 1)[0].decode("utf-8", errors="replace").strip()
    # a JSON document is one long line with thousands of commas
    return [] if is_json(head) else parse_header(line)[0]


def _open_csv(path: Path) -> tuple[list[str], Iterator[TablePart]]:
    blocks = line_blocks(path)
    first = next(blocks, None)
    while first is not None and not first.data.strip():
        first = next(blocks, None)
    if first is None:
        raise InputError(
            "the file is empty", where=str(path), expected="a header line and rows of values"
        )
    skipped = len(first.data) - len(first.data.lstrip(b"\r\n"))
    line = first.first_line + first.data[:skipped].count(b"\n")
    head, _, rest = first.data[skipped:].partition(b"\n")
    cells, delimiter = parse_header(head.decode("utf-8").rstrip("\r"))
    names = [cell or f"{_NAMELESS}{number}" for number, cell in enumerate(cells, start=1)]
    _refuse_repeats(names, path)
    todo = itertools.chain([LineBlock(line + 1, rest)], blocks)
    return names, csv_parts(todo, names, delimiter, path)


def _refuse_repeats(names: Sequence[str], path: Path) -> None:
    repeated = sorted(name for name, count in Counter(names).items() if count > 1)
    if repeated:
        raise InputError(
            f"column {clip(', '.join(repr(name) for name in repeated))} appears more than once",
            where=f"{path}, header",
            expected="every column once",
        )


def csv_parts(
    blocks: Iterator[LineBlock], names: list[str], delimiter: str, path: Path
) -> Iterator[TablePart]:
    """Rows behind a header that was read already.

    Args:
        blocks: what follows the header.
        names: of the columns, each once.
        delimiter: between cells.
        path: the file, for errors.

    Raises:
        InputError: there are more columns than any table has, or the rows cannot be told apart.
    """
    import pyarrow as pa

    if len(names) > _MOST_COLUMNS:
        raise InputError(
            f"the header has {len(names)} columns",
            where=f"{path}, header",
            expected=f"at most {_MOST_COLUMNS}",
            hint="export fewer series at once, or the long form",
        )
    for block in blocks:
        try:
            yield _parse_block(block, names, delimiter)
        except pa.ArrowInvalid as error:
            raise InputError(
                "the rows cannot be told apart",
                where=f"{path}, at or after line {block.first_line}",
                expected=f"{len(names)} cells per line, separated by '{delimiter}'",
                hint=clip(str(error)),
            ) from error


def _parse_block(block: LineBlock, names: list[str], delimiter: str) -> TablePart:
    import pyarrow as pa

    data, rejects = _without_open_quotes(block)
    part = _parse_lines(data, block.first_line, names, delimiter)
    if part is None:
        data, unsound = _without_unsound_lines(data, block.first_line, delimiter)
        rejects += unsound
        part = _parse_lines(data, block.first_line, names, delimiter)
    if part is None:
        raise pa.ArrowInvalid("a quoted cell goes on over the end of its line")
    return TablePart(part.frame, part.lines, (*rejects, *part.rejects))


def _parse_lines(
    data: bytes, first_line: int, names: list[str], delimiter: str
) -> TablePart | None:
    """Rows of lines that end in LF; None if a quoted cell swallowed lines."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    data, kept = _without_blank_lines(data)
    if not kept.size:
        nothing = pl.DataFrame(schema=dict.fromkeys(names, pl.String))
        return TablePart(nothing, pl.Series("line", [], dtype=pl.Int64))
    odd: list[Reject] = []

    def note_odd(row: InvalidRow) -> str:
        line = first_line + int(kept[row.number - 1])
        odd.append(Reject(line, "wrong_column_count", clip(row.text or "")))
        return "skip"

    table = arrow_csv.read_csv(
        io.BytesIO(data),
        read_options=arrow_csv.ReadOptions(
            use_threads=False, column_names=names, block_size=len(data) + 1
        ),
        parse_options=arrow_csv.ParseOptions(
            delimiter=delimiter, invalid_row_handler=note_odd, ignore_empty_lines=False
        ),
        convert_options=arrow_csv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()),
            strings_can_be_null=True,
            quoted_strings_can_be_null=True,
            null_values=[""],
        ),
    )
    frame = pl.DataFrame(pl.from_arrow(table))
    if frame.height + len(odd) != kept.size:
        return None
    frame.columns = names  # the library renames columns without a name
    numbers = first_line + kept
    gone = np.array([reject.line for reject in odd], dtype=np.int64)
    lines = pl.Series("line", numbers[~np.isin(numbers, gone)] if odd else numbers)
    frame = frame.with_columns(pl.all().str.strip_chars())
    frame = frame.with_columns(pl.when(pl.all() != "").then(pl.all()))
    blank = frame.select(pl.all_horizontal(pl.all().is_null()).alias("blank"))["blank"]
    if blank.any():
        frame, lines = frame.filter(~blank), lines.filter(~blank)
    return TablePart(frame, lines, tuple(odd))


def _without_blank_lines(data: bytes) -> tuple[bytes, NDArray[np.int64]]:
    """Leave out empty lines, for each of which a wide table would get a row of empty cells.

    Returns:
        The other lines, and their numbers in `data`, int64[n], from 0.
    """
    text = np.frombuffer(data, dtype=np.uint8)
    ends = np.flatnonzero(text == ord("\n")) + 1
    if not data.endswith(b"\n"):
        ends = np.append(ends, text.size)
    lengths = np.diff(ends, prepend=0)
    filled = lengths > 1
    if not data.endswith(b"\n") and ends.size:
        filled[-1] = lengths[-1] > 0
    if not filled.all():
        data = text[np.repeat(filled, lengths)].tobytes()
    return data, np.flatnonzero(filled)


def _without_open_quotes(block: LineBlock) -> tuple[bytes, list[Reject]]:
    """Blank out lines with an unpaired quote, which would swallow the lines after them; all end in LF."""
    data = block.data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if b'"' not in data:
        return data, []
    rejects: list[Reject] = []
    lines = data.split(b"\n")
    for number, line in enumerate(lines):
        if line.count(b'"') % 2:
            text = clip(line.decode("utf-8"))
            rejects.append(Reject(block.first_line + number, "open_quote", text))
            lines[number] = b""
    return b"\n".join(lines) if rejects else data, rejects


def _without_unsound_lines(
    data: bytes, first_line: int, delimiter: str
) -> tuple[bytes, list[Reject]]:
    """Blank out lines whose last quoted cell does not end, however many quotes they hold."""
    mark = re.escape(delimiter.encode())
    cell = rb'(?:"(?:[^"]|"")*+"[^%b]*+|[^"%b][^%b]*+|)' % (mark, mark, mark)
    sound = re.compile(rb"%b(?:%b%b)*+" % (cell, mark, cell))
    rejects: list[Reject] = []
    lines = data.split(b"\n")
    for number, line in enumerate(lines):
        if b'"' in line and sound.fullmatch(line) is None:
            text = clip(line.decode("utf-8"))
            rejects.append(Reject(first_line + number, "open_quote", text))
            lines[number] = b""
    return b"\n".join(lines), rejects
