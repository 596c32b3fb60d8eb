"""The distinct series of a text, each described once, and its samples in chunks of bounded size."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import polars as pl

from signals.errors import InputError
from signals.schema import TIMESTAMP
from signals.store.parsed import Chunk, ReadOptions, Reject, Series
from signals.store.sources.bound import has_bad_bound
from signals.store.sources.part import clip
from signals.store.sources.stray import are_strays

__all__ = ["SampleChunks", "check_series", "nameless_series"]

_MAX_SERIES = 500_000
"""Series of one file, as many as 2 GB of memory hold; beyond it mostly a label changes with every sample."""

_CHUNK_SAMPLES = 500_000
# a reject holds its text, about as much memory as so many samples
_REJECT_WEIGHT = 20


class SampleChunks:
    """Numbers the series of one source and collects their samples.

    Attributes:
        rows_read: records taken so far.
    """

    def __init__(self, path: Path) -> None:
        """Start empty.

        Args:
            path: the source, for errors.
        """
        self.rows_read = 0
        self._path = path
        self._numbers: dict[tuple[str, str], int | None] = {}
        self._series: list[Series] = []
        self._nameless: list[InputError] = []
        self._held: list[pl.DataFrame] = []
        self._rejects: list[Reject] = []
        self._rows = 0
        self._weight = 0

    def number(
        self, keys: pl.Series, describe: Callable[[str], Series | None], *, scope: str = ""
    ) -> pl.Series:
        """The number of each row's series.

        Args:
            keys: String[n], the series as text; null for none.
            describe: makes a series of a text that is new, or None if it is malformed; InputError if it has no
                name, which is the file's fault unless it is one of a few.
            scope: what else tells series apart, such as the target of a scrape.

        Returns:
            UInt32[n]; null where there is no series.

        Raises:
            InputError: there are too many, see `check_series`; or more than a few have no name.
        """
        distinct = keys.drop_nulls().unique(maintain_order=True)
        found = [self._find(key, describe, scope) for key in distinct]
        if self._nameless and not are_strays(len(self._nameless), len(self._numbers)):
            raise self._nameless[0]
        check_series(len(self._numbers), self._path)
        known = pl.DataFrame({"key": distinct, "series": pl.Series(found, dtype=pl.UInt32)})
        rows = pl.DataFrame({"key": keys})
        return rows.join(known, on="key", how="left", maintain_order="left")["series"]

    def _find(self, key: str, describe: Callable[[str], Series | None], scope: str) -> int | None:
        place = (scope, key)
        if place not in self._numbers:
            try:
                one = describe(key)
            except InputError as error:
                one = None
                self._nameless.append(error)
            if one is not None and has_bad_bound(one):
                one = None
            self._numbers[place] = None if one is None else len(self._series)
            if one is not None:
                self._series.append(one)
        return self._numbers[place]

    def add(self, samples: pl.DataFrame, *, rows_read: int, rejects: Iterable[Reject] = ()) -> None:
        """Take samples, `series` being a number given here, and what could not be read beside them."""
        held = samples.select(
            pl.col("series").cast(pl.UInt32),
            pl.col("ts").cast(TIMESTAMP),
            pl.col("value").cast(pl.Float64),
        )
        bad = sorted(rejects, key=lambda reject: reject.line)
        self._held.append(held)
        self._rejects += bad
        self._rows += rows_read
        self.rows_read += rows_read
        self._weight += held.height + _REJECT_WEIGHT * len(bad)

    def full(self) -> Iterator[Chunk]:
        """The chunk of what is held, if it is enough for one."""
        if self._weight >= _CHUNK_SAMPLES:
            yield from self.rest()

    def rest(self) -> Iterator[Chunk]:
        """The chunk of what is held, if there is anything."""
        if not self._rows:
            return
        samples = pl.concat(self._held)
        used = samples["series"].unique(maintain_order=True)
        local = pl.int_range(len(used), dtype=pl.UInt32, eager=True)
        samples = samples.with_columns(
            pl.col("series").replace_strict(used, local, return_dtype=pl.UInt32)
        )
        series = tuple(self._series[number] for number in used)
        rows, rejects = self._rows, tuple(self._rejects)
        self._held, self._rejects, self._rows, self._weight = [], [], 0, 0
        yield Chunk(series=series, samples=samples, rows_read=rows, rejects=rejects)


def check_series(count: int, path: Path) -> None:
    """Refuse a file with more series than memory holds.

    Raises:
        InputError: there are more than 500,000.
    """
    if count > _MAX_SERIES:
        raise InputError(
            f"the file holds more than {_MAX_SERIES} series",
            where=str(path),
            expected="labels that name things, not values that change with every sample",
            hint="export fewer metrics at a time, or without the label that changes",
        )


def nameless_series(labels: Mapping[str, str], options: ReadOptions, where: str) -> Series:
    """The series of an expression's result, named by the user.

    Args:
        labels: of the series.
        options: what the user gave with `--as`.
        where: file and place, for the error.

    Raises:
        InputError: no name was given.
    """
    chosen = options.as_name
    if chosen is None:
        raise InputError(
            "a series has no name, as results of expressions do",
            where=f"{where}: {clip(str(dict(labels)))}",
            expected="a metric's name",
            hint="say what it is with --as NAME[unit], for example --as 'decode_tps[tokens/s]'",
        )
    pool, _, bare = chosen.name.rpartition(":")
    return Series(bare, labels, unit=chosen.unit, pool=pool)
