"""Local times to UTC where the clock goes back and an hour happens twice."""

from __future__ import annotations

from datetime import date, datetime
from typing import Literal

import polars as pl

from signals.errors import InputError, UsageError

__all__ = ["Fold"]

_SHOWN = 5


class Fold:
    """Turns naive local times of one file into UTC, part by part.

    A local time that happens twice is the second one from the row on where times step back; without such a
    step nothing tells which is meant, and that is an error.
    """

    def __init__(
        self, source: str, zone: str, *, rising: Literal["strictly", "loosely"] = "loosely"
    ) -> None:
        """Start at the head of a file.

        Args:
            source: file and column, for errors.
            zone: IANA name.
            rising: `strictly` if a repeated local time is a step back, `loosely` if only a smaller one is.
        """
        self._source = source
        self._zone = zone
        self._rising = rising
        self._last: datetime | None = None
        self._turned_on: date | None = None

    def localise(self, parts: pl.DataFrame) -> pl.Series:
        """UTC of one part.

        Args:
            parts: `local` naive Datetime, `text` and `line` for errors, and `group` (which series a row
                belongs to) if each rises by itself.

        Returns:
            Datetime[UTC]; null for null and for times skipped when the clock goes forward.

        Raises:
            UsageError: the zone is not known.
            InputError: a time that happens twice stays unclear.
        """
        local = parts["local"]
        try:
            early, late = (
                local.dt.replace_time_zone(self._zone, ambiguous=which, non_existent="null")
                for which in ("earliest", "latest")
            )
        except pl.exceptions.ComputeError as error:
            raise UsageError(
                f"time zone '{self._zone}' is not known",
                where="--tz",
                expected="an IANA name such as Europe/Paris or UTC",
            ) from error
        early, late = early.dt.convert_time_zone("UTC"), late.dt.convert_time_zone("UTC")
        twice = (early != late).fill_null(value=False)
        after = self._after_turn(parts, twice) if twice.any() else twice
        known = local.drop_nulls()
        self._last = known[-1] if len(known) else self._last
        return late.zip_with(after, early)

    def _after_turn(self, parts: pl.DataFrame, twice: pl.Series) -> pl.Series:
        """Which rows are the second of two equal local times."""
        grouped = "group" in parts.columns
        keys = ["day", "group"] if grouped else ["day"]
        step = pl.col("local").diff().over("group") if grouped else pl.col("local").diff()
        zero = pl.duration(seconds=0)
        back = step <= zero if self._rising == "strictly" else step < zero
        marked = parts.with_columns(
            twice.alias("twice"),
            pl.col("local").dt.date().alias("day"),
            back.fill_null(value=False).alias("back"),
        ).with_columns((pl.col("twice") & pl.col("back")).alias("back"))
        if not grouped:
            marked = self._continue(marked)
        marked = marked.with_columns(
            pl.col("back").cum_max().over(keys).alias("after"),
            pl.col("back").any().over(keys).alias("told"),
        )
        self._refuse_unclear(marked)
        return (marked["after"] & marked["twice"]).fill_null(value=False)

    def _continue(self, marked: pl.DataFrame) -> pl.DataFrame:
        """Mark the first row too if the step back lies before it, in or at the end of an earlier part."""
        first = marked["local"][0]
        if isinstance(first, datetime) and self._last is not None and marked["twice"][0]:
            stepped = first <= self._last if self._rising == "strictly" else first < self._last
            if stepped or self._turned_on == first.date():
                marked = marked.with_columns(pl.col("back") | (pl.int_range(pl.len()) == 0))
        turned = marked.filter("back")["day"]
        self._turned_on = turned[-1] if len(turned) else self._turned_on
        return marked

    def _refuse_unclear(self, marked: pl.DataFrame) -> None:
        unclear = marked.filter(pl.col("twice") & ~pl.col("told"))
        if not unclear.height:
            return
        shown = unclear["text"].unique(maintain_order=True)
        raise InputError(
            f"{len(shown)} local times happen twice when the clock goes back, "
            "and their order does not tell which are meant",
            where=f"{self._source}, line {unclear['line'][0]}: "
            + ", ".join(shown.head(_SHOWN).to_list()),
            expected="times with an offset, or in UTC",
        )
