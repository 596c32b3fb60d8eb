"""Where observations are counted."""

from __future__ import annotations

from signals.fleet import Fleet, FleetSpec
from signals.fleet.histograms import BOUNDS_S, HISTOGRAMS
from tests.builders_fleet import ROUND, workload


def test_bounds_are_sorted_and_as_many_as_histograms() -> None:
    """One list per histogram, strictly increasing."""
    assert len(BOUNDS_S) == len(HISTOGRAMS)
    assert all(list(bounds) == sorted(set(bounds)) for bounds in BOUNDS_S)


def test_value_on_a_bound_belongs_to_its_bucket() -> None:
    """A prefill of 10 + 30 ms is counted at le 0.04, as Prometheus means it."""
    fleet = Fleet(FleetSpec(ROUND, 1, 0), workload([0], [30], [1]), 1)
    fleet.advance(15.0)
    _, bounds, cumulative, sums, counts = fleet.scrapes.histogram("ttft", "prefill", 15.0, 15.0)
    at = bounds.tolist().index(0.04)
    assert (cumulative[0, at - 1], cumulative[0, at]) == (0.0, 1.0)
    assert (sums[0], counts[0]) == (0.04, 1.0)


def test_first_gap_holds_transfer_and_admission() -> None:
    """10 tokens: 11 ms on the link and a step of 10 ms, then steps of 10 ms."""
    fleet = Fleet(FleetSpec(ROUND, 1, 1), workload([0], [10], [5]), 1)
    fleet.advance(15.0)
    _, bounds, cumulative, sums, _ = fleet.scrapes.histogram("itl", "decode", 15.0, 15.0)
    by_bound = dict(zip(bounds.tolist(), cumulative[0].tolist(), strict=False))
    assert (by_bound[0.005], by_bound[0.01], by_bound[0.02], by_bound[0.025]) == (0, 3, 3, 4)
    assert round(sums[0], 9) == 0.051


def test_run_that_crosses_a_bound_is_split_exactly() -> None:
    """Steps of 11, 12, 13, ... ms: those up to 15 ms and those up to 20 ms."""
    from dataclasses import replace

    growing = replace(ROUND, context_s_per_token=0.001, link_latency_s=0.0, kv_bytes_per_token=0)
    fleet = Fleet(FleetSpec(growing, 1, 1), workload([0], [1], [30]), 1)
    fleet.advance(15.0)
    _, bounds, cumulative, _, _ = fleet.scrapes.histogram("itl", "decode", 15.0, 15.0)
    by_bound = dict(zip(bounds.tolist(), cumulative[0].tolist(), strict=False))
    # step k takes 10 + 1 + k ms, k = 1..29
    assert (by_bound[0.015], by_bound[0.02], by_bound[0.04], by_bound[0.045]) == (4, 9, 29, 29)
