"""What is known of the samples of each series: how many, when, how far apart."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import polars as pl
from numpy.typing import NDArray

from signals.schema import TIMESTAMP

__all__ = ["Extents", "Portion", "describe", "describe_times", "describe_values"]

Int = NDArray[np.int64]
Float = NDArray[np.float64]
_BLOCK = 1 << 17  # samples
_GAP = 2.5
_FAR = np.iinfo(np.int64).max
_SAME_SPACING = 0.02
_COLUMNS: dict[str, type] = {
    "samples": np.int64,
    "first_us": np.int64,
    "last_us": np.int64,
    "falls": np.int64,
    "spacing_us": np.float64,
    "least_spacing_us": np.int64,
    "most_spacing_us": np.int64,
    "gaps": np.int64,
    "lowest": np.float64,
    "highest": np.float64,
    "longest_still": np.int64,
    "first_still": np.int64,
    "last_still": np.int64,
    "first_value": np.float64,
    "last_value": np.float64,
}
_STORED = ("samples", "first_us", "last_us", "falls", "spacing_us")
Portion = dict[str, NDArray[np.int64] | NDArray[np.float64]]
"""Columns that describe one run of samples of each of k series; see `describe`."""


def describe(ts_us: Int, values: Float, starts: Int) -> Portion:
    """Describe runs of samples, each of one series, ordered by time, without copies.

    Args:
        ts_us: int64[n], microseconds since the epoch.
        values: float64[n].
        starts: int64[k + 1], where each run begins; the last is n.

    Returns:
        Columns of k rows: `samples`, `first_us`, `last_us`, `falls` (times a value is below the one before),
        `spacing_us` (median, NaN for one sample), `least_spacing_us`, `most_spacing_us` (0 for one sample),
        `gaps` (spacings above 2.5 medians), `lowest`, `highest`, `longest_still`, `first_still`, `last_still`
        (samples in the longest run of equal values, and in those at both ends), `first_value`, `last_value`.
    """
    blocks = [
        _describe_block(ts_us, values, starts[first : last + 1])
        for first, last in pairwise(_block_edges(starts))
    ]
    return {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]}


def _block_edges(starts: Int) -> list[int]:
    """Numbers of the runs at which blocks that stay in a processor's cache begin, and the number of runs."""
    wanted = np.arange(starts[0], starts[-1], _BLOCK)
    return [*np.unique(np.searchsorted(starts, wanted)).tolist(), starts.size - 1]


def _describe_block(ts_us: Int, values: Float, starts: Int) -> Portion:
    part = slice(starts[0], starts[-1])
    begins = starts - starts[0]
    return {**describe_times(ts_us[part], begins), **describe_values(values[part], begins)}


def describe_times(ts_us: Int, starts: Int) -> Portion:
    """The columns of `describe` that follow from times."""
    begin, end = starts[:-1], starts[1:] - 1
    several = end > begin
    spacing = np.empty(ts_us.size, dtype=np.int64)
    np.subtract(ts_us[1:], ts_us[:-1], out=spacing[:-1])
    spacing[end] = _FAR
    least = np.where(several, np.minimum.reduceat(spacing, begin), 0)
    spacing[end] = -1
    most = np.where(several, np.maximum.reduceat(spacing, begin), 0)
    median = np.where(several, least.astype(np.float64), np.nan)
    for one in np.flatnonzero(most > least):
        median[one] = np.median(spacing[begin[one] : end[one]])
    gaps = np.zeros(begin.size, dtype=np.int64)
    for one in np.flatnonzero(most > _GAP * np.nan_to_num(median)):
        gaps[one] = np.count_nonzero(spacing[begin[one] : end[one]] > _GAP * median[one])
    return {
        "samples": np.diff(starts),
        "first_us": ts_us[begin],
        "last_us": ts_us[end],
        "spacing_us": median,
        "least_spacing_us": least,
        "most_spacing_us": most,
        "gaps": gaps,
    }


def describe_values(values: Float, starts: Int) -> Portion:
    """The columns of `describe` that follow from values."""
    begin, end = starts[:-1], starts[1:] - 1
    falls = np.zeros(values.size, dtype=bool)
    falls[:-1] = values[1:] < values[:-1]
    falls[end] = False
    return {
        "falls": np.add.reduceat(falls, begin, dtype=np.int64),
        "lowest": np.minimum.reduceat(values, begin),
        "highest": np.maximum.reduceat(values, begin),
        **_stills(values, begin, end),
        "first_value": values[begin],
        "last_value": values[end],
    }


def _stills(values: Float, begin: Int, end: Int) -> Portion:
    changes = np.ones(values.size, dtype=bool)
    changes[:-1] = values[1:] != values[:-1]
    changes[end] = True
    last_of_run = np.flatnonzero(changes)
    lengths = np.diff(np.concatenate(([-1], last_of_run)))
    first_run = np.searchsorted(last_of_run, begin)
    return {
        "longest_still": np.maximum.reduceat(lengths, first_run),
        "first_still": lengths[first_run],
        "last_still": lengths[np.searchsorted(last_of_run, end)],
    }


def _joined_stills(earlier: Portion, later: Portion) -> Portion:
    """Runs of equal values of two portions, one of which may go on in the other."""
    goes_on = (later["first_value"] == earlier["last_value"]) & (
        later["first_us"] > earlier["last_us"]
    )
    at_seam = np.where(goes_on, earlier["last_still"] + later["first_still"], 0)
    longest = np.maximum(earlier["longest_still"], later["longest_still"])
    is_one = [goes_on & (side["longest_still"] == side["samples"]) for side in (earlier, later)]
    return {
        "longest_still": np.maximum(longest, at_seam),
        "first_still": np.where(is_one[0], at_seam, earlier["first_still"]),
        "last_still": np.where(is_one[1], at_seam, later["last_still"]),
    }


@dataclass
class Extents:
    """Extents of series by their number: of what the running load brought, and of what the store held before.

    Attributes:
        unsure: series whose extent has to be taken from the stored samples.
    """

    unsure: set[int] = field(default_factory=set)
    _columns: Portion = field(default_factory=dict)
    _stored: Portion = field(default_factory=dict)
    _parts: Int = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    def __post_init__(self) -> None:
        self._columns = {name: np.zeros(0, dtype) for name, dtype in _COLUMNS.items()}
        self._stored = {name: np.zeros(0, _COLUMNS[name]) for name in _STORED}
        self._grow(64)

    def know(self, stored: pl.DataFrame) -> None:
        """Take over what the store says: series_id, first_at, last_at, samples, resets, resolution_s."""
        rows = stored.filter(pl.col("samples") > 0, pl.col("first_at").is_not_null())
        if rows.is_empty():
            return
        series = rows["series_id"].to_numpy().astype(np.int64)
        self._grow(int(series.max()) + 1)
        told = {
            "samples": rows["samples"],
            "first_us": rows["first_at"].dt.timestamp("us"),
            "last_us": rows["last_at"].dt.timestamp("us"),
            "falls": rows["resets"],
            "spacing_us": (rows["resolution_s"] * 1e6).fill_null(float("nan")),
        }
        for name, column in told.items():
            self._stored[name][series] = column.to_numpy()

    def meeting(self, series: Int, portion: Portion) -> NDArray[np.bool_]:
        """Which of these series, int64[k], have samples in the span of the portion already."""
        self._grow(int(series.max()) + 1)
        whole = self._whole(series)
        begins = whole["first_us"] <= portion["last_us"]
        ends = whole["last_us"] >= portion["first_us"]
        meets: NDArray[np.bool_] = (whole["samples"] > 0) & begins & ends
        return meets

    def add(self, series: Int, portion: Portion) -> None:
        """Note samples of series int64[k], each once, that were stored."""
        self._grow(int(series.max()) + 1)
        whole = self._whole(series)
        known = whole["samples"] > 0
        if known.any():
            self._doubt(series[known], _rows(whole, known), _rows(portion, known))
        fresh = self._parts[series] == 0
        for name, column in self._columns.items():
            column[series[fresh]] = portion[name][fresh]
        self._parts[series] += 1
        if not fresh.all():
            self._append(series[~fresh], _rows(portion, ~fresh))

    def _whole(self, series: Int) -> Portion:
        """What is known of series, whichever load brought it: the columns of `_STORED`."""
        old = {name: column[series] for name, column in self._stored.items()}
        new = {name: self._columns[name][series] for name in _STORED}
        was, came = old["samples"] > 0, new["samples"] > 0
        both = was & came
        first, last = (
            np.where(both, choose(old[name], new[name]), np.where(was, old[name], new[name]))
            for name, choose in (("first_us", np.minimum), ("last_us", np.maximum))
        )
        # the least of like medians, whichever run comes first
        spacing = np.where(both, np.fmin(old["spacing_us"], new["spacing_us"]), new["spacing_us"])
        return {
            "samples": old["samples"] + new["samples"],
            "first_us": first,
            "last_us": last,
            "falls": old["falls"] + new["falls"],
            "spacing_us": np.where(was & ~came, old["spacing_us"], spacing),
        }

    def _doubt(self, series: Int, old: Portion, new: Portion) -> None:
        """What a later run at the same pace does not tell comes from the samples."""
        spacing = old["spacing_us"]
        seam = new["first_us"] - old["last_us"]
        pace = np.where(np.isnan(new["spacing_us"]), seam, new["spacing_us"])
        # a run at the same pace leaves the median about where it is
        is_close = np.abs(pace - spacing) <= _SAME_SPACING * spacing
        self.unsure.update(series[(seam <= 0) | ~is_close].tolist())

    def _append(self, series: Int, new: Portion) -> None:
        """Add runs to earlier ones of this load."""
        old = {name: column[series] for name, column in self._columns.items()}
        is_later = new["first_us"] >= old["first_us"]
        earlier = {name: np.where(is_later, old[name], new[name]) for name in new}
        later = {name: np.where(is_later, new[name], old[name]) for name in new}
        seam = np.maximum(later["first_us"] - earlier["last_us"], 0)
        spacing = old["spacing_us"]
        pace = np.where(np.isnan(new["spacing_us"]), seam, new["spacing_us"])
        spacings = [
            np.where(one > 0, one, _FAR)
            for one in (old["least_spacing_us"], new["least_spacing_us"], seam)
        ]
        least = np.minimum.reduce(spacings)
        most = (old["most_spacing_us"], new["most_spacing_us"], seam)
        changed = {
            "samples": old["samples"] + new["samples"],
            "first_us": np.minimum(old["first_us"], new["first_us"]),
            "last_us": np.maximum(old["last_us"], new["last_us"]),
            "falls": old["falls"] + new["falls"] + (later["first_value"] < earlier["last_value"]),
            "spacing_us": np.fmin(np.where(np.isnan(spacing), pace, spacing), new["spacing_us"]),
            "first_value": earlier["first_value"],
            "last_value": later["last_value"],
            "gaps": old["gaps"] + new["gaps"] + (seam > _GAP * spacing),
            "lowest": np.minimum(old["lowest"], new["lowest"]),
            "highest": np.maximum(old["highest"], new["highest"]),
            **_joined_stills(earlier, later),
            "least_spacing_us": np.where(least == _FAR, 0, least),
            "most_spacing_us": np.maximum.reduce(most),
        }
        for name, column in changed.items():
            self._columns[name][series] = column

    def seams(self) -> pl.DataFrame:
        """Stored series to which later samples came, with the time of the last one before: series_id, ts.

        The step there is not counted yet.
        """
        appended = np.flatnonzero((self._parts > 0) & (self._stored["samples"] > 0))
        series = np.setdiff1d(appended, np.array(sorted(self.unsure), dtype=np.int64))
        return pl.DataFrame(
            {"series_id": series.astype(np.int32), "ts": self._stored["last_us"][series]}
        ).with_columns(pl.from_epoch("ts", time_unit="us").dt.replace_time_zone("UTC"))

    def touched(self) -> pl.DataFrame:
        """All series that this load gave samples to, and what it gave.

        Returns:
            series_id Int32; the columns of `describe`, of the samples of this load alone; known_falls: the falls
            that the store had told of before.
        """
        series = np.flatnonzero(self._parts)
        frame = pl.DataFrame({name: column[series] for name, column in self._columns.items()})
        return frame.with_columns(
            pl.Series("series_id", series.astype(np.int32)),
            pl.Series("known_falls", self._stored["falls"][series]),
            pl.col("spacing_us").fill_nan(None),
        )

    def rows(self) -> pl.DataFrame:
        """What `series` has to say of them: series_id, resolution_s, first_at, last_at, samples, resets."""
        series = np.setdiff1d(
            np.flatnonzero(self._parts), np.array(sorted(self.unsure), dtype=np.int64)
        )
        frame = pl.DataFrame({"series_id": series.astype(np.int32), **self._whole(series)})
        moments = {
            name: pl.from_epoch(f"{name}_us", time_unit="us")
            .dt.replace_time_zone("UTC")
            .cast(TIMESTAMP)
            .alias(f"{name}_at")
            for name in ("first", "last")
        }
        return frame.select(
            "series_id",
            (pl.col("spacing_us").fill_nan(None) / 1e6).alias("resolution_s"),
            *moments.values(),
            "samples",
            pl.col("falls").alias("resets"),
        )

    def _grow(self, size: int) -> None:
        have = self._parts.size
        if size <= have:
            return
        more = max(size, 2 * have) - have
        for columns in (self._columns, self._stored):
            for name, column in columns.items():
                columns[name] = np.concatenate([column, np.zeros(more, column.dtype)])
        self._parts = np.concatenate([self._parts, np.zeros(more, np.int64)])


def _rows(columns: Portion, chosen: NDArray[np.bool_]) -> Portion:
    return {name: column[chosen] for name, column in columns.items()}
