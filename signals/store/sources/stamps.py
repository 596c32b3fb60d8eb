"""Times as people export them, to UTC: ISO 8601 with and without zone, epochs in four units, offsets."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Literal

import polars as pl

from signals.errors import InputError
from signals.schema import TIMESTAMP, Finding
from signals.store.parsed import ReadOptions
from signals.store.sources.fold import Fold
from signals.store.sources.stray import are_strays
from signals.store.sources.zone_kind import ZoneKind

__all__ = ["EPOCH_UNITS", "StampReader", "telemetry_times"]

EPOCH_UNITS: dict[str, int] = {"s": 1_000_000, "ms": 1_000, "us": 1, "ns": 0}
"""Microseconds per unit; 0 stands for a thousandth."""

_EPOCH = r"^([+-]?\d{1,19})(?:\.(\d*))?$"
_FLOAT_EPOCH = r"^[+-]?\d+(?:\.\d*)?[eE][+-]?\d{1,3}$"
_ISO = (
    r"^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2})?)(?:[.,](\d+))?"
    r"\s*(Z|z|UTC|GMT|[+-](?:0\d|1[0-4])(?::?[0-5]\d)?)?$"
)
# magnitude tells the unit: these bounds are the year 5138 in s, ms and us
_INFER_BOUNDS = ((10**11, "s"), (10**14, "ms"), (10**17, "us"))
_LINES_TOLD = 3
_MAX_YEAR = 2200
_MIN_YEAR = 1970
_FIRST_LOCAL, _LAST_LOCAL = datetime(_MIN_YEAR - 1, 12, 31), datetime(_MAX_YEAR, 1, 2)  # noqa: DTZ001
_LEAST_US = int(datetime(2000, 1, 1, tzinfo=UTC).timestamp()) * 1_000_000
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
        self._inferred: dict[str, int] = {}
        self._first_lines: dict[str, list[int]] = {}
        self._zones = ZoneKind(source, options, rising=rising)
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
            TIMESTAMP[n]; null where the text is no time, or one that no telemetry has.

        Raises:
            InputError: times far beyond our days, naive ones without `--tz` or mixed with zoned ones, if they
                are more than a few; or local times that happen twice and whose order does not tell which is meant.
        """
        stamps = self._read(pl.DataFrame({"text": texts, "line": lines}), groups)
        return stamps if self.relative else telemetry_times(stamps)

    def _read(self, frame: pl.DataFrame, groups: pl.Series | None) -> pl.Series:
        # rows of many series share a time: each text is read once
        distinct = frame.group_by("text", maintain_order=True).agg(
            pl.col("line").first(), pl.len().alias("rows")
        )
        distinct = distinct.with_columns(self._read_epochs(distinct).alias("ts"))
        if self.relative or distinct["ts"].null_count() == 0:
            return _spread(distinct, frame)["ts"]
        distinct = distinct.with_columns(_calendar(distinct["text"]))
        distinct = self._zones.settle(distinct)
        if distinct["zone"].null_count() < distinct.height:
            utc = (pl.col("local") - pl.duration(minutes=_offset_minutes())).dt.replace_time_zone(
                "UTC"
            )
            distinct = distinct.with_columns(pl.coalesce("ts", utc).alias("ts"))
        spread = _spread(distinct, frame)
        if distinct.filter(pl.col("local").is_not_null() & pl.col("zone").is_null()).is_empty():
            return spread["ts"]
        walls = spread if groups is None else spread.with_columns(groups.alias("group"))
        return spread["ts"].fill_null(self._fold.localise(walls))

    def findings(self) -> tuple[Finding, ...]:
        """Remarks about the whole column, once it has been read."""
        found = []
        if self._inferred:
            found.append(self._about_units())
        if self._zones.naive_rows:
            found.append(
                Finding(
                    "zone_assumed",
                    "info",
                    f"{self._zones.naive_rows} local times were read in zone {self._options.zone}",
                    count=self._zones.naive_rows,
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
                    action="read as they stand; give their time zero with --start",
                )
            )
        return tuple(found)

    def _about_units(self) -> Finding:
        counts = sorted(self._inferred.items())
        if len(counts) == 1:
            return Finding(
                "epoch_unit_inferred",
                "info",
                f"times without a unit were read by their size: {counts[0][1]} as {counts[0][0]}",
                count=counts[0][1],
                subject=self.source,
                action="name the unit in the header, for example `ts [ms]`",
            )
        told = ", ".join(f"{count} as {unit} ({self._lines_of(unit)})" for unit, count in counts)
        return Finding(
            "epoch_unit_inferred",
            "warning",
            f"times of one column are in different units by their size: {told}",
            count=sum(self._inferred.values()),
            subject=self.source,
            action="each was read in the unit of its size; see whether these rows belong together",
        )

    def _lines_of(self, unit: str) -> str:
        lines = self._first_lines[unit]
        more = ", ..." if self._inferred[unit] > len(lines) else ""
        return f"line{'s' if len(lines) > 1 else ''} {', '.join(map(str, lines))}{more}"

    # --- epochs -------------------------------------------------------------------------------------

    def _read_epochs(self, frame: pl.DataFrame) -> pl.Series:
        texts = frame["text"]
        groups = texts.str.extract_groups(_EPOCH).struct.unnest()
        whole, digits = groups.columns
        parts = groups.select(
            pl.col(whole).cast(pl.Int64, strict=False).alias("whole"),
            pl.col(digits).fill_null("").alias("digits"),
            texts.str.starts_with("-").alias("minus"),
        )
        if texts.str.contains(_FLOAT_EPOCH).any():
            parts = _with_floats(parts, texts)
        unit = self._units(parts, frame)
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
        """Stamps beyond any sensible year were written in a finer unit than the format says; a few are bad cells."""
        unit = self.unit or "s"
        per_unit = EPOCH_UNITS[unit]
        limit = _MAX_US // per_unit if per_unit else _MAX_US * 1000
        # the lowest whole number has no absolute value
        far = (~whole.is_between(-limit, limit)).fill_null(value=False)
        rows = frame["rows"]
        if not far.any() or are_strays(
            int(rows.filter(far).sum()), int(rows.filter(whole.is_not_null()).sum())
        ):
            return
        row = frame.filter(far).row(0, named=True)
        finer = _finer_unit(abs(int(whole.filter(far)[0])))
        raise InputError(
            f"a time of {row['text']} {unit} is beyond the year {_MAX_YEAR}",
            where=f"{self.source}, line {row['line']}",
            expected=f"times in {unit}",
            hint=f"the number looks like {finer}"
            if finer
            else "no telemetry has such times: the column may be another one",
        )

    def _units(self, parts: pl.DataFrame, frame: pl.DataFrame) -> pl.Series:
        if self.unit or self.relative:
            return pl.repeat(self.unit or "s", parts.height, eager=True)
        size = pl.col("whole").abs()
        chosen = pl.lit("ns")
        for bound, name in reversed(_INFER_BOUNDS):
            chosen = pl.when(size < bound).then(pl.lit(name)).otherwise(chosen)
        unit = parts.select(pl.when(pl.col("whole").is_not_null()).then(chosen).alias("unit"))[
            "unit"
        ]
        met = frame.select("rows", "line", unit.alias("unit")).drop_nulls("unit").group_by("unit")
        for name, count, lines in met.agg(
            pl.col("rows").sum(), pl.col("line").head(_LINES_TOLD)
        ).iter_rows():
            self._inferred[name] = self._inferred.get(name, 0) + count
            told = self._first_lines.setdefault(name, [])
            told += lines[: _LINES_TOLD - len(told)]
        return unit


def telemetry_times(stamps: pl.Series) -> pl.Series:
    """Times before 1970 or from 2200 on to null: no exporter had them, and later sums would overflow.

    Args:
        stamps: Datetime[UTC].
    """
    years = stamps.dt.year()
    sane = ((years >= _MIN_YEAR) & (years < _MAX_YEAR)).fill_null(value=True)
    return stamps if sane.all() else stamps.set(~sane, None)


def _spread(distinct: pl.DataFrame, frame: pl.DataFrame) -> pl.DataFrame:
    """What was read of each distinct text, on every row again."""
    if distinct.height == frame.height:
        return distinct
    return frame.join(
        distinct.drop("line"), on="text", how="left", nulls_equal=True, maintain_order="left"
    )


def _calendar(texts: pl.Series) -> pl.DataFrame:
    """`local` (naive Datetime) and `zone` of ISO 8601 texts; null where a text is something else."""
    groups = texts.str.extract_groups(_ISO).struct.unnest()
    day, clock, fraction, zone = groups.columns
    return groups.select(
        (
            (pl.col(day) + " " + (pl.col(clock) + ":00").str.slice(0, 8)).str.to_datetime(
                "%Y-%m-%d %H:%M:%S", time_unit="us", strict=False
            )
            + pl.duration(
                microseconds=pl.col(fraction)
                .fill_null("")
                .str.pad_end(6, "0")
                .str.slice(0, 6)
                .cast(pl.Int64)
            )
        ).alias("local"),
        pl.col(zone).alias("zone"),
    ).with_columns(
        # a day of slack, since the zone is still to be taken off
        pl.when(pl.col("local").is_between(_FIRST_LOCAL, _LAST_LOCAL)).then("local").alias("local")
    )


def _with_floats(parts: pl.DataFrame, texts: pl.Series) -> pl.DataFrame:
    """Fill in texts such as `1.76e9`, as whole number and digits after the point."""
    numbers = (
        texts.set(~texts.str.contains(_FLOAT_EPOCH).fill_null(value=False), None)
        .cast(pl.Float64, strict=False)
        .alias("float")
    )
    nanos = ((pl.col("float").abs() % 1.0) * 1e9).cast(pl.Int64, strict=False)
    return parts.with_columns(numbers).select(
        pl.coalesce("whole", pl.col("float").cast(pl.Int64, strict=False)).alias("whole"),
        pl.when(pl.col("float").is_not_null())
        .then(nanos.cast(pl.String).str.zfill(9))
        .otherwise("digits")
        .alias("digits"),
        "minus",
    )


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
        pl.when((unit == "s") & whole.is_between(-(limit // 10**6), limit // 10**6))
        .then(scaled(6))
        .when((unit == "ms") & whole.is_between(-(limit // 10**3), limit // 10**3))
        .then(scaled(3))
        .when(unit == "us")
        .then(whole)
        .when(unit == "ns")
        .then(whole // 1000)
    )


def _finer_unit(size: int) -> str:
    """Unit in which a whole number would be a time from 2000 on; empty if in none."""
    return next(
        (
            unit
            for unit, per_unit in EPOCH_UNITS.items()
            if _LEAST_US <= (size * per_unit if per_unit else size // 1000) <= _MAX_US
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
