"""Parquet files to frames of a few plain types: numbers, texts, truth values and UTC or local times."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from signals.errors import InputError
from signals.store.sources.part import TablePart, clip

if TYPE_CHECKING:
    from pyarrow.parquet import ParquetFile

__all__ = ["PARQUET_MAGIC", "is_parquet", "open_parquet"]

PARQUET_MAGIC = b"PAR1"
_ROWS = 500_000
# a table of thousands of columns comes in fewer rows at a time
_CELLS = 8_000_000
_SMALLEST = 12
# microseconds from 1970 that every calendar function can take: the years 1 to 9999
_LEAST_US, _MOST_US = -62_135_596_800_000_000, 253_402_300_799_999_999
_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}

# pyarrow has no types for arrays of unknown element
_Array = Any


def is_parquet(head: bytes) -> bool:
    """Whether a file's first bytes are Parquet's."""
    return head.startswith(PARQUET_MAGIC)


def open_parquet(path: Path) -> tuple[list[str], Iterator[TablePart]]:
    """Open a Parquet file.

    Args:
        path: the file.

    Returns:
        The column names, and the parts, read when asked for. Times with a zone are UTC, whatever zone they name.

    Raises:
        InputError: the file is cut short, damaged, or holds no row; or, from the parts, a column cannot be read.
    """
    import pyarrow as pa
    from pyarrow import parquet

    _refuse_cut(path)
    try:
        file = parquet.ParquetFile(path)
        names = list(file.schema_arrow.names)
    except (pa.ArrowException, OSError, ValueError, TypeError) as error:
        raise _broken(path, error) from error
    if not names:
        raise InputError("the Parquet file has no column", where=str(path), expected="a table")
    if file.metadata.num_rows == 0:
        raise InputError(
            "the Parquet table has no row",
            where=f"{path}, columns: {clip(', '.join(names))}",
            expected="rows of values",
        )
    return names, _parts(file, path, names)


def _refuse_cut(path: Path) -> None:
    with path.open("rb") as raw:
        size = raw.seek(0, 2)
        raw.seek(max(size - len(PARQUET_MAGIC), 0))
        tail = raw.read()
    if size < _SMALLEST or tail != PARQUET_MAGIC:
        raise InputError(
            "the Parquet file cannot be read: it is cut short",
            where=f"{path}, {size} bytes",
            expected=f"a file that ends in {PARQUET_MAGIC.decode()}, after its table of contents",
            hint="copy or export it again",
        )


def _parts(file: ParquetFile, path: Path, names: list[str]) -> Iterator[TablePart]:
    import pyarrow as pa

    first = 1
    rows = max(1, min(_ROWS, _CELLS // len(names)))
    try:
        for batch in file.iter_batches(batch_size=rows):
            # damaged text or offsets must not reach a library that trusts them
            batch.validate(full=True)
            columns = [
                _column(name, column, path)
                for name, column in zip(names, batch.columns, strict=True)
            ]
            frame = pl.DataFrame(columns)
            lines = pl.Series("line", range(first, first + frame.height), dtype=pl.Int64)
            first += frame.height
            yield TablePart(frame, lines)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise _broken(path, error) from error
    finally:
        file.close()


def _column(name: str, array: _Array, path: Path) -> pl.Series:
    import pyarrow as pa

    try:
        return _plain(array).alias(name)
    except (
        pa.ArrowException,
        pl.exceptions.PolarsError,
        # a panic of the library, which is no Exception
        pl.exceptions.PanicException,
        ValueError,
        TypeError,
        ArithmeticError,
    ) as error:
        raise InputError(
            f"column '{clip(name)}' of the Parquet file cannot be read",
            where=f"{path}, type {clip(str(array.type))}",
            expected="numbers, texts or times",
            hint=clip(str(error).strip()),
        ) from error


def _plain(array: _Array) -> pl.Series:
    """One column; bytes, lists and structures as text, for rejects or labels to show."""
    import pyarrow as pa

    types, kind = pa.types, array.type
    if types.is_dictionary(kind):
        return _plain(array.dictionary_decode())
    if types.is_timestamp(kind) or types.is_date(kind):
        return _moments(array)
    if types.is_duration(kind):
        return pl.Series(array.view(pa.int64())) / _PER_SECOND[kind.unit]
    if types.is_decimal(kind) or types.is_float16(kind):
        return pl.Series(array.cast(pa.float64()))
    if (
        types.is_null(kind)
        or types.is_string(kind)
        or types.is_large_string(kind)
        or types.is_string_view(kind)
    ):
        return pl.Series(array.cast(pa.large_string()))
    if types.is_boolean(kind) or types.is_integer(kind) or types.is_floating(kind):
        return pl.Series(array)
    return pl.Series([_shown(cell) for cell in array.to_pylist()], dtype=pl.String)


def _shown(cell: object) -> str | None:
    if cell is None:
        return None
    return cell.decode("utf-8", "replace") if isinstance(cell, bytes) else clip(str(cell))


def _moments(array: _Array) -> pl.Series:
    import pyarrow as pa

    kind = array.type
    if pa.types.is_date32(kind):
        return _times(array.view(pa.int32()).cast(pa.int64()), "d", None)
    if pa.types.is_date64(kind):
        return _times(array.view(pa.int64()), "ms", None)
    return _times(array.view(pa.int64()), kind.unit, "UTC" if kind.tz is not None else None)


def _times(array: _Array, unit: str, zone: str | None) -> pl.Series:
    """Times from whole numbers since 1970; as text if one lies where no calendar reaches, for a reject to show."""
    whole = pl.Series(array, dtype=pl.Int64)
    known = whole.drop_nulls().to_numpy()
    per_unit = 86_400 * 10**6 if unit == "d" else 10**6 // _PER_SECOND[unit]
    least, most = (
        (bound // per_unit if per_unit else bound * 1000) for bound in (_LEAST_US, _MOST_US)
    )
    if not np.any((known < least) | (known > most)):
        return _instants(whole, per_unit, zone)
    sane = whole.is_between(least, most)
    texts = _instants(whole.set(~sane, None), per_unit, zone).dt.strftime(
        "%Y-%m-%d %H:%M:%S%.6f" + ("Z" if zone else "")
    )
    return texts.fill_null("beyond any calendar: " + whole.cast(pl.String) + f" {unit}")


def _instants(whole: pl.Series, per_unit: int, zone: str | None) -> pl.Series:
    micros = whole * per_unit if per_unit else whole // 1000
    times = micros.cast(pl.Datetime("us"))
    return times.dt.replace_time_zone(zone) if zone else times


def _broken(path: Path, error: Exception) -> InputError:
    return InputError(
        "the Parquet file cannot be read",
        where=str(path),
        expected="a complete Parquet file",
        hint=clip(str(error).strip()),
    )
