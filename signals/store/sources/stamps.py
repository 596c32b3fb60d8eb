"""Times as people export them, to UTC: ISO 8601 with and without zone, epochs in four units, offsets."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Literal

import polars as pl

from signals.errors import InputError
from signals.schema import TIMESTAMP, Finding
from signals.store.parsed import ReadOptions

__all__ = ["EPOCH_UNITS", "StampReader"]

EPOCH_UNITS: dict[str, int] = {"s": 1_000_000, "ms": 1_000, "us": 1, "ns": 0}
"""Microseconds per unit; 0 stands for a thousandth."""

_EPOCH = r"^([+-]?\d{1,19})(?:\.(\d*))?$"
_FLOAT_EPOCH = r"^[+-]?\d+(?:\.\d*)?[eE][+-]?\d{1,3}$"
_ISO = (
    r"^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2})?)(?:[.,](\d+))?"
    r"\s*(Z|z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?$"
)
# magnitude tells the unit: these bounds are the year 5138 in s, ms and us
_INFER_BOUNDS = ((10**11, "s"), (10**14, "ms"), (10**17, "us"))
_MAX_YEAR = 2200
_MAX_US = int(datetime(_MAX_YEAR, 1, 1, tzinfo=UTC).timestamp()) * 1_000_000
_SHOWN = 5


class StampReader:
    """Turns the time column of one file into UTC, part by part, and remembers what it met.

    Attributes:
        source: file and column, for errors.
        unit: unit of epochs named by the header (`s`, `ms`, `us`, `ns`); empty to tell it from the value.
        relative: `start` if the values are seconds after `--start`, else empty.
        rising: `strictly` if a repeated local time is a step back (one row per time), else `loosely`.
    """

    def __init__(
        self,
        source: str,
        options: ReadOptions,
        *,
        unit: str = "",
        relative: Literal["", "start"] = "",
        rising: Literal["strictly", "loosely"] = "loosely",
    ) -> None:
        """Start at the head of a file; `options` gives the zone and time zero."""
        self.source = source
        self.unit = unit
        self.relative = relative
        self.rising = rising
        self._options = options
        self._zoned_line = 0
        self._naive_line = 0
        self._naive = 0
        self._inferred: dict[str, int] = {}
        self._last_local: datetime | None = None
        self._turned_on: object = None

    def read(
        self, texts: pl.Series, lines: pl.Series, groups: pl.Series | None = None
    ) -> pl.Series:
        """Times of one part.

        Args:
            texts: String[n], blanks stripped.
            lines: Int64[n], line numbers for errors.
            groups: UInt32[n], which series a row belongs to; None if rows of all series rise together.

        Returns:
            TIMESTAMP[n]; null where the text is no time.

        Raises:
            InputError: naive times without `--tz`, naive ones mixed with zoned ones, or local times that
                happen twice and whose order does not tell which is meant.
        """
        frame = pl.DataFrame({"text": texts, "line": lines})
        if groups is not None:
            frame = frame.with_columns(groups.alias("group"))
        epochs = self._read_epochs(frame)
        if epochs.null_count() == 0:
            return epochs
        wall = frame.with_columns(epochs.alias("epoch")).filter(pl.col("epoch").is_null())
        if self.relative or not wall["text"].str.contains(_ISO).any():
            return epochs
        iso = self._read_iso(frame)
        return epochs.fill_null(iso) if len(iso) else epochs

    def findings(self) -> tuple[Finding, ...]:
        """Remarks about the whole column, once it has been read."""
        found = []
        if self._inferred:
            counts = ", ".join(f"{n} as {unit}" for unit, n in sorted(self._inferred.items()))
            found.append(
                Finding(
                    "epoch_unit_inferred",
                    "info",
                    f"times without a unit were read by their size: {counts}",
                    count=sum(self._inferred.values()),
                    subject=self.source,
                    action="name the unit in the header, for example `ts [ms]`",
                )
            )
        if self._naive:
            found.append(
                Finding(
                    "zone_assumed",
                    "info",
                    f"{self._naive} local times were read in zone {self._options.zone}",
                    count=self._naive,
                    subject=self.source,
                )
            )
        if self.relative and self._options.start is None:
            found.append(
                Finding(
                    "start_assumed",
                    "warning",
                    "relative times were counted from 1970-01-01T00:00:00Z",
                    subject=self.source,
                    action="give their time zero with --start",
                )
            )
        return tuple(found)

    # --- epochs -------------------------------------------------------------------------------------

    def _read_epochs(self, frame: pl.DataFrame) -> pl.Series:
        parts = frame.select(
            pl.col("text").str.extract(_EPOCH, 1).cast(pl.Int64, strict=False).alias("whole"),
            pl.col("text").str.extract(_EPOCH, 2).fill_null("").alias("digits"),
            pl.when(pl.col("text").str.contains(_FLOAT_EPOCH))
            .then(pl.col("text"))
            .cast(pl.Float64, strict=False)
            .alias("float"),
            pl.col("text").str.starts_with("-").alias("minus"),
        )
        parts = parts.with_columns(
            pl.coalesce("whole", pl.col("float").cast(pl.Int64, strict=False)).alias("whole"),
            pl.when(pl.col("float").is_not_null())
            .then(
                ((pl.col("float").abs() % 1.0) * 1e9)
                .cast(pl.Int64, strict=False)
                .cast(pl.String)
                .str.zfill(9)
            )
            .otherwise("digits")
            .alias("digits"),
        )
        unit = self._units(parts)
        micros = parts.with_columns(unit.alias("unit")).select(_micros().alias("us"))["us"]
        if self.relative:
            zero = self._options.start or datetime(1970, 1, 1, tzinfo=UTC)
            micros = micros + round(zero.timestamp() * 1e6)
        sane = micros.is_between(-_MAX_US, _MAX_US)
        return micros.zip_with(sane.fill_null(value=False), pl.Series([None], dtype=pl.Int64)).cast(
            TIMESTAMP
        )

    def _units(self, parts: pl.DataFrame) -> pl.Series:
        if self.unit or self.relative:
            return pl.repeat(self.unit or "s", parts.height, eager=True)
        size = pl.col("whole").abs()
        chosen = pl.lit("ns")
        for bound, name in reversed(_INFER_BOUNDS):
            chosen = pl.when(size < bound).then(pl.lit(name)).otherwise(chosen)
        unit = parts.select(pl.when(pl.col("whole").is_not_null()).then(chosen).alias("unit"))[
            "unit"
        ]
        for name, count in unit.drop_nulls().value_counts().iter_rows():
            self._inferred[name] = self._inferred.get(name, 0) + count
        return unit

    # --- calendar times -----------------------------------------------------------------------------

    def _read_iso(self, frame: pl.DataFrame) -> pl.Series:
        parts = frame.with_columns(
            (
                pl.col("text").str.extract(_ISO, 1)
                + " "
                + (pl.col("text").str.extract(_ISO, 2) + ":00").str.slice(0, 8)
            )
            .str.to_datetime("%Y-%m-%d %H:%M:%S", time_unit="us", strict=False)
            .alias("local"),
            pl.col("text")
            .str.extract(_ISO, 3)
            .fill_null("")
            .str.pad_end(6, "0")
            .str.slice(0, 6)
            .cast(pl.Int64)
            .alias("fraction"),
            pl.col("text").str.extract(_ISO, 4).alias("zone"),
        ).with_columns(pl.col("local") + pl.duration(microseconds="fraction"))
        known = pl.col("local").is_not_null()
        zoned = parts.filter(known & pl.col("zone").is_not_null())
        naive = parts.filter(known & pl.col("zone").is_null())
        self._note_kinds(zoned, naive)
        if zoned.height:
            return parts.select(
                (pl.col("local") - pl.duration(minutes=_offset_minutes())).dt.replace_time_zone(
                    "UTC"
                )
            )["local"]
        return self._localise(parts) if naive.height else pl.Series("local", [], dtype=TIMESTAMP)

    def _note_kinds(self, zoned: pl.DataFrame, naive: pl.DataFrame) -> None:
        if zoned.height and not self._zoned_line:
            self._zoned_line = zoned["line"][0]
        if naive.height and not self._naive_line:
            self._naive_line = naive["line"][0]
        if self._zoned_line and self._naive_line:
            raise InputError(
                "times with a zone and times without one are mixed",
                where=f"{self.source}: with a zone on line {self._zoned_line}, "
                f"without on line {self._naive_line}",
                expected="every time with a zone (Z or +02:00), or none",
            )
        if naive.height and not self._options.zone:
            repeated = _repeated_locals(naive)
            raise InputError(
                "times have no zone" + (f", and {repeated} of them repeat" if repeated else ""),
                where=f"{self.source}, line {self._naive_line}: {naive['text'][0]}",
                expected="ISO 8601 with Z or an offset, or an epoch",
                hint="give their zone with --tz, for example --tz Europe/Paris or --tz UTC",
            )
        self._naive += naive.height

    def _localise(self, parts: pl.DataFrame) -> pl.Series:
        zone = self._options.zone
        try:
            early, late = (
                parts["local"].dt.replace_time_zone(zone, ambiguous=which, non_existent="null")
                for which in ("earliest", "latest")
            )
        except pl.exceptions.ComputeError as error:
            raise InputError(
                f"time zone '{zone}' is not known",
                where="--tz",
                expected="an IANA name such as Europe/Paris or UTC",
            ) from error
        early, late = early.dt.convert_time_zone("UTC"), late.dt.convert_time_zone("UTC")
        twice = (early != late).fill_null(value=False)
        if not twice.any():
            self._last_local = parts["local"].drop_nulls().last()  # type: ignore[assignment]
            return early
        return early.zip_with(~self._after_turn(parts, twice), late)

    def _after_turn(self, parts: pl.DataFrame, twice: pl.Series) -> pl.Series:
        """Which of the twice-happening local times are the second ones, told by the step back between."""
        keys = ["day", "group"] if "group" in parts.columns else ["day"]
        step = pl.col("local").diff().over(keys[1:]) if keys[1:] else pl.col("local").diff()
        zero = pl.duration(seconds=0)
        back = step <= zero if self.rising == "strictly" else step < zero
        marked = parts.with_columns(
            twice.alias("twice"), pl.col("local").dt.date().alias("day")
        ).with_columns((pl.col("twice") & back.fill_null(value=False)).alias("back"))
        if "group" not in parts.columns:
            marked = self._carry_turn(marked)
        marked = marked.with_columns(
            pl.col("back").cum_max().over(keys).alias("after"),
            (pl.col("back") & pl.col("twice")).any().over(keys).alias("told"),
        )
        unclear = marked.filter(pl.col("twice") & ~pl.col("told"))
        if unclear.height:
            shown = unclear["text"].unique(maintain_order=True)
            raise InputError(
                f"{shown.len()} local times happen twice when the clock goes back, "
                "and their order does not tell which are meant",
                where=f"{self.source}, line {unclear['line'][0]}: "
                + ", ".join(shown.head(_SHOWN).to_list()),
                expected="times with an offset, or in UTC",
            )
        return marked["after"]

    def _carry_turn(self, marked: pl.DataFrame) -> pl.DataFrame:
        """Continue a day whose first rows were in the part before this one."""
        first = marked["local"].drop_nulls().first()
        if isinstance(first, datetime) and self._last_local is not None:
            back = first < self._last_local or self._turned_on == first.date()
            same_hour = bool(marked["twice"][0])
            if back and same_hour:
                head = pl.int_range(pl.len()) == 0
                marked = marked.with_columns(pl.col("back") | head)
        turned = marked.filter("back")["day"]
        self._turned_on = turned[-1] if len(turned) else self._turned_on
        self._last_local = marked["local"].drop_nulls().last()  # type: ignore[assignment]
        return marked


def _micros() -> pl.Expr:
    """Microseconds from `whole`, the digits after the point and the unit; no float on the way."""
    digits = pl.col("digits").str.pad_end(6, "0")
    sign = pl.when("minus").then(-1).otherwise(1)
    whole = pl.col("whole")

    def scaled(places: int) -> pl.Expr:
        fraction = digits.str.slice(0, places).cast(pl.Int64, strict=False)
        value: pl.Expr = whole * 10**places + sign * fraction.fill_null(0)
        return value

    unit = pl.col("unit")
    # out of range for the unit: null, so that nothing wraps around
    limit = pl.lit(_MAX_US)
    return (
        pl.when((unit == "s") & (whole.abs() <= limit // 10**6))
        .then(scaled(6))
        .when((unit == "ms") & (whole.abs() <= limit // 10**3))
        .then(scaled(3))
        .when(unit == "us")
        .then(whole)
        .when(unit == "ns")
        .then(whole // 1000)
    )


def _offset_minutes() -> pl.Expr:
    digits = pl.col("zone").str.replace_all(r"[^0-9]", "")
    hours = digits.str.slice(0, 2).cast(pl.Int64, strict=False).fill_null(0)
    minutes = digits.str.slice(2, 2).cast(pl.Int64, strict=False).fill_null(0)
    sign = pl.when(pl.col("zone").str.starts_with("-")).then(-1).otherwise(1)
    total: pl.Expr = sign * (hours * 60 + minutes)
    return total


def _repeated_locals(naive: pl.DataFrame) -> int:
    """How many rows carry a local time that an earlier row carries too, with a step back between."""
    local = naive["local"]
    if local.is_sorted():
        return 0
    return int(local.is_duplicated().sum()) // 2
