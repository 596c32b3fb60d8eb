"""What a simulated fleet is made of, and how it counts its instances."""

from __future__ import annotations

import math
from dataclasses import dataclass

from signals.errors import UsageError
from signals.profiles.spec import Profile

__all__ = ["LONGEST_S", "POOLS", "FleetSpec", "PoolCounts"]

LONGEST_S = 4_000_000.0
"""Longest simulated time, and longest single delay, seconds: 46 days, so that their sum fits an int64 of picoseconds."""

POOLS = ("prefill", "decode")
"""Pools in the order of their codes in the engine."""


@dataclass(frozen=True, slots=True)
class FleetSpec:
    """A prefill/decode fleet.

    Attributes:
        profile: service times and sizes of every instance.
        prefill, decode: instances that are ready at time 0, >= 0.
        cold_start_s: median time from order to ready, seconds, >= 0.
        cold_start_sigma: standard deviation of the logarithm of the cold start; 0 for a fixed time.
        grace_s: how long a draining instance may finish its requests before the rest is cut, seconds.
        scrape_interval_s: time between scrapes of every instance, seconds, 0 < x <= 3600.
        exporter_delay_s: age of the hardware counters when they are scraped, seconds, 0 <= x < the scrape
            interval; engine counters and gauges are read at the scrape.

    Raises:
        UsageError: a value is out of its range, or the profile's sizes contradict each other.
    """

    profile: Profile
    prefill: int
    decode: int
    cold_start_s: float = 120.0
    cold_start_sigma: float = 0.0
    grace_s: float = 300.0
    scrape_interval_s: float = 15.0
    exporter_delay_s: float = 0.0

    def __post_init__(self) -> None:
        """Hold every value to its range."""
        profile = self.profile
        rules = (
            ("prefill and decode instances", self.prefill >= 0 and self.decode >= 0, ">= 0"),
            ("cold_start_s", 0 <= self.cold_start_s <= LONGEST_S, "0 to 4,000,000"),
            ("cold_start_sigma", 0 <= self.cold_start_sigma < math.inf, ">= 0"),
            ("grace_s", 0 <= self.grace_s <= LONGEST_S, "0 to 4,000,000"),
            ("scrape_interval_s", 0 < self.scrape_interval_s <= 3600, "more than 0, up to 3600"),
            (
                "exporter_delay_s",
                0 <= self.exporter_delay_s < self.scrape_interval_s,
                "at least 0, less than the scrape interval",
            ),
            ("profile.max_num_seqs", profile.max_num_seqs >= 1, ">= 1"),
            (
                "profile.max_batched_tokens",
                profile.max_batched_tokens >= profile.max_num_seqs,
                ">= max_num_seqs: every sequence of a batch takes one token of the budget",
            ),
            ("profile.kv_block_tokens", profile.kv_block_tokens >= 1, ">= 1"),
            (
                "profile.kv_capacity_tokens",
                profile.kv_capacity_tokens >= profile.kv_block_tokens,
                ">= kv_block_tokens",
            ),
            ("profile.link_bytes_per_s", profile.link_bytes_per_s > 0, "more than 0"),
        )
        for name, holds, expected in rules:
            if not holds:
                raise UsageError(f"{name} of the fleet is out of range", expected=expected)


@dataclass(frozen=True, slots=True)
class PoolCounts:
    """What an orchestrator reports about one pool, now.

    Attributes:
        desired: last order.
        ready: instances that serve.
        starting: instances in cold start.
        draining: instances that finish their requests.
        queue_depth: requests that wait for this pool. Prefill: at the router and, not yet started, at
            instances. Decode: prefilled requests that wait for the link, are on it, or wait for admission.
        running: requests that are being prefilled or decoded.
    """

    desired: int
    ready: int
    starting: int
    draining: int
    queue_depth: int
    running: int
