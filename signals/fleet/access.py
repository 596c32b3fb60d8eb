"""How kernels reach the tables: one row of addresses and scalars goes in, rows come out.

Kernels pass a single address around, where arrays would each bring their shape, strides and reference
count to every call. The addresses are valid while `Memory` holds the tables.
"""

from __future__ import annotations

from typing import TypeAlias

from signals.fleet.rows import Row, RowType, numbered, rows_of, view
from signals.fleet.state import GLOBALS, LISTS_PER_INSTANCE, TABLES

__all__ = [
    "State",
    "bound_at",
    "count_at",
    "decode_time",
    "hit_at",
    "instance_at",
    "link_queue",
    "list_at",
    "live_at",
    "open_state",
    "phase_at",
    "prefill_time",
    "queue",
    "request_at",
    "sample_at",
    "saturation_at",
    "slot_at",
    "sum_at",
    "tick_at",
    "tick_count_at",
    "tick_sum_at",
]

State: TypeAlias = Row
"""The row of GLOBALS, as kernels see it."""

_GLOBALS = RowType("globals", GLOBALS)
_DURATION = RowType("duration", TABLES["bounds"])
_COUNT = RowType("count", TABLES["counts"])
_INDEX = RowType("index", TABLES["live"])
_SUM = RowType("sum", TABLES["sums"])

open_state = view(_GLOBALS)
"""From the address of GLOBALS."""

request_at = rows_of(RowType("request", TABLES["requests"]), _GLOBALS, "requests_address")
instance_at = rows_of(RowType("instance", TABLES["instances"]), _GLOBALS, "instances_address")
slot_at = rows_of(RowType("slot", TABLES["slots"]), _GLOBALS, "slots_address", "seqs")
"""By instance and place in its batch."""
phase_at = rows_of(_COUNT, _GLOBALS, "phases_address", "block")
"""By instance and phase."""
list_at = rows_of(RowType("list", TABLES["lists"]), _GLOBALS, "lists_address")
live_at = rows_of(_INDEX, _GLOBALS, "live_address")
hit_at = rows_of(_INDEX, _GLOBALS, "hits_address")
prefill_time = rows_of(_DURATION, _GLOBALS, "prefill_times_address")
"""By tokens in the step."""
decode_time = rows_of(_DURATION, _GLOBALS, "decode_times_address")
"""By sequences in the step."""
saturation_at = rows_of(_DURATION, _GLOBALS, "saturations_address")
"""By sequences in the step."""
bound_at = rows_of(_DURATION, _GLOBALS, "bounds_address", "buckets")
"""By histogram and bucket."""
count_at = rows_of(_COUNT, _GLOBALS, "counts_address", "buckets")
"""By histogram and bucket."""
sum_at = rows_of(_SUM, _GLOBALS, "sums_address")
"""By histogram."""
sample_at = rows_of(RowType("sample", TABLES["samples"]), _GLOBALS, "samples_address")
tick_at = rows_of(RowType("tick", TABLES["ticks"]), _GLOBALS, "ticks_address")
tick_count_at = rows_of(_COUNT, _GLOBALS, "tick_counts_address", "buckets")
"""By (scrape * histograms + histogram) and bucket."""
tick_sum_at = rows_of(_SUM, _GLOBALS, "tick_sums_address")
"""By scrape * histograms + histogram."""

queue = numbered(LISTS_PER_INSTANCE, 1)
"""The number of an instance's queue among the lists."""
link_queue = numbered(LISTS_PER_INSTANCE, 2)
"""The number of the list of an instance's prefilled requests that wait for its link."""
