"""Lists of requests: the router's, each instance's queue, each prefill instance's queue for its link.

A request is in one list at a time, so one `next` per request links them all.
"""

from __future__ import annotations

from signals.fleet.access import State, list_at, request_at
from signals.fleet.kernels import kernel, part

__all__ = [
    "ROUTER",
    "append",
    "insert_in_order",
    "pop",
    "prepend",
]

ROUTER = 0
"""The list of requests that wait for a ready prefill instance, by arrival."""


@kernel
def append(state: State, number: int, request: int) -> None:
    """Put a request at the end."""
    request_at(state, request).next = -1
    if list_at(state, number).length == 0:
        list_at(state, number).head = request
    else:
        request_at(state, list_at(state, number).tail).next = request
    list_at(state, number).tail = request
    list_at(state, number).length += 1


@part
def prepend(state: State, number: int, request: int) -> None:
    """Put a request before all others."""
    request_at(state, request).next = list_at(state, number).head
    if list_at(state, number).length == 0:
        list_at(state, number).tail = request
    list_at(state, number).head = request
    list_at(state, number).length += 1


@kernel
def pop(state: State, number: int) -> int:
    """Take the first request out of a list that is not empty."""
    request = list_at(state, number).head
    list_at(state, number).head = request_at(state, request).next
    list_at(state, number).length -= 1
    if list_at(state, number).length == 0:
        list_at(state, number).tail = -1
    request_at(state, request).next = -1
    return request


@kernel
def insert_in_order(state: State, number: int, request: int) -> None:
    """Put a request into a list that is kept in order of arrival (and so of number)."""
    before, after = -1, list_at(state, number).head
    while after >= 0 and after < request:
        before, after = after, request_at(state, after).next
    if before < 0:
        prepend(state, number, request)
    elif after < 0:
        append(state, number, request)
    else:
        request_at(state, before).next = request
        request_at(state, request).next = after
        list_at(state, number).length += 1
