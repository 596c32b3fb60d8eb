"""What a fleet may be made of."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from signals.errors import UsageError
from signals.fleet import FleetSpec
from tests.builders_fleet import PROFILE


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"prefill": -1}, "prefill and decode"),
        ({"cold_start_s": -1.0}, "cold_start_s"),
        ({"cold_start_sigma": float("nan")}, "cold_start_sigma"),
        ({"grace_s": -0.5}, "grace_s"),
        ({"scrape_interval_s": 0.0}, "scrape_interval_s"),
        ({"scrape_interval_s": 4000.0}, "scrape_interval_s"),
        ({"exporter_delay_s": 15.0}, "exporter_delay_s"),
        ({"profile": replace(PROFILE, max_num_seqs=0)}, "max_num_seqs"),
        ({"profile": replace(PROFILE, max_batched_tokens=100)}, "max_batched_tokens"),
        ({"profile": replace(PROFILE, kv_block_tokens=0)}, "kv_block_tokens"),
        ({"profile": replace(PROFILE, kv_capacity_tokens=8)}, "kv_capacity_tokens"),
        ({"profile": replace(PROFILE, link_bytes_per_s=0.0)}, "link_bytes_per_s"),
    ],
)
def test_spec_out_of_range_is_refused_by_name(change: dict[str, Any], named: str) -> None:
    """The error names the setting."""
    with pytest.raises(UsageError, match=named):
        replace(FleetSpec(PROFILE, 1, 1), **change)


def test_spec_without_instances_is_one() -> None:
    """A pool may start empty."""
    assert FleetSpec(PROFILE, 0, 0).prefill == 0
