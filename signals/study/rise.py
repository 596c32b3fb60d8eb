"""How long after a sudden change of load has the signal moved?

An event study: the load's change points are the events; after each, the time until the signal has covered half
and nine tenths of the way between its level before and its level after.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from signals.schema import Estimate
from signals.series.grid import ticks_in
from signals.series.recall import remembered
from signals.study.bootstrap import percentile_interval

__all__ = ["EventResponse", "LoadChanges", "event_response", "load_changes", "rise_s"]

Array = npt.NDArray[np.float64]
Ticks = npt.NDArray[np.int64]

FEWEST_EVENTS = 5
BEFORE_S = 600.0
AFTER_S = 900.0
"""What of an event the aligned response shows, seconds before and after the change."""

_LEAST_TICKS = 8
_PENALTY = 3.0
_LEAST_CHANGE = 0.2
_HOLD_S = 600.0
_TO_SIGMA = 1.4826
_STEADY = 0.01
"""Share of the mean load below which its noise counts no less: a smooth ramp is not worth a hundred steps."""
_MOST_VALUES = 12_000
"""Values in which change points are sought: time grows as their square, so longer series are thinned first."""
_CLEAR = 2.0
"""Noises that the signal's way from level to level must be worth for it to have moved."""
_HALF, _NEARLY = 0.5, 0.9
_QUARTILES = (0.25, 0.5, 0.75)
_RESAMPLES = 200


@dataclass(frozen=True)
class LoadChanges:
    """The levels that load went through, and which steps between them are events.

    Attributes:
        edges: int64 [levels + 1], first tick of each level, then the number of ticks.
        events: int64 [events], the levels that begin with a sudden and lasting change, rising.
    """

    edges: Ticks
    events: Ticks


@remembered(4)
def load_changes(load: Array, tick_s: float) -> LoadChanges:
    """Where load changes suddenly, by at least 20 %, and stays changed for at least 10 minutes.

    Args:
        load: float64 [n], NaN where missing.
        tick_s: grid width, seconds.

    Returns:
        Levels from optimal segmentation into means (PELT): squared error plus 3 sigma^2 ln n for each level of
        at least 8 ticks, sigma from the median absolute difference of neighbours and at least 1 % of the mean
        load. A change inside a gap has no moment and is no event.

    Complexity: up to O(n^2) for a load without a change, O(n) for one with many; beyond 12,000 values on medians
    of a few ticks, the edges then moved to the best tick. The last few loads are remembered.
    Source: R. Killick, P. Fearnhead, I. Eckley 2012; the library `ruptures`.
    """
    known = np.flatnonzero(np.isfinite(load))
    if len(known) < 2 * _LEAST_TICKS:
        return LoadChanges(np.array([0, len(load)]), np.zeros(0, dtype=np.int64))
    series = load[known]
    breaks = _segment(series)
    inner = breaks[1:-1]
    edges = np.concatenate(([0], known[inner], [len(load)]))
    level = np.add.reduceat(series, breaks[:-1]) / np.diff(breaks)
    before, after = level[:-1], level[1:]
    step = np.abs(after - before)
    sudden = (step >= _LEAST_CHANGE * np.abs(before)) & (step > 0)
    lasting = np.diff(edges)[1:] * tick_s >= _HOLD_S
    seen = known[inner] - known[inner - 1] == 1
    return LoadChanges(edges, np.flatnonzero(sudden & lasting & seen) + 1)


def _segment(series: Array) -> Ticks:
    """First value of each level, then the number of values."""
    from ruptures import KernelCPD

    width = -(-len(series) // _MOST_VALUES) // 2 * 2 + 1
    count = len(series) // width
    # the median of an odd number is a value of the level that most of them have: no step is seen as two
    values = np.median(series[: count * width].reshape(count, width), axis=1)
    steps = np.diff(values)
    sigma = _TO_SIGMA * float(np.median(np.abs(steps - np.median(steps)))) / np.sqrt(2)
    sigma = max(sigma, _STEADY * float(np.abs(values).mean()))
    if not sigma > 0:
        return np.array([0, len(series)])
    least = -(-_LEAST_TICKS // width)
    # in units of sigma, so that neither huge nor tiny loads lose digits
    scaled = (values - values.mean()) / sigma
    search = KernelCPD(kernel="linear", min_size=least).fit(scaled)
    ends = np.array(search.predict(pen=_PENALTY * np.log(count)), dtype=np.int64)
    breaks = np.concatenate(([0], ends[:-1] * width, [len(series)]))
    return breaks if width == 1 else _sharpen(series, breaks, width)


def _sharpen(series: Array, breaks: Ticks, width: int) -> Ticks:
    """Move each inner edge by up to the width of a median to where it parts its two levels best."""
    sums = np.concatenate(([0.0], np.cumsum(series - series.mean())))
    sharp = breaks.copy()
    for place in range(1, len(breaks) - 1):
        first, last = sharp[place - 1], breaks[place + 1]
        at = np.arange(breaks[place] - width, breaks[place] + width + 1)
        at = at[(at > first) & (at < last)]
        gain = (sums[at] - sums[first]) ** 2 / (at - first)
        gain += (sums[last] - sums[at]) ** 2 / (last - at)
        sharp[place] = at[int(np.argmax(gain))]
    return sharp


@dataclass(frozen=True)
class _Moves:
    """The signal around the events on which it moved.

    Attributes:
        events: int64 [moves], the levels of load that begin with them.
        before: float64 [moves], the signal's level before.
        way: float64 [moves], its level after less that before.
    """

    events: Ticks
    before: Array
    way: Array


def _moves(signal: Array, changes: LoadChanges) -> _Moves:
    if not len(changes.events):
        return _Moves(changes.events, np.zeros(0), np.zeros(0))
    width = np.diff(changes.edges)
    ids = np.repeat(np.arange(len(width)), width)
    after = changes.events
    beside = np.zeros(len(width), dtype=bool)
    beside[after] = beside[after - 1] = True
    level, known = _medians(signal, ids, beside)
    noise = _TO_SIGMA * _medians(np.abs(signal - level[ids]), ids, beside)[0]
    told = known * 2 >= width
    way = level[after] - level[after - 1]
    clear = np.abs(way) > _CLEAR * np.maximum(noise[after], noise[after - 1])
    moved = told[after] & told[after - 1] & clear
    return _Moves(after[moved], level[after - 1][moved], way[moved])


def _medians(
    values: Array, ids: Ticks, chosen: npt.NDArray[np.bool_]
) -> tuple[Array, npt.NDArray[np.int64]]:
    """Median and number of the known values of the chosen levels; NaN and 0 without one, and for others."""
    kept = chosen[ids] & np.isfinite(values)
    values, ids = values[kept], ids[kept]
    order = np.argsort(values)
    # numbers of levels are small, and such are sorted in linear time
    order = order[np.argsort(ids[order].astype(np.min_scalar_type(len(chosen))), kind="stable")]
    known = np.bincount(ids, minlength=len(chosen)).astype(np.int64)
    some = np.flatnonzero(known)
    first = (np.cumsum(known) - known)[some]
    ranked, size = values[order], known[some]
    middle = np.full(len(chosen), np.nan)
    middle[some] = (ranked[first + (size - 1) // 2] + ranked[first + size // 2]) / 2
    return middle, known


def _steadied(signal: Array) -> Array:
    """Running median of three: it moves no step, and one odd value is not taken for a rise."""
    if len(signal) < 3:
        return signal
    left, mid, right = signal[:-2], signal[1:-1], signal[2:]
    median = np.maximum(np.minimum(left, mid), np.minimum(np.maximum(left, mid), right))
    steady = signal.copy()
    steady[1:-1] = np.where(np.isnan(median), mid, median)
    return steady


def rise_s(
    signal: Array, changes: LoadChanges, tick_s: float, *, rng: np.random.Generator
) -> Estimate:
    """Time until the signal has covered half of its way after a sudden change of load.

    Args:
        signal: float64 [n], NaN where missing.
        changes: of the load, or of the load per instance, on the same ticks.
        tick_s: grid width, seconds.
        rng: source of randomness of the interval.

    Returns:
        Median over the events on which the signal moved, whole ticks in seconds, with a 95 % interval that draws
        events and is wider by one tick on both sides, to which change and answer are known. `extra`: `t50_q25_s`, `t50_q75_s`, `t90_s`, `t90_q25_s`, `t90_q75_s`, `events` (on which it
        moved) and `changes` (of load). Undetermined with fewer than 5 events.
    """
    moves = _moves(signal, changes)
    half, nearly = (_time_to(share, signal, changes, moves) * tick_s for share in (_HALF, _NEARLY))
    seen = half[np.isfinite(half)]
    counts = {"events": len(seen), "changes": len(changes.events)}
    if len(seen) < FEWEST_EVENTS:
        return Estimate(
            None,
            determined=False,
            reason=f"sudden changes of load that it followed: {len(seen)}; {FEWEST_EVENTS} are needed",
            extra=counts,
        )
    drawn = seen[rng.integers(0, len(seen), size=(_RESAMPLES, len(seen)))]
    interval = percentile_interval(np.median(drawn, axis=1))
    low = None if interval is None else max(0.0, interval[0] - tick_s)
    high = None if interval is None else interval[1] + tick_s
    q25, q50, q75 = np.quantile(seen, _QUARTILES).tolist()
    extra: dict[str, float | int | None] = {"t50_q25_s": q25, "t50_q75_s": q75}
    done = nearly[np.isfinite(nearly)]
    late = np.quantile(done, _QUARTILES).tolist() if len(done) else (None, None, None)
    extra |= dict(zip(("t90_q25_s", "t90_s", "t90_q75_s"), late, strict=True))
    return Estimate(q50, low, high, extra={**extra, **counts})


def _time_to(share: float, signal: Array, changes: LoadChanges, moves: _Moves) -> Array:
    """Ticks from each move's change until the signal has covered a share of its way; NaN if it never has."""
    if not len(moves.events):
        return np.zeros(0)
    width = np.diff(changes.edges)
    goal = np.full(len(width), np.nan)
    sign = np.ones(len(width))
    goal[moves.events] = moves.before + share * moves.way
    sign[moves.events] = np.sign(moves.way)
    ids = np.repeat(np.arange(len(width)), width)
    there = (_steadied(signal) - goal[ids]) * sign[ids] >= 0
    never = len(signal)
    first = np.minimum.reduceat(np.where(there, np.arange(never), never), changes.edges[:-1])
    ticks = (first - changes.edges[:-1])[moves.events].astype(np.float64)
    return np.where(first[moves.events] < never, ticks, np.nan)


@dataclass(frozen=True)
class EventResponse:
    """Load and signal around the changes of load, each from 0 (its level before) to 1 (its level after).

    Attributes:
        offsets: int64 [m], ticks from the change, negative before it.
        load: float64 [3, m], quartiles over events; NaN where fewer than 5 have a value.
        signal: float64 [3, m], the same.
        events: changes of load on which the signal moved.
    """

    offsets: Ticks
    load: Array
    signal: Array
    events: int


def event_response(
    load: Array, signal: Array, changes: LoadChanges, tick_s: float
) -> EventResponse:
    """How load and signal run from 10 minutes before a change to 15 minutes after it.

    Args:
        load: float64 [n], NaN where missing, from which `changes` were found.
        signal: float64 [n] on the same ticks, NaN where missing.
        changes: of the load.
        tick_s: grid width, seconds.

    Returns:
        Quartiles over the events on which the signal moved, each only as far as its two levels reach.
    """
    moves = _moves(signal, changes)
    offsets = np.arange(-ticks_in(BEFORE_S, tick_s), ticks_in(AFTER_S, tick_s) + 1)
    start, change, end = (changes.edges[moves.events + shift] for shift in (-1, 0, 1))
    at = change[:, None] + offsets
    inside = (at >= start[:, None]) & (at < end[:, None])
    at = np.clip(at, 0, max(0, len(load) - 1))
    of_load = _moves(load, LoadChanges(changes.edges, moves.events))
    steps = np.full(len(moves.events), np.nan), np.full(len(moves.events), np.nan)
    kept = np.searchsorted(moves.events, of_load.events)
    steps[0][kept], steps[1][kept] = of_load.before, of_load.way
    parts = []
    for values, before, way in ((load, *steps), (signal, moves.before, moves.way)):
        rows = (values[at] - before[:, None]) / way[:, None]
        parts.append(_quartiles(np.where(inside, rows, np.nan)))
    return EventResponse(offsets, parts[0], parts[1], len(moves.events))


def _quartiles(rows: Array) -> Array:
    """Quartiles of each column over the rows that have a value; NaN with fewer than 5."""
    result = np.full((3, rows.shape[1]), np.nan)
    enough = np.isfinite(rows).sum(axis=0) >= FEWEST_EVENTS
    if enough.any():
        result[:, enough] = np.nanquantile(rows[:, enough], _QUARTILES, axis=0)
    return result
