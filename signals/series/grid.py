"""Spans of a tick grid: how many ticks a time is, whole days, blocks and folds.

Times are seconds, positions are tick indices from 0. May import numpy only.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["BLOCK_FOLDS", "DAY_S", "Fold", "block_ids", "folds", "ticks_in", "whole_days"]

DAY_S = 86_400.0
"""Seconds of a day."""

_DAYS_FOR_DAILY_FOLDS = 3
BLOCK_FOLDS = 6
"""Blocks that a span of fewer than three whole days is held out by."""


@dataclass(frozen=True, slots=True)
class Fold:
    """One split into held-out and training ticks.

    Attributes:
        first: first held-out tick.
        last: one past the last held-out tick.
        train: bool [n ticks], True where a tick may be trained on.
    """

    first: int
    last: int
    train: npt.NDArray[np.bool_]


def ticks_in(seconds: float, tick_s: float) -> int:
    """How many ticks a stretch of time is, at least one.

    Args:
        seconds: the stretch, >= 0.
        tick_s: grid width, seconds, > 0.

    Returns:
        The nearest whole number of ticks, 1 or more.
    """
    return max(1, round(seconds / tick_s))


def whole_days(count: int, tick_s: float) -> int:
    """How many whole days `count` ticks hold.

    Args:
        count: number of ticks.
        tick_s: grid width, seconds, > 0.

    Returns:
        Days, rounded down.
    """
    return int(count * tick_s / DAY_S + 1e-9)


def block_ids(count: int, width: int) -> npt.NDArray[np.int64]:
    """Number each tick with its block of consecutive ticks.

    A last block shorter than half the width joins the one before it, so that no block is a splinter.

    Args:
        count: number of ticks.
        width: ticks of a block, >= 1.

    Returns:
        int64 [count], 0, 0, ..., 1, 1, ...
    """
    blocks = max(1, (count + width // 2) // width)
    return np.minimum(np.arange(count) // width, blocks - 1)


def folds(count: int, tick_s: float, gap: int) -> Iterator[Fold]:
    """Split a span for held-out measures: by day where there are three, else into six blocks.

    Args:
        count: number of ticks.
        tick_s: grid width, seconds, > 0.
        gap: ticks left out of the training on both sides of the held-out block.

    Yields:
        Folds in time order; together the held-out blocks cover every tick once.
    """
    days = whole_days(count, tick_s)
    if days >= _DAYS_FOR_DAILY_FOLDS:
        edges = np.round(np.arange(days + 1) * DAY_S / tick_s).astype(int)
        edges[-1] = count
    else:
        edges = np.linspace(0, count, BLOCK_FOLDS + 1).astype(int)
    for first, last in itertools.pairwise(edges.tolist()):
        train = np.ones(count, dtype=bool)
        train[max(0, first - gap) : last + gap] = False
        yield Fold(first, last, train)
