"""How many requests a second the simulated fleet serves; compilation is outside the measurement."""

import numpy as np
import pytest

from signals.fleet import Fleet, FleetSpec, Workload
from signals.profiles import load_profile


def poisson(requests: int, rate_rps: float) -> Workload:
    """Poisson arrivals with log-normal lengths."""
    rng = np.random.default_rng(7)
    return Workload(
        np.cumsum(rng.exponential(1.0 / rate_rps, requests)),
        rng.lognormal(6.5, 0.8, requests).astype(np.int64) + 1,
        rng.lognormal(5.0, 0.8, requests).astype(np.int64) + 1,
        np.zeros(requests, np.int64),
    )


def serve(workload: Workload) -> Fleet:
    """Serve a workload to its end on a fixed fleet."""
    fleet = Fleet(FleetSpec(load_profile("llama2-70b-h100"), prefill=4, decode=8), workload, 0)
    fleet.advance(float(workload.arrival_s[-1]) + 600.0)
    return fleet


@pytest.fixture(scope="module")
def compiled() -> None:
    """Run once, so that no round pays for the compiler."""
    serve(poisson(50, 4.0))


@pytest.mark.benchmark(group="fleet")
@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("requests", [pytest.param(2_000, id="2k"), pytest.param(50_000, id="50k")])
def test_bench_fleet_serves(benchmark, requests):
    """Four prefill and eight decode instances at 8 requests a second."""
    workload = poisson(requests, 8.0)
    fleet = benchmark.pedantic(serve, args=(workload,), rounds=3)
    log = fleet.request_log()
    assert log.height == requests
    assert (log["status"] == "ok").mean() > 0.99
