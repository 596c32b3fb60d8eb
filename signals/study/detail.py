"""The curves behind one signal's score, as frames for plots."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import polars as pl

from signals.schema import Estimate, Panel
from signals.study.appraisal import signal_windows
from signals.study.lag import lag_curve
from signals.study.monotone import fit_monotone
from signals.study.panel import Observed, choose_loads, resolve_column
from signals.study.response import bin_means
from signals.study.rise import event_response, load_changes
from signals.study.saturation import plateau_ticks
from signals.study.score import SignalDetail, SignalScore
from signals.study.scorecard import observe_signal, score_signal
from signals.study.significance import significant_correlation
from signals.study.stability import parts, parts_frame
from signals.study.trend import rising_and_falling

__all__ = ["signal_detail"]

Array = npt.NDArray[np.float64]

_MOST_POINTS = 2_000
_MOST_FIT_POINTS = 500
_BRANCH_POINTS = 50
_FEWEST_PER_BRANCH = 20


def signal_detail(
    panel: Panel,
    signal: str,
    *,
    load: str | None = None,
    seed: int = 0,
    score: SignalScore | None = None,
) -> SignalDetail:
    """Everything that a closer look at one signal draws.

    Args:
        panel: all signals on one grid.
        signal: `pool:signal`, or a bare signal that only one pool has.
        load: a column to use as load; None for the default of the signal's pool.
        seed: of the bootstrap.
        score: what a scorecard of the same panel and load says of the signal; None to score it here.

    Returns:
        Score (without rank if it is made here), series and curves. For a total, `load_per_instance` in the frames is the load
        itself, and `extra["per_instance"]` is 0.

    Raises:
        UsageError: signal or load do not exist.
        AnalysisError: nothing in the panel can serve as load.
    """
    column = resolve_column(panel, signal, where="--signal")
    choices, _ = choose_loads(panel, load)
    observed, _ = observe_signal(panel, column, choices)
    score = score or score_signal(panel, column, choices, seed)
    return SignalDetail(
        score=score,
        series=_series(panel, observed),
        lag_curve=_lag_frame(observed, score.measures["lag_s"]),
        response=_response(observed),
        fit=_fit(observed),
        points=_points(observed),
        load=observed.choice,
        extra=_figures(observed, score.measures["lag_s"]),
        windows=_windows(observed, score.measures),
        events=_events(observed),
        parts=parts_frame(parts(observed, score.measures, first=panel.span.first)),
        branches=_branches(observed),
    )


def _figures(observed: Observed, lag: Estimate) -> dict[str, float]:
    per_instance = observed.column.scope == "average" and observed.ready is not None
    figures = {"per_instance": float(per_instance), **_plateaus(observed)}
    least = _least_correlation(lag, observed.tick_s)
    return figures if least is None else {**figures, "least_correlation": least}


def _plateaus(observed: Observed) -> dict[str, float]:
    """Load up to which, and from which, the response is flat; an end that is no plateau has none."""
    x = observed.reference
    bins = bin_means(x, observed.signal, observed.tick_s)
    curve = fit_monotone(x, observed.signal, observed.direction)
    found = None
    if bins is not None and curve is not None:
        found = plateau_ticks(x, bins, curve, observed.direction)
    if found is None:
        return {}
    lower, upper = found
    figures = {}
    if lower.any():
        figures["lower_plateau"] = float(x[lower].max())
    if upper.any():
        figures["upper_plateau"] = float(x[upper].min())
    return figures


def _least_correlation(lag: Estimate, tick_s: float) -> float | None:
    """The correlation that is just significant, corrected for the number of lags as the peak's is."""
    pairs, window_s = lag.extra.get("n_eff"), lag.extra.get("window_s")
    if not isinstance(pairs, float) or not isinstance(window_s, float):
        return None
    tried = 2 * round(window_s / tick_s) + 1
    return significant_correlation(pairs, tried=tried)


def _nullable(name: str, values: Array) -> pl.Series:
    return pl.Series(name, values, dtype=pl.Float64, nan_to_null=True)


def _series(panel: Panel, observed: Observed) -> pl.DataFrame:
    ready = observed.ready
    unknown = np.full(panel.frame.height, np.nan)
    return pl.DataFrame(
        [
            panel.frame["tick"],
            panel.frame[observed.choice.column].cast(pl.Float64).alias("load"),
            _nullable("signal", observed.raw_signal),
            _nullable("ready", unknown if ready is None else ready),
        ]
    )


def _lag_frame(observed: Observed, lag: Estimate) -> pl.DataFrame:
    windows = lag.extra.get("window_count")
    curve = lag_curve(
        observed.raw_reference,
        observed.raw_signal,
        observed.tick_s,
        windows=windows if isinstance(windows, int) else 1,
    )
    return pl.DataFrame(
        [
            pl.Series("lag_s", curve.lags * observed.tick_s, dtype=pl.Float64),
            _nullable("correlation", curve.correlation),
        ]
    )


def _windows(observed: Observed, measures: Mapping[str, Estimate]) -> pl.DataFrame:
    curve = signal_windows(observed, measures)
    return pl.DataFrame(
        [
            pl.Series("window_s", curve.window_s, pl.Float64),
            _nullable("noise_ratio", curve.noise_ratio),
            _nullable("lag_s", curve.lag_s),
            _nullable("capacity_error", curve.capacity_error),
        ]
    )


def _events(observed: Observed) -> pl.DataFrame:
    load, signal, tick_s = observed.raw_reference, observed.raw_signal, observed.tick_s
    response = event_response(load, signal, load_changes(load, tick_s), tick_s)
    return pl.DataFrame(
        [
            pl.Series("offset_s", response.offsets * tick_s, pl.Float64),
            *(
                _nullable(f"{name}_q{share}", row)
                for name, rows in (("load", response.load), ("signal", response.signal))
                for share, row in zip((25, 50, 75), rows, strict=True)
            ),
        ]
    )


def _response(observed: Observed) -> pl.DataFrame:
    bins = bin_means(observed.reference, observed.signal, observed.tick_s)
    empty = np.zeros(0)
    return pl.DataFrame(
        [
            pl.Series("load_per_instance", empty if bins is None else bins.reference, pl.Float64),
            pl.Series("signal", empty if bins is None else bins.signal, pl.Float64),
            pl.Series("count", empty if bins is None else bins.count).cast(pl.Int64),
        ]
    )


def _fit(observed: Observed) -> pl.DataFrame:
    curve = fit_monotone(observed.reference, observed.signal, observed.direction)
    if curve is None:
        return _pairs(np.zeros(0), np.zeros(0))
    chosen = _spread(len(curve.x), _MOST_FIT_POINTS)
    return _pairs(curve.x[chosen], curve.y[chosen])


def _branches(observed: Observed) -> pl.DataFrame:
    """The response over rising and over falling load, as `hysteresis` compares them."""
    x, y = observed.reference, observed.signal
    known = np.isfinite(x) & np.isfinite(y)
    frames = []
    masks = rising_and_falling(observed.load, observed.tick_s)
    for trend, mask in zip(("rising", "falling"), masks, strict=True):
        part = known & mask
        curve = None
        if part.sum() >= _FEWEST_PER_BRANCH:
            curve = fit_monotone(x[part], y[part], observed.direction)
        if curve is None:
            continue
        low, high = np.quantile(x[part], (0.05, 0.95))
        where = np.linspace(low, high, _BRANCH_POINTS)
        frames.append(_pairs(where, curve.at(where)).with_columns(trend=pl.lit(trend)))
    columns = ["trend", "load_per_instance", "signal"]
    if not frames:
        return _pairs(np.zeros(0), np.zeros(0)).with_columns(trend=pl.lit("")).select(columns)
    return pl.concat(frames).select(columns)


def _points(observed: Observed) -> pl.DataFrame:
    both = np.flatnonzero(np.isfinite(observed.reference) & np.isfinite(observed.signal))
    chosen = both[_spread(len(both), _MOST_POINTS)]
    return _pairs(observed.reference[chosen], observed.signal[chosen])


def _pairs(x: Array, y: Array) -> pl.DataFrame:
    return pl.DataFrame(
        {"load_per_instance": x, "signal": y},
        schema={"load_per_instance": pl.Float64, "signal": pl.Float64},
    )


def _spread(count: int, most: int) -> npt.NDArray[np.int64]:
    """At most `most` of `count` positions, evenly spread, both ends included."""
    if count <= most:
        return np.arange(count, dtype=np.int64)
    return np.unique(np.linspace(0, count - 1, most).round().astype(np.int64))
