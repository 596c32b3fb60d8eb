"""Least work, lowest number; the emptiest goes first."""

from __future__ import annotations

from signals.fleet import Fleet, FleetSpec
from tests.builders_fleet import ROUND, workload


def tokens(fleet: Fleet, measurement: str, pool: str) -> dict[str, float]:
    fleet.advance(99.0)
    _, names, values = fleet.scrapes.counter(measurement, pool, 90.0, 90.0)
    return dict(zip(names, values[0].tolist(), strict=True))


def test_prefill_goes_where_fewest_tokens_wait() -> None:
    """200 to the first, 50 and then 100 to the second, 30 to the second (150 < 200)."""
    requests = workload([0] * 4, [200, 50, 100, 30], [1] * 4)
    assert tokens(
        Fleet(FleetSpec(ROUND, 2, 1), requests, 1), "prefill_tokens_total", "prefill"
    ) == {"prefill-0": 200.0, "prefill-1": 180.0}


def test_ties_go_to_the_lowest_number() -> None:
    """Equal prompts are dealt in turn."""
    requests = workload([0] * 4, [10, 10, 10, 10], [1] * 4)
    assert tokens(
        Fleet(FleetSpec(ROUND, 3, 1), requests, 1), "prefill_tokens_total", "prefill"
    ) == {"prefill-0": 20.0, "prefill-1": 10.0, "prefill-2": 10.0}


def test_decode_goes_where_least_is_held() -> None:
    """The long context keeps its instance to itself while the short ones share the other."""
    requests = workload([0, 1, 2], [900, 10, 10], [500, 100, 100])
    assert tokens(Fleet(FleetSpec(ROUND, 1, 2), requests, 1), "decode_tokens_total", "decode") == {
        "decode-0": 499.0,
        "decode-1": 198.0,
    }


def test_draining_instances_get_nothing() -> None:
    """After the order to leave one, all go to it; the idle one is gone at once."""
    requests = workload([0, 1, 2], [10, 10, 10], [50, 50, 50])
    fleet = Fleet(FleetSpec(ROUND, 1, 2), requests, 1)
    fleet.advance(0.5)
    fleet.scale("decode", 1)
    assert tokens(fleet, "decode_tokens_total", "decode") == {"decode-0": 147.0}


def test_emptiest_goes_and_of_equals_the_youngest() -> None:
    """decode-0 is busy; of the idle decode-1 and decode-2 the latter goes."""
    fleet = Fleet(FleetSpec(ROUND, 1, 3), workload([0], [10], [500]), 1)
    fleet.advance(1.0)
    fleet.scale("decode", 2)
    gone = fleet.lifecycle_events().filter(kind="drained")["instance"].to_list()
    assert gone == ["decode-2"]
