"""Pictures of one signal: what a closer look at it draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import polars as pl

from signals.plots.events import plot_events
from signals.plots.lag import plot_lag
from signals.plots.response import plot_response
from signals.plots.stability import plot_stability
from signals.plots.timeline import plot_timeline
from signals.plots.window import plot_window
from signals.series.synthetic import (
    add_noise,
    bursty_load,
    delayed,
    drop_runs,
    drop_stretch,
    hysteretic,
    idle_offset,
    noise_sigma,
    plateau,
    saturating,
    scale_noise,
    smeared,
    stepped_load,
    two_segments,
)
from signals.study.detail import signal_detail
from signals.study.score import SignalDetail
from signals.usecases.illustrations.fleets import day_shaped, fleet
from signals.usecases.illustrations.spec import Drawn, Illustration, extras_of, numbers_of, said

__all__ = ["CURVES"]

Array = npt.NDArray[np.float64]

_FINE_S = 15.0
_DOTS = 120
_LINE_POINTS = 300


def _looked_at(load: Array, signal: Array, name: str, *, tick_s: float = 60.0) -> SignalDetail:
    """A closer look at one signal of a decode pool, under a name that the catalog knows."""
    return signal_detail(fleet(load, {name: signal}, tick_s=tick_s), f"decode:{name}")


def _measured(detail: SignalDetail, names: Sequence[str]) -> dict[str, float | None]:
    return numbers_of({name: detail.score.measures[name] for name in names})


def _bursts(count: int, rng: np.random.Generator) -> Array:
    return bursty_load(count, _FINE_S, bursts_per_h=20, hold_s=120, height=0.5, rng=rng)


def _lag() -> Drawn:
    rng = np.random.default_rng(51)
    load, late = delayed(lambda count: _bursts(count, rng), 5_760, 2.5)
    noisy = add_noise(late, noise_sigma(late, 0.0), rng)
    detail = _looked_at(load, 0.6 * noisy, "sm_active", tick_s=_FINE_S)
    numbers = _measured(detail, ["lag_s"])
    numbers |= extras_of(detail.score.measures["lag_s"], ["bound_s"])
    return Drawn(plot_lag(detail, theme="light"), numbers)


def _rise() -> Drawn:
    rng = np.random.default_rng(58)
    starts = np.arange(120, 5_760, 120)
    levels = rng.choice((0.4, 0.6, 0.9), size=len(starts) + 1)
    load = scale_noise(stepped_load(5_760, starts.tolist(), levels.tolist()), 0.02, rng)
    watts = 700 * scale_noise(smeared(load, 6.0), 0.02, rng)
    detail = _looked_at(load, watts, "power_w", tick_s=_FINE_S)
    rise = detail.score.measures["rise_s"]
    more = extras_of(rise, ("events", "t90_s"))
    figure = plot_events(detail, theme="light")
    return Drawn(figure, _measured(detail, ["rise_s"]) | more)


def _window() -> Drawn:
    rng = np.random.default_rng(59)
    load = day_shaped(rng, days=4, tick_s=_FINE_S)
    detail = _looked_at(load, 0.6 * scale_noise(load, 0.3, rng), "sm_active", tick_s=_FINE_S)
    figure = plot_window(detail, theme="light")
    found = detail.score.measures["suggested_window_s"]
    names = ("capacity_error", "one_tick_capacity_error", "lag_s")
    more = extras_of(found, names)
    return Drawn(figure, _measured(detail, ["suggested_window_s"]) | more)


def _stability() -> Drawn:
    rng = np.random.default_rng(60)
    load = day_shaped(rng, days=5)
    seen = scale_noise(load, 0.05, rng)
    seen[2 * 1_440 : 3 * 1_440] *= 0.7
    detail = _looked_at(load, 0.6 * seen, "sm_active")
    figure = plot_stability(detail, theme="light")
    at = {f"capacity_error@day {n}": error for n, error in enumerate(_by_day(detail), 1)}
    return Drawn(figure, _measured(detail, ["stability", "capacity_error"]) | at)


def _by_day(detail: SignalDetail) -> list[float | None]:
    days = detail.parts.filter(pl.col("kind") == "day")
    return [None if error is None else float(error) for error in days["capacity_error"]]


def _response_of(make: Array, load: Array, name: str, measures: Sequence[str]) -> Drawn:
    detail = _looked_at(load, make, name)
    figure = plot_response(detail, theme="light", max_points=_DOTS)
    return Drawn(figure, _measured(detail, measures))


def _proportionality() -> Drawn:
    rng = np.random.default_rng(52)
    load = day_shaped(rng, days=4)
    watts = 400 * scale_noise(idle_offset(load, 0.5), 0.03, rng)
    names = ("proportionality", "linearity", "elasticity")
    return _response_of(watts, load, "power_w", names)


def _linearity() -> Drawn:
    rng = np.random.default_rng(53)
    load = day_shaped(rng, days=4)
    shares = scale_noise(saturating(load, 0.2), 0.03, rng)
    return _response_of(shares, load, "kv_usage", ("linearity", "knee"))


def _knee() -> Drawn:
    rng = np.random.default_rng(54)
    load = day_shaped(rng, days=4)
    latency = scale_noise(0.02 + two_segments(load, 0.6, below=0.02, above=0.2), 0.03, rng)
    return _response_of(latency, load, "itl_mean", ("knee",))


def _saturation() -> Drawn:
    rng = np.random.default_rng(55)
    load = day_shaped(rng, days=4)
    shares = 0.98 * scale_noise(plateau(load, 0.0, 0.6), 0.01, rng) / np.quantile(load, 0.6)
    return _response_of(shares, load, "gpu_util", ("saturation_ratio",))


def _hysteresis() -> Drawn:
    rng = np.random.default_rng(56)
    load = day_shaped(rng, days=4)
    queued = 200 * scale_noise(hysteretic(load, 0.3, 15), 0.03, rng)
    return _response_of(queued, load, "running", ("hysteresis", "trend_gap"))


def _coverage() -> Drawn:
    rng = np.random.default_rng(57)
    load = day_shaped(rng, days=1)
    kept = drop_stretch(drop_runs(scale_noise(load, 0.05, rng), 0.1, 10, rng), 780, 960)
    detail = _looked_at(load, 0.6 * kept, "sm_active")
    shown = replace(detail, series=detail.series.drop("ready").with_columns(ready=None))
    figure = plot_timeline(shown, theme="light", max_points=_LINE_POINTS)
    return Drawn(figure, _measured(detail, ["coverage"]))


CURVES: tuple[Illustration, ...] = (
    Illustration(
        "lag",
        ("lag_s",),
        "Correlation of a noisy late signal with load at every lag; the peak and its interval",
        _lag,
        lambda n: (
            "A day of 15 s ticks with bursts of load; the signal is load 37.5 s ago under as much noise as there is signal (0 dB). "
            f"Measured: {said(n, 'lag_s', '.1f', ' s')}; no unbiased method could have a standard error under "
            f"{said(n, 'bound_s', '.2f', ' s')}."
        ),
    ),
    Illustration(
        "rise",
        ("rise_s",),
        "Load and a slow signal around sudden changes of load",
        _rise,
        lambda n: (
            "A day of 15 s ticks on which load changes every half hour; the signal nears its new level with a "
            "time constant of 90 s, so that half of the way takes 62 s and nine tenths 207 s. Measured: "
            f"{said(n, 'rise_s', '.0f', ' s')} and {said(n, 't90_s', '.0f', ' s')}, on "
            f"{said(n, 'events', '.0f')} changes. Bands are quartiles over them."
        ),
    ),
    Illustration(
        "window",
        ("suggested_window_s",),
        "Capacity error and noise of trailing means, by their width",
        _window,
        lambda n: (
            "Four days of 15 s ticks; the signal is load under 30 % of white noise. Suggested: "
            f"{said(n, 'suggested_window_s', '.0f', ' s')}, which brings the capacity error from "
            f"{said(n, 'one_tick_capacity_error', '.3f')} for one tick to {said(n, 'capacity_error', '.3f')} "
            f"and costs {said(n, 'lag_s', '.0f', ' s')} of lag. Wider means are quieter and come too late."
        ),
    ),
    Illustration(
        "stability",
        ("stability",),
        "Capacity error by day, hours of the day and load, with one odd day",
        _stability,
        lambda n: (
            "Five days; on the third the signal reads 30 % low, under 5 % of noise. `stability` is "
            f"{said(n, 'stability', '.2f')}; the capacity error of the third day is "
            f"{said(n, 'capacity_error@day 3', '.3f')}, of the second {said(n, 'capacity_error@day 2', '.3f')}, of "
            f"all {said(n, 'capacity_error', '.3f')}."
        ),
    ),
    Illustration(
        "proportionality",
        ("proportionality",),
        "Response of a signal with an idle offset, against a proportional line",
        _proportionality,
        lambda n: (
            "A power draw that idles at half of what the peak adds. Straight, not proportional: `proportionality` "
            f"{said(n, 'proportionality', '.2f')}, `linearity` {said(n, 'linearity', '.3f')}, `elasticity` "
            f"{said(n, 'elasticity', '.2f')}."
        ),
    ),
    Illustration(
        "linearity",
        ("linearity",),
        "Response of a signal that saturates smoothly",
        _linearity,
        lambda n: (
            f"load / (load + 0.2): `linearity` {said(n, 'linearity', '.3f')}, "
            f"`knee` {said(n, 'knee', ',.0f', ' tokens/s')}."
        ),
    ),
    Illustration(
        "knee",
        ("knee",),
        "Response of a latency that bends at a load",
        _knee,
        lambda n: (
            "A latency that begins to climb ten times as fast at 3,000 tokens/s per instance. Found: "
            f"{said(n, 'knee', ',.0f', ' tokens/s')}."
        ),
    ),
    Illustration(
        "saturation",
        ("saturation_ratio",),
        "Response of a utilisation that is pinned at its top",
        _saturation,
        lambda n: (
            "A utilisation that cannot rise on 40 % of the ticks, under 1 % of noise. Found: "
            f"{said(n, 'saturation_ratio', '.2f')}."
        ),
    ),
    Illustration(
        "hysteresis",
        ("hysteresis",),
        "Response of a signal that is lower on the way up than on the way down",
        _hysteresis,
        lambda n: (
            "A signal 14 % lower on the way up and 16 % higher on the way down: `hysteresis` "
            f"{said(n, 'hysteresis', '.2f')} of its span, and a `trend_gap` of {said(n, 'trend_gap', '.2f')}."
        ),
    ),
    Illustration(
        "coverage",
        ("coverage",),
        "A day of load and of a signal with gaps",
        _coverage,
        lambda n: (
            "A day with a tenth of the ticks lost in runs, and three hours lost at once: "
            f"{said(n, 'coverage', '.2f')}. What is missing stays missing."
        ),
    ),
)
