"""What a picture of the guide to the measures is, and how its numbers are written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from signals.schema import Estimate

__all__ = ["Drawn", "Illustration", "Numbers", "extras_of", "numbers_of", "said"]

Numbers = Mapping[str, float | None]
"""Figures behind a picture by name: `measure` or `measure@case`, ends of intervals with `_low` and `_high`."""


@dataclass(frozen=True)
class Drawn:
    """A picture as it was made.

    Attributes:
        figure: in the light theme, with a height.
        numbers: what it shows, and what its caption tells.
    """

    figure: go.Figure
    numbers: Numbers


@dataclass(frozen=True)
class Illustration:
    """A picture that generated series make.

    Attributes:
        name: stem of its file.
        measures: the measures it belongs to, as the study names them; it is shown with the first.
        title: what it shows, for those who cannot see it.
        make: makes it, the same at each call.
        caption: Markdown about it, from its numbers.
    """

    name: str
    measures: tuple[str, ...]
    title: str
    make: Callable[[], Drawn]
    caption: Callable[[Numbers], str]


def numbers_of(estimates: Mapping[str, Estimate]) -> dict[str, float | None]:
    """Values and the ends of their intervals.

    Args:
        estimates: by the name they are to have.

    Returns:
        `name`, and where there is an interval `name_low` and `name_high`.
    """
    out: dict[str, float | None] = {}
    for name, estimate in estimates.items():
        out[name] = estimate.value
        if estimate.low is not None and estimate.high is not None:
            out |= {f"{name}_low": estimate.low, f"{name}_high": estimate.high}
    return out


def extras_of(estimate: Estimate, names: Sequence[str]) -> dict[str, float | None]:
    """Further figures of a measure.

    Args:
        estimate: whose `extra` holds them.
        names: those wanted.

    Returns:
        By name; None where there is no number.
    """
    found = {name: estimate.extra.get(name) for name in names}
    return {
        name: float(value) if isinstance(value, (int, float)) else None
        for name, value in found.items()
    }


def said(numbers: Numbers, name: str, form: str, unit: str = "") -> str:
    """A number with its interval, as captions write it.

    Args:
        numbers: of the picture.
        name: of the number.
        form: format of the figures.
        unit: what follows each figure.

    Returns:
        `37.6 s (36.9 s to 38.4 s)`; without an interval the value alone; `none` without a value.
    """
    value, low, high = (numbers.get(name + end) for end in ("", "_low", "_high"))
    if value is None:
        return "none"
    if low is None or high is None:
        return f"{value:z{form}}{unit}"
    return f"{value:z{form}}{unit} ({low:z{form}}{unit} to {high:z{form}}{unit})"
