"""What a replay assumes; every value is printed with its result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from signals.errors import UsageError

__all__ = ["ReplaySettings"]


@dataclass(frozen=True, slots=True)
class ReplaySettings:
    """What a replay assumes.

    Attributes:
        initial: instances at the start by pool, within the limits; None for what the first ten minutes of
            load need by the pressure test: decode as many as its tokens/s ask for, prefill the larger of its
            own need and what the P/D ratio asks for beside decode, rounded up.
        min_instances, max_instances: limits of each pool, owned by the replay.
        max_gpus: GPU budget of the fleet; None for none.
        ratio_guard: largest relative distance of ordered prefill instances from the P/D ratio; None for no
            guard.
        ratio_tolerance_ratio: the ready ratio counts as violated beyond this relative distance.
        cold_start_s: time from order to ready, seconds.
        cold_start_sigma: its spread, as the standard deviation of the logarithm.
        grace_s: how long a draining instance may finish its requests.
        scrape_interval_s: time between scrapes.
        exporter_delay_s: age of hardware counters at a scrape (own choice).
        query_delay_s: from a scrape to the moment a query sees it (own choice).
        drain_s: the replay goes on this long after the last arrival, so that requests can finish.
        pressure_window_s: width of the busiest part of the workload, for the pressure test.
        load_factor: multiplies arrivals at every moment.
        seed: of every random draw, 0 or more.
    """

    initial: Mapping[str, int] | None = None
    min_instances: int = 1
    max_instances: int = 64
    max_gpus: int | None = None
    ratio_guard: float | None = None
    ratio_tolerance_ratio: float = 0.2
    cold_start_s: float = 120.0
    cold_start_sigma: float = 0.0
    grace_s: float = 300.0
    scrape_interval_s: float = 15.0
    exporter_delay_s: float = 5.0
    query_delay_s: float = 1.0
    drain_s: float = 600.0
    pressure_window_s: float = 600.0
    load_factor: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        """Hold the values that the fleet does not check to their ranges."""
        rules = (
            ("min_instances", 1 <= self.min_instances <= self.max_instances, "1 to max_instances"),
            ("max_instances", self.max_instances <= 4096, "at most 4096"),
            ("max_gpus", self.max_gpus is None or self.max_gpus >= 1, "at least 1"),
            ("query_delay_s", 0 <= self.query_delay_s <= 3600, "0 to 3600"),
            ("drain_s", 0 <= self.drain_s <= 86400, "0 to 86400"),
            ("pressure_window_s", 60 <= self.pressure_window_s <= 7200, "60 to 7200"),
            ("ratio_guard", self.ratio_guard is None or self.ratio_guard > 0, "more than 0"),
            ("load_factor", 0 < self.load_factor < 1e6, "more than 0"),
            ("seed", self.seed >= 0, "a whole number from 0"),
        )
        for name, holds, expected in rules:
            if not holds:
                raise UsageError(f"{name} of the replay is out of range", expected=expected)
        self._check_start()

    def _check_start(self) -> None:
        """A start size that limits would change is refused: the result would be another question's."""
        for pool, count in (self.initial or {}).items():
            if not self.min_instances <= count <= self.max_instances:
                raise UsageError(
                    f"a start with {count} {pool} instances is outside the replay's limits",
                    where="--initial",
                    expected=f"{self.min_instances} to {self.max_instances} of each pool",
                    hint="--max-instances sets the most" if count > self.max_instances else "",
                )
