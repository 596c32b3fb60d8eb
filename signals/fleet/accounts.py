"""What a fleet answers about itself: counts, requests, instance time, lifecycle."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

from signals.fleet.memory import Memory
from signals.fleet.queues import ROUTER
from signals.fleet.spec import POOLS, PoolCounts
from signals.fleet.state import (
    CUT,
    DONE,
    DRAINING,
    DROPPED,
    GONE,
    LISTS_PER_INSTANCE,
    PREFILL,
    READY,
    STARTING,
)
from signals.fleet.steptime import PICOSECONDS

__all__ = ["instance_seconds", "lifecycle_events", "pool_counts", "request_log"]

_STATUS = {DONE: "ok", CUT: "cut", DROPPED: "dropped"}


def pool_counts(memory: Memory, pool: int) -> PoolCounts:
    """Instances and requests of a pool."""
    everyone, lengths = memory.live, memory["lists"]["length"]
    live = everyone[memory.instances["pool"][everyone] == pool]
    mine = memory.instances[live]
    queued = int(lengths[1 + LISTS_PER_INSTANCE * live].sum())
    if pool == PREFILL:
        running = int(mine["started"].sum())
        waiting = queued - running + int(lengths[ROUTER])
    else:
        running = int(mine["slots"].sum())
        for_link = int(lengths[2 + LISTS_PER_INSTANCE * everyone].sum())
        waiting = queued + for_link + int(mine["incoming"].sum())
    return PoolCounts(
        desired=memory.scalar(f"desired_{pool}"),
        ready=int((mine["state"] == READY).sum()),
        starting=int((mine["state"] == STARTING).sum()),
        draining=int((mine["state"] == DRAINING).sum()),
        queue_depth=waiting,
        running=running,
    )


def _seconds(
    picoseconds: npt.NDArray[np.int64], known: npt.NDArray[np.bool_]
) -> npt.NDArray[np.float64]:
    return np.where(known, picoseconds / PICOSECONDS, np.nan)


def request_log(memory: Memory) -> pl.DataFrame:
    """One row per arrived request."""
    table = memory["requests"][: memory.scalar("arrived")]
    first_known = table["first"] >= 0
    done = table["state"] == DONE
    several = done & (table["output"] > 1)
    names = np.full(CUT + 1, "running", dtype=object)
    for code, name in _STATUS.items():
        names[code] = name
    frame = pl.DataFrame(
        {
            "arrival_s": table["arrival"] / PICOSECONDS,
            "prompt_tokens": np.ascontiguousarray(table["prompt"]),
            "output_tokens": np.ascontiguousarray(table["output"]),
            "cached_tokens": np.ascontiguousarray(table["cached"]),
            "prefill_start_s": _seconds(table["prefill_start"], table["prefill_start"] >= 0),
            "ttft_s": _seconds(table["first"] - table["arrival"], first_known),
            "tpot_s": _seconds(table["done"] - table["first"], several)
            / np.maximum(table["output"] - 1, 1),
            "e2e_s": _seconds(table["done"] - table["arrival"], done),
            "status": pl.Series(names.tolist()).gather(np.ascontiguousarray(table["state"])),
        }
    )
    return frame.with_columns(pl.col("prefill_start_s", "ttft_s", "tpot_s", "e2e_s").fill_nan(None))


def instance_seconds(memory: Memory, now: int) -> dict[str, dict[str, float]]:
    """Instance-seconds by pool and state up to now."""
    table = memory.instances
    end = np.where(table["state"] == GONE, table["gone_at"], now)
    ready = np.minimum(table["ready_at"], end)
    drain = np.where(table["drained_from"] >= 0, table["drained_from"], end)
    drain = np.maximum(drain, ready)
    spans = {
        "starting": ready - table["ordered_at"],
        "ready": drain - ready,
        "draining": end - drain,
    }
    return {
        pool: {
            stage: float(span[table["pool"] == code].sum()) / PICOSECONDS
            for stage, span in spans.items()
        }
        for code, pool in enumerate(POOLS)
    }


def lifecycle_events(memory: Memory) -> pl.DataFrame:
    """What happened to instances so far."""
    table = memory.instances
    now = max(memory.scalar("clock"), 0)
    gone = table["gone_at"] >= 0
    was_ready = (table["ready_at"] <= now) & (~gone | (table["drained_from"] >= 0))
    kinds = (
        ("ordered", table["ordered_at"], np.ones(len(table), bool)),
        ("ready", table["ready_at"], was_ready),
        ("draining", table["drained_from"], table["drained_from"] >= 0),
        ("drained", table["gone_at"], gone & (table["drained_from"] >= 0) & (table["cut"] == 0)),
        ("cut", table["gone_at"], table["cut"] > 0),
        ("cancelled", table["gone_at"], gone & (table["drained_from"] < 0)),
    )
    rows = [
        (at[i] / PICOSECONDS, POOLS[table["pool"][i]], int(table["number"][i]), kind, order)
        for order, (kind, at, holds) in enumerate(kinds)
        for i in np.flatnonzero(holds)
    ]
    cut = {(POOLS[r["pool"]], int(r["number"])): int(r["cut"]) for r in table}
    rows.sort(key=lambda row: (row[0], row[4], row[1], row[2]))
    return pl.DataFrame(
        [
            (at, pool, f"{pool}-{number}", kind, cut[pool, number] if kind == "cut" else 0)
            for at, pool, number, kind, _ in rows
        ],
        schema={
            "at_s": pl.Float64,
            "pool": pl.String,
            "instance": pl.String,
            "kind": pl.String,
            "requests_cut": pl.Int64,
        },
        orient="row",
    )
