"""All measures of one signal, and the score that follows from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from signals.schema import Estimate, Finding, Panel, PanelColumn
from signals.study.association import partial, pearson, spearman
from signals.study.capacity import (
    calibrated_errors,
    capacity_error,
    capacity_error_instances,
    constant_error,
    mean_error,
    peak_bias,
    ratio_errors,
    trend_gap,
)
from signals.study.coverage import coverage, covered
from signals.study.distance import distance_corr
from signals.study.early_warning import early_warning, early_warning_note
from signals.study.elasticity import elasticity, following, residual_elasticity
from signals.study.flapping import flap_rate
from signals.study.granger import granger
from signals.study.guards import censoring, is_identity, scaler_elasticity, undetermined_lag
from signals.study.lag import estimate_late_lag
from signals.study.monotone import fit_monotone
from signals.study.natural_experiment import natural_elasticity, natural_experiment_note
from signals.study.noise import noise_ratio, response_span, scatter_ratio, snr_db
from signals.study.other_pool import moved_by_other_pool, other_pool_note
from signals.study.panel import Observed, span_factor
from signals.study.proportionality import proportionality
from signals.study.response import bin_means, hysteresis, knee, linearity
from signals.study.rise import load_changes, rise_s
from signals.study.saturation import flat_against_direction, saturation_ratio
from signals.study.score import Remark, SignalScore
from signals.study.stability import parts, stability
from signals.study.standstill import standstill
from signals.study.trend import rising_and_falling
from signals.study.verdict import judge
from signals.study.window import WindowCurve, suggested_window_s, window_curve

__all__ = ["appraise", "signal_windows"]

_NOTHING = Estimate(None, determined=False, reason="too few ticks")


def appraise(
    panel: Panel, observed: Observed, load: PanelColumn, rng: np.random.Generator
) -> SignalScore:
    """Measure one signal and judge it.

    Args:
        panel: the panel, for what surrounds the signal.
        observed: the signal beside its load.
        load: description of the load's column.
        rng: source of randomness of the intervals.

    Returns:
        The score, not yet ranked and without p-values corrected for the number of signals.
    """
    measures = _timing(observed, rng)
    measures |= _response(observed, rng)
    measures |= _capacity(observed, measures["lag_s"], rng)
    measures |= _steering(observed, measures, rng)
    other = moved_by_other_pool(panel, observed)
    warning = early_warning_note(observed.column, early_warning(panel, observed.column))
    figures = {
        **_figures(observed, measures),
        "other_pool": None if other is None else other.partial,
        "warned_rises": None if warning is None else float(warning.count),
    }
    verdict, reasons, conditions = judge(figures, _intervals(measures))
    held_by = parts(observed, measures, first=panel.span.first)
    measures["stability"] = stability(held_by, verdict)
    notes = (
        undetermined_lag(observed.column, measures["lag_s"]),
        censoring(panel, observed.column),
        other_pool_note(observed, other),
        warning,
        *_natural(observed, measures["lag_s"], conditions, rng),
    )
    return SignalScore(
        column=observed.column,
        load=observed.choice.column,
        verdict=verdict,
        reasons=reasons,
        conditions=conditions,
        rank=None,
        identity=is_identity(observed.column, load),
        measures=measures,
        findings=tuple(note for note in notes if isinstance(note, Finding)),
    )


def _timing(observed: Observed, rng: np.random.Generator) -> dict[str, Estimate]:
    lag = _lag(observed, rng)
    shown = {
        "signal_window_s": observed.column.window_s,
        "signal_resolution_s": observed.column.resolution_s,
    }
    lag = replace(lag, extra={**lag.extra, **shown})
    ticks = lag.extra.get("ticks") if lag.determined else 0
    at = int(ticks) if isinstance(ticks, int) else 0
    x, y, tick_s = observed.raw_reference, observed.raw_signal, observed.tick_s
    return {
        "lag_s": lag,
        "pearson": pearson(x, y, at),
        "spearman": spearman(x, y, at),
        "distance_corr": distance_corr(x, y, at),
        "partial": partial(x, y, tick_s, at),
        "granger": granger(x, y, tick_s),
        "coverage": coverage(observed.raw_signal, observed.ready),
    }


def _lag(observed: Observed, rng: np.random.Generator) -> Estimate:
    """The lag; that of the load behind itself is zero by definition, however noisy or short it is."""
    if observed.column.name == observed.choice.column:
        return Estimate(0.0, 0.0, 0.0, extra={"ticks": 0, "leader": "neither"})
    return estimate_late_lag(
        observed.raw_reference,
        observed.raw_signal,
        observed.tick_s,
        rng=rng,
        direction=observed.direction,
        step_s=observed.step_s,
    )


def _response(observed: Observed, rng: np.random.Generator) -> dict[str, Estimate]:
    x, y, tick_s = observed.reference, observed.signal, observed.tick_s
    bins = bin_means(x, y, tick_s)
    curve = fit_monotone(x, y, observed.direction)
    span = 0.0 if curve is None else response_span(x, curve)
    rising, falling = rising_and_falling(observed.load, tick_s)
    noise = noise_ratio(y, tick_s, span, rng=rng)
    scatter = _NOTHING if curve is None else scatter_ratio(x, y, curve, span, rng=rng)
    pinned = _NOTHING
    if curve is not None and bins is not None:
        pinned = saturation_ratio(x, bins, curve, observed.direction)
    return {
        "noise_ratio": noise,
        "snr_db": snr_db(noise),
        "scatter_ratio": scatter,
        "elasticity": elasticity(x, y, bins, tick_s, rng=rng),
        "residual_elasticity": residual_elasticity(x, y, tick_s, rng=rng),
        "proportionality": proportionality(x, y, rng=rng),
        "linearity": _NOTHING if bins is None else linearity(x, y, bins, tick_s, rng=rng),
        "knee": knee(x, y, tick_s),
        "saturation_ratio": pinned,
        "hysteresis": hysteresis(x, y, rising, falling, span, observed.direction),
    }


def _capacity(observed: Observed, lag: Estimate, rng: np.random.Generator) -> dict[str, Estimate]:
    x, y, load, tick_s = observed.reference, observed.signal, observed.load, observed.tick_s
    settled = lag.value if lag.determined and lag.value is not None else 0.0
    lag_ticks = settled / tick_s
    held = ratio_errors(x, y, load, tick_s, lag_ticks=lag_ticks)
    learned = calibrated_errors(x, y, load, tick_s, observed.direction, lag_ticks=lag_ticks)
    constant = constant_error(x, y, load, tick_s, lag_ticks=lag_ticks)
    rising, falling = rising_and_falling(load, tick_s)
    error = capacity_error(held, rng=rng)
    calibrated = mean_error(learned, rng=rng)
    share = None
    if calibrated.value is not None and constant:
        share = calibrated.value / constant
    return {
        "capacity_error": replace(error, extra={**error.extra, "constant": constant}),
        "capacity_error_calibrated": replace(calibrated, extra={"share_of_constant": share}),
        "peak_bias": peak_bias(held, load, rng=rng),
        "trend_gap": trend_gap(held, rising, falling, rng=rng),
        "capacity_error_instances": capacity_error_instances(held, load, observed.ready, rng=rng),
    }


def signal_windows(observed: Observed, measures: Mapping[str, Estimate]) -> WindowCurve:
    """What averages of a signal are worth, by their width.

    Args:
        observed: the signal beside its load.
        measures: with its `lag_s` and `noise_ratio`.

    Returns:
        The curve over windows of one tick to 15 minutes.
    """
    lag, span = measures["lag_s"], measures["noise_ratio"].extra.get("span")
    return window_curve(
        observed.raw_signal,
        observed.reference,
        observed.load,
        observed.tick_s,
        span=span if isinstance(span, float) else 0.0,
        lag_s=lag.value if lag.determined else None,
    )


def _steering(
    observed: Observed, measures: Mapping[str, Estimate], rng: np.random.Generator
) -> dict[str, Estimate]:
    """What a controller that steers by it would live with."""
    tick_s, scope = observed.tick_s, observed.column.scope
    changes = load_changes(observed.raw_reference, tick_s)
    curve = signal_windows(observed, measures)
    return {
        "rise_s": rise_s(observed.raw_signal, changes, tick_s, rng=rng),
        "suggested_window_s": suggested_window_s(curve, observed.column),
        "flap_rate_per_h": flap_rate(observed.signal, observed.ready, tick_s, scope=scope, rng=rng),
    }


def _figures(observed: Observed, measures: dict[str, Estimate]) -> dict[str, float | None]:
    """The figures that the rules of the verdict look at."""
    both = np.isfinite(observed.reference) & np.isfinite(observed.signal)
    lag, share = measures["lag_s"], measures["capacity_error_calibrated"].extra["share_of_constant"]
    values = {name: estimate.value for name, estimate in measures.items()}
    average = observed.column.scope == "average"
    return {
        **values,
        **standstill(observed.raw_signal, observed.column),
        "coverage": covered(measures["coverage"]),
        "ticks": float(both.sum()),
        "load_span": span_factor(observed.reference[both]),
        "elasticity_size": _size(values["elasticity"]),
        "residual_elasticity": following(measures["residual_elasticity"], measures["elasticity"]),
        "flat_against_direction": flat_against_direction(measures["saturation_ratio"]),
        "hysteresis_size": _size(values["hysteresis"]),
        "calibrated_share": share if isinstance(share, float) else None,
        "lag_low_s": lag.low if lag.determined else None,
        "scaler_elasticity": scaler_elasticity(observed.load, observed.ready, observed.tick_s),
        "served_load": float(observed.choice.kind == "served"),
        "assumed_constant_fleet": float(average and observed.ready is None),
    }


def _intervals(measures: Mapping[str, Estimate]) -> dict[str, tuple[float, float]]:
    """Where the figures that the rules look at may lie, as far as that is known."""
    found = {
        name: (estimate.low, estimate.high)
        for name, estimate in measures.items()
        if estimate.low is not None and estimate.high is not None
    }
    if "elasticity" in found:
        found["elasticity_size"] = found["elasticity"]
    residual = found.get("residual_elasticity")
    if residual is not None and _falls(measures["elasticity"]):
        found["residual_elasticity"] = (-residual[1], -residual[0])
    return found


def _falls(elasticity: Estimate) -> bool:
    return elasticity.value is not None and elasticity.value < 0


def _natural(
    observed: Observed, lag: Estimate, conditions: tuple[Remark, ...], rng: np.random.Generator
) -> tuple[Finding, ...]:
    """What changes of the instance count tell of an average over instances in a closed loop."""
    closed = any(condition.code == "closed_loop" for condition in conditions)
    if not closed or observed.column.scope == "total":
        return ()
    lag_s = lag.value if lag.determined and lag.value is not None else 0.0
    return (natural_experiment_note(observed, natural_elasticity(observed, lag_s=lag_s, rng=rng)),)


def _size(value: float | None) -> float | None:
    return None if value is None else abs(value)
