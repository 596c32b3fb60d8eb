"""What was scraped: gauges, counters and histograms on the scrape grid, and all of it as telemetry rows."""

from __future__ import annotations

from datetime import datetime

import numpy as np
import numpy.typing as npt
import polars as pl

from signals.errors import UsageError
from signals.fleet.counters import HARDWARE, NoiseSource, hardware_counter
from signals.fleet.histograms import BOUNDS_S, HISTOGRAMS
from signals.fleet.memory import Memory
from signals.fleet.spec import LONGEST_S, POOLS, FleetSpec
from signals.fleet.state import NEVER
from signals.fleet.steptime import PICOSECONDS
from signals.fleet.telemetry import histogram_rows, sample_rows, stacked, tick_rows
from signals.schema import SERVICE_POOL

__all__ = ["ScrapeLog"]

_Times = npt.NDArray[np.float64]
_Series = tuple[_Times, tuple[str, ...], npt.NDArray[np.float64]]

_COUNTERS = (
    "prefill_tokens_total",
    "prompt_tokens_total",
    "decode_tokens_total",
    "completions_total",
    "preemptions_total",
)
_GAUGES = ("running", "queue_depth", "prefill_backlog_tokens", "kv_usage", *HARDWARE)
_POOL_GAUGES = ("desired", "ready", "starting", "draining")
_SERVICE_COUNTERS = ("requests_total", "offered_prompt_tokens_total", "offered_output_tokens_total")
_HISTOGRAM_POOLS = {
    "ttft": "prefill",
    "itl": "decode",
    "tpot": "decode",
    "e2e": SERVICE_POOL,
}
_EXPORTED = {
    "prefill": (
        "prefill_tokens_total",
        "prompt_tokens_total",
        "running",
        "queue_depth",
        "prefill_backlog_tokens",
        "kv_usage",
        *HARDWARE,
    ),
    "decode": (
        "decode_tokens_total",
        "completions_total",
        "preemptions_total",
        "running",
        "queue_depth",
        "kv_usage",
        *HARDWARE,
    ),
}
"""What a pool's instances export. A prefill instance decodes nothing, and a decode instance computes prompts
only after a preemption: their constant zeros would only look like signals."""


class ScrapeLog:
    """A read-only view of a fleet's scrapes, as of its clock.

    Windows are closed on both sides. Values are NaN where an instance did not serve yet or any more.
    """

    def __init__(self, memory: Memory, spec: FleetSpec, rng: np.random.Generator) -> None:
        self._memory = memory
        self._spec = spec
        self._noise = NoiseSource(rng)

    @property
    def _scrapes(self) -> int:
        return self._memory.scalar("scrapes")

    def _window(self, first_s: float, last_s: float) -> tuple[int, int]:
        """Half-open range of scrape numbers within the window."""
        interval = self._memory.scalar("scrape_ps")
        # compared in picoseconds: a window that ends at a scrape holds it
        low = -(-round(max(first_s, 0.0) * PICOSECONDS) // interval)
        high = round(min(last_s, LONGEST_S) * PICOSECONDS) // interval + 1
        return min(low, self._scrapes), max(min(high, self._scrapes), min(low, self._scrapes))

    def _times(self, low: int, high: int) -> _Times:
        interval = self._memory.scalar("scrape_ps")
        return np.arange(low, high, dtype=np.int64) * interval / PICOSECONDS

    def _rows(self, low: int, high: int) -> slice:
        """Rows of the sample table that belong to scrapes low..high - 1."""
        ends = self._memory["ticks"]["samples"]
        if high <= low:
            return slice(0, 0)
        return slice(int(ends[low - 1]) if low else 0, int(ends[high - 1]))

    def _values(self, measurement: str, rows: slice) -> npt.NDArray[np.float64]:
        samples = self._memory["samples"][rows]
        if measurement in HARDWARE:
            noise = self._noise.rows(rows.stop)[rows]
            return hardware_counter(measurement, samples, self._spec.profile.counters, noise)
        if measurement == "kv_usage":
            return np.asarray(samples["kv_used"] / self._memory.scalar("blocks"))
        return np.asarray(samples[measurement].astype(np.float64))

    def _of_instances(self, measurement: str, pool: str, window: tuple[int, int]) -> _Series:
        low, high = window
        rows = self._rows(low, high)
        instance = self._memory["samples"]["instance"][rows]
        mine = self._memory["instances"]["pool"][instance] == POOLS.index(pool)
        instance = instance[mine]
        present, column = np.unique(instance, return_inverse=True)
        values = np.full((high - low, len(present)), np.nan)
        scrape = self._memory["samples"]["scrape"][rows][mine]
        values[scrape - low, column] = self._values(measurement, rows)[mine]
        names = tuple(f"{pool}-{number}" for number in self._memory["instances"]["number"][present])
        return self._times(low, high), names, values

    def _of_ticks(self, column: str, window: tuple[int, int]) -> _Series:
        low, high = window
        values = self._memory["ticks"][column][low:high].astype(np.float64)
        return self._times(low, high), ("",), values[:, None]

    def gauge(self, measurement: str, pool: str, first_s: float, last_s: float) -> _Series:
        """Samples of a gauge.

        Args:
            measurement: a per-instance gauge, or one of desired, ready, starting, draining of the pool.
            pool: `prefill` or `decode`.
            first_s: start of the window, seconds.
            last_s: end of the window, seconds.

        Returns:
            Times in seconds [n], instance names [k] (one empty name for a pool's own gauge), values [n, k].

        Raises:
            UsageError: the pool has no such gauge.
        """
        if pool in POOLS and measurement in _GAUGES:
            return self._of_instances(measurement, pool, self._window(first_s, last_s))
        if pool in POOLS and measurement in _POOL_GAUGES:
            column = f"{measurement}_{POOLS.index(pool)}"
            return self._of_ticks(column, self._window(first_s, last_s))
        raise _unknown("gauge", measurement, pool, (*_GAUGES, *_POOL_GAUGES))

    def counter(self, measurement: str, pool: str, first_s: float, last_s: float) -> _Series:
        """Samples of a counter; the counters of the pool `service` are its gateway's.

        Args:
            measurement: a per-instance counter, or requests_total, offered_prompt_tokens_total,
                offered_output_tokens_total of the service.
            pool: `prefill`, `decode` or `service`.
            first_s: start of the window, seconds.
            last_s: end of the window, seconds.

        Returns:
            Times in seconds [n], instance names [k], values [n, k].

        Raises:
            UsageError: the pool has no such counter.
        """
        if pool in POOLS and measurement in _COUNTERS:
            return self._of_instances(measurement, pool, self._window(first_s, last_s))
        if pool == SERVICE_POOL and measurement in _SERVICE_COUNTERS:
            return self._of_ticks(measurement, self._window(first_s, last_s))
        raise _unknown("counter", measurement, pool, (*_COUNTERS, *_SERVICE_COUNTERS))

    def histogram(
        self, measurement: str, pool: str, first_s: float, last_s: float
    ) -> tuple[
        _Times, _Times, npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.float64]
    ]:
        """Samples of a latency histogram of the whole pool or service.

        Args:
            measurement: `ttft` of prefill, `itl` or `tpot` of decode, `e2e` of service.
            pool: the pool it belongs to.
            first_s: start of the window, seconds.
            last_s: end of the window, seconds.

        Returns:
            Times in seconds [n], upper bounds in seconds [b], cumulative counts [n, b + 1] (the last one is
            +Inf), sums in seconds [n], counts [n].

        Raises:
            UsageError: the pool has no such histogram.
        """
        if _HISTOGRAM_POOLS.get(measurement) != pool:
            raise _unknown("histogram", measurement, pool, HISTOGRAMS)
        low, high = self._window(first_s, last_s)
        which = HISTOGRAMS.index(measurement)
        bounds = np.array(BOUNDS_S[which])
        counts = self._memory["tick_counts"]["count"][low:high, which, : len(bounds) + 1]
        cumulative = np.cumsum(counts, axis=1).astype(np.float64)
        sums = self._memory["tick_sums"][low:high, which]
        seconds = sums["seconds"] + sums["picoseconds"] / PICOSECONDS
        return self._times(low, high), bounds, cumulative, seconds, cumulative[:, -1]

    def frame(self, start: datetime) -> pl.DataFrame:
        """All scrapes so far as rows of telemetry.

        Args:
            start: time zero, with a zone.

        Returns:
            TELEMETRY, by measurement, then time; instances as `decode-7`, histogram buckets cumulative.
        """
        window = (0, self._scrapes)
        rows = self._rows(*window)
        interval = self._memory.scalar("scrape_ps")
        parts = [
            sample_rows(self._memory, rows, pool, name, self._values(name, rows))
            for pool in POOLS
            for name in _EXPORTED[pool]
        ]
        parts += [
            tick_rows(self._memory, window, column, name, pool)
            for name, column, pool in (
                *((n, f"{n}_{POOLS.index(p)}", p) for p in POOLS for n in _POOL_GAUGES),
                *((n, n, "") for n in _SERVICE_COUNTERS),
            )
        ]
        for name, pool in _HISTOGRAM_POOLS.items():
            times, bounds, cumulative, sums, _ = self.histogram(name, pool, 0.0, NEVER)
            label = "" if pool == SERVICE_POOL else pool
            parts.append(histogram_rows(name, label, len(times), bounds, cumulative, sums))
        return stacked(parts, start, interval)


def _unknown(kind: str, measurement: str, pool: str, known: tuple[str, ...]) -> UsageError:
    return UsageError(
        f"the fleet has no {kind} '{measurement}' of pool '{pool}'",
        expected=f"one of {', '.join(known)}, of the pool that exports it",
    )
