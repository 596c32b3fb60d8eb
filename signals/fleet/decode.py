"""Decode instances: continuous batching under KV capacity, preemption by recompute, exact runs of steps.

Between steps a sequence that has produced g tokens holds prompt + g - 1 of them; a step adds one. A
preempted one recomputes all prompt + g tokens, which produces its next.
"""

from __future__ import annotations

from signals.fleet.access import (
    State,
    decode_time,
    instance_at,
    list_at,
    phase_at,
    prefill_time,
    queue,
    request_at,
    slot_at,
)
from signals.fleet.histograms import ITL, observe
from signals.fleet.kernels import kernel, part
from signals.fleet.queues import append, pop, prepend
from signals.fleet.requests import blocks, complete, size
from signals.fleet.runs import account, credit, new_blocks, schedule, start_run
from signals.fleet.state import DECODING, DROPPED, STEP_FLAG, WAITING
from signals.fleet.steptime import run_span, steps_reaching

__all__ = ["begin_decode", "end_decode", "enqueue_decode"]


@part
def _phase(state: State, instance: int, tokens: int) -> int:
    block = state.block
    return (tokens - instance_at(state, instance).steps) % block


@part
def enqueue_decode(state: State, instance: int, request: int, now: int) -> None:
    """A transfer has ended: the request waits for admission at the next step boundary."""
    i = instance_at(state, instance)
    request_at(state, request).state = WAITING
    append(state, queue(instance), request)
    instance_at(state, instance).flags |= STEP_FLAG
    # behind others it changes nothing before they move, and they move at a run's end
    if i.busy == 0 or list_at(state, queue(instance)).length > 1:
        return
    i.run_steps = steps_reaching(i.first, i.growth, i.run_steps, now - i.run_start)
    i.run_end = i.run_start + run_span(i.first, i.growth, i.run_steps)
    schedule(state, instance)


@part
def _join(state: State, instance: int, tokens: int) -> None:
    """Count a sequence that holds so many tokens among the decoding ones."""
    i = instance_at(state, instance)
    i.decoding += 1
    i.context += tokens
    phase_at(state, instance, _phase(state, instance, tokens)).count += 1


@part
def _leave(state: State, instance: int, tokens: int) -> None:
    i = instance_at(state, instance)
    i.decoding -= 1
    i.context -= tokens
    i.kv_used -= blocks(state, tokens)
    phase_at(state, instance, _phase(state, instance, tokens)).count -= 1


@part
def _preempt_newest(state: State, instance: int, now: int) -> None:
    i = instance_at(state, instance)
    i.slots -= 1
    slot = slot_at(state, instance, i.slots)
    request = slot.request
    r = request_at(state, request)
    if slot.recompute > 0:
        i.recomputing -= size(state, request)
        i.kv_used -= blocks(state, size(state, request))
    else:
        r.generated = r.output - slot.remaining
        _leave(state, instance, size(state, request) - 1)
        r.last_token = now
    i.preemptions += 1
    if blocks(state, size(state, request)) > state.blocks:
        r.state = DROPPED
        return
    r.state = WAITING
    r.left = size(state, request)
    i.promised += size(state, request)
    prepend(state, queue(instance), request)


@part
def _assign_chunks(state: State, instance: int) -> int:
    """Give the budget that decoding leaves to sequences under recompute, in order; return the tokens."""
    i = instance_at(state, instance)
    if i.decoding == i.slots:
        return 0
    tokens = 0
    for index in range(i.slots):
        slot = slot_at(state, instance, index)
        slot.chunk = min(slot.recompute, state.budget - i.decoding - tokens)
        tokens += slot.chunk
    return tokens


@part
def _admit(state: State, instance: int, request: int, room: int) -> int:
    """Put the head of the queue into the batch; return the tokens it takes of the step's budget."""
    i = instance_at(state, instance)
    r = request_at(state, request)
    pop(state, queue(instance))
    i.promised -= size(state, request)
    r.state = DECODING
    slot = slot_at(state, instance, i.slots)
    i.slots += 1
    slot.request = request
    slot.remaining = r.output - r.generated
    slot.recompute = r.left
    slot.chunk = min(r.left, room)
    if r.left > 0:
        slot.fresh = 0
        i.recomputing += size(state, request)
        i.kv_used += blocks(state, size(state, request))
        return slot.chunk
    slot.fresh = 1
    i.fresh += 1
    _join(state, instance, size(state, request) - 1)
    i.kv_used += blocks(state, size(state, request) - 1)
    return 1


@part
def _admit_waiting(state: State, instance: int, tokens: int) -> int:
    """Admit in order while slots, budget and KV blocks last; return the step's recompute tokens."""
    i = instance_at(state, instance)
    room = state.budget - i.decoding - tokens
    while list_at(state, queue(instance)).length > 0 and i.slots < state.seqs and room > 0:
        request = list_at(state, queue(instance)).head
        need = blocks(state, size(state, request))
        if i.kv_used + new_blocks(state, instance, 1) + need > state.blocks:
            break
        taken = _admit(state, instance, request, room)
        room -= taken
        if request_at(state, request).left > 0:
            tokens += taken
    return tokens


@part
def _steps_that_fit(state: State, instance: int, steps: int) -> int:
    i = instance_at(state, instance)
    free = state.blocks - i.kv_used
    if (steps // state.block + 1) * i.decoding <= free:
        return steps
    low, high = 1, steps
    while low < high:
        middle = (low + high + 1) // 2
        if new_blocks(state, instance, middle) <= free:
            low = middle
        else:
            high = middle - 1
    return low


@part
def _longest_run(state: State, instance: int) -> int:
    """Steps of this composition until a sequence ends or blocks run out."""
    i = instance_at(state, instance)
    steps = state.longest_run
    for index in range(i.slots):
        steps = min(steps, slot_at(state, instance, index).remaining)
    return _steps_that_fit(state, instance, steps)


@part
def _step_time(state: State, instance: int, tokens: int) -> int:
    i = instance_at(state, instance)
    if i.decoding == 0:
        return prefill_time(state, tokens).ps
    time = decode_time(state, i.decoding).ps + state.context_ps * (i.context + i.decoding)
    if tokens > 0:
        time += prefill_time(state, tokens).ps - state.fixed_ps
    return time


@kernel
def begin_decode(state: State, instance: int, now: int) -> None:
    """Compose the next step at a boundary and start its run; stay idle if there is nothing to do."""
    i = instance_at(state, instance)
    preempted = False
    while i.slots > 0 and i.kv_used + new_blocks(state, instance, 1) > state.blocks:
        _preempt_newest(state, instance, now)
        preempted = True
    if i.slots == 0:
        # the last one was dropped: there is no step in which nothing may be admitted
        preempted = False
    tokens = _assign_chunks(state, instance)
    if not preempted:
        tokens = _admit_waiting(state, instance, tokens)
    if i.slots == 0:
        return
    steps = 1
    if not preempted and tokens == 0:
        steps = _longest_run(state, instance)
    i.run_tokens = tokens
    i.run_seqs = i.decoding
    growth = state.context_ps * i.decoding
    start_run(state, instance, now, _step_time(state, instance, tokens), growth, steps)


@part
def _rejoin(state: State, instance: int, index: int, now: int) -> None:
    """A recompute ended: it has produced the next token, and the sequence decodes again."""
    i = instance_at(state, instance)
    slot = slot_at(state, instance, index)
    r = request_at(state, slot.request)
    observe(state, ITL, now - r.last_token, 1)
    i.decode_tokens += 1
    i.recomputing -= size(state, slot.request)
    _join(state, instance, size(state, slot.request))
    slot.remaining -= 1
    r.left = 0


@part
def _move_on(state: State, instance: int, index: int, steps: int, now: int) -> bool:
    """Advance one sequence by the run that ended; True if that was its last token."""
    slot = slot_at(state, instance, index)
    if slot.recompute > 0:
        slot.recompute -= slot.chunk
        if slot.recompute == 0:
            _rejoin(state, instance, index, now)
    else:
        slot.remaining -= steps
    if slot.remaining > 0:
        return False
    r = request_at(state, slot.request)
    _leave(state, instance, r.prompt + r.output - 1)
    complete(state, instance, slot.request, now)
    return True


@part
def _move(state: State, instance: int, source: int, target: int) -> None:
    old, new = slot_at(state, instance, source), slot_at(state, instance, target)
    new.request = old.request
    new.remaining = old.remaining
    new.recompute = old.recompute
    new.chunk = old.chunk
    new.fresh = old.fresh


@kernel
def end_decode(state: State, instance: int, now: int) -> None:
    """The run's last step ended: tokens, ends, freed blocks."""
    i = instance_at(state, instance)
    steps = i.run_steps
    account(state, instance, now)
    credit(state, instance, steps)
    i.busy = 0
    i.kv_used += new_blocks(state, instance, steps)
    i.context += steps * i.decoding
    i.steps += steps
    kept = 0
    for index in range(i.slots):
        if not _move_on(state, instance, index, steps, now):
            _move(state, instance, index, kept)
            kept += 1
    i.slots = kept
    instance_at(state, instance).flags |= STEP_FLAG
