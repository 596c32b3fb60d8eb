"""Times as people export them, to UTC: ISO 8601 with and without zone, epochs in four units, offsets."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Literal

import polars as pl

from signals.errors import InputError
from signals.schema import TIMESTAMP, Finding
from signals.store.parsed import ReadOptions
from signals.store.sources.fold import Fold

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


class StampReader:
    """Turns the time column of one file into UTC, part by part, and remembers what it met.

    Attributes:
        source: file and column, for errors.
        unit: unit of epochs named by the header (`s`, `ms`, `us`, `ns`); empty to tell it from the value.
        relative: `start` if the values are seconds after `--start`, else empty.
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
        """Start at the head of a file.

        Args:
            source: file and column, for errors.
            options: zone and time zero.
            unit: unit of epochs.
            relative: `start` for seconds after `--start`.
            rising: `strictly` if a repeated local time is a step back (one row per time), else `loosely`.
        """
        self.source = source
        self.unit = unit
        self.relative = relative
        self._options = options
        self._zoned_line = 0
        self._naive_line = 0
        self._naive = 0
        self._inferred: dict[str, int] = {}
        self._fold = Fold(source, options.zone, rising=rising)

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
        if self.unit or self.relative:
            self._refuse_far(parts["whole"], frame)
        micros = parts.with_columns(unit.alias("unit")).select(_micros().alias("us"))["us"]
        if self.relative:
            zero = self._options.start or datetime(1970, 1, 1, tzinfo=UTC)
            micros = micros + round(zero.timestamp() * 1e6)
        sane = micros.is_between(-_MAX_US, _MAX_US)
        return micros.zip_with(sane.fill_null(value=False), pl.Series([None], dtype=pl.Int64)).cast(
            TIMESTAMP
        )

    def _refuse_far(self, whole: pl.Series, frame: pl.DataFrame) -> None:
        """A stamp beyond any sensible year was written in a finer unit than the format says."""
        unit = self.unit or "s"
        per_unit = EPOCH_UNITS[unit]
        limit = _MAX_US // per_unit if per_unit else _MAX_US * 1000
        far = (whole.abs() > limit).fill_null(value=False)
        if not far.any():
            return
        row = frame.filter(far).row(0, named=True)
        finer = _finer_unit(abs(int(whole.filter(far)[0])))
        raise InputError(
            f"a time of {row['text']} {unit} is beyond the year {_MAX_YEAR}",
            where=f"{self.source}, line {row['line']}",
            expected=f"times in {unit}",
            hint=f"the number looks like {finer}" if finer else "",
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
        return (
            self._fold.localise(parts) if naive.height else pl.Series("local", [], dtype=TIMESTAMP)
        )

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


def _finer_unit(size: int) -> str:
    """Unit in which a whole number would be a time of our days; empty if in none."""
    return next(
        (
            unit
            for unit, per_unit in EPOCH_UNITS.items()
            if (size * per_unit if per_unit else size // 1000) <= _MAX_US
        ),
        "",
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
