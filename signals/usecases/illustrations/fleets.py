"""The fleets that the pictures show: a load, ten decode instances, and signals made from that load."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import polars as pl

from signals.schema import Estimate, Panel
from signals.series.grid import DAY_S
from signals.series.synthetic import daily_load
from signals.study.score import MEASURES, SignalScore
from signals.study.scorecard import evaluate_panel
from signals.study.specimen import panel_of
from signals.usecases.illustrations.spec import numbers_of

__all__ = ["MINUTE_S", "day_shaped", "fleet", "scores", "spread_of", "tabled"]

Array = npt.NDArray[np.float64]

MINUTE_S = 60.0
_PEAK_TPS = 50_000.0
_TITLES = {spec.name: spec.title for spec in MEASURES}


def day_shaped(rng: np.random.Generator, *, days: float, tick_s: float = MINUTE_S) -> Array:
    """A load of nights and afternoons that departs from its daily shape by a fifth, for an hour or two.

    Args:
        rng: source of randomness.
        days: how long.
        tick_s: grid width, seconds.

    Returns:
        float64 [ticks], about 1 at the peak.
    """
    phi = float(np.exp(-tick_s / 5_000.0))
    return daily_load(round(days * DAY_S / tick_s), tick_s, wander=0.2, phi=phi, rng=rng)


def fleet(
    load: Array, signals: Mapping[str, Array], *, tick_s: float = MINUTE_S, ready: float = 10.0
) -> Panel:
    """A decode pool of constant size under a load.

    Args:
        load: float64 [n], relative to the peak.
        signals: float64 [n] by name.
        tick_s: grid width, seconds.
        ready: instances.

    Returns:
        Its panel; load is in output tokens per second.
    """
    values = {
        "service:offered_output_tps": _PEAK_TPS * load,
        "decode:ready": np.full(len(load), ready),
        **{f"decode:{name}": signal for name, signal in signals.items()},
    }
    return panel_of(values, tick_s, service="example")


def scores(panel: Panel) -> dict[str, SignalScore]:
    """The score of each decode signal by its bare name, in the panel's order.

    Args:
        panel: from `fleet`.

    Returns:
        Ranked, with the corrections of a whole scorecard.
    """
    card = evaluate_panel(panel)
    found = {score.column.signal: score for score in card.signals}
    return {
        c.signal: found[c.signal] for c in panel.columns if c.pool == "decode" and c.signal in found
    }


def spread_of(load: Array) -> float:
    """The range that noise is measured against: from the 5th to the 95th percentile."""
    low, high = np.quantile(load, (0.05, 0.95))
    return float(high - low)


def tabled(
    found: Mapping[str, Mapping[str, Estimate]], names: Sequence[str]
) -> tuple[pl.DataFrame, dict[str, float | None]]:
    """Estimates of some measures as plots of trials take them, and as numbers.

    Args:
        found: estimates by measure, by case.
        names: the measures wanted.

    Returns:
        `case`, `measure` (its title), `value`, `low`, `high`; and the numbers `measure@case`.
    """
    lines = [
        (
            case,
            _TITLES[name],
            found[case][name].value,
            found[case][name].low,
            found[case][name].high,
        )
        for name in names
        for case in found
    ]
    ends = dict.fromkeys(("value", "low", "high"), pl.Float64)
    frame = pl.DataFrame(lines, {"case": pl.String, "measure": pl.String, **ends}, orient="row")
    named = {f"{name}@{case}": found[case][name] for name in names for case in found}
    return frame, numbers_of(named)
