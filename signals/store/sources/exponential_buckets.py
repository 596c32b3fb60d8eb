"""Exponential histograms of OTLP as classic buckets with bounds that stay."""

from __future__ import annotations

from collections.abc import Mapping

from signals.store.sources.otlp_values import MalformedError, count_of, counts_of, whole_of

__all__ = ["ExponentialBuckets"]

# four buckets for each doubling: finer ones are merged, which is exact
_FINEST = 2
_MAX_BUCKETS = 4000
_MAX_EXPONENT = 1000
_SCALES = range(-11, 21)


class ExponentialBuckets:
    """The buckets of one stream of histograms.

    Bucket i of scale s holds values above base^i up to base^(i + 1), base = 2^(2^-s). Scale and offset of a stream
    change with what it has seen. Here the scale only falls, and once a bound was handed out it comes in every later
    histogram, so that all are comparable.
    """

    def __init__(self) -> None:
        self._scale = _FINEST
        self._counts: dict[int, int] = {}
        self._below = 0
        self._low = 0
        self._high = 0

    def cumulative(self, point: Mapping[str, object]) -> list[tuple[str, float]]:
        """Take a histogram that counts from the start.

        Args:
            point: the data point.

        Returns:
            Bounds, rising, as text, with the number of observations up to them; without the last one, +Inf.

        Raises:
            MalformedError: it is no exponential histogram.
        """
        counts, below = self._take(point)
        self._counts, self._below = counts, below
        return self._bounds()

    def delta(self, point: Mapping[str, object]) -> list[tuple[str, float]]:
        """Take a histogram that counts since the one before; arguments and result as in `cumulative`."""
        counts, below = self._take(point)
        for index, count in counts.items():
            self._counts[index] = self._counts.get(index, 0) + count
        self._below += below
        return self._bounds()

    def _take(self, point: Mapping[str, object]) -> tuple[dict[int, int], int]:
        """Counts by index at the scale of this stream, and the count of what is not above 0."""
        scale = whole_of(point.get("scale"))
        if scale not in _SCALES:
            raise MalformedError("bad_scale")
        offset, found = _side(point, "positive")
        _, negative = _side(point, "negative")
        filled = [(offset + place, count) for place, count in enumerate(found) if count]
        grid = min(scale, self._scale)
        counts: dict[int, int] = {}
        for index, count in filled:
            merged = index >> (scale - grid)
            counts[merged] = counts.get(merged, 0) + count
        self._widen(grid, counts)
        return counts, count_of(point.get("zeroCount")) + sum(negative)

    def _widen(self, grid: int, counts: Mapping[int, int]) -> None:
        """Let the range cover new counts, in whole doublings, at a scale that is not finer than before."""
        shift = self._scale - grid
        low, high = self._low >> shift, -(-self._high >> shift)
        whole = 2 ** max(grid, 0)
        if counts:
            least = min(counts) // whole * whole
            most = -(-(max(counts) + 1) // whole) * whole
            low, high = (least, most) if low == high else (min(low, least), max(high, most))
        exponents = (low * 2.0**-grid, high * 2.0**-grid)
        if high - low > _MAX_BUCKETS or max(map(abs, exponents)) > _MAX_EXPONENT:
            raise MalformedError("too_many_buckets")
        held: dict[int, int] = {}
        for index, count in self._counts.items():
            held[index >> shift] = held.get(index >> shift, 0) + count
        self._scale, self._low, self._high, self._counts = grid, low, high, held

    def _bounds(self) -> list[tuple[str, float]]:
        if self._low == self._high:
            return []
        step = 2.0**-self._scale
        total = self._below
        bounds = [(repr(2.0 ** (self._low * step)), float(total))]
        for index in range(self._low, self._high):
            total += self._counts.get(index, 0)
            bounds.append((repr(2.0 ** ((index + 1) * step)), float(total)))
        return bounds


def _side(point: Mapping[str, object], name: str) -> tuple[int, list[int]]:
    side = point.get(name)
    if side is None:
        return 0, []
    if not isinstance(side, dict):
        raise MalformedError("bad_point")
    return whole_of(side.get("offset")), counts_of(side.get("bucketCounts"))
