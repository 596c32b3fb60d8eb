"""Figures: results and frames in, plotly figures out; nothing is computed here beyond layout."""

from __future__ import annotations

from signals.plots.backtest import plot_backtest
from signals.plots.downsample import downsample, downsample_steps
from signals.plots.lag import describe_lag, plot_lag
from signals.plots.response import plot_response
from signals.plots.scorecard import plot_scorecard
from signals.plots.theme import (
    PLOT_CONFIG,
    Theme,
    palette,
    policy_color,
    pool_color,
    verdict_color,
)
from signals.plots.timeline import plot_timeline
from signals.plots.tradeoff import plot_attainment_cost

__all__ = [
    "PLOT_CONFIG",
    "Theme",
    "describe_lag",
    "downsample",
    "downsample_steps",
    "palette",
    "plot_attainment_cost",
    "plot_backtest",
    "plot_lag",
    "plot_response",
    "plot_scorecard",
    "plot_timeline",
    "policy_color",
    "pool_color",
    "verdict_color",
]
