"""What exporters write where they have no value, and values and times that cannot be."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signals.schema import Finding
from signals.store.registry import Resolved
from signals.store.tally import SourceTally

__all__ = ["TIMES_US", "Runs", "clean", "is_plain"]

Int = NDArray[np.int64]
Float = NDArray[np.float64]
Mask = NDArray[np.bool_]
# blanks of GPU drivers: 16 codes below 2^31, 2^32-1, the double blank 2^47 and above, the int64 blanks near 2^63
_BLANK = 140_737_488_355_328.0
_BLANK_64 = 2.0**62
_BLANK_32 = 4_294_967_295.0
_BLANKS_31 = (2_147_483_632.0, 2_147_483_647.0)
# no quantity of a fleet is as large, and sums of smaller ones are exact in whole numbers
_BOUND = 1e15
# utilisation beyond this many times its range is a corrupt reading; percent given as ratio would be 100
_ABSURD = 1000.0
_DROPPED = "dropped, left missing"
_KEPT = "kept; name the unit with --as or --map if it is another one"
TIMES_US = (-2_208_988_800_000_000, 16_725_225_600_000_000)
"""1900 and 2500, microseconds since the epoch: calendars end at the years 1 and 9999."""


@dataclass(frozen=True)
class Runs:
    """Samples as runs of one series each.

    Attributes:
        series: int64[runs], index of each run's series.
        lengths: int64[runs], samples of each run, none empty.
        ts_us: int64[n], microseconds since the epoch.
        values: float64[n].
    """

    series: Int
    lengths: Int
    ts_us: Int
    values: Float

    def without(self, lost: Mask) -> Runs:
        """Leave out some samples, bool[n]; runs without any go too."""
        if not lost.any():
            return self
        kept = ~lost
        lengths = np.add.reduceat(kept, _begins(self.lengths), dtype=np.int64)
        some = lengths > 0
        return Runs(self.series[some], lengths[some], self.ts_us[kept], self.values[kept])


def clean(tally: SourceTally, runs: Runs, series: Sequence[Resolved]) -> Runs:
    """Drop what stands for no value and times out of any calendar, convert units, and tell what is odd.

    Values out of their range are kept, as their unit may be another one; a counter below 0 is none.

    Args:
        tally: gets the findings.
        runs: samples as exported.
        series: what each series is.

    Returns:
        The samples left, in stored units.
    """
    runs = _without_far_times(tally, runs)
    if not runs.series.size:
        return runs
    runs = _without_blanks(tally, runs, series)
    if not runs.series.size:
        return runs
    factor = np.array([one.factor for one in series])
    if (factor != 1.0).any():
        scaled = runs.values * np.repeat(factor[runs.series], runs.lengths)
        runs = Runs(runs.series, runs.lengths, runs.ts_us, scaled)
    return _within_range(tally, runs, series)


def is_plain(series: Resolved, lowest: float, highest: float) -> bool:
    """Whether stored values between these need neither cleaning nor a remark; NaN does."""
    limit = _BLANKS_31[0] * abs(series.factor)
    return (
        math.isfinite(lowest)
        and math.isfinite(highest)
        and max(-lowest, highest) < _BOUND
        and series.low <= lowest
        and highest <= series.high
        and not (series.hardware and max(-lowest, highest) >= limit)
    )


def _begins(lengths: Int) -> Int:
    return np.concatenate(([0], np.cumsum(lengths)[:-1]))


def _without_far_times(tally: SourceTally, runs: Runs) -> Runs:
    first, last = TIMES_US
    if runs.ts_us.min() >= first and runs.ts_us.max() <= last:
        return runs
    far = (runs.ts_us < first) | (runs.ts_us > last)
    tally.remark(
        Finding(
            "far_time",
            "warning",
            "times lie before 1900 or after 2500",
            int(np.count_nonzero(far)),
            action="dropped; check the unit of the times",
        )
    )
    return runs.without(far)


def _without_blanks(tally: SourceTally, runs: Runs, series: Sequence[Resolved]) -> Runs:
    """Drop staleness markers, infinities and the blanks of GPU drivers."""
    begins = _begins(runs.lengths)
    lowest = np.minimum.reduceat(runs.values, begins)
    highest = np.maximum.reduceat(runs.values, begins)
    hardware = np.array([one.hardware for one in series])[runs.series]
    absurd = np.array([_ABSURD * one.high / abs(one.factor) for one in series])[runs.series]
    bound = np.array([_BOUND / abs(one.factor) if one.is_known else np.inf for one in series])
    limit = np.where(hardware, np.minimum(_BLANKS_31[0], absurd), bound[runs.series])
    # NaN and infinity pass through minimum and maximum, and are below no limit
    if ((-lowest < limit) & (highest < limit)).all():
        return runs
    values, length = runs.values, runs.lengths
    stale = np.isnan(values)
    size = np.abs(values)
    # a metric that is not known may count bytes: of it the few numbers above the blank are blanks, and no others
    known = np.array([one.is_known for one in series])[runs.series]
    top = np.repeat(np.where(known, np.inf, _BLANK + 16), length)
    blanks = ((size >= _BLANK) & (size < top)) | (size >= _BLANK_64) | (values == _BLANK_32)
    blanks |= (values >= _BLANKS_31[0]) & (values <= _BLANKS_31[1])
    driver = (blanks | (size > np.repeat(absurd, length))) & np.repeat(hardware, length)
    beyond = size >= np.repeat(bound[runs.series], length)
    blank = (np.isinf(values) | driver | beyond) & ~stale
    _tell_dropped(tally, runs, series, stale, ("not_a_number", "staleness markers or NaN"))
    for run, count in _counted(runs, stale):
        tally.blanks[series[runs.series[run]].series_id] += count
    _tell_dropped(tally, runs, series, blank, ("sentinel", "values that stand for 'no value'"))
    return runs.without(stale | blank)


def _tell_dropped(
    tally: SourceTally,
    runs: Runs,
    series: Sequence[Resolved],
    lost: Mask,
    what: tuple[str, str],
) -> None:
    for run, count in _counted(runs, lost):
        metric = series[runs.series[run]].metric
        text = f"{what[1]} in {metric}"
        tally.remark(Finding(what[0], "info", text, count, metric, _DROPPED))


def _counted(runs: Runs, lost: Mask) -> Iterator[tuple[int, int]]:
    """Numbers of runs that lose samples, and how many."""
    counts = np.add.reduceat(lost, _begins(runs.lengths), dtype=np.int64)
    for run in np.flatnonzero(counts):
        yield int(run), int(counts[run])


def _within_range(tally: SourceTally, runs: Runs, series: Sequence[Resolved]) -> Runs:
    """Tell of values out of their range; drop those of counters, which would read as restarts."""
    low = np.array([one.low for one in series])[runs.series]
    high = np.array([one.high for one in series])[runs.series]
    begins = _begins(runs.lengths)
    lowest = np.minimum.reduceat(runs.values, begins)
    highest = np.maximum.reduceat(runs.values, begins)
    outside: dict[str, list[int]] = {}
    lost = np.zeros(runs.values.size, dtype=bool)
    for run in np.flatnonzero((lowest < low) | (highest > high)):
        one = series[runs.series[run]]
        outside.setdefault(one.metric, []).append(int(run))
        if one.counts:
            part = slice(begins[run], begins[run] + runs.lengths[run])
            lost[part] = runs.values[part] < one.low
    for metric in sorted(outside):
        found = outside[metric]
        pieces = [runs.values[begins[run] : begins[run] + runs.lengths[run]] for run in found]
        values = np.concatenate(pieces)
        first = found[0]
        odd = values[(values < low[first]) | (values > high[first])]
        action = _DROPPED if series[runs.series[first]].counts else _KEPT
        text = _out_of_range(metric, odd, float(low[first]), float(high[first]))
        tally.remark(Finding("out_of_range", "warning", text, odd.size, metric, action))
    return runs.without(lost)


def _out_of_range(metric: str, odd: Float, low: float, high: float) -> str:
    span = f"{low:g} to {high:g}" if math.isfinite(high) else f"{low:g} and above"
    return f"values of {metric} from {odd.min():g} to {odd.max():g} lie outside of {span}"
