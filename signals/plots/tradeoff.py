"""What each policy cost against what users got for it."""

from __future__ import annotations

import plotly.graph_objects as go

from signals.plots.axes import escape
from signals.plots.theme import Theme, empty_figure, new_figure, palette, policy_color
from signals.replay.result import Comparison

__all__ = ["plot_attainment_cost"]

_SYMBOLS = ("circle", "diamond", "square", "triangle-up", "star", "cross")


def plot_attainment_cost(comparison: Comparison, *, theme: Theme) -> go.Figure:
    """Share of requests within both objectives against GPU-hours, one mark per policy.

    Answers: which policy gives users more for less?

    Args:
        comparison: at least one policy.
        theme: light or dark.

    Returns:
        One trace per policy that has an attainment; better is up and to the left.
    """
    known = [
        (index, result, share)
        for index, result in enumerate(comparison.policies)
        if (share := result.attainment.get("both")) is not None
    ]
    if not known:
        return empty_figure("no policy served a request", theme)
    figure = new_figure(theme, height=320)
    figure.update_layout(hovermode="closest", showlegend=True)
    for index, result, share in known:
        figure.add_scatter(
            x=[result.gpu_hours],
            y=[share],
            name=escape(result.label),
            mode="markers",
            marker={
                "color": policy_color(index, theme),
                "symbol": _SYMBOLS[index % len(_SYMBOLS)],
                "size": 13,
            },
            cliponaxis=False,
            hovertemplate="<b>%{fullData.name}</b><br>%{x:,.4~r} GPU-hours<br>%{y:.2%} within both objectives<extra></extra>",
        )
    figure.add_annotation(
        text="↖ better: more within the objectives for less",
        x=0,
        y=1,
        xref="paper",
        yref="paper",
        xanchor="left",
        yanchor="bottom",
        yshift=4,
        showarrow=False,
        font={"size": 12, "color": palette(theme).muted},
    )
    figure.update_xaxes(
        title_text="GPU-hours (h)", rangemode="tozero", tickformat=",~r", showgrid=True
    )
    lowest = min(share for *_, share in known)
    figure.update_yaxes(
        title_text="requests within both objectives (%)",
        tickformat="~%",
        range=[max(lowest - 0.25 * (1.02 - lowest) - 0.005, 0.0), 1.0 + 0.05 * (1.02 - lowest)],
    )
    return figure
