"""Figures: results and frames in, plotly figures out; nothing is computed here beyond layout."""

from __future__ import annotations

from signals.plots.backtest import plot_backtest
from signals.plots.closeups import CLOSEUPS, Closeup, closeup
from signals.plots.downsample import downsample, downsample_steps
from signals.plots.events import describe_events, plot_events
from signals.plots.forest import plot_forest
from signals.plots.lag import describe_lag, plot_lag
from signals.plots.response import describe_response, plot_response
from signals.plots.scorecard import plot_scorecard
from signals.plots.stability import describe_stability, plot_stability
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
from signals.plots.window import describe_window, plot_window

__all__ = [
    "CLOSEUPS",
    "PLOT_CONFIG",
    "Closeup",
    "Theme",
    "closeup",
    "describe_events",
    "describe_lag",
    "describe_response",
    "describe_stability",
    "describe_window",
    "downsample",
    "downsample_steps",
    "palette",
    "plot_attainment_cost",
    "plot_backtest",
    "plot_events",
    "plot_forest",
    "plot_lag",
    "plot_response",
    "plot_scorecard",
    "plot_stability",
    "plot_timeline",
    "plot_window",
    "policy_color",
    "pool_color",
    "verdict_color",
]
