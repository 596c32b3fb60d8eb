"""The one visual language of all figures, in light and dark: colours, type, grid, margins.

Every colour that a figure uses is a token of this file, and no token shares its light colour with another, so
a page can turn a light figure into a dark one by exchanging colours (`dark_by_light`).
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Literal

import plotly.graph_objects as go

from signals.study.score import Verdict

__all__ = [
    "FONT",
    "PLOT_CONFIG",
    "VERDICT_SYMBOLS",
    "Palette",
    "Theme",
    "dark_by_light",
    "empty_figure",
    "new_figure",
    "palette",
    "policy_color",
    "policy_dash",
    "pool_color",
    "soft",
    "template",
    "verdict_color",
]

Theme = Literal["light", "dark"]

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', Arial, sans-serif"

PLOT_CONFIG: dict[str, Any] = {
    "displaylogo": False,
    "displayModeBar": False,
    "responsive": True,
    "doubleClick": "reset",
}
"""How plotly.js shows a figure: no logo, no tool bar, follows its container's width."""

_SOFT = {"fill": "2e", "dot": "73"}
"""Opacity as two hex digits: areas that data show through, and single points of a crowd."""

_DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of one theme.

    Chosen so that pools, verdicts and the first policies stay apart for readers with red-green blindness;
    verdicts differ in marker shape and policies in line pattern as well.

    Attributes:
        paper: behind everything.
        ink: text.
        muted: secondary text and axis labels.
        grid: grid lines.
        rule: zero and reference lines.
        load: the load, always neutral.
        prefill, decode, unified, service: one hue per pool.
        proportional, feedback, unusable, insufficient_data: one colour per verdict.
        policies: categorical, in the order of the comparison.
    """

    paper: str
    ink: str
    muted: str
    grid: str
    rule: str
    load: str
    prefill: str
    decode: str
    unified: str
    service: str
    proportional: str
    feedback: str
    unusable: str
    insufficient_data: str
    policies: tuple[str, ...]


_PALETTES: dict[Theme, Palette] = {
    "light": Palette(
        paper="#ffffff",
        ink="#1b2430",
        muted="#5a6675",
        grid="#e8ebef",
        rule="#9aa5b1",
        load="#76808d",
        prefill="#1668b8",
        decode="#c05621",
        unified="#12766d",
        service="#4d5a68",
        proportional="#1d7d46",
        feedback="#9c5c00",
        unusable="#c2332b",
        insufficient_data="#7b8794",
        policies=("#44505e", "#c2388f", "#7a8a00", "#5b4bd6", "#0b8580", "#a87400"),
    ),
    "dark": Palette(
        paper="#12171d",
        ink="#e6eaef",
        muted="#9ba7b4",
        grid="#262e37",
        rule="#66727f",
        load="#98a3af",
        prefill="#5fa8ee",
        decode="#f0955a",
        unified="#46b8ab",
        service="#aab4bf",
        proportional="#4fba7c",
        feedback="#e3a33c",
        unusable="#f0736a",
        insufficient_data="#8a96a3",
        policies=("#d3dae2", "#ea68b8", "#b9c840", "#9d90ff", "#35b5ab", "#d9a740"),
    ),
}

VERDICT_SYMBOLS: dict[Verdict, str] = {
    "proportional": "circle",
    "feedback": "diamond",
    "unusable": "x",
    "insufficient_data": "circle-open",
}


def palette(theme: Theme) -> Palette:
    """The colours of a theme."""
    return _PALETTES[theme]


def pool_color(pool: str, theme: Theme) -> str:
    """The hue of a pool; that of the service for a pool without its own."""
    colors = palette(theme)
    return {
        "prefill": colors.prefill,
        "decode": colors.decode,
        "unified": colors.unified,
    }.get(pool, colors.service)


def verdict_color(verdict: Verdict, theme: Theme) -> str:
    """The colour of a verdict."""
    color: str = getattr(palette(theme), verdict)
    return color


def policy_color(index: int, theme: Theme) -> str:
    """The colour of the policy at this place of the comparison; repeats after the last."""
    policies = palette(theme).policies
    return policies[index % len(policies)]


def policy_dash(index: int) -> str:
    """The line pattern of the policy at this place; changes when the colours start again."""
    return _DASHES[index // len(palette("light").policies) % len(_DASHES)]


def soft(color: str, use: Literal["fill", "dot"] = "fill") -> str:
    """A colour that lets what is behind it show through."""
    return color + _SOFT[use]


def dark_by_light() -> dict[str, str]:
    """The dark colour for every light one (`#rrggbb`), to restyle a drawn figure."""
    out: dict[str, str] = {}
    for name in (field.name for field in fields(Palette)):
        light, dark = (getattr(palette(theme), name) for theme in ("light", "dark"))
        pairs = zip(light, dark, strict=True) if isinstance(light, tuple) else ((light, dark),)
        out.update(pairs)
    return out


def template(theme: Theme) -> go.layout.Template:
    """Plotly's defaults in this theme: transparent outside the axes, thin horizontal grid, no frame."""
    colors = palette(theme)
    axis = {
        "gridcolor": colors.grid,
        "linecolor": colors.rule,
        "tickcolor": colors.rule,
        "zerolinecolor": colors.grid,
        "tickfont": {"size": 11, "color": colors.muted},
        "title": {"font": {"size": 12, "color": colors.muted}, "standoff": 6},
        "automargin": True,
    }
    return go.layout.Template(
        layout={
            "paper_bgcolor": "rgba(0,0,0,0)",
            # plotly edges the cursor's line in the plot's ground, and in white where that is transparent
            "plot_bgcolor": colors.paper,
            "font": {"family": FONT, "size": 12, "color": colors.ink},
            "colorway": list(colors.policies),
            "xaxis": {**axis, "showgrid": False, "ticks": "outside", "ticklen": 4},
            "yaxis": {**axis, "zeroline": False, "nticks": 5},
            "hoverlabel": {
                "bgcolor": colors.paper,
                "bordercolor": colors.rule,
                "font": {"family": FONT, "size": 12, "color": colors.ink},
                "namelength": -1,
            },
            "legend": {
                "orientation": "h",
                "x": 0,
                "xanchor": "left",
                "yanchor": "top",
                "font": {"size": 12, "color": colors.ink},
                "itemsizing": "constant",
            },
        }
    )


def new_figure(theme: Theme, *, height: int, legend_drop_px: int = 56) -> go.Figure:
    """An empty figure in the house style.

    Args:
        theme: light or dark.
        height: of the whole figure, pixels; the width follows the container.
        legend_drop_px: distance of the legend below the plot area, pixels; leaves room for the axis.

    Returns:
        A figure with small margins and its legend below the plot.
    """
    figure = go.Figure()
    plot_px = max(height - 40 - legend_drop_px - 24, 60)
    figure.update_layout(
        template=template(theme),
        height=height,
        margin={"l": 8, "r": 12, "t": 30, "b": 8},
        legend={"y": -legend_drop_px / plot_px},
    )
    return figure


def empty_figure(text: str, theme: Theme, *, height: int = 180) -> go.Figure:
    """A figure that says in words why there is nothing to draw."""
    figure = new_figure(theme, height=height)
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False)
    figure.add_annotation(
        text=text,
        showarrow=False,
        x=0.5,
        y=0.5,
        xref="paper",
        yref="paper",
        font={"size": 13, "color": palette(theme).muted},
    )
    return figure
