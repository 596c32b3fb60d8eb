"""The life of one request: arrival, first token, end."""

from __future__ import annotations

from signals.fleet.access import State, instance_at, request_at
from signals.fleet.histograms import E2E, ITL, TPOT, TTFT, observe
from signals.fleet.kernels import kernel, part
from signals.fleet.queues import ROUTER, append
from signals.fleet.state import CUT, DONE, DROPPED, ROUTED

__all__ = [
    "arrive",
    "blocks",
    "complete",
    "computed_tokens",
    "cut_request",
    "produce_by_prefill",
    "size",
]


@kernel
def blocks(state: State, tokens: int) -> int:
    """KV blocks that hold so many tokens."""
    block = state.block
    return (tokens + block - 1) // block


@kernel
def size(state: State, request: int) -> int:
    """Tokens of a request that are known by now: its prompt and what was produced."""
    return request_at(state, request).prompt + request_at(state, request).generated


@part
def computed_tokens(state: State, request: int) -> int:
    """Tokens that a prefill of the request computes: cached ones are skipped, but never all."""
    r = request_at(state, request)
    return max(r.prompt - r.cached, 1) + r.generated


@kernel
def arrive(state: State) -> None:
    """The next request of the workload reaches the router, or is dropped because it can never fit."""
    request = state.arrived
    state.arrived += 1
    r = request_at(state, request)
    state.offered_prompt += r.prompt
    state.offered_output += r.output
    if blocks(state, r.prompt + 1) > state.blocks:
        r.state = DROPPED
        return
    r.state = ROUTED
    r.left = computed_tokens(state, request)
    append(state, ROUTER, request)


@part
def produce_by_prefill(state: State, request: int, now: int) -> None:
    """A prefill ended: it produces one token, the first unless the request was sent back before."""
    r = request_at(state, request)
    if r.first < 0:
        r.first = now
        observe(state, TTFT, now - r.arrival, 1)
    else:
        observe(state, ITL, now - r.last_token, 1)
    r.generated += 1
    r.last_token = now


@kernel
def complete(state: State, instance: int, request: int, now: int) -> None:
    """The last token was produced."""
    r = request_at(state, request)
    r.state = DONE
    r.generated = r.output
    r.done = now
    instance_at(state, instance).completions += 1
    observe(state, E2E, now - r.arrival, 1)
    if r.output > 1:
        observe(state, TPOT, (now - r.first) // (r.output - 1), 1)


@part
def cut_request(state: State, instance: int, request: int) -> None:
    """The request is lost with its instance."""
    request_at(state, request).state = CUT
    instance_at(state, instance).cut += 1
