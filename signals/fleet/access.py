"""How kernels reach the tables: one record of addresses and scalars goes in, rows come out.

Kernels pass a single pointer around, where arrays would each bring their shape, strides and reference
count to every call: that made the engine ten times slower to compile and to run. The addresses are valid
while `Memory` holds the tables; nothing checks bounds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numba import from_dtype, types
from numba.extending import intrinsic

from signals.fleet.kernels import kernel
from signals.fleet.state import HISTOGRAM_COUNT, TABLES

__all__ = [
    "State",
    "bound_at",
    "count_at",
    "decode_time",
    "hit_at",
    "instance_at",
    "list_at",
    "live_at",
    "phase_at",
    "prefill_time",
    "request_at",
    "sample_at",
    "saturation_at",
    "slot_at",
    "sum_at",
    "tick_at",
    "tick_count_at",
    "tick_sum_at",
]

State: TypeAlias = Any
"""A GLOBALS record, as kernels see it."""


def _row_reader(dtype: np.dtype[np.void]) -> Callable[[int, int], Any]:
    """An intrinsic that takes a table's address and a row number and gives the row, to read and to write."""
    record = from_dtype(dtype)
    width = dtype.itemsize

    @intrinsic
    def row(typing: Any, address: Any, index: Any) -> Any:  # noqa: ANN401, ARG001 - numba's protocol
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ANN401, ARG001
            offset = builder.mul(arguments[1], arguments[1].type(width))
            pointer = builder.add(arguments[0], offset)
            return builder.inttoptr(pointer, context.get_value_type(record))

        return record(types.int64, types.int64), generate

    reader: Callable[[int, int], Any] = row
    return reader


_request = _row_reader(TABLES["requests"])
_instance = _row_reader(TABLES["instances"])
_slot = _row_reader(TABLES["slots"])
_list = _row_reader(TABLES["lists"])
_index = _row_reader(TABLES["live"])
_duration = _row_reader(TABLES["bounds"])
_count = _row_reader(TABLES["counts"])
_sum = _row_reader(TABLES["sums"])
_sample = _row_reader(TABLES["samples"])
_tick = _row_reader(TABLES["ticks"])


@kernel
def request_at(state: State, request: int) -> Any:
    """Row of a request."""
    return _request(state.requests_address, request)


@kernel
def instance_at(state: State, instance: int) -> Any:
    """Row of an instance."""
    return _instance(state.instances_address, instance)


@kernel
def slot_at(state: State, instance: int, index: int) -> Any:
    """Row of a place in an instance's batch."""
    return _slot(state.slots_address, instance * state.seqs + index)


@kernel
def phase_at(state: State, instance: int, phase: int) -> Any:
    """Count of an instance's decoding sequences of one phase."""
    return _count(state.phases_address, instance * state.block + phase)


@kernel
def list_at(state: State, number: int) -> Any:
    """Ends and length of a list."""
    return _list(state.lists_address, number)


@kernel
def live_at(state: State, index: int) -> Any:
    """An entry of the instances that are not gone."""
    return _index(state.live_address, index)


@kernel
def hit_at(state: State, index: int) -> Any:
    """An entry of the instances with an event now."""
    return _index(state.hits_address, index)


@kernel
def prefill_time(state: State, tokens: int) -> int:
    """Time of a prefill step over so many tokens."""
    return int(_duration(state.prefill_times_address, tokens).ps)


@kernel
def decode_time(state: State, seqs: int) -> int:
    """Time of a decode step over so many sequences, without their context."""
    return int(_duration(state.decode_times_address, seqs).ps)


@kernel
def saturation_at(state: State, seqs: int) -> int:
    """How saturated a decode step over so many sequences is, in 1/SATURATION_UNIT."""
    return int(_duration(state.saturations_address, seqs).ps)


@kernel
def bound_at(state: State, which: int, bucket: int) -> Any:
    """Upper bound of a histogram's bucket."""
    return _duration(state.bounds_address, which * state.buckets + bucket)


@kernel
def count_at(state: State, which: int, bucket: int) -> Any:
    """Observations in a histogram's bucket."""
    return _count(state.counts_address, which * state.buckets + bucket)


@kernel
def sum_at(state: State, which: int) -> Any:
    """Sum of a histogram's observations."""
    return _sum(state.sums_address, which)


@kernel
def sample_at(state: State, row: int) -> Any:
    """A row of the sample table."""
    return _sample(state.samples_address, row)


@kernel
def tick_at(state: State, scrape: int) -> Any:
    """What the fleet showed at a scrape."""
    return _tick(state.ticks_address, scrape)


@kernel
def tick_count_at(state: State, which: int, bucket: int) -> Any:
    """A bucket as of the scrape being taken."""
    row = (state.scrapes * HISTOGRAM_COUNT + which) * state.buckets + bucket
    return _count(state.tick_counts_address, row)


@kernel
def tick_sum_at(state: State, which: int) -> Any:
    """A histogram's sum as of the scrape being taken."""
    return _sum(state.tick_sums_address, state.scrapes * HISTOGRAM_COUNT + which)
