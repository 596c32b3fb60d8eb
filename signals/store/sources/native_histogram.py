"""Prometheus' native histograms as classic ones: cumulative buckets with one set of bounds per series."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from signals.errors import InputError
from signals.store.parsed import Series

__all__ = ["ClassicSeries", "NativeHistograms"]

_MAX_BUCKETS = 8_000_000
_BLOCK_CELLS = 1_000_000
_BOUNDARY_RULES = (0, 1, 2, 3)

_Times = npt.NDArray[np.int64]
_Values = npt.NDArray[np.float64]
ClassicSeries = tuple[Series, _Times, _Values]
"""A series, its times in microseconds and its values."""

_Bucket = tuple[float, float, float]


class NativeHistograms:
    """The histograms of one series, held until all its bounds are known.

    Attributes:
        dropped_bounds: bounds left out because some bucket spans them; known once `classic` was read.
    """

    def __init__(self, where: str) -> None:
        """Begin a series; `where` names the file and it in errors."""
        self._where = where
        self._times: list[float] = []
        self._totals = array("d")
        self._sums = array("d")
        self._owner = array("q")
        self._left = array("d")
        self._right = array("d")
        self._counts = array("d")
        self.dropped_bounds = 0

    def __len__(self) -> int:
        """Histograms held."""
        return len(self._times)

    def add(self, element: object) -> bool:
        """Take `[time, {"count", "sum", "buckets": [[rule, left, right, count], ...]}]`.

        Returns:
            False, nothing taken, if it is anything else.

        Raises:
            InputError: the series has more buckets than fit the memory.
        """
        found = _parse(element)
        if found is None:
            return False
        time, total, amount, buckets = found
        self._owner.extend([len(self._times)] * len(buckets))
        self._times.append(time)
        self._totals.append(total)
        self._sums.append(amount)
        for left, right, count in buckets:
            self._left.append(left)
            self._right.append(right)
            self._counts.append(count)
        if len(self._left) > _MAX_BUCKETS:
            raise InputError(
                f"the series has more than {_MAX_BUCKETS} filled buckets",
                where=self._where,
                expected="a series whose histograms fit the memory",
                hint="export a shorter stretch of time, or classic buckets",
            )
        return True

    def seconds(self, last: int) -> _Values:
        """Times of at most so many of the histograms taken last, seconds."""
        return np.array(self._times[-last:], dtype=np.float64)

    def classic(self, one: Series) -> Iterator[ClassicSeries]:
        """The series of the classic histogram: a bucket per bound, the last one +Inf, then sum and count.

        A bound that lies inside of a bucket of any histogram is left out, as its count is not known there; what
        remains is exact. Observations that equal a bound count below it.

        Args:
            one: the series as exported.
        """
        times = np.rint(np.array(self._times) * 1e6).astype(np.int64)
        totals = np.frombuffer(self._totals)
        bounds = self._bounds()
        kinds = replace(one, kind="histogram")
        # the project's own names are given by the user, and mean the histogram itself
        name = one.metric if one.unit else f"{one.metric}_bucket"
        for bound, values in self._cumulative(bounds):
            labels = {**one.labels, "le": repr(bound)}
            yield replace(kinds, metric=name, labels=labels), times, values
        last = replace(kinds, metric=name, labels={**one.labels, "le": "+Inf"})
        yield last, times, totals
        yield replace(kinds, metric=f"{one.metric}_sum"), times, np.frombuffer(self._sums)
        yield replace(kinds, metric=f"{one.metric}_count", unit=""), times, totals

    def _bounds(self) -> _Values:
        """Finite edges of buckets that no bucket spans; negative ones only if something was observed there."""
        if not self._left:
            return np.empty(0)
        left, right = np.frombuffer(self._left), np.frombuffer(self._right)
        edges = np.unique(np.concatenate((left, right)) + 0.0)
        edges = edges[np.isfinite(edges)]
        if not np.any((right <= 0) & (left < 0)):
            edges = edges[edges >= 0]
        steps = np.zeros(len(edges) + 1, dtype=np.int64)
        first, behind = np.searchsorted(edges, left, "right"), np.searchsorted(edges, right, "left")
        inside = first < behind
        np.add.at(steps, first[inside], 1)
        np.add.at(steps, behind[inside], -1)
        spanned = np.cumsum(steps)[:-1] > 0
        self.dropped_bounds = int(spanned.sum())
        return edges[~spanned]

    def _cumulative(self, bounds: _Values) -> Iterator[tuple[float, _Values]]:
        """Per bound the counts of all histograms up to it; a block of bounds in memory at a time."""
        place = np.searchsorted(bounds, np.frombuffer(self._right), "left")
        order = np.argsort(place, kind="stable")
        place = place[order]
        owner = np.frombuffer(self._owner, dtype=np.int64)[order]
        counts = np.frombuffer(self._counts)[order]
        below = np.zeros(len(self))
        width = max(_BLOCK_CELLS // max(len(self), 1), 1)
        for start in range(0, len(bounds), width):
            stop = min(start + width, len(bounds))
            low, high = np.searchsorted(place, (start, stop))
            block = np.zeros((stop - start, len(self)))
            np.add.at(block, (place[low:high] - start, owner[low:high]), counts[low:high])
            block[0] += below
            np.cumsum(block, axis=0, out=block)
            below = block[-1].copy()
            yield from zip(bounds[start:stop].tolist(), block, strict=True)


def _parse(element: object) -> tuple[float, float, float, list[_Bucket]] | None:
    """Time, count, sum and filled buckets; None if it is no histogram."""
    if not isinstance(element, list) or len(element) != 2 or not isinstance(element[1], Mapping):
        return None
    time, body = element
    numbers = _numbers((time, body.get("count"), body.get("sum")))
    buckets = body.get("buckets", [])
    if numbers is None or not 0 <= numbers[0] < math.inf or not isinstance(buckets, list):
        return None
    filled: list[_Bucket] = []
    for bucket in buckets:
        one = _bucket(bucket)
        if one is None:
            return None
        filled.append(one)
    return *numbers, filled


def _bucket(bucket: object) -> _Bucket | None:
    if not isinstance(bucket, list) or len(bucket) != 4 or isinstance(bucket[0], bool):
        return None
    numbers = _numbers(bucket[1:])
    if numbers is None or bucket[0] not in _BOUNDARY_RULES or not numbers[0] <= numbers[1]:
        return None
    return numbers


def _numbers(texts: Sequence[object]) -> tuple[float, float, float] | None:
    if any(isinstance(text, bool) for text in texts):
        return None
    try:
        first, second, third = (float(text) for text in texts)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None
    return first, second, third
