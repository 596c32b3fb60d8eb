"""What a run cost and how steady it was: instance time, utilisation, scale events, flaps, P/D ratio."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from signals.replay.frames import RUN_EVENT
from signals.replay.loop import POOLS, Trace

if TYPE_CHECKING:
    from signals.fleet import Fleet

__all__ = [
    "FLAP_S",
    "CapacityAccount",
    "account_capacity",
    "count_flaps",
    "lifecycle_rows",
    "ratio_violated",
]

FLAP_S = 900.0
"""A change opposite to the pool's previous one within this time is a flap."""

_SHOWN = ("ready", "drained", "cut")


@dataclass(frozen=True)
class CapacityAccount:
    """The cost of a run.

    Attributes:
        gpu_hours: GPU-hours of starting, ready and draining instances.
        gpu_hours_by_pool: the same by pool.
        busy_ratio: busy share of serving time, by pool; None if nothing served.
        scale_events: orders that changed a pool's count.
        flaps: orders opposite to the previous one of their pool within `FLAP_S`.
        ratio_violation_s: time in which the ready P/D ratio was off.
        peak_instances, mean_instances: ready instances, by pool.
        largest_batch: most running requests per serving decode instance, at a tick.
    """

    gpu_hours: float
    gpu_hours_by_pool: Mapping[str, float]
    busy_ratio: Mapping[str, float | None]
    scale_events: int
    flaps: int
    ratio_violation_s: float
    peak_instances: Mapping[str, int]
    mean_instances: Mapping[str, float]
    largest_batch: float


def account_capacity(
    fleet: Fleet,
    trace: Trace,
    *,
    gpus_per_instance: int,
    pd_ratio: tuple[int, int],
    tolerance_ratio: float,
) -> CapacityAccount:
    """Account a run up to the fleet's clock.

    Args:
        fleet: after the run.
        trace: its record.
        gpus_per_instance: GPUs of one instance.
        pd_ratio: prefill to decode.
        tolerance_ratio: relative distance from the ratio that is no violation.

    Returns:
        The account.
    """
    seconds = fleet.instance_seconds()
    hours = {pool: sum(seconds[pool].values()) * gpus_per_instance / 3600.0 for pool in POOLS}
    serving = {pool: seconds[pool]["ready"] + seconds[pool]["draining"] for pool in POOLS}
    busy = {pool: fleet.busy_seconds(pool) for pool in POOLS}
    orders = trace.events.filter(pl.col("kind").is_in(["scale_up", "scale_down"]))
    ready = {pool: _ready_counts(fleet, pool) for pool in POOLS}
    violated = ratio_violated(ready["prefill"], ready["decode"], pd_ratio, tolerance_ratio)
    decode = trace.ticks.filter(
        (pl.col("pool") == "decode") & (pl.col("ready") + pl.col("draining") > 0)
    )
    batch = (decode["running"] / (decode["ready"] + decode["draining"])).max()
    return CapacityAccount(
        gpu_hours=sum(hours.values()),
        gpu_hours_by_pool=hours,
        busy_ratio={p: min(1.0, busy[p] / serving[p]) if serving[p] > 0 else None for p in POOLS},
        scale_events=orders.height,
        flaps=count_flaps(orders),
        ratio_violation_s=float(violated.sum()) * fleet.now_s / max(1, violated.size),
        peak_instances={pool: int(ready[pool].max(initial=0)) for pool in POOLS},
        mean_instances={pool: seconds[pool]["ready"] / max(fleet.now_s, 1e-9) for pool in POOLS},
        largest_batch=float(batch) if isinstance(batch, float) else 0.0,
    )


def count_flaps(orders: pl.DataFrame) -> int:
    """Orders opposite to the previous order of their pool less than 15 minutes after it.

    Args:
        orders: RUN_EVENT rows of kind scale_up and scale_down, sorted by time.
    """
    gap_s = pl.col("ts").diff().over("pool").dt.total_microseconds() / 1e6
    turned = pl.col("kind") != pl.col("kind").shift().over("pool")
    return orders.filter(turned & (gap_s < FLAP_S)).height


def ratio_violated(
    prefill: np.ndarray, decode: np.ndarray, pd_ratio: tuple[int, int], tolerance_ratio: float
) -> np.ndarray:
    """When are the ready pools out of proportion?

    Whole instances cannot meet every ratio: less than one instance from the ratio is no violation.

    Args:
        prefill: ready counts, shape (n,).
        decode: ready counts at the same times, shape (n,).
        pd_ratio: prefill to decode.
        tolerance_ratio: relative distance that is no violation.

    Returns:
        Booleans, shape (n,).
    """
    over_prefill = prefill - decode * (pd_ratio[0] / pd_ratio[1])
    over_decode = decode - prefill * (pd_ratio[1] / pd_ratio[0])
    ideal = np.maximum(decode * (pd_ratio[0] / pd_ratio[1]), 1e-9)
    off: np.ndarray = (
        (np.abs(over_prefill) >= 1.0)
        & (np.abs(over_decode) >= 1.0)
        & (np.abs(over_prefill) / ideal > tolerance_ratio)
    )
    return off


def lifecycle_rows(fleet: Fleet, *, policy: str, start: datetime) -> pl.DataFrame:
    """What happened to instances, as RUN_EVENT.

    Args:
        fleet: after the run.
        policy: label of the run.
        start: time zero, UTC.

    Returns:
        Rows of kind ready, drained and cut after the start, sorted; instances that were there at the start
        are not told.
    """
    zero = pl.lit(start).dt.cast_time_unit("us")
    at = pl.duration(microseconds=(pl.col("at_s") * 1e6).round().cast(pl.Int64))
    return (
        fleet.lifecycle_events()
        .filter(pl.col("kind").is_in(_SHOWN) & (pl.col("at_s") > 0))
        .select(
            pl.lit(policy).alias("policy"),
            (zero + at).alias("ts"),
            "pool",
            "kind",
            pl.lit(None).alias("before"),
            pl.lit(None).alias("after"),
            pl.col("instance").alias("reason"),
        )
        .cast(pl.Schema(RUN_EVENT.polars()))
    )


def _ready_counts(fleet: Fleet, pool: str) -> np.ndarray:
    _, _, values = fleet.scrapes.gauge("ready", pool, 0.0, fleet.now_s)
    counts: np.ndarray = values[:, 0]
    return counts
