"""Pictures of a measure as one property of the signal is varied, all else alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import polars as pl

from signals.plots.trials import plot_sweep
from signals.schema import Estimate
from signals.series.align import shift
from signals.series.synthetic import add_noise, clipped, daily_load, power_response, scale_noise
from signals.usecases.illustrations.fleets import (
    MINUTE_S,
    day_shaped,
    fleet,
    scores,
    spread_of,
    tabled,
)
from signals.usecases.illustrations.spec import Drawn, Illustration, Numbers, numbers_of, said

__all__ = ["SWEEPS"]

Array = npt.NDArray[np.float64]


def _swept(
    load: Array, made: Mapping[float, Array], measures: Sequence[str]
) -> tuple[pl.DataFrame, Numbers]:
    """Measures of signals that differ in one number, in one scorecard."""
    found = scores(fleet(load, {f"{x:g}": signal for x, signal in made.items()}))
    return _by_number({x: score.measures for x, score in found.items()}, measures)


def _by_number(
    found: Mapping[str, Mapping[str, Estimate]], measures: Sequence[str]
) -> tuple[pl.DataFrame, Numbers]:
    frame, numbers = tabled(found, measures)
    return frame.with_columns(pl.col("case").cast(pl.Float64).alias("x")), numbers


def _line(xs: Sequence[float], values: Sequence[float]) -> pl.DataFrame:
    return pl.DataFrame({"x": list(xs), "value": list(values)}, schema={"x": float, "value": float})


def _noise() -> Drawn:
    rng = np.random.default_rng(31)
    load = day_shaped(rng, days=4)
    shares = (2.0, 5.0, 10.0, 15.0, 20.0, 30.0)
    made = {x: add_noise(load, x / 100 * spread_of(load), rng) for x in shares}
    frame, numbers = _swept(load, made, ("noise_ratio", "scatter_ratio"))
    figure = plot_sweep(
        frame,
        x_title="white noise added (% of the signal's range)",
        y_title="measured (share of the range)",
        theme="light",
        truth=_line((0.0, 30.0), (0.0, 0.3)),
    )
    return Drawn(figure, numbers)


def _snr() -> Drawn:
    rng = np.random.default_rng(32)
    load = day_shaped(rng, days=4)
    levels = (0.0, 5.0, 10.0, 15.0, 20.0, 30.0)
    made = {x: add_noise(load, 10 ** (-x / 20) * spread_of(load), rng) for x in levels}
    frame, numbers = _swept(load, made, ("snr_db",))
    figure = plot_sweep(
        frame,
        x_title="range over noise, as made (dB)",
        y_title="snr_db (dB)",
        theme="light",
        truth=_line((0.0, 30.0), (0.0, 30.0)),
    )
    return Drawn(figure, numbers)


def _flaps() -> Drawn:
    rng = np.random.default_rng(33)
    load = day_shaped(rng, days=4)
    made = {x: scale_noise(load, x / 100, rng) for x in (0.0, 2.0, 5.0, 10.0, 20.0, 30.0)}
    frame, numbers = _swept(load, made, ("flap_rate_per_h",))
    figure = plot_sweep(
        frame,
        x_title="noise of the signal, minute by minute (%)",
        y_title="flaps per hour",
        theme="light",
    )
    return Drawn(figure, numbers)


def _elasticity() -> Drawn:
    rng = np.random.default_rng(34)
    load = day_shaped(rng, days=4)
    truths = (0.0, 0.3, 0.5, 0.8, 1.0, 1.25, 1.5, 2.0)
    made = {x: scale_noise(power_response(load, x), 0.1, rng) for x in truths}
    frame, numbers = _swept(load, made, ("elasticity",))
    figure = plot_sweep(
        frame,
        x_title="elasticity, as made",
        y_title="elasticity",
        theme="light",
        truth=_line((0.0, 2.0), (0.0, 2.0)),
    )
    return Drawn(figure, numbers)


def _residual() -> Drawn:
    rng = np.random.default_rng(35)
    load = day_shaped(rng, days=7)
    clock = daily_load(len(load), MINUTE_S, rng=rng)
    shares = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
    made = {x: scale_noise(clock * (load / clock) ** x, 0.05, rng) for x in shares}
    frame, numbers = _swept(load, made, ("elasticity", "residual_elasticity"))
    figure = plot_sweep(
        frame,
        x_title="share of load's departures from its daily shape that the signal follows",
        y_title="measured",
        theme="light",
        truth=_line((0.0, 1.0), (0.0, 1.0)),
    )
    return Drawn(figure, numbers)


def _calibrated() -> Drawn:
    rng = np.random.default_rng(36)
    load = day_shaped(rng, days=4)
    truths = (0.3, 0.5, 0.7, 0.85, 1.0, 1.2, 1.5, 2.0)
    made = {x: scale_noise(power_response(load, x), 0.05, rng) for x in truths}
    frame, numbers = _swept(load, made, ("capacity_error", "capacity_error_calibrated"))
    figure = plot_sweep(
        frame, x_title="elasticity of the signal", y_title="mean |e| (ln)", theme="light"
    )
    return Drawn(figure, numbers)


def _instances() -> Drawn:
    rng = np.random.default_rng(37)
    load = day_shaped(rng, days=4)
    signal = scale_noise(load, 0.1, rng)
    sizes = (2.0, 5.0, 10.0, 20.0, 50.0, 100.0)
    found = {
        f"{n:g}": scores(fleet(load, {"noisy": signal}, ready=n))["noisy"].measures for n in sizes
    }
    frame, numbers = _by_number(found, ("capacity_error_instances",))
    relative = numbers_of({"capacity_error": found["10"]["capacity_error"]})
    figure = plot_sweep(
        frame,
        x_title="instances needed at the 95th percentile of load",
        y_title="instances missed",
        theme="light",
    )
    return Drawn(figure, {**relative, **numbers})


def _peak_bias() -> Drawn:
    rng = np.random.default_rng(38)
    load = day_shaped(rng, days=4)
    shares = (0.0, 2.0, 5.0, 10.0, 20.0, 30.0)
    made = {x: scale_noise(clipped(load, 1 - x / 100), 0.05, rng) for x in shares}
    frame, numbers = _swept(load, made, ("peak_bias",))
    figure = plot_sweep(
        frame,
        x_title="share of the time at capacity, where the signal cannot rise (%)",
        y_title="peak_bias (ln)",
        theme="light",
        truth=_line((0.0, 30.0), (-0.05, -0.05)),
    )
    figure.update_traces(name="under_orders_at_peak below", selector={"name": "truth"})
    return Drawn(figure, numbers)


def _trend_gap() -> Drawn:
    rng = np.random.default_rng(39)
    late = (0.0, 2.0, 5.0, 10.0, 15.0, 20.0, 30.0)
    whole = day_shaped(rng, days=4)
    load = whole[30:]
    made = {x: scale_noise(shift(whole, int(x))[30:], 0.05, rng) for x in late}
    frame, numbers = _swept(load, made, ("trend_gap",))
    figure = plot_sweep(
        frame,
        x_title="minutes by which the signal is late",
        y_title="trend_gap (ln)",
        theme="light",
        truth=_line((0.0, 30.0), (-0.1, -0.1)),
    )
    figure.update_traces(name="late below", selector={"name": "truth"})
    return Drawn(figure, numbers)


SWEEPS: tuple[Illustration, ...] = (
    Illustration(
        "noise",
        ("noise_ratio",),
        "noise_ratio and scatter_ratio against the white noise that was added",
        _noise,
        lambda n: (
            "Four days of minutes; the signal is load under white noise. Of 10 % of noise "
            f"`noise_ratio` finds {said(n, 'noise_ratio@10', '.3f')} and `scatter_ratio` "
            f"{said(n, 'scatter_ratio@10', '.3f')}; under 2 % the swings of load from minute to minute show: "
            f"{said(n, 'noise_ratio@2', '.3f')} and {said(n, 'scatter_ratio@2', '.3f')}."
        ),
    ),
    Illustration(
        "snr",
        ("snr_db",),
        "snr_db against the ratio that was made",
        _snr,
        lambda n: (
            "The same in decibels. "
            f"Made with 20 dB, measured {said(n, 'snr_db@20', '.1f', ' dB')}; made with 0 dB, "
            f"{said(n, 'snr_db@0', '.1f', ' dB')}. At 30 dB what load does from minute to minute bounds it: "
            f"{said(n, 'snr_db@30', '.1f', ' dB')}."
        ),
    ),
    Illustration(
        "flaps",
        ("flap_rate_per_h",),
        "Flaps per hour against the noise of a signal",
        _flaps,
        lambda n: (
            "Four days, ten instances; the signal is load under noise. Flaps per hour: "
            f"{said(n, 'flap_rate_per_h@0', '.2f')} without noise, since load itself turns back that often, "
            f"{said(n, 'flap_rate_per_h@5', '.1f')} with 5 %, {said(n, 'flap_rate_per_h@10', '.1f')} with 10 %, "
            f"{said(n, 'flap_rate_per_h@30', '.1f')} with 30 %."
        ),
    ),
    Illustration(
        "elasticity",
        ("elasticity",),
        "Measured elasticity against that of the signal as made",
        _elasticity,
        lambda n: (
            "Four days; signals of a known elasticity under 10 % of noise. For 0.3, 1 and 2 it finds "
            f"{said(n, 'elasticity@0.3', '.3f')}, {said(n, 'elasticity@1', '.3f')} and "
            f"{said(n, 'elasticity@2', '.3f')}."
        ),
    ),
    Illustration(
        "residual_elasticity",
        ("residual_elasticity",),
        "Elasticity and residual elasticity of signals that follow the clock, load, or something between",
        _residual,
        lambda n: (
            "A week. All signals have load's daily shape; they differ in how far they follow what departs from "
            "it. A signal of the clock alone has an elasticity of "
            f"{said(n, 'elasticity@0', '.2f')} and a residual elasticity of "
            f"{said(n, 'residual_elasticity@0', '.2f')}; one that follows load has "
            f"{said(n, 'elasticity@1', '.2f')} and {said(n, 'residual_elasticity@1', '.2f')}."
        ),
    ),
    Illustration(
        "calibrated",
        ("capacity_error_calibrated",),
        "Capacity error with and without knowledge of the response curve, against elasticity",
        _calibrated,
        lambda n: (
            "Four days; signals of a known elasticity under 5 % of noise. At 0.3 a ratio rule errs by "
            f"{said(n, 'capacity_error@0.3', '.3f')}, a controller that knows the curve by "
            f"{said(n, 'capacity_error_calibrated@0.3', '.3f')}; at 1 the two are alike: "
            f"{said(n, 'capacity_error@1', '.3f')} and {said(n, 'capacity_error_calibrated@1', '.3f')}."
        ),
    ),
    Illustration(
        "instances",
        ("capacity_error_instances",),
        "Instances missed against the size of the fleet",
        _instances,
        lambda n: (
            f"One signal with a capacity error of {said(n, 'capacity_error', '.3f')}, in fleets of different sizes: "
            f"of 10 instances it misses {said(n, 'capacity_error_instances@10', '.2f')}, of 100 "
            f"{said(n, 'capacity_error_instances@100', '.1f')}."
        ),
    ),
    Illustration(
        "peak_bias",
        ("peak_bias",),
        "Peak bias against the share of time in which a signal cannot rise",
        _peak_bias,
        lambda n: (
            "Four days; the signal is load up to a capacity, under 5 % of noise. Never at capacity: "
            f"{said(n, 'peak_bias@0', '.3f')}; a tenth of the time: {said(n, 'peak_bias@10', '.3f')}. "
            "The dashed line is the threshold of `under_orders_at_peak`."
        ),
    ),
    Illustration(
        "trend_gap",
        ("trend_gap",),
        "Trend gap against the lag of the signal",
        _trend_gap,
        lambda n: (
            "Four days; the signal is load some minutes ago, under 5 % of noise. In time: "
            f"{said(n, 'trend_gap@0', '.3f')}; ten minutes late: {said(n, 'trend_gap@10', '.3f')}. "
            "The dashed line is the threshold of `late`."
        ),
    ),
)
