"""How a signal moves around sudden changes of load."""

from __future__ import annotations

import plotly.graph_objects as go
import polars as pl

from signals.plots.notes import Gap, note_above, why_not
from signals.plots.theme import Theme, empty_figure, new_figure, palette, pool_color, soft
from signals.schema import Estimate
from signals.study.score import SignalDetail
from signals.units import format_quantity

__all__ = ["describe_events", "plot_events"]

_TOO_FEW = Gap("rise_s", "no response to changes of load", "too few sudden changes of load")
_MARKS = (("t50", 0.5, "t50_q25_s", "t50_q75_s"), ("t90", 0.9, "t90_q25_s", "t90_q75_s"))
_LEAST, _MOST = -0.6, 1.8
"""Ends of the axis where quartiles reach beyond: one wild event must not flatten the others."""


def plot_events(detail: SignalDetail, *, theme: Theme) -> go.Figure:
    """Load and signal around the changes of load, each from its level before (0) to its level after (1).

    Answers: after a sudden change of load, how long until the signal has covered half and nine tenths of its way?

    Args:
        detail: curves of the signal.
        theme: light or dark.

    Returns:
        Traces `load quartiles`, `load`, `signal quartiles`, `signal` (medians over the changes) and, where the
        rise is settled, `t50` and `t90` with the quartiles over the changes; words where changes are too few.
    """
    events = _known(detail.events)
    if events.is_empty():
        return empty_figure(why_not(detail.score, _TOO_FEW), theme)
    colors = palette(theme)
    hue = pool_color(detail.score.column.pool, theme)
    figure = new_figure(theme, height=330)
    figure.update_layout(hovermode="closest")
    for of, color in (("load", colors.load), ("signal", hue)):
        _add_band(figure, events, of, color)
    figure.add_vline(x=0, line={"color": colors.rule, "width": 1, "dash": "dot"})
    rise = detail.score.measures.get("rise_s")
    if rise is not None and rise.value is not None and rise.determined:
        _mark_times(figure, rise, theme)
    note_above(figure, describe_events(rise), theme)
    figure.update_xaxes(
        title_text="time from the change of load (s)",
        tickformat=",~r",
        range=[float(events["offset_s"].min() or 0.0), float(events["offset_s"].max() or 0.0)],  # type: ignore[arg-type]
        showgrid=True,
    )
    figure.update_yaxes(
        title_text="share of the way",
        tickvals=[-0.5, 0, 0.5, 1, 1.5],
        tickformat="~%",
        range=_reach(events),
    )
    return figure


def _known(events: pl.DataFrame) -> pl.DataFrame:
    """The offsets at which there is a median of the signal; none for a frame without columns."""
    return events.drop_nulls("signal_q50") if events.width else events


def _add_band(figure: go.Figure, events: pl.DataFrame, of: str, color: str) -> None:
    known = events.drop_nulls(f"{of}_q50")
    if known.is_empty():
        return
    x = known["offset_s"].to_numpy()
    for share, fill in ((25, None), (75, "tonexty")):
        figure.add_scatter(
            x=x,
            y=known[f"{of}_q{share}"].to_numpy(),
            name=f"{of} quartiles",
            mode="lines",
            line={"width": 0, "color": color},
            fill=fill,
            fillcolor=soft(color),
            hoverinfo="skip",
            showlegend=False,
        )
    figure.add_scatter(
        x=x,
        y=known[f"{of}_q50"].to_numpy(),
        name=of,
        mode="lines",
        line={"color": color, "width": 2 if of == "signal" else 1.6},
        hovertemplate=f"{of}, %{{x:,.4~r}} s from the change<br>%{{y:.3~%}} of its way<extra></extra>",
    )


def _mark_times(figure: go.Figure, rise: Estimate, theme: Theme) -> None:
    """Points at half and nine tenths of the way, with the quartiles over events."""
    ink = palette(theme).ink
    times = {"t50": rise.value, "t90": rise.extra.get("t90_s")}
    for (name, share, low, high), symbol in zip(_MARKS, ("circle", "diamond"), strict=True):
        at = _number(times[name])
        if at is None:
            continue
        ends = [_number(rise.extra.get(end)) for end in (low, high)]
        figure.add_scatter(
            x=[at],
            y=[share],
            name=name,
            mode="markers+text",
            text=[name],
            textposition="bottom right",
            textfont={"size": 12, "color": ink},
            marker={"color": ink, "size": 8, "symbol": symbol},
            error_x={
                "type": "data",
                "symmetric": False,
                "array": [0.0 if ends[1] is None else ends[1] - at],
                "arrayminus": [0.0 if ends[0] is None else at - ends[0]],
                "color": ink,
                "thickness": 1.4,
                "width": 4,
            },
            hovertemplate=f"{name}: %{{x:,.4~r}} s<extra></extra>",
            showlegend=False,
        )


def _reach(events: pl.DataFrame) -> list[float]:
    values = [events[f"{of}_q{share}"] for of in ("load", "signal") for share in (25, 75)]
    low = min(float(v.min() or 0.0) for v in values)  # type: ignore[arg-type]
    high = max(float(v.max() or 1.0) for v in values)  # type: ignore[arg-type]
    return [max(min(low, -0.1) - 0.05, _LEAST), min(max(high, 1.1) + 0.05, _MOST)]


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, (int, float)) else None


def describe_events(rise: Estimate | None) -> str:
    """The rise in words: half and nine tenths of the way, the interval, over how many changes."""
    if rise is None or rise.value is None or not rise.determined:
        return "rise unknown" + (f": {rise.reason}" if rise and rise.reason else "")
    text = f"half way after {format_quantity(rise.value, 's')}"
    if rise.low is not None and rise.high is not None:
        ends = " to ".join(format_quantity(end, "s") for end in (rise.low, rise.high))
        text += f" (95 %: {ends})"
    nearly = _number(rise.extra.get("t90_s"))
    if nearly is not None:
        text += f", nine tenths after {format_quantity(nearly, 's')}"
    events = _number(rise.extra.get("events"))
    return text if events is None else f"{text}; {events:,.0f} changes of load"
