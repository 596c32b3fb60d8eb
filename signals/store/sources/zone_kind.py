"""Whether the times of a column carry a zone: all of them do, or none."""

from __future__ import annotations

from typing import Literal

import polars as pl

from signals.errors import InputError
from signals.store.parsed import ReadOptions
from signals.store.sources.stray import are_strays

__all__ = ["ZoneKind"]


class ZoneKind:
    """Remembers which times of a column had a zone and which had none, part by part.

    Attributes:
        naive_rows: rows of times without one that were kept.
    """

    def __init__(
        self, source: str, options: ReadOptions, *, rising: Literal["strictly", "loosely"]
    ) -> None:
        """Start at the head of a file.

        Args:
            source: file and column, for errors.
            options: zone of times without one.
            rising: `strictly` if a repeated local time is a step back.
        """
        self.naive_rows = 0
        self._source = source
        self._zone = options.zone
        self._rising = rising
        self._zoned_line = 0
        self._naive_line = 0

    def settle(self, distinct: pl.DataFrame) -> pl.DataFrame:
        """Take the times of one part; single ones of the other kind, or without the zone they need, are no times.

        Args:
            distinct: `text`, first `line` and number of `rows`; `ts`, known where the text is an epoch; `local`
                and `zone` of others.

        Returns:
            The same, `local` and `zone` null where a time is not to be read.

        Raises:
            InputError: times of both kinds, or such without a zone and none was given.
        """
        timed = pl.col("local").is_not_null()
        zoned = distinct.filter(timed & pl.col("zone").is_not_null())
        naive = distinct.filter(timed & pl.col("zone").is_null())
        rows = int(distinct.filter(timed | pl.col("ts").is_not_null())["rows"].sum())
        odd = self._odd_one_out(zoned, naive)
        if odd is not None and are_strays(int(odd["rows"].sum()), rows):
            stray = pl.col("text").is_in(odd["text"].to_list())
            distinct = distinct.with_columns(
                pl.when(~stray).then(pl.col(name)).alias(name) for name in ("local", "zone")
            )
            zoned, naive = (kind.filter(~stray) for kind in (zoned, naive))
        self._zoned_line = self._zoned_line or (zoned["line"][0] if zoned.height else 0)
        self._naive_line = self._naive_line or (naive["line"][0] if naive.height else 0)
        self._refuse(naive)
        self.naive_rows += int(naive["rows"].sum())
        return distinct

    def _odd_one_out(self, zoned: pl.DataFrame, naive: pl.DataFrame) -> pl.DataFrame | None:
        """The times of which there should be none; None if all are of one sound kind."""
        if not self._zone and naive.height:
            return naive
        if self._zoned_line or self._naive_line:
            odd = naive if self._zoned_line else zoned
        else:
            odd = min(zoned, naive, key=lambda kind: int(kind["rows"].sum()))
        return odd if odd.height else None

    def _refuse(self, naive: pl.DataFrame) -> None:
        if self._zoned_line and self._naive_line:
            raise InputError(
                "times with a zone and times without one are mixed",
                where=f"{self._source}: with a zone on line {self._zoned_line}, "
                f"without on line {self._naive_line}",
                expected="every time with a zone (Z or +02:00), or none",
            )
        if naive.height and not self._zone:
            twice = naive.filter((pl.col("rows") > 1) & (self._rising == "strictly"))["text"]
            repeat = f", and {len(twice)} local times repeat" if len(twice) else ""
            raise InputError(
                f"times have no zone{repeat}",
                where=f"{self._source}, line {self._naive_line}: {naive['text'][0]}"
                + "".join(f"; twice: {text}" for text in twice.head(5)),
                expected="ISO 8601 with Z or an offset, or an epoch",
                hint="give their zone with --tz, for example --tz Europe/Paris or --tz UTC",
            )
