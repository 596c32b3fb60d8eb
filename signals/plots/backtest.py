"""What policies did on one workload: load, signals read, instances ordered and had, misses, on one time axis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go
import polars as pl

from signals.catalog import find_signal
from signals.plots.axes import escape, times, unit_axis
from signals.plots.downsample import Window, downsample, downsample_steps
from signals.plots.stack import Row, row_axis, stack_rows
from signals.plots.theme import (
    Theme,
    empty_figure,
    palette,
    policy_color,
    policy_dash,
    pool_color,
    soft,
)
from signals.replay.result import Comparison
from signals.schema import split_pooled_name

__all__ = ["plot_backtest"]

_POOL_ORDER = {"prefill": 0, "decode": 1, "unified": 2}
_LABEL_CHARS = 25
_WORK = {"prefill": "prompt tokens/s", "decode": "output tokens/s"}


@dataclass(frozen=True)
class _Canvas:
    """The figure under construction: what to draw on, in which theme, how many points, which time range."""

    figure: go.Figure
    theme: Theme
    max_points: int
    window: Window | None


def plot_backtest(
    comparison: Comparison,
    *,
    theme: Theme,
    window: Window | None = None,
    max_points: int = 1000,
) -> go.Figure:
    """Signals and scaler side by side, from the load at the top to the missed objectives at the bottom.

    Answers: what did each policy see, what did it order, what did it have, and what did that cost users?

    Args:
        comparison: at least one policy.
        theme: light or dark.
        window: draw only this time range, in full detail again.
        max_points: largest number of points per line.

    Returns:
        Rows: load of each pool; each signal that a policy read, with its target; per policy the instances
        ordered (line) and ready (area) of each pool; requests that missed the objectives, per minute.
    """
    if comparison.ticks.is_empty():
        return empty_figure("the backtest holds no ticks", theme)
    labels = [result.label for result in comparison.policies]
    pools = _pools(comparison.ticks)
    signals = _signals_read(comparison.readings)
    rows = [
        *(Row(f"load of {pool}: offered {_WORK.get(pool, 'tokens/s')}", "tokens/s", height=64) for pool in pools),
        *(_signal_row(name) for name in signals),
        *(Row(_instances_heading(label, pools, theme), "count", "instances", height=84) for label in labels),
        Row(f"missed {_objective(comparison)}, per minute", "count", "requests", height=110),
    ]  # fmt: skip
    figure = stack_rows(rows, theme, legend_px=24 + 20 * (len(labels) // 4))
    canvas = _Canvas(figure, theme, max_points, window)
    for index, pool in enumerate(pools):
        _add_load(canvas, comparison, pool, index)
    for index, name in enumerate(signals, start=len(pools)):
        _add_readings(canvas, comparison.readings.filter(pl.col("signal") == name), labels, index)
    first = len(pools) + len(signals)
    for index, label in enumerate(labels, start=first):
        for pool in pools:
            _add_instances(canvas, comparison.ticks, label, pool, index)
    _add_misses(canvas, comparison.minutes, labels, len(rows) - 1)
    if window is not None:
        figure.update_xaxes(range=list(window))
    return figure


def _pools(ticks: pl.DataFrame) -> list[str]:
    return sorted(ticks["pool"].unique(), key=lambda pool: (_POOL_ORDER.get(pool, 9), pool))


def _signals_read(readings: pl.DataFrame) -> list[str]:
    return readings["signal"].unique(maintain_order=True).to_list()


def _signal_row(name: str) -> Row:
    spec = find_signal(split_pooled_name(name)[1])
    return Row(
        f"<b>{escape(_short(name))}</b>, dashed: target",
        spec.unit if spec else "",
        height=96,
        from_zero="auto",
    )


def _instances_heading(label: str, pools: list[str], theme: Theme) -> str:
    words = " and ".join(
        f'<span style="color:{pool_color(pool, theme)}">{escape(pool)}</span>' for pool in pools
    )
    return f"<b>{escape(_short(label))}</b>: {words}"


def _short(text: str) -> str:
    """Short enough for a heading on a phone."""
    return text if len(text) <= _LABEL_CHARS else text[: _LABEL_CHARS - 1] + "…"


def _objective(comparison: Comparison) -> str:
    slo = comparison.slo
    return f"TTFT {slo.ttft_s:g} s or TPOT {slo.tpot_s * 1e3:g} ms"


def _add_load(canvas: _Canvas, comparison: Comparison, pool: str, row: int) -> None:
    ticks = comparison.ticks
    one = ticks.filter((pl.col("pool") == pool) & (pl.col("policy") == ticks["policy"][0]))
    line = downsample(one, "ts", "load_tps", max_points=canvas.max_points, window=canvas.window)
    color = palette(canvas.theme).load
    canvas.figure.add_scatter(
        x=times(line["ts"]),
        y=line["load_tps"].to_numpy(),
        name=f"load of {pool}",
        mode="lines",
        line={"color": color, "width": 1.2},
        fill="tozeroy",
        fillcolor=soft(color),
        showlegend=False,
        hovertemplate=unit_axis("tokens/s").hover_value("y"),
        yaxis=row_axis(row),
    )


def _add_readings(canvas: _Canvas, readings: pl.DataFrame, labels: list[str], row: int) -> None:
    spec = find_signal(split_pooled_name(readings["signal"][0])[1])
    hover = unit_axis(spec.unit if spec else "").hover_value("y")
    for index, label in enumerate(labels):
        one = readings.filter(pl.col("policy") == label)
        if one.is_empty():
            continue
        color = policy_color(index, canvas.theme)
        value = downsample(one, "ts", "value", max_points=canvas.max_points, window=canvas.window)
        canvas.figure.add_scatter(
            x=times(value["ts"]),
            y=value["value"].to_numpy(),
            name=label,
            legendgroup=label,
            showlegend=False,
            mode="lines",
            line={"color": color, "width": 1.3, "dash": policy_dash(index)},
            hovertemplate=hover,
            yaxis=row_axis(row),
        )
        target = downsample_steps(
            one, "ts", "target", max_points=canvas.max_points, window=canvas.window
        )
        if target["target"].null_count() == target.height:
            continue
        canvas.figure.add_scatter(
            x=times(target["ts"]),
            y=target["target"].to_numpy(),
            name=f"{label}, target",
            legendgroup=label,
            showlegend=False,
            mode="lines",
            line={"color": color, "width": 1.1, "dash": "dash", "shape": "hv"},
            hovertemplate=hover,
            yaxis=row_axis(row),
        )


def _add_instances(canvas: _Canvas, ticks: pl.DataFrame, label: str, pool: str, row: int) -> None:
    one = ticks.filter((pl.col("policy") == label) & (pl.col("pool") == pool))
    color = pool_color(pool, canvas.theme)
    edge = {"width": 1.5, "shape": "hv", "color": color}
    looks: dict[str, dict[str, Any]] = {
        "ready": {"line": edge | {"width": 0}, "fill": "tozeroy", "fillcolor": soft(color)},
        "desired": {"line": edge},
    }
    for column, word in (("ready", "ready"), ("desired", "ordered")):
        steps = downsample_steps(
            one, "ts", column, max_points=canvas.max_points, window=canvas.window
        )
        canvas.figure.add_scatter(
            x=times(steps["ts"]),
            y=steps[column].to_numpy(),
            name=f"{pool} {word}",
            mode="lines",
            showlegend=False,
            hovertemplate="%{y:.0f}",
            yaxis=row_axis(row),
            **looks[column],
        )


def _add_misses(canvas: _Canvas, minutes: pl.DataFrame, labels: list[str], row: int) -> None:
    missed = minutes.with_columns((pl.col("arrived") - pl.col("both_ok")).alias("missed"))
    for index, label in enumerate(labels):
        line = downsample(
            missed.filter(pl.col("policy") == label),
            "ts",
            "missed",
            max_points=canvas.max_points,
            window=canvas.window,
        )
        canvas.figure.add_scatter(
            x=times(line["ts"]),
            y=line["missed"].to_numpy(),
            name=label,
            legendgroup=label,
            mode="lines",
            line={
                "color": policy_color(index, canvas.theme),
                "width": 1.3,
                "dash": policy_dash(index),
            },
            hovertemplate="%{y:,.0f} missed",
            yaxis=row_axis(row),
        )
