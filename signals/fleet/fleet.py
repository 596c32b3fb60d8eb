"""A simulated prefill/decode fleet: give it time and orders, ask it what happened.

Every request is routed to the prefill instance with least work, prefilled in steps of a token budget, sent
over that instance's link to the decode instance that holds least, and decoded there in a continuous
batch. Its first token is produced by the prefill and stamped at the prefill's end; TPOT is the time from
the first token to completion over the tokens after the first, so transfer and admission count in it.
All times are integer picoseconds; the same seed gives identical bytes.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

from signals.errors import UsageError
from signals.fleet.accounts import instance_seconds, lifecycle_events, pool_counts, request_log
from signals.fleet.engine import ACCOUNT, ADVANCE, ORDER, RETIRE, perform
from signals.fleet.memory import Memory
from signals.fleet.scrapes import ScrapeLog
from signals.fleet.spec import LONGEST_S, POOLS, FleetSpec, PoolCounts
from signals.fleet.state import DRAINING, NEVER
from signals.fleet.steptime import PICOSECONDS, to_picoseconds
from signals.fleet.workload import Workload

__all__ = ["Fleet"]

_UNLIMITED = NEVER
_COLD_START_STREAM, _NOISE_STREAM = 1, 2


class Fleet:
    """A fleet that serves one workload.

    Args:
        spec: instances, profile, scrapes.
        workload: the requests.
        seed: of cold starts and of the hardware counters' noise.
        longest_run: most identical steps skipped at once; 1 steps one by one, with equal results.

    Attributes:
        scrapes: what was scraped so far.
    """

    def __init__(
        self, spec: FleetSpec, workload: Workload, seed: int, *, longest_run: int = _UNLIMITED
    ) -> None:
        self._spec = spec
        self._cold_starts = np.random.default_rng([seed, _COLD_START_STREAM])
        self._memory = Memory(spec, workload, longest_run=longest_run)
        for pool, count in ((0, spec.prefill), (1, spec.decode)):
            self._scale(pool, count, np.zeros(count, np.int64))
        noise = np.random.default_rng([seed, _NOISE_STREAM])
        self.scrapes = ScrapeLog(self._memory, spec, noise)

    @property
    def now_s(self) -> float:
        """The fleet's clock, seconds."""
        return self._now / PICOSECONDS

    @property
    def _now(self) -> int:
        return max(self._memory.scalar("clock"), 0)

    def advance(self, until_s: float) -> None:
        """Let time pass up to and with `until_s`; a time in the past changes nothing.

        What happens at `until_s` itself is seen by whoever looks next, and dispatched after their orders.
        """
        if not until_s <= LONGEST_S:
            raise UsageError(
                f"time {until_s} s cannot be simulated", expected=f"at most {LONGEST_S:g} seconds"
            )
        until = int(to_picoseconds(max(until_s, 0.0)))
        self._memory.room_for_scrapes(until)
        self._perform(ADVANCE, time=until)

    def _scale(self, pool: int, desired: int, delays: npt.NDArray[np.int64]) -> None:
        self._memory.globals[f"desired_{pool}"] = desired
        self._memory.room_for_instances(len(delays))
        for delay in delays:
            self._perform(ORDER, pool=pool, time=int(delay))
        grace = int(to_picoseconds(self._spec.grace_s))
        self._perform(RETIRE, pool=pool, count=desired, time=grace)

    def _perform(self, action: int, *, pool: int = 0, count: int = 0, time: int) -> None:
        perform(self._memory.address, action, pool, count, time)

    def scale(self, pool: str, desired: int) -> None:
        """Order `desired` instances of a pool, now.

        Missing ones are ordered and cold-start; draining ones do not come back. Of surplus ones the
        youngest that is starting goes first, then the emptiest that is ready, of equals the youngest.

        Raises:
            UsageError: the pool is unknown or the count negative.
        """
        code = self._code(pool)
        if desired < 0:
            raise UsageError(f"{desired} instances of {pool} were ordered", expected=">= 0")
        live = self._memory["instances"][self._memory.live]
        present = int(((live["pool"] == code) & (live["state"] != DRAINING)).sum())
        self._scale(code, desired, self._draw_cold_starts(max(desired - present, 0)))

    def _draw_cold_starts(self, count: int) -> npt.NDArray[np.int64]:
        spread = self._cold_starts.standard_normal(count) * self._spec.cold_start_sigma
        return to_picoseconds(np.minimum(self._spec.cold_start_s * np.exp(spread), LONGEST_S))

    @staticmethod
    def _code(pool: str) -> int:
        if pool not in POOLS:
            raise UsageError(f"the fleet has no pool '{pool}'", expected=" or ".join(POOLS))
        return POOLS.index(pool)

    def counts(self, pool: str) -> PoolCounts:
        """Instances and requests of a pool, now."""
        return pool_counts(self._memory, self._code(pool))

    def request_log(self) -> pl.DataFrame:
        """One row per request that has arrived, in order of arrival.

        Returns:
            arrival_s, prompt_tokens, output_tokens, cached_tokens, prefill_start_s (time since the start), ttft_s
            (arrival to first token), tpot_s (null for one token), e2e_s, status (ok, running, cut,
            dropped); null where it did not happen.
        """
        return request_log(self._memory)

    def instance_seconds(self) -> dict[str, dict[str, float]]:
        """Instance-seconds by pool and state (starting, ready, draining), up to now."""
        return instance_seconds(self._memory, self._now)

    def busy_seconds(self, pool: str) -> float:
        """Time in which instances of a pool ran steps, summed over them, up to now, seconds."""
        code = self._code(pool)
        self._perform(ACCOUNT, time=self._now)
        table = self._memory.instances
        return float(table["busy_ps"][table["pool"] == code].sum()) / PICOSECONDS

    def lifecycle_events(self) -> pl.DataFrame:
        """What happened to instances, in order of time.

        Returns:
            at_s, pool, instance, kind (ordered, ready, draining, drained, cut, cancelled), requests_cut.
        """
        return lifecycle_events(self._memory)
