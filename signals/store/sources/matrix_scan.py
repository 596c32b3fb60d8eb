"""Samples of a Prometheus matrix from bytes: what servers write, fast.

It takes only what servers write and stops in front of anything else, which the JSON parser then reads: what
comes out never depends on which of the two read it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from signals.store.sources.matrix_kernel import (
    CAPACITY,
    EXACT_POWER,
    LEAST_POWER,
    MAX_MICROS,
    MAX_SHIFT,
    MOST_POWER,
    scan_pairs,
)

__all__ = ["PairScanner", "ScannedPairs"]


@dataclass(frozen=True, slots=True)
class ScannedPairs:
    """Samples in the order of the file.

    Attributes:
        times: Int64[n] microseconds since 1970, from 0 to the year 2038.
        values: Float64[n].
    """

    times: npt.NDArray[np.int64]
    values: npt.NDArray[np.float64]


def _powers_of_ten() -> npt.NDArray[np.uint64]:
    """UInt64[n, 2]: high and low half of the first 128 bits of each power of ten, the first bit set."""
    rows = []
    for power in range(LEAST_POWER, MOST_POWER + 1):
        above, below = 10 ** max(power, 0), 10 ** max(-power, 0)
        bits = (above << 128 + below.bit_length()) // below
        bits >>= bits.bit_length() - 128
        rows.append((bits >> 64, bits & (1 << 64) - 1))
    return np.array(rows, dtype=np.uint64)


_POWERS = _powers_of_ten()
_FLOAT_POWERS = np.array([10.0**power for power in range(EXACT_POWER + 1)])
_MICRO_POWERS = np.array(
    [(10**shift, MAX_MICROS // 10**shift) for shift in range(MAX_SHIFT + 1)], dtype=np.int64
)


class PairScanner:
    """Reads runs of samples; keeps its arrays from one run to the next."""

    def __init__(self) -> None:
        """Make room for the samples of one run."""
        self._times = np.empty(CAPACITY, dtype=np.int64)
        self._values = np.empty(CAPACITY, dtype=np.float64)
        self._undecided = np.empty((CAPACITY, 3), dtype=np.int64)
        arrays = (_POWERS, _FLOAT_POWERS, _MICRO_POWERS, self._times, self._values, self._undecided)
        self._addresses = tuple(array.ctypes.data for array in arrays)

    def __call__(self, data: bytes, at: int) -> tuple[int, ScannedPairs | None]:
        """Read samples up to the first that is not whole or not as servers write them.

        Args:
            data: JSON, one byte per character.
            at: where a sample may begin.

        Returns:
            The position behind the last sample read, and the samples; `at` and None if there is none.
        """
        start = int(np.frombuffer(data, dtype=np.uint8).ctypes.data) if data else 0
        if not 0 <= at < len(data):
            return at, None
        count, end, undecided = scan_pairs(start + at, *self._addresses)
        if count == 0:
            return at, None
        for index, first, behind in self._undecided[:undecided].tolist():
            self._values[index] = float(data[first - start : behind - start])
        pairs = ScannedPairs(self._times[:count].copy(), self._values[:count].copy())
        return end - start, pairs
