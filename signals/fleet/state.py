"""What the engine remembers: rows of integers, and nothing else.

Times are int64 picoseconds since the start. Requests and instances are numbered from 0; -1 is none.
"""

from __future__ import annotations

import numpy as np

__all__ = [
    "CUT",
    "DECODE",
    "DECODING",
    "DONE",
    "DRAINING",
    "DROPPED",
    "FUTURE",
    "GLOBALS",
    "GONE",
    "HISTOGRAM_COUNT",
    "INSTANCE",
    "LINK_FLAG",
    "LISTS_PER_INSTANCE",
    "NEVER",
    "PREFILL",
    "PREFILLING",
    "QUEUED",
    "READY",
    "REQUEST",
    "ROUTED",
    "SAMPLE",
    "SLOT",
    "STARTING",
    "STEP_FLAG",
    "TABLES",
    "TICK",
    "TO_TRANSFER",
    "TRANSFERRING",
    "WAITING",
]

NEVER = (1 << 63) - 1

PREFILL, DECODE = 0, 1

STARTING, READY, DRAINING, GONE = 0, 1, 2, 3

# A request's way: at the router, in an instance's prefill queue, being prefilled, waiting for the link, on it,
# waiting for admission, in the batch; then one of three ends.
FUTURE, ROUTED, QUEUED, PREFILLING, TO_TRANSFER, TRANSFERRING, WAITING, DECODING = range(8)
DONE, DROPPED, CUT = 8, 9, 10

STEP_FLAG, LINK_FLAG = 1, 2

HISTOGRAM_COUNT = 4

LISTS_PER_INSTANCE = 2  # its queue, and its prefilled requests that wait for the link


def _integers(*names: str) -> np.dtype[np.void]:
    return np.dtype([(name, np.int64) for name in names])


REQUEST = _integers(
    "arrival", "prompt", "output", "cached",
    "state",
    "generated",      # output tokens produced so far, up to its last change of state
    "left",           # tokens still to compute before it can decode: of its prefill, or of its recompute
    "chunk",          # of these, computed by each step of its instance's prefill run
    "next",           # its successor in the list it is in
    "target",         # the decode instance it is sent to
    "prefill_start", "first", "done",
    "last_token",     # when its newest token was produced
)  # fmt: skip

INSTANCE = _integers(
    "pool", "state",
    "due",            # time of its next event
    "flags",          # what dispatch has to look at
    "number",         # within its pool, the name's
    "ordered_at", "ready_at", "drained_from", "grace_end", "gone_at", "cut",
    # the run in progress
    "busy", "run_start", "run_end", "run_steps", "run_done",
    "first", "growth",
    "run_tokens",     # prompt tokens of each step
    "run_seqs",       # prefill: requests in the step; decode: decoding sequences
    "fresh",          # decode: sequences whose next token does not follow their last within one step
    "accounted",      # until when busy time is counted
    # what it holds, as of the run's start
    "started",        # prefill: requests being prefilled, the head of its queue
    "backlog",        # prefill: tokens still to compute of all requests in its queue
    "slots",          # decode: sequences in the batch
    "decoding",       # decode: of these, the ones that are not being recomputed
    "context",        # decode: tokens held by decoding sequences
    "recomputing",    # decode: tokens held for sequences that are being recomputed
    "promised",       # decode: tokens of requests that wait for admission or are on their way
    "incoming",       # decode: transfers on their way
    "steps",          # decode: steps so far
    "kv_used",        # blocks held
    # its outgoing link
    "link_end", "link_request",
    # counters
    "prefill_tokens", "prompt_tokens", "decode_tokens", "completions", "preemptions",
    "busy_ps",
    # busy time by kind since the exporter's last sample, and that sample
    "prefill_ps", "decode_ps", "saturation_ps", "sampled_at",
    "seen_prefill_ps", "seen_decode_ps", "seen_saturation_ps", "seen_ps",
)  # fmt: skip

SLOT = _integers(
    "request",
    "remaining",      # output tokens still to produce
    "recompute",      # tokens still to recompute; 0 while it decodes
    "chunk",          # of these, in the step in progress
    "fresh",          # 1 until its first token in this batch
)  # fmt: skip

LIST = _integers("head", "tail", "length")
INDEX = _integers("instance")
DURATION = _integers("ps")
COUNT = _integers("count")
SUM = _integers("seconds", "picoseconds")

SAMPLE = _integers(
    "scrape", "instance",
    "prefill_tokens_total", "prompt_tokens_total", "decode_tokens_total", "completions_total",
    "preemptions_total",
    "running", "queue_depth", "kv_used", "prefill_backlog_tokens",
    "prefill_ps", "decode_ps", "saturation_ps", "width_ps",
)  # fmt: skip

TICK = _integers(
    "samples",        # rows of the sample table up to and with this scrape
    "requests_total", "offered_prompt_tokens_total", "offered_output_tokens_total",
    "desired_0", "ready_0", "starting_0", "draining_0",
    "desired_1", "ready_1", "starting_1", "draining_1",
)  # fmt: skip


TABLES = {
    "requests": REQUEST,  # [n]
    "instances": INSTANCE,  # [capacity], in the order of their orders
    "slots": SLOT,  # [capacity, max_num_seqs], each instance's batch in the order of admission
    # [capacity, block], decoding sequences by (tokens held - instance's steps) mod block: which step needs how
    # many new blocks follows from it without a look at every sequence
    "phases": COUNT,
    "lists": LIST,  # [1 + 2 * capacity], the router's, then two of each instance
    "live": INDEX,  # [capacity], instances that are not gone, ascending
    "hits": INDEX,  # [capacity], scratch: instances that have an event now
    "prefill_times": DURATION,  # [max_batched_tokens + 1], see StepTimes
    "decode_times": DURATION,  # [max_num_seqs + 1]
    "saturations": DURATION,  # [max_num_seqs + 1], in 1/SATURATION_UNIT
    "bounds": DURATION,  # [histograms, buckets], upper bounds, padded with NEVER
    "counts": COUNT,  # [histograms, buckets], observations per bucket
    "sums": SUM,  # [histograms], sum of observations
    "samples": SAMPLE,  # [rows], what instances showed at each scrape
    "ticks": TICK,  # [scrapes], what the fleet showed
    "tick_counts": COUNT,  # [scrapes, histograms, buckets]
    "tick_sums": SUM,  # [scrapes, histograms]
}
"""The tables of one fleet: their rows and shapes."""

GLOBALS = _integers(
    *(f"{name}_address" for name in TABLES),
    "clock", "pending",   # pending: events at `clock` were handled, their dispatch was not
    "total", "arrived",   # requests
    "instances", "live",  # instances ordered so far; of these, not gone
    "scrapes", "samples", "exports",
    "longest_run",
    "block", "blocks", "budget", "seqs", "buckets",
    "context_ps", "fixed_ps", "link_ps", "latency_ps",
    "scrape_ps", "delay_ps",
    "offered_prompt", "offered_output",
    "desired_0", "desired_1",
)  # fmt: skip
