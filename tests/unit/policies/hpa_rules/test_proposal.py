"""What one metric asks for."""

import pytest

from signals.policies.hpa_rules.proposal import (
    PodSamples,
    Tolerance,
    average_value_proposal,
    combine,
    milli,
    pods_proposal,
    value_proposal,
)

EXACT = Tolerance()


@pytest.mark.parametrize(("value", "expected"), [(0.29, 290), (0.7, 700), (0.0001, 1), (12, 12000)])
def test_milli_rounds_up_but_not_for_floating_point(value, expected):
    """0.29 is 290 thousandths although 0.29 * 1000 lies above; a real fraction rounds up."""
    assert milli(value) == expected


def test_value_applies_the_ratio_to_ready_pods():
    """Twice the target with 3 of 5 pods ready asks for 6."""
    assert value_proposal(2000, 1000, current=5, ready=3, tolerance=EXACT) == 6


def test_value_from_zero_pods_has_no_tolerance():
    """1.05 times the target with nothing running asks for 2."""
    assert value_proposal(1050, 1000, current=0, ready=0, tolerance=EXACT) == 2


def test_average_value_within_tolerance_keeps_existing_pods():
    """42 over 4 pods with target 10 is 1.05 each: hold."""
    assert average_value_proposal(42_000, 10_000, status=4, tolerance=EXACT) == 4


def test_pods_average_is_an_integer_division():
    """Samples 1, 1, 0 thousandths average 0, not 2/3: a target of 1 shrinks to nothing."""
    samples = PodSamples((1, 1, 0))
    assert pods_proposal(samples, 1, current=3, tolerance=EXACT) == 0


@pytest.mark.parametrize(
    ("samples", "current", "expected", "why"),
    [
        (PodSamples((200, 200)), 2, 4, "plain ratio 2"),
        (PodSamples((105, 105)), 2, 2, "in tolerance"),
        (PodSamples((50, 50), missing=2), 4, 3, "missing count as the target: 75 % of 4"),
        (PodSamples((300, 300), missing=2), 4, 6, "missing count as zero: 1.5 of 4"),
        (PodSamples((300, 300), unready=2), 4, 6, "unready count as zero when growing"),
        (PodSamples((50, 50), unready=2), 4, 1, "unready do not count when shrinking"),
        (PodSamples((150,), missing=1), 2, 2, "direction flips: hold"),
        (PodSamples((150, 150), unready=6), 8, 8, "flips from 1.5 to 0.375: hold, not 3"),
        (PodSamples((60,), missing=9), 10, 10, "refilled ratio in tolerance: hold"),
        (PodSamples((120,), missing=0, unready=0), 5, 2, "ratio times pods that have samples"),
        (PodSamples((300, 300), unready=1), 8, 8, "growing must not shrink"),
    ],
)
def test_pods_fill_in_cautiously(samples, current, expected, why):
    """Target 100 for each pod."""
    assert pods_proposal(samples, 100, current=current, tolerance=EXACT) == expected, why


def test_pods_without_any_sample_say_nothing():
    """Only starting pods: no answer, not zero."""
    assert pods_proposal(PodSamples((), missing=3), 100, current=3, tolerance=EXACT) is None


@pytest.mark.parametrize(
    ("proposals", "expected"),
    [([3, 5], 5), ([None, 5], 5), ([None, 3], None), ([None], None), ([None, 4], 4), ([], None)],
)
def test_the_largest_proposal_wins_and_a_missing_one_forbids_shrinking(proposals, expected):
    """Current count 4."""
    assert combine(proposals, current=4) == expected


def test_tolerances_differ_by_direction():
    """5 % up, 20 % down."""
    tolerance = Tolerance(up=0.05, down=0.2)
    assert [tolerance.holds(r) for r in (0.79, 0.8, 1.05, 1.06)] == [False, True, True, False]
