"""Instances come and go: order, cold start, ready, draining, gone.

A draining instance is not routed to and sends what waits in it back to the router, with its arrival time
and first token; a request that was already prefilled is prefilled again. What runs, what waits for the
link or is on its way stays. At the end of the grace the instance is killed at that very moment, not at a
step boundary, and what it still holds is cut.
"""

from __future__ import annotations

from signals.fleet.access import (
    State,
    instance_at,
    link_queue,
    list_at,
    live_at,
    queue,
    request_at,
    slot_at,
)
from signals.fleet.kernels import kernel, part
from signals.fleet.queues import ROUTER, append, insert_in_order, pop
from signals.fleet.requests import computed_tokens, cut_request, size
from signals.fleet.routing import emptiest
from signals.fleet.runs import account, credit, schedule, steps_done
from signals.fleet.state import (
    DRAINING,
    GONE,
    LINK_FLAG,
    NEVER,
    QUEUED,
    READY,
    ROUTED,
    STARTING,
    STEP_FLAG,
)

__all__ = ["become_ready", "kill", "order", "remove_if_drained", "retire"]


@kernel
def order(state: State, pool: int, now: int, delay: int) -> None:
    """Order one more instance, ready after `delay`."""
    instance = state.instances
    number = 0
    for other in range(instance):
        number += instance_at(state, other).pool == pool
    state.instances += 1
    i = instance_at(state, instance)
    i.pool = pool
    i.number = number
    i.state = STARTING
    i.ordered_at = now
    i.ready_at = now + delay
    i.drained_from = -1
    i.grace_end = NEVER
    i.gone_at = -1
    i.link_end = NEVER
    i.link_request = -1
    for number in (queue(instance), link_queue(instance)):
        list_at(state, number).head = -1
        list_at(state, number).tail = -1
        list_at(state, number).length = 0
    live_at(state, state.live).instance = instance
    state.live += 1
    if delay == 0:
        become_ready(state, instance, now)
    schedule(state, instance)


@kernel
def become_ready(state: State, instance: int, now: int) -> None:
    """The cold start is over: the instance can be routed to."""
    i = instance_at(state, instance)
    i.state = READY
    i.sampled_at = now
    for index in range(state.live):
        # links that found no decode instance try again
        instance_at(state, live_at(state, index).instance).flags |= LINK_FLAG
    schedule(state, instance)


@kernel
def _remove(state: State, instance: int, now: int) -> None:
    i = instance_at(state, instance)
    i.state = GONE
    i.gone_at = now
    instance_at(state, instance).due = NEVER
    kept = 0
    for index in range(state.live):
        if live_at(state, index).instance != instance:
            live_at(state, kept).instance = live_at(state, index).instance
            kept += 1
    state.live = kept


@part
def _holds_work(state: State, instance: int) -> bool:
    i = instance_at(state, instance)
    return (
        i.busy == 1
        or i.slots > 0
        or i.incoming > 0
        or i.link_request >= 0
        or list_at(state, queue(instance)).length > 0
        or list_at(state, link_queue(instance)).length > 0
    )


@kernel
def remove_if_drained(state: State, instance: int, now: int) -> None:
    """A draining instance that holds no request is gone."""
    if instance_at(state, instance).state == DRAINING and not _holds_work(state, instance):
        _remove(state, instance, now)


@part
def _send_back(state: State, instance: int) -> None:
    """Everything that waits in the instance's queue returns to the router."""
    i = instance_at(state, instance)
    # the ones that are being prefilled stay at the head, in their order
    for _ in range(i.started):
        append(state, queue(instance), pop(state, queue(instance)))
    for _ in range(list_at(state, queue(instance)).length - i.started):
        request = pop(state, queue(instance))
        r = request_at(state, request)
        if r.state == QUEUED:
            i.backlog -= r.left
        else:
            i.promised -= size(state, request)
        r.state = ROUTED
        r.left = computed_tokens(state, request)
        insert_in_order(state, ROUTER, request)


@part
def _drain(state: State, instance: int, now: int, grace: int) -> None:
    i = instance_at(state, instance)
    i.state = DRAINING
    i.drained_from = now
    i.grace_end = now + grace
    _send_back(state, instance)
    instance_at(state, instance).flags |= STEP_FLAG
    schedule(state, instance)
    remove_if_drained(state, instance, now)
    if grace == 0 and i.state == DRAINING:
        kill(state, instance, now)


@kernel
def retire(state: State, pool: int, now: int, grace: int) -> None:
    """Take one instance away: the youngest that is starting, else the emptiest that is ready."""
    victim = emptiest(state, pool, STARTING, now)
    if victim >= 0:
        _remove(state, victim, now)
        return
    victim = emptiest(state, pool, READY, now)
    if victim >= 0:
        _drain(state, victim, now, grace)


@part
def _cut_transfers_to(state: State, instance: int) -> None:
    """Requests on their way to a killed instance are cut; their link time is spent all the same."""
    for index in range(state.live):
        source = instance_at(state, live_at(state, index).instance)
        request = source.link_request
        if request >= 0 and request_at(state, request).target == instance:
            cut_request(state, instance, request)
            # the blocks are free at once: nobody needs them any more
            source.kv_used -= _transfer_blocks(state, request)
            source.link_request = -1
            instance_at(state, live_at(state, index).instance).flags |= STEP_FLAG


@part
def _transfer_blocks(state: State, request: int) -> int:
    block = state.block
    return (size(state, request) - 1 + block - 1) // block


@kernel
def kill(state: State, instance: int, now: int) -> None:
    """The grace is over: the instance is gone, and what it still holds is cut."""
    i = instance_at(state, instance)
    account(state, instance, now)
    credit(state, instance, steps_done(state, instance, now))
    i.busy = 0
    for index in range(i.slots):
        slot = slot_at(state, instance, index)
        r = request_at(state, slot.request)
        r.generated = r.output - slot.remaining
        cut_request(state, instance, slot.request)
    i.slots = 0
    for number in (queue(instance), link_queue(instance)):
        while list_at(state, number).length > 0:
            cut_request(state, instance, pop(state, number))
    if i.link_request >= 0:
        target = instance_at(state, request_at(state, i.link_request).target)
        target.incoming -= 1
        target.promised -= size(state, i.link_request)
        instance_at(state, request_at(state, i.link_request).target).flags |= STEP_FLAG
        cut_request(state, instance, i.link_request)
        i.link_request = -1
    _cut_transfers_to(state, instance)
    _remove(state, instance, now)
