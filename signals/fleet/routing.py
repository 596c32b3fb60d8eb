"""Which instance gets a request: the one with least work, and of equals the lowest number."""

from __future__ import annotations

from signals.fleet.access import State, instance_at, live_at
from signals.fleet.kernels import kernel, part
from signals.fleet.runs import steps_done
from signals.fleet.state import PREFILL, READY

__all__ = ["emptiest", "least_loaded", "load"]


@part
def load(state: State, instance: int, now: int) -> int:
    """An instance's work at its last step boundary, tokens.

    Prefill: tokens still to compute. Decode: KV tokens held by the batch and promised to requests that
    wait for admission or are on their way.
    """
    i = instance_at(state, instance)
    steps = steps_done(state, instance, now)
    if i.pool == PREFILL:
        return i.backlog - steps * i.run_tokens
    return i.context + i.recomputing + i.promised + steps * i.decoding


@kernel
def least_loaded(state: State, pool: int, now: int) -> int:
    """The ready instance of a pool with least work, -1 if none is ready."""
    best, least = -1, 0
    for index in range(state.live):
        instance = live_at(state, index).instance
        i = instance_at(state, instance)
        if i.pool == pool and i.state == READY:
            work = load(state, instance, now)
            if best < 0 or work < least:
                best, least = instance, work
    return best


@kernel
def emptiest(state: State, pool: int, stage: int, now: int) -> int:
    """The instance of a pool in this stage of life with least work, of equals the youngest; -1 if none."""
    best, least = -1, 0
    for index in range(state.live):
        instance = live_at(state, index).instance
        i = instance_at(state, instance)
        if i.pool == pool and i.state == stage:
            work = load(state, instance, now)
            if best < 0 or work <= least:
                best, least = instance, work
    return best
