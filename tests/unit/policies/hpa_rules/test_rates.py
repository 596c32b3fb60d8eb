"""Rate policies."""

import pytest

from signals.policies.hpa_rules.rates import RatePolicy, ScaleEvent, limit_change, still_counted

PERCENT = RatePolicy("Percent", 100, 15.0)
PODS = RatePolicy("Pods", 4, 15.0)


def limited(
    desired, current, *, events=(), up=(PERCENT, PODS), up_select="Max", down=(), down_select="Max"
):
    return limit_change(
        desired,
        current=current,
        now_s=100.0,
        events=events,
        up=up,
        up_select=up_select,
        down=down,
        down_select=down_select,
    )


@pytest.mark.parametrize(
    ("current", "select", "expected"),
    [(2, "Max", 6), (10, "Max", 20), (2, "Min", 4), (10, "Min", 14), (10, "Disabled", 10)],
)
def test_growth_default_policies(current, select, expected):
    """Double, or four more pods, per 15 s; Max takes the larger of both."""
    assert limited(100, current, up_select=select) == expected


def test_pods_added_in_the_period_count_against_it():
    """10 pods of which 4 came 10 s ago: the period began with 6, so 12 at most; 15 s ago no longer counts."""
    assert limited(100, 10, events=(ScaleEvent(90.0, 4),)) == 12
    assert limited(100, 10, events=(ScaleEvent(85.0, 4),)) == 20


def test_pods_removed_in_the_period_are_added_back():
    """6 pods, 4 removed 10 s ago: the period began with 10."""
    assert limited(100, 6, events=(ScaleEvent(90.0, -4),)) == 20


def test_limit_is_never_below_the_current_count():
    """More was added in the period than the policy allows now."""
    assert limited(100, 20, events=(ScaleEvent(99.0, 18),), up=(PODS,)) == 20


@pytest.mark.parametrize(("select", "expected"), [("Max", 5), ("Min", 9), ("Disabled", 10)])
def test_shrinking_max_takes_the_lowest(select, expected):
    """Half, or one pod, from 10."""
    down = (RatePolicy("Percent", 50, 60.0), RatePolicy("Pods", 1, 60.0))
    assert limited(1, 10, down=down, down_select=select) == expected


def test_percent_down_truncates():
    """10 % of 15 is 13.5 left: 13."""
    assert limited(1, 15, down=(RatePolicy("Percent", 10, 60.0),)) == 13


def test_no_policy_means_no_limit():
    """Both ways."""
    assert limited(100, 1, up=()) == 100
    assert limited(1, 100) == 1


def test_old_events_are_forgotten():
    """As old as the longest period: gone."""
    events = (ScaleEvent(0.0, 1), ScaleEvent(50.0, 1))
    assert still_counted(events, now_s=60.0, longest_period_s=60.0) == (ScaleEvent(50.0, 1),)
