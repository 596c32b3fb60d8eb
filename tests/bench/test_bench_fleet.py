"""How fast the fleet runs: skipping runs of steps against stepping through them, and reading scrapes.

The results are asserted; the times are for people (`make bench`).
"""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from signals.fleet import Fleet, FleetSpec
from tests.builders_fleet import PROFILE, poisson

REQUESTS = 20_000


def served(longest_run: int) -> Fleet:
    requests = poisson(REQUESTS, 20.0, 1)
    fleet = Fleet(FleetSpec(PROFILE, 10, 10), requests, 1, longest_run=longest_run)
    fleet.advance(requests.duration_s + 100.0)
    return fleet


@pytest.mark.benchmark(group="fleet-20k-requests-200-tokens")
@pytest.mark.parametrize("longest_run", [1 << 62, 1], ids=["runs", "steps"])
def test_bench_calm_fleet(benchmark, longest_run: int) -> None:
    """20 requests/s with 200 output tokens on 10 prefill and 10 decode instances."""
    served(longest_run)  # compiles
    fleet = benchmark(served, longest_run)
    assert fleet.request_log()["status"].to_list() == ["ok"] * REQUESTS


@pytest.mark.benchmark(group="fleet-frame-24h")
def test_bench_frame_of_a_day(benchmark) -> None:
    """A day of 20 instances scraped every 15 s as rows of telemetry."""
    fleet = Fleet(FleetSpec(PROFILE, 8, 12), poisson(20_000, 0.25, 1), 1)
    fleet.advance(86_400.0)
    frame = benchmark(fleet.scrapes.frame, datetime(2026, 1, 1, tzinfo=UTC))
    # 5,761 scrapes: 8 x 11 + 12 x 11 per instance, 2 x 4 pool counts, 3 gateway counters, 4 histograms
    assert len(frame) > 1_700_000
