"""Scrapes: what an exporter shows of every serving instance, written down at the scrape interval.

Instances that start are not scraped: their servers do not answer yet. The exporter of hardware counters
samples `delay` before each scrape; everything else is read at the scrape.
"""

from __future__ import annotations

from signals.fleet.access import (
    State,
    count_at,
    instance_at,
    list_at,
    live_at,
    queue,
    sample_at,
    sum_at,
    tick_at,
    tick_count_at,
    tick_sum_at,
)
from signals.fleet.kernels import kernel, part
from signals.fleet.rows import Row
from signals.fleet.runs import account, credit, new_blocks, steps_done
from signals.fleet.state import DECODE, DRAINING, HISTOGRAM_COUNT, NEVER, PREFILL, READY, STARTING

__all__ = ["export_hardware", "next_export", "next_scrape", "scrape"]


@part
def next_scrape(state: State) -> int:
    """Time of the next scrape."""
    if state.scrape_ps == 0:
        return NEVER
    return state.scrapes * state.scrape_ps


@part
def next_export(state: State) -> int:
    """Time of the exporter's next sample."""
    if state.scrape_ps == 0:
        return NEVER
    return max(state.exports * state.scrape_ps - state.delay_ps, 0)


@kernel
def export_hardware(state: State, now: int) -> None:
    """Sample busy time by kind on every serving instance."""
    state.exports += 1
    for index in range(state.live):
        instance = live_at(state, index).instance
        i = instance_at(state, instance)
        if i.state == STARTING:
            continue
        account(state, instance, now)
        i.seen_prefill_ps, i.prefill_ps = i.prefill_ps, 0
        i.seen_decode_ps, i.decode_ps = i.decode_ps, 0
        i.seen_saturation_ps, i.saturation_ps = i.saturation_ps, 0
        i.seen_ps = now - i.sampled_at
        i.sampled_at = now


@part
def _sample(state: State, instance: int, now: int) -> None:
    i = instance_at(state, instance)
    steps = steps_done(state, instance, now)
    credit(state, instance, steps)
    row = sample_at(state, state.samples)
    state.samples += 1
    row.scrape = state.scrapes
    row.instance = instance
    row.prefill_tokens_total = i.prefill_tokens
    row.prompt_tokens_total = i.prompt_tokens
    row.decode_tokens_total = i.decode_tokens
    row.completions_total = i.completions
    row.preemptions_total = i.preemptions
    row.queue_depth = list_at(state, queue(instance)).length - i.started
    row.running = i.started + i.slots
    row.kv_used = i.kv_used
    row.prefill_backlog_tokens = i.backlog
    if i.pool == DECODE:
        row.kv_used += new_blocks(state, instance, steps)
    else:
        row.prefill_backlog_tokens -= steps * i.run_tokens
    row.prefill_ps = i.seen_prefill_ps
    row.decode_ps = i.seen_decode_ps
    row.saturation_ps = i.seen_saturation_ps
    row.width_ps = i.seen_ps


@part
def _count_instances(state: State, tick: Row) -> None:
    for index in range(state.live):
        i = instance_at(state, live_at(state, index).instance)
        if i.pool == PREFILL:
            tick.starting_0 += i.state == STARTING
            tick.ready_0 += i.state == READY
            tick.draining_0 += i.state == DRAINING
        else:
            tick.starting_1 += i.state == STARTING
            tick.ready_1 += i.state == READY
            tick.draining_1 += i.state == DRAINING


@kernel
def scrape(state: State, now: int) -> None:
    """Write one row per serving instance and one for the fleet."""
    for index in range(state.live):
        if instance_at(state, live_at(state, index).instance).state != STARTING:
            _sample(state, live_at(state, index).instance, now)
    tick = tick_at(state, state.scrapes)
    tick.samples = state.samples
    tick.requests_total = state.arrived
    tick.offered_prompt_tokens_total = state.offered_prompt
    tick.offered_output_tokens_total = state.offered_output
    tick.desired_0, tick.desired_1 = state.desired_0, state.desired_1
    _count_instances(state, tick)
    for which in range(HISTOGRAM_COUNT):
        row = state.scrapes * HISTOGRAM_COUNT + which
        for bucket in range(state.buckets):
            tick_count_at(state, row, bucket).count = count_at(state, which, bucket).count
        total, kept = sum_at(state, which), tick_sum_at(state, row)
        kept.seconds, kept.picoseconds = total.seconds, total.picoseconds
    state.scrapes += 1
