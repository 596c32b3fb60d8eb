"""Runs of steps on one instance: what was done by now, and when its next event is due.

Whoever looks at an instance sees the last step boundary at or before now. Busy time alone moves within
a step, as a hardware counter's does.
"""

from __future__ import annotations

from signals.fleet.access import State, instance_at, phase_at, request_at, saturation_at, slot_at
from signals.fleet.histograms import ITL, observe, observe_run
from signals.fleet.kernels import kernel, part
from signals.fleet.state import DECODE, DRAINING, STARTING
from signals.fleet.steptime import run_span, steps_within

__all__ = ["account", "credit", "new_blocks", "schedule", "start_run", "steps_done"]


@part
def start_run(state: State, instance: int, now: int, first: int, growth: int, steps: int) -> None:
    """Begin a run whose composition the caller has set."""
    i = instance_at(state, instance)
    i.busy = 1
    i.run_start = now
    i.run_steps = steps
    i.run_done = 0
    i.first = first
    i.growth = growth
    i.run_end = now + run_span(first, growth, steps)
    i.accounted = now


@part
def steps_done(state: State, instance: int, now: int) -> int:
    """Steps of the run in progress that have ended by now."""
    i = instance_at(state, instance)
    if i.busy == 0:
        return 0
    return steps_within(i.first, i.growth, i.run_steps, now - i.run_start)


@kernel
def schedule(state: State, instance: int) -> None:
    """Note when the instance's next event is due."""
    i = instance_at(state, instance)
    due = i.link_end
    if i.busy:
        due = min(due, i.run_end)
    if i.state == STARTING:
        due = min(due, i.ready_at)
    elif i.state == DRAINING:
        due = min(due, i.grace_end)
    instance_at(state, instance).due = due


@kernel
def account(state: State, instance: int, now: int) -> None:
    """Add the busy time since the last call, by kind of step."""
    i = instance_at(state, instance)
    if i.busy:
        spent = now - i.accounted
        i.busy_ps += spent
        if i.run_tokens > 0:
            i.prefill_ps += spent
        else:
            i.decode_ps += spent
            i.saturation_ps += spent * saturation_at(state, i.run_seqs).ps
    i.accounted = now


@kernel
def new_blocks(state: State, instance: int, steps: int) -> int:
    """KV blocks that the decoding sequences need for their next `steps` tokens each."""
    i = instance_at(state, instance)
    block = state.block
    total = steps // block * i.decoding
    for step in range(i.steps, i.steps + steps % block):
        total += phase_at(state, instance, (block - step % block) % block).count
    return total


@part
def _observe_gaps(state: State, instance: int, low: int, high: int) -> None:
    i = instance_at(state, instance)
    if low == 0 and i.fresh > 0:
        observe_run(state, ITL, i.first, i.growth, 0, 1, i.run_seqs - i.fresh)
        for index in range(i.slots):
            slot = slot_at(state, instance, index)
            if slot.fresh:
                gap = i.run_start + i.first - request_at(state, slot.request).last_token
                observe(state, ITL, gap, 1)
                slot.fresh = 0
        i.fresh = 0
        low = 1
    observe_run(state, ITL, i.first, i.growth, low, high, i.run_seqs)


@kernel
def credit(state: State, instance: int, steps: int) -> None:
    """Count the tokens of the run's steps up to `steps`, as they would have been counted one by one."""
    i = instance_at(state, instance)
    done = i.run_done
    if steps <= done:
        return
    i.prefill_tokens += (steps - done) * i.run_tokens
    if i.pool == DECODE and i.run_seqs > 0:
        i.decode_tokens += (steps - done) * i.run_seqs
        _observe_gaps(state, instance, done, steps)
    i.run_done = steps
