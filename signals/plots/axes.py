"""How units look on axes and in tooltips, and how times reach plotly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

__all__ = ["TIME_AXIS_TITLE", "UnitAxis", "axis_title", "escape", "times", "unit_axis"]

TIME_AXIS_TITLE = "time (UTC)"


@dataclass(frozen=True, slots=True)
class UnitAxis:
    """How plotly writes values of one base unit.

    Attributes:
        shown: the unit in axis titles; empty for a plain number.
        tickformat: d3 format of the ticks.
        ticksuffix: what follows each tick.
        hover: d3 format in tooltips.
        hover_suffix: what follows the value in tooltips.
    """

    shown: str
    tickformat: str
    ticksuffix: str
    hover: str
    hover_suffix: str

    def ticks(self) -> dict[str, Any]:
        """Axis settings for `update_yaxes` or `update_xaxes`."""
        return {
            "tickformat": self.tickformat,
            "ticksuffix": self.ticksuffix,
            "hoverformat": self.hover,
        }

    def hover_value(self, letter: str) -> str:
        """The hover template of the coordinate `x` or `y`."""
        return f"%{{{letter}:{self.hover}}}{self.hover_suffix}"


# Plain numbers read better without prefixes: 0.5 is not "500m".
_PLAIN = UnitAxis("", ",~r", "", ",.4~r", "")
_BY_UNIT = {
    "": _PLAIN,
    "count": _PLAIN,
    "ratio": UnitAxis("%", "~%", "", ".3~%", ""),
    "rel": UnitAxis("rel", "~r", "", ".3~r", ""),
    "s": UnitAxis("s", "~s", "s", ".3~s", "s"),
    "tokens": UnitAxis("tokens", "~s", "", ".3~s", " tokens"),
    "tokens/s": UnitAxis("tokens/s", "~s", "", ".3~s", " tokens/s"),
    "B": UnitAxis("B", "~s", "B", ".3~s", "B"),
    "B/s": UnitAxis("B/s", "~s", "B/s", ".3~s", "B/s"),
    "W": UnitAxis("W", "~s", "W", ".3~s", "W"),
    "J": UnitAxis("J", "~s", "J", ".3~s", "J"),
    "MHz": UnitAxis("MHz", ",~r", "", ",.4~r", " MHz"),
}


def unit_axis(unit: str) -> UnitAxis:
    """How values of a base unit are written; unknown units are written as plain numbers with their name."""
    known = _BY_UNIT.get(unit)
    return known or UnitAxis(unit, _PLAIN.tickformat, "", _PLAIN.hover, f" {unit}")


def axis_title(title: str, unit: str) -> str:
    """`title (unit)`; the unit is left out where the title already ends with it."""
    shown = unit_axis(unit).shown
    if not shown or title.endswith(shown):
        return escape(title)
    return f"{escape(title)} ({shown})"


def escape(text: str) -> str:
    """Text that plotly.js shows as written: its labels know a few HTML tags."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def times(column: pl.Series) -> np.ndarray:
    """UTC times as plotly takes them, shape (n,): whole seconds where possible, which halves the figure's size."""
    naive = column.dt.replace_time_zone(None).to_numpy()
    whole = naive.astype("datetime64[s]")
    return whole if bool((whole == naive).all()) else naive.astype("datetime64[ms]")
