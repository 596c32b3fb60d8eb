"""The event loop: one order of events, one dispatch rule, from schedule point to schedule point.

Events of one time are handled in this order: step ends by instance; transfers; lifecycle (ready, grace over);
arrivals in trace order; the exporter's samples; scrapes. Whoever decides at that time sees the state then
and may `scale`; after that, one dispatch: the router's queue, the links, then every instance that is at a
step boundary and was touched. Dispatch depends on the state alone.
"""

from __future__ import annotations

from collections.abc import Callable

from signals.fleet.access import (
    State,
    hit_at,
    instance_at,
    list_at,
    live_at,
    open_state,
    request_at,
)
from signals.fleet.decode import begin_decode, end_decode
from signals.fleet.kernels import entry_point, part, stamp
from signals.fleet.lifecycle import become_ready, kill, order, remove_if_drained, retire
from signals.fleet.prefill import begin_prefill, end_prefill, enqueue_prefill
from signals.fleet.queues import ROUTER, pop
from signals.fleet.requests import arrive
from signals.fleet.routing import least_loaded
from signals.fleet.runs import account, schedule
from signals.fleet.sampling import export_hardware, next_export, next_scrape, scrape
from signals.fleet.state import (
    DRAINING,
    GLOBALS,
    LINK_FLAG,
    NEVER,
    PREFILL,
    STARTING,
    STEP_FLAG,
    TABLES,
)
from signals.fleet.transfer import begin_transfer, end_transfer

__all__ = ["ACCOUNT", "ADVANCE", "ORDER", "RETIRE", "perform"]

ADVANCE, ORDER, RETIRE, ACCOUNT = range(4)


@part
def _next_arrival(state: State) -> int:
    arrived = state.arrived
    return request_at(state, arrived).arrival if arrived < state.total else NEVER


@part
def _next_time(state: State) -> int:
    now = min(_next_arrival(state), next_scrape(state), next_export(state))
    for index in range(state.live):
        now = min(now, instance_at(state, live_at(state, index).instance).due)
    return now


@part
def _end_steps(state: State, hits: int, now: int) -> None:
    for index in range(hits):
        instance = hit_at(state, index).instance
        i = instance_at(state, instance)
        if i.busy and i.run_end == now:
            if i.pool == PREFILL:
                end_prefill(state, instance, now)
            else:
                end_decode(state, instance, now)
            schedule(state, instance)


@part
def _change_lives(state: State, hits: int, now: int) -> None:
    for index in range(hits):
        instance = hit_at(state, index).instance
        i = instance_at(state, instance)
        if i.state == STARTING and i.ready_at == now:
            become_ready(state, instance, now)
        elif i.state == DRAINING and i.grace_end == now:
            # its last request may have ended at this very time
            remove_if_drained(state, instance, now)
            if i.state == DRAINING:
                kill(state, instance, now)


@part
def _handle_instances(state: State, now: int) -> None:
    hits = 0
    for index in range(state.live):
        if instance_at(state, live_at(state, index).instance).due == now:
            hit_at(state, hits).instance = live_at(state, index).instance
            hits += 1
    if hits == 0:
        return
    _end_steps(state, hits, now)
    for index in range(hits):
        if instance_at(state, hit_at(state, index).instance).link_end == now:
            end_transfer(state, hit_at(state, index).instance, now)
    _change_lives(state, hits, now)


@part
def _handle(state: State, now: int) -> None:
    _handle_instances(state, now)
    while _next_arrival(state) == now:
        arrive(state)
    if next_export(state) == now:
        export_hardware(state, now)
    if next_scrape(state) == now:
        scrape(state, now)


@part
def _route(state: State, now: int) -> None:
    while list_at(state, ROUTER).length > 0:
        instance = least_loaded(state, PREFILL, now)
        if instance < 0:
            return
        enqueue_prefill(state, instance, pop(state, ROUTER))


@part
def _begin_step(state: State, instance: int, now: int) -> None:
    i = instance_at(state, instance)
    if i.busy and i.run_end == now:
        # a transfer that ended now has cut the run short, at a boundary at which no sequence ends
        end_decode(state, instance, now)
    if i.busy == 0 and i.state != STARTING:
        if i.pool == PREFILL:
            begin_prefill(state, instance, now)
        else:
            begin_decode(state, instance, now)
    schedule(state, instance)


@part
def _dispatch(state: State, now: int) -> None:
    """One pass is the fixed point: neither a started transfer nor a started step feeds a queue."""
    _route(state, now)
    live = state.live
    for index in range(live):
        if instance_at(state, live_at(state, index).instance).flags & LINK_FLAG:
            begin_transfer(state, live_at(state, index).instance, now)
    touched = 0
    for index in range(live):
        instance = live_at(state, index).instance
        if instance_at(state, instance).flags & STEP_FLAG:
            instance_at(state, instance).flags &= ~STEP_FLAG
            _begin_step(state, instance, now)
            hit_at(state, touched).instance = instance
            touched += 1
    for index in range(touched):
        remove_if_drained(state, hit_at(state, index).instance, now)


@part
def _advance(state: State, until: int) -> None:
    """Handle and dispatch until the next event lies beyond; what happens at the end stays pending."""
    while state.clock < until:
        if state.pending:
            _dispatch(state, state.clock)
            state.pending = 0
        now = _next_time(state)
        if now <= until:
            _handle(state, now)
            state.pending = 1
        state.clock = min(now, until)


@part
def _order(state: State, pool: int, delay: int) -> None:
    order(state, pool, max(state.clock, 0), delay)
    state.pending = state.clock >= 0


@part
def _retire(state: State, pool: int, count: int, grace: int) -> None:
    for _ in range(_present(state, pool) - count):
        retire(state, pool, max(state.clock, 0), grace)
    state.pending = state.clock >= 0


@part
def _account(state: State, now: int) -> None:
    for index in range(state.live):
        account(state, live_at(state, index).instance, now)


@part
def _present(state: State, pool: int) -> int:
    """Instances of a pool that start or serve."""
    present = 0
    for index in range(state.live):
        i = instance_at(state, live_at(state, index).instance)
        present += i.pool == pool and i.state != DRAINING
    return present


def _entry_point(sources: int) -> Callable[[int, int, int, int, int], None]:
    """What Python calls, cached on disk under the digest of all that it calls."""

    @entry_point
    def perform(address: int, action: int, pool: int, count: int, time: int) -> None:
        state = open_state(address)
        if action == ADVANCE and sources > 0:
            _advance(state, time)
        elif action == ORDER:
            _order(state, pool, time)
        elif action == RETIRE:
            _retire(state, pool, count, time)
        elif action == ACCOUNT:
            _account(state, time)

    return perform


perform = _entry_point(stamp(TABLES, GLOBALS))
"""perform(address of GLOBALS, action, pool, count, time in picoseconds) does one of:

ADVANCE: handle every event up to and with `time`; what happened at `time` itself is dispatched later.
ORDER: order one instance of a pool, which takes `time` to be ready. RETIRE: leave `count` instances of a pool,
with `time` of grace for the others. ACCOUNT: bring busy time up to `time`.
"""
