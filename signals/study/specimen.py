"""Telemetry to try a measure on: a panel made of arrays, and a whole fleet whose truth is stated.

>>> import numpy as np
>>> from signals.study.scorecard import evaluate_panel
>>> from signals.study.specimen import known_fleet
>>> specimen = known_fleet(np.random.default_rng(7))
>>> card = evaluate_panel(specimen.panel, signals=["sm_active"])
>>> card.signals[0].verdict
'proportional'
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np
import numpy.typing as npt
import polars as pl

from signals.catalog import find_signal
from signals.errors import UsageError
from signals.schema import TIMESTAMP, Panel, PanelColumn, Scope, pooled_name, split_pooled_name
from signals.series.grid import DAY_S, ticks_in
from signals.series.synthetic import (
    daily_load,
    drop_runs,
    idle_offset,
    plateau,
    power_response,
    scale_noise,
    stepped_load,
)
from signals.study.score import Verdict

__all__ = ["Specimen", "Truth", "known_fleet", "panel_of"]

Array = npt.NDArray[np.float64]

MONDAY = datetime(2026, 1, 5, tzinfo=UTC)
_POOL = "decode"


@dataclass(frozen=True, slots=True)
class Truth:
    """What is true of a signal because it was made so.

    Attributes:
        name: panel column, `pool:signal`.
        verdict: the class that it deserves.
        elasticity: by how many per cent it moves when load moves by one, noise and lag aside; None if that
            differs from load to load.
        lag_s: seconds by which it trails load.
        spread: standard deviation of the logarithm of its noise, tick by tick.
        text: how it was made.
    """

    name: str
    verdict: Verdict
    elasticity: float | None
    lag_s: float
    spread: float
    text: str


@dataclass(frozen=True)
class Specimen:
    """A panel with the truth about each of its signals, in the panel's order."""

    panel: Panel
    truths: tuple[Truth, ...]


def panel_of(
    values: Mapping[str, Array],
    tick_s: float,
    *,
    first: datetime = MONDAY,
    scopes: Mapping[str, Scope] | None = None,
    service: str = "specimen",
) -> Panel:
    """Lay arrays on one grid, as the store does with samples.

    Args:
        values: float64 [n] by `pool:signal`; NaN where missing. Of signals that the catalog knows it gives
            unit and scope; others have unit `rel` and count as averages over instances.
        tick_s: grid width, seconds.
        first: when the first tick begins.
        scopes: `total` or `average` by name, where the catalog does not say or is not right.
        service: the panel's service.

    Returns:
        The panel, ready for `evaluate_panel`.

    Raises:
        UsageError: there is no array, their lengths differ, or a name has no pool.
    """
    lengths = {len(column) for column in values.values()}
    if len(lengths) != 1:
        raise UsageError(
            f"{len(values)} arrays of {len(lengths)} lengths do not lie on one grid",
            expected="one array or more, of equal lengths",
        )
    ticks = [first + timedelta(seconds=tick_s * (i + 1)) for i in range(lengths.pop())]
    frame = pl.DataFrame(
        [
            pl.Series("tick", ticks).cast(TIMESTAMP),
            *(
                pl.Series(name, np.asarray(column, dtype=np.float64), nan_to_null=True)
                for name, column in values.items()
            ),
        ]
    )
    columns = tuple(_described(name, tick_s, (scopes or {}).get(name)) for name in values)
    return Panel(service, tick_s, frame, columns)


def _described(name: str, tick_s: float, scope: Scope | None) -> PanelColumn:
    if ":" not in name:
        raise UsageError(f"'{name}' has no pool", expected="pool:signal, such as decode:kv_usage")
    pool, signal = split_pooled_name(name)
    spec = find_signal(signal)
    known = "average" if spec is None else spec.scope
    return PanelColumn(
        name,
        pool,
        signal,
        "rel" if spec is None else spec.unit,
        scope or known,
        sources=(f"{signal}@{pool}",),
        resolution_s=tick_s,
        window_s=tick_s,
    )


def known_fleet(
    rng: np.random.Generator, *, days: int = 4, tick_s: float = 60.0, missing: float = 0.02
) -> Specimen:
    """A decode pool with signals of every kind, held against what clients asked for.

    Load has a daily shape and departs from it slowly; 10 instances serve, 14 from the middle of the span.

    Args:
        rng: source of randomness.
        days: whole days, four or more where signals that follow the clock are to be told.
        tick_s: grid width, seconds.
        missing: share of ticks lost in runs of about five, of each signal apart.

    Returns:
        The panel, and what is true of each signal.
    """
    count = round(days * DAY_S / tick_s)
    late = ticks_in(20 * 60, tick_s)
    base = daily_load(count + late, tick_s, trough=0.25, wander=0.25, phi=0.995, rng=rng)
    load = 50_000 * base[late:]
    ready = stepped_load(count, [count // 2], [10.0, 14.0])
    per = load / ready / 5_000
    clock = daily_load(count, tick_s, trough=0.25, rng=rng)
    unheard = drop_runs(scale_noise(load, 0.02, rng), 0.8, 5, rng)
    made: tuple[tuple[str, Verdict, float | None, float, float, Array, str], ...] = (
        ("decode_tps", "proportional", 1.0, 0.0, 0.03, load, "output tokens as they are asked for"),
        ("sm_active", "proportional", 1.0, 0.0, 0.05, 0.6 * per, "in proportion, some noise"),
        ("kv_usage", "feedback", 0.4, 0.0, 0.03, 0.5 * power_response(per, 0.4), "insensitive"),
        ("power_w", "feedback", None, 0.0, 0.02, _idle(per), "as much idle as the load adds"),
        ("itl_mean", "feedback", 1.7, 0.0, 0.03, power_response(per, 1.7), "overreacts"),
        ("running", "feedback", 1.0, 0.0, 0.5, 20 * per, "in proportion under 50 % of noise"),
        (
            "gpu_util",
            "unusable",
            None,
            0.0,
            0.0,
            plateau(per, 0.0, 0.15),
            "pinned 85 % of the time",
        ),
        ("mfu", "unusable", None, 0.0, 0.03, 0.4 * clock, "follows the clock, whatever load does"),
        (
            "completion_rate",
            "unusable",
            1.0,
            late * tick_s,
            0.02,
            50_000 * base[:count] / 300,
            "in proportion to the load of twenty minutes ago",
        ),
        ("prefill_tps", "insufficient_data", 1.0, 0.0, 0.02, unheard, "known at a fifth of ticks"),
    )
    values = {"service:offered_output_tps": load, pooled_name(_POOL, "ready"): ready}
    truths = []
    for signal, verdict, slope, lag_s, spread, clean, text in made:
        name = pooled_name(_POOL, signal)
        values[name] = drop_runs(scale_noise(clean, spread, rng), missing, 5, rng)
        truths.append(Truth(name, verdict, slope, lag_s, spread, text))
    return Specimen(panel_of(values, tick_s), tuple(truths))


def _idle(per: Array) -> Array:
    """Watts of a GPU that draws as much idle as the geometric middle of the load adds."""
    middle = float(np.exp(np.log(per).mean()))
    return 300 * idle_offset(per / middle, 1.0)
