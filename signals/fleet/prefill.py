"""Prefill instances: first come, first served under a token budget per step; long prompts in chunks."""

from __future__ import annotations

from signals.fleet.access import (
    State,
    instance_at,
    link_queue,
    list_at,
    prefill_time,
    queue,
    request_at,
)
from signals.fleet.kernels import kernel, part
from signals.fleet.queues import append, pop
from signals.fleet.requests import blocks, complete, produce_by_prefill, size
from signals.fleet.runs import account, credit, start_run
from signals.fleet.state import LINK_FLAG, PREFILLING, QUEUED, STEP_FLAG, TO_TRANSFER

__all__ = ["begin_prefill", "end_prefill", "enqueue_prefill"]


@part
def enqueue_prefill(state: State, instance: int, request: int) -> None:
    """The router gave the instance a request."""
    r = request_at(state, request)
    r.state = QUEUED
    append(state, queue(instance), request)
    instance_at(state, instance).backlog += r.left
    instance_at(state, instance).flags |= STEP_FLAG


@part
def _start(state: State, instance: int, request: int, now: int) -> bool:
    """Take the request's KV blocks; False if they are not free."""
    i = instance_at(state, instance)
    need = blocks(state, size(state, request))
    if i.kv_used + need > state.blocks:
        return False
    i.kv_used += need
    i.started += 1
    r = request_at(state, request)
    r.state = PREFILLING
    if r.prefill_start < 0:
        r.prefill_start = now
    return True


@kernel
def begin_prefill(state: State, instance: int, now: int) -> None:
    """Compose the next step from the head of the queue and start it; stay idle if there is none."""
    i = instance_at(state, instance)
    request = list_at(state, queue(instance)).head
    tokens, seqs = 0, 0
    while request >= 0 and tokens < state.budget and seqs < state.seqs:
        r = request_at(state, request)
        if r.state == QUEUED and not _start(state, instance, request, now):
            break
        r.chunk = min(r.left, state.budget - tokens)
        tokens += r.chunk
        seqs += 1
        request = r.next
    if seqs == 0:
        return
    steps = 1
    if seqs == 1 and tokens == state.budget:
        # alone with the whole budget: nothing that arrives changes the next full chunks
        leader = request_at(state, list_at(state, queue(instance)).head)
        steps = min(max(leader.left // tokens, 1), state.longest_run)
    i.run_tokens = tokens
    i.run_seqs = seqs
    start_run(state, instance, now, prefill_time(state, tokens).ps, 0, steps)


@part
def _finish(state: State, instance: int, request: int, now: int) -> None:
    i = instance_at(state, instance)
    i.started -= 1
    r = request_at(state, request)
    i.prompt_tokens += r.prompt
    produce_by_prefill(state, request, now)
    if r.generated == r.output:
        i.kv_used -= blocks(state, size(state, request) - 1)
        complete(state, instance, request, now)
        return
    r.state = TO_TRANSFER
    append(state, link_queue(instance), request)
    instance_at(state, instance).flags |= LINK_FLAG


@kernel
def end_prefill(state: State, instance: int, now: int) -> None:
    """The run's last step ended: finished prompts have their first token and wait for the link."""
    i = instance_at(state, instance)
    account(state, instance, now)
    credit(state, instance, i.run_steps)
    i.busy = 0
    i.backlog -= i.run_tokens * i.run_steps
    request = list_at(state, queue(instance)).head
    for _ in range(i.run_seqs):
        r = request_at(state, request)
        following = r.next
        r.left -= r.chunk * i.run_steps
        if r.left == 0:
            pop(state, queue(instance))
            _finish(state, instance, request, now)
        request = following
    instance_at(state, instance).flags |= STEP_FLAG
