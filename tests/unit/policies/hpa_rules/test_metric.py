"""From a reading to a proposal."""

import pytest

from signals.policies.hpa_rules.metric import Metric, MetricRules
from signals.policies.hpa_rules.proposal import Tolerance
from signals.policies.policy import PoolState, Reading, SignalRequest

STATE = PoolState(desired=4, ready=3, starting=1, draining=0, min_instances=1, max_instances=64)


def rules(**changes):
    values = {
        "tolerance": Tolerance(),
        "starting_is_unready": False,
        "missing_is_zero": False,
        "max_age_s": 120.0,
    }
    return MetricRules(**{**values, **changes})


def metric(kind, target=10.0, scope="average"):
    return Metric(SignalRequest("running", "decode", 60.0), kind, target, scope)


@pytest.mark.parametrize(
    ("kind", "reading", "expected"),
    [
        ("Value", Reading(20.0, 1.0), 6),  # twice the target on three ready
        ("AverageValue", Reading(20.0, 1.0), 2),  # two shares of ten
        (
            "Pods",
            Reading(20.0, 1.0, {"a": 20.0, "b": 20.0, "c": 20.0}),
            6,
        ),  # 60 over four pods: 1.5
        ("Value", Reading(None), None),
        ("Value", Reading(20.0, 121.0), None),
        ("Pods", Reading(20.0, 1.0), None),  # no sample of any pod
    ],
)
def test_each_type_reads_its_own_way(kind, reading, expected):
    """Three ready, one starting, target 10."""
    assert metric(kind).proposal(reading, STATE, rules()) == expected


def test_starting_instances_can_be_unready_instead_of_missing():
    """When shrinking, a missing pod counts as the target, an unready one does not count."""
    reading = Reading(4.0, 1.0, {"a": 4.0, "b": 4.0, "c": 4.0})
    assert metric("Pods").proposal(reading, STATE, rules()) == 3
    assert metric("Pods").proposal(reading, STATE, rules(starting_is_unready=True)) == 2


def test_missing_can_be_read_as_zero():
    """Only when asked for."""
    assert metric("AverageValue").proposal(Reading(None), STATE, rules(missing_is_zero=True)) == 0
    assert metric("Pods").proposal(Reading(None), STATE, rules(missing_is_zero=True)) == 0


@pytest.mark.parametrize(
    ("kind", "scope", "expected"),
    [("AverageValue", "total", 40.0), ("Pods", "average", 10.0), ("Value", "total", 10.0)],
)
def test_target_in_terms_of_the_pool(kind, scope, expected):
    """A share of a total is compared with the total: times four instances."""
    assert metric(kind, scope=scope).comparable(STATE) == expected
