"""KV transfer: one link out of every prefill instance, one transfer at a time, first come, first served.

The decode instance is chosen when the transfer starts. The prefill instance keeps the blocks until it ends.
"""

from __future__ import annotations

from signals.fleet.access import State, instance_at, link_queue, list_at, request_at
from signals.fleet.decode import enqueue_decode
from signals.fleet.kernels import kernel
from signals.fleet.queues import pop
from signals.fleet.requests import blocks, size
from signals.fleet.routing import least_loaded
from signals.fleet.runs import schedule
from signals.fleet.state import DECODE, LINK_FLAG, NEVER, STEP_FLAG, TRANSFERRING

__all__ = ["begin_transfer", "end_transfer"]


@kernel
def begin_transfer(state: State, instance: int, now: int) -> None:
    """Start the next transfer if the link is free and a decode instance is ready; else try again later."""
    i = instance_at(state, instance)
    if i.link_end < NEVER or list_at(state, link_queue(instance)).length == 0:
        instance_at(state, instance).flags &= ~LINK_FLAG
        return
    target = least_loaded(state, DECODE, now)
    if target < 0:
        return
    instance_at(state, instance).flags &= ~LINK_FLAG
    request = pop(state, link_queue(instance))
    r, t = request_at(state, request), instance_at(state, target)
    r.state = TRANSFERRING
    r.target = target
    t.incoming += 1
    t.promised += size(state, request)
    i.link_request = request
    i.link_end = now + state.latency_ps + (size(state, request) - 1) * state.link_ps
    schedule(state, instance)


@kernel
def end_transfer(state: State, instance: int, now: int) -> None:
    """The KV entries have arrived; those of a request that was cut on the way are dropped."""
    i = instance_at(state, instance)
    request = i.link_request
    i.link_end = NEVER
    i.link_request = -1
    instance_at(state, instance).flags |= LINK_FLAG | STEP_FLAG
    schedule(state, instance)
    if request < 0:
        return
    i.kv_used -= blocks(state, size(state, request) - 1)
    target = request_at(state, request).target
    instance_at(state, target).incoming -= 1
    enqueue_decode(state, target, request, now)
