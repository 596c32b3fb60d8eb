"""Stabilisation windows."""

from signals.policies.hpa_rules.stabilise import Recommendation, stabilise, still_remembered


def stable(desired, current, *, up_s=0.0, down_s=300.0, past=((0.0, 8), (100.0, 3))):
    return stabilise(
        desired,
        tuple(Recommendation(at_s, count) for at_s, count in past),
        current=current,
        now_s=200.0,
        up_window_s=up_s,
        down_window_s=down_s,
    )


def test_shrinking_goes_to_the_highest_of_the_window():
    """8 was recommended 200 s ago."""
    assert stable(2, 10) == 8


def test_growing_goes_to_the_lowest_of_its_window():
    """3 was recommended 100 s ago; with an up window of 150 s, 9 becomes 3, and never below the current."""
    assert stable(9, 2, up_s=150.0) == 3
    assert stable(9, 5, up_s=150.0) == 5


def test_growing_without_window_is_immediate():
    """The default."""
    assert stable(9, 2) == 9


def test_exactly_as_old_as_the_window_no_longer_counts():
    """200 s old, window 200 s."""
    assert stable(2, 10, down_s=200.0) == 3


def test_old_recommendations_are_forgotten():
    """What cannot count again is dropped."""
    past = (Recommendation(0.0, 1), Recommendation(10.0, 2))
    kept = still_remembered(past, now_s=300.0, longest_window_s=300.0)
    assert kept == (Recommendation(10.0, 2),)
