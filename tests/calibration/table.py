"""What a calibration is made of: families of settings, what is drawn in each, and what is asked of the outcome.

A series is drawn from a seed of its own, made from the names of family and setting and from its number. So a row
is the same in whatever order and in however many processes rows are computed, and the first sixty series of a
thousand are the sixty of the short form.
"""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = [
    "Check",
    "Column",
    "Family",
    "Reason",
    "Row",
    "Setting",
    "coverage",
    "outcomes_of",
    "row_from",
    "row_of",
    "share",
]

Array = npt.NDArray[np.float64]
Outcomes = Mapping[str, Array]
Figures = dict[str, float]
Rng = np.random.Generator


@dataclass(frozen=True)
class Setting:
    """One row of a table before it is computed.

    Attributes:
        name: says what is varied; unique in its family.
        made: what the family's functions need to know of it.
    """

    name: str
    made: Any


@dataclass(frozen=True)
class Column:
    """One column of figures.

    Attributes:
        key: name of the figure.
        head: what stands above it.
        form: `share` (written in per cent), `coverage` (a share written as such), or digits behind the point.
    """

    key: str
    head: str
    form: str = "2"


@dataclass(frozen=True)
class Check:
    """What is asked of one figure.

    Attributes:
        figure: its name.
        low: least value.
        high: greatest value.
        counted: whether it is a share of the series, which so many series tell only so well.
    """

    figure: str
    low: float = -math.inf
    high: float = math.inf
    counted: bool = True

    def met(self, value: float, series: int, *, errors: float = 0.0) -> bool:
        """Whether a value lies in the band.

        Args:
            value: of the figure.
            series: how many it was counted over.
            errors: binomial standard errors by which each side of the band of a share is moved out.

        Returns:
            False also for a value that is not a number.
        """
        low, high = (edge + side * errors * self._error(edge, series) for side, edge in self._edges)
        return low <= value <= high

    @property
    def _edges(self) -> tuple[tuple[int, float], tuple[int, float]]:
        return (-1, self.low), (1, self.high)

    def _error(self, edge: float, series: int) -> float:
        if not self.counted or not 0 < edge < 1:
            return 0.0
        return math.sqrt(edge * (1 - edge) / series)


@dataclass(frozen=True)
class Reason:
    """Why some settings miss their band.

    Attributes:
        pattern: regular expression that is found in the names of those settings.
        text: one or two sentences.
    """

    pattern: str
    text: str

    def of(self, name: str) -> bool:
        """Whether it is said of a setting."""
        return re.search(self.pattern, name) is not None


@dataclass(frozen=True)
class Family:
    """Settings that share one table.

    Attributes:
        name: one word, for `--only`.
        title: heading of the table.
        text: what is drawn, what is asked, how a column is to be read.
        columns: the figures in order.
        settings: the rows.
        draw: one series of a setting: numbers by name, NaN where there is none.
        summarise: figures of the outcomes of all series.
        asked: what is asked of the figures of a setting.
        short: names of the settings of the short form.
        reasons: why a band is missed.
    """

    name: str
    title: str
    text: str
    columns: tuple[Column, ...]
    settings: tuple[Setting, ...]
    draw: Callable[[Any, Rng], Mapping[str, float]]
    summarise: Callable[[Any, Outcomes], Figures]
    asked: Callable[[Any, Figures], Sequence[Check]]
    short: tuple[str, ...] = ()
    reasons: tuple[Reason, ...] = ()

    def setting(self, name: str) -> Setting:
        """The setting of a name."""
        return next(setting for setting in self.settings if setting.name == name)


@dataclass(frozen=True)
class Row:
    """A setting and what came out.

    Attributes:
        family: name of the family.
        setting: name of the setting.
        series: how many were drawn.
        figures: by name.
        checks: what is asked.
    """

    family: str
    setting: str
    series: int
    figures: Figures
    checks: tuple[Check, ...]

    def missed(self, *, errors: float = 0.0) -> list[Check]:
        """The checks that are not met.

        Args:
            errors: as in `Check.met`.

        Returns:
            Empty if all is well.
        """
        return [
            check
            for check in self.checks
            if not check.met(self.figures[check.figure], self.series, errors=errors)
        ]


def outcomes_of(family: Family, setting: Setting, numbers: range) -> dict[str, Array]:
    """Draw some of the series of a setting.

    Args:
        family: the family.
        setting: one of its settings.
        numbers: of the series.

    Returns:
        float64 [series] by name; the same for the same arguments.
    """
    seed = zlib.crc32(f"{family.name}/{setting.name}".encode())
    drawn = [family.draw(setting.made, np.random.default_rng((seed, number))) for number in numbers]
    return {
        key: np.array([outcome[key] for outcome in drawn], dtype=np.float64) for key in drawn[0]
    }


def row_from(family: Family, setting: Setting, parts: Sequence[Outcomes]) -> Row:
    """Sum up what was drawn of a setting.

    Args:
        family: the family.
        setting: one of its settings.
        parts: outcomes of some series each, at least one.

    Returns:
        Its row.
    """
    whole = {key: np.concatenate([part[key] for part in parts]) for key in parts[0]}
    figures = family.summarise(setting.made, whole)
    checks = tuple(family.asked(setting.made, figures))
    return Row(family.name, setting.name, len(next(iter(whole.values()))), figures, checks)


def row_of(family: Family, setting: Setting, series: int) -> Row:
    """Draw the first series of a setting and sum them up.

    Args:
        family: the family.
        setting: one of its settings.
        series: how many.

    Returns:
        Its row.
    """
    return row_from(family, setting, [outcomes_of(family, setting, range(series))])


def coverage(low: Array, high: Array, truth: float | Array) -> float:
    """Share of the intervals that hold the truth, NaN where there is no interval at all."""
    known = np.isfinite(low) & np.isfinite(high)
    held = (low <= truth) & (truth <= high)
    return float(held[known].mean()) if known.any() else math.nan


def share(flags: Array) -> float:
    """Share of ones among what is not NaN."""
    known = flags[np.isfinite(flags)]
    return float(known.mean()) if len(known) else math.nan
