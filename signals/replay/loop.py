"""The tick loop: let the fleet run, show the policy what was visible, order what it asks within limits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from signals.policies.policy import Decision, Observation, Policy, PoolState
from signals.replay.frames import RUN_EVENT, RUN_READING, RUN_TICK
from signals.replay.limits import Limits
from signals.replay.visibility import Visibility
from signals.schema import pooled_name

if TYPE_CHECKING:
    from signals.fleet import Fleet, PoolCounts, Workload

__all__ = ["POOLS", "Run", "Trace", "replay_policy"]

POOLS = ("prefill", "decode")

_WARM_UP_S = 60.0


@dataclass(frozen=True)
class Trace:
    """The record of a run.

    Attributes:
        ticks: RUN_TICK.
        readings: RUN_READING.
        events: RUN_EVENT, orders only.
        missing: ticks without a value after the first minute, by `pool:signal`.
        capped: ticks at which limits gave less than was asked, by pool.
    """

    ticks: pl.DataFrame
    readings: pl.DataFrame
    events: pl.DataFrame
    missing: Mapping[str, int]
    capped: Mapping[str, int]


@dataclass(frozen=True)
class Run:
    """A policy to run, and what it runs on.

    Attributes:
        label: of the run.
        policy: decides.
        fleet: at its start.
        workload: that the fleet serves.
        limits: bounds on orders.
        start: time zero, UTC.
        until_s: last time at which it may decide, seconds.
        query_delay_s: from a scrape to the moment a query sees it.
    """

    label: str
    policy: Policy
    fleet: Fleet
    workload: Workload
    limits: Limits
    start: datetime
    until_s: float
    query_delay_s: float


@dataclass
class _Recorder:
    """Rows collected during a run, column by column."""

    run: Run
    prompt_done: NDArray[np.int64]
    output_done: NDArray[np.int64]
    last_s: float = 0.0
    busy_s: dict[str, float] = field(default_factory=lambda: dict.fromkeys(POOLS, 0.0))
    serving_s: dict[str, float] = field(default_factory=lambda: dict.fromkeys(POOLS, 0.0))
    ticks: list[tuple[Any, ...]] = field(default_factory=list)
    readings: list[tuple[Any, ...]] = field(default_factory=list)
    events: list[tuple[Any, ...]] = field(default_factory=list)
    missing: dict[str, int] = field(default_factory=dict)
    capped: dict[str, int] = field(default_factory=dict)
    at_cap: set[str] = field(default_factory=set)

    def tick(
        self,
        now_s: float,
        seen: Mapping[str, PoolCounts],
        asked: Mapping[str, int],
        held: Mapping[str, int],
    ) -> None:
        """One row for each pool, with the counts before the order."""
        served = self.run.fleet.instance_seconds()
        for pool in POOLS:
            counts = seen[pool]
            busy_s = self.run.fleet.busy_seconds(pool)
            serving_s = served[pool]["ready"] + served[pool]["draining"]
            width_s = serving_s - self.serving_s[pool]
            self.ticks.append(
                (
                    self.run.label,
                    self._at(now_s),
                    pool,
                    asked.get(pool),
                    held[pool],
                    counts.ready,
                    counts.starting,
                    counts.draining,
                    counts.queue_depth,
                    counts.running,
                    self._load_tps(pool, now_s),
                    min(1.0, (busy_s - self.busy_s[pool]) / width_s) if width_s > 0 else None,
                )
            )
            self.busy_s[pool], self.serving_s[pool] = busy_s, serving_s
        self.last_s = now_s

    def read(self, observation: Observation, decision: Decision) -> None:
        """One row for each signal that was asked for."""
        for request, reading in observation.readings.items():
            name = pooled_name(request.pool, request.signal)
            target = decision.targets.get(name)
            self.readings.append(
                (self.run.label, self._at(observation.now_s), name, reading.value, target)
            )
            # before the exporters' first full interval nothing can be there
            if reading.value is None and observation.now_s > _WARM_UP_S:
                self.missing[name] = self.missing.get(name, 0) + 1

    def order(
        self, now_s: float, pool: str, before: int, asked: int, after: int, reason: str
    ) -> None:
        """A changed order, and the begin of a time in which limits hold it back."""
        if after != before:
            kind = "scale_up" if after > before else "scale_down"
            self.events.append((self.run.label, self._at(now_s), pool, kind, before, after, reason))
        if asked > after:
            self.capped[pool] = self.capped.get(pool, 0) + 1
            if pool not in self.at_cap:
                self.events.append(
                    (self.run.label, self._at(now_s), pool, "capped", asked, after, reason)
                )
            self.at_cap.add(pool)
        else:
            self.at_cap.discard(pool)

    def trace(self) -> Trace:
        """The rows as frames."""
        return Trace(
            pl.DataFrame(self.ticks, schema=RUN_TICK.polars(), orient="row"),
            pl.DataFrame(self.readings, schema=RUN_READING.polars(), orient="row"),
            pl.DataFrame(self.events, schema=RUN_EVENT.polars(), orient="row"),
            self.missing,
            self.capped,
        )

    def _at(self, now_s: float) -> datetime:
        return self.run.start + timedelta(microseconds=round(now_s * 1e6))

    def _load_tps(self, pool: str, now_s: float) -> float | None:
        width_s = now_s - self.last_s
        if width_s <= 0:
            return None
        done = self.prompt_done if pool == "prefill" else self.output_done
        arrival_s = self.run.workload.arrival_s
        first, last = np.searchsorted(arrival_s, [self.last_s, now_s], side="right")
        return float(done[last] - done[first]) / width_s


def replay_policy(run: Run, *, progress: Callable[[float], None] | None = None) -> Trace:
    """Run a policy until its end; the fleet stands at `until_s` afterwards.

    The policy decides every `interval_s`, first one interval after the start. It sees samples that were
    scraped at least the query delay before, counts without delay, and nothing else.

    Args:
        run: what to run.
        progress: told the share done, at most a hundred times.

    Returns:
        The record.

    Raises:
        UsageError: the policy reads a signal that the fleet does not export.
    """
    recorder = _Recorder(
        run, _cumulative(run.workload.prompt_tokens), _cumulative(run.workload.output_tokens)
    )
    seen = Visibility(run.fleet.scrapes, run.query_delay_s)
    memory = run.policy.start()
    counts = _counts(run.fleet)
    recorder.tick(0.0, counts, {}, {pool: counts[pool].desired for pool in POOLS})
    # times are whole multiples of the interval, so that no rounding adds up over a day
    ticks = int((run.until_s + 1e-9) // run.policy.interval_s)
    for number in range(1, ticks + 1):
        now_s = number * run.policy.interval_s
        run.fleet.advance(now_s)
        counts = _counts(run.fleet)
        observation = _observe(run, seen, now_s, counts)
        decision, memory = run.policy.decide(observation, memory)
        recorder.read(observation, decision)
        _order(run, recorder, now_s, counts, decision)
        if progress is not None and number % max(1, ticks // 100) == 0:
            progress(number / ticks)
    run.fleet.advance(run.until_s)
    return recorder.trace()


def _counts(fleet: Fleet) -> dict[str, PoolCounts]:
    return {pool: fleet.counts(pool) for pool in POOLS}


def _observe(
    run: Run, seen: Visibility, now_s: float, counts: Mapping[str, PoolCounts]
) -> Observation:
    pools = {
        pool: PoolState(c.desired, c.ready, c.starting, c.draining, run.limits.low, run.limits.high)
        for pool, c in counts.items()
    }
    by_instance = any(request.per_instance for request in run.policy.requests)
    leaving = by_instance and any(c.draining for c in counts.values())
    hidden = _draining(run.fleet) if leaving else {}
    return Observation(now_s, pools, seen.readings(run.policy.requests, now_s=now_s, hidden=hidden))


def _draining(fleet: Fleet) -> dict[str, set[str]]:
    """Instances that began to drain: an orchestrator no longer counts their samples."""
    left = fleet.lifecycle_events().filter(pl.col("kind") == "draining")
    names: dict[str, set[str]] = {pool: set() for pool in POOLS}
    for pool, instance in left.select("pool", "instance").iter_rows():
        names[pool].add(instance)
    return names


def _order(
    run: Run,
    recorder: _Recorder,
    now_s: float,
    counts: Mapping[str, PoolCounts],
    decision: Decision,
) -> None:
    before = {pool: counts[pool].desired for pool in POOLS}
    asked = {pool: decision.desired.get(pool, before[pool]) for pool in POOLS}
    held = run.limits.apply(asked)
    recorder.tick(now_s, counts, asked, held)
    for pool in POOLS:
        reason = decision.reasons.get(pool)
        recorder.order(
            now_s,
            pool,
            before[pool],
            asked[pool],
            held[pool],
            "" if reason is None else reason.value,
        )
        if held[pool] != before[pool]:
            run.fleet.scale(pool, held[pool])


def _cumulative(tokens: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(tokens)])
