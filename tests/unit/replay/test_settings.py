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
