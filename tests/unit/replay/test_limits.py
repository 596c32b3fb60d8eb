"""What orders are held to."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signals.replay.limits import Limits


def limits(**changes):
    values = {
        "low": 1,
        "high": 10,
        "max_gpus": None,
        "gpus_per_instance": 8,
        "pd_ratio": (1, 2),
        "ratio_guard": None,
    }
    return Limits(**{**values, **changes})


def test_minimum_and_maximum_of_each_pool():
    """1 to 10."""
    assert limits().apply({"prefill": 0, "decode": 99}) == {"prefill": 1, "decode": 10}


def test_budget_shrinks_pools_in_proportion_to_what_is_above_the_minimum():
    """80 GPUs are ten instances; 5 + 9 asked for: 4 of 12 above the minimum go."""
    assert limits(max_gpus=80).apply({"prefill": 5, "decode": 9}) == {"prefill": 4, "decode": 6}


def test_budget_never_goes_below_the_minimum():
    """One GPU is not even an instance."""
    assert limits(max_gpus=1).apply({"prefill": 5, "decode": 9}) == {"prefill": 1, "decode": 1}


@pytest.mark.parametrize(
    ("asked", "held"),
    [((1, 8), (3, 8)), ((3, 8), (3, 8)), ((5, 8), (5, 8)), ((8, 4), (8, 10)), ((4, 4), (4, 7))],
)
def test_guard_raises_the_pool_that_is_short(asked, held):
    """One prefill to two decode, at most a quarter off; it never lowers a pool."""
    got = limits(ratio_guard=0.25).apply({"prefill": asked[0], "decode": asked[1]})
    assert got == {"prefill": held[0], "decode": held[1]}


@given(
    st.integers(0, 200),
    st.integers(0, 200),
    st.integers(1, 5),
    st.integers(5, 100),
    st.none() | st.integers(1, 2000),
    st.none() | st.floats(0.05, 1.0),
)
def test_orders_are_always_within_bounds_and_budget(prefill, decode, low, high, gpus, guard):
    """min <= order <= max, and GPUs within the budget unless the minimum alone exceeds it."""
    bounds = limits(low=low, high=high, max_gpus=gpus, ratio_guard=guard)
    held = bounds.apply({"prefill": prefill, "decode": decode})
    assert all(low <= count <= high for count in held.values())
    if gpus is not None:
        assert sum(held.values()) * 8 <= max(gpus, 2 * low * 8)
    assert bounds.apply(held) == held or guard is not None
