"""What a replay assumes."""

import pytest

from signals.errors import UsageError
from signals.replay import ReplaySettings


@pytest.mark.parametrize(
    "changes",
    [
        {"min_instances": 0},
        {"min_instances": 9, "max_instances": 8},
        {"max_instances": 5000},
        {"max_gpus": 0},
        {"query_delay_s": -1.0},
        {"drain_s": -1.0},
        {"pressure_window_s": 1.0},
        {"ratio_guard": 0.0},
        {"load_factor": 0.0},
        {"load_factor": float("nan")},
        {"seed": -1},
    ],
)
def test_values_out_of_range_are_refused(changes):
    """At construction, by name."""
    with pytest.raises(UsageError, match=f"{next(iter(changes))}|min_instances"):
        ReplaySettings(**changes)


def test_defaults_are_valid():
    """And those that a user meets."""
    settings = ReplaySettings()
    assert (settings.cold_start_s, settings.scrape_interval_s) == (120.0, 15.0)
    assert (settings.min_instances, settings.max_instances) == (1, 64)


@pytest.mark.parametrize(
    ("initial", "expected", "hint"),
    [
        ({"prefill": 999, "decode": 1}, "1 to 64 of each pool", "--max-instances sets the most"),
        ({"prefill": 1, "decode": 65}, "1 to 64 of each pool", "--max-instances sets the most"),
        ({"prefill": 1, "decode": 0}, "1 to 64 of each pool", ""),
    ],
)
def test_a_start_outside_the_limits_is_refused_not_clamped(initial, expected, hint):
    """999P1D would otherwise run as 64P1D and answer another question."""
    with pytest.raises(UsageError, match="outside the replay's limits") as caught:
        ReplaySettings(initial=initial)
    assert (caught.value.where, caught.value.expected) == ("--initial", expected)
    assert caught.value.hint == hint


def test_a_start_at_the_limits_is_fine():
    """Both ends belong."""
    ReplaySettings(initial={"prefill": 999, "decode": 1}, max_instances=999)
