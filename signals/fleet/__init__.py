"""The simulated fleet: requests, prefill and decode instances, counters; knows nothing of policies.

`Fleet` brings the compiled engine with it and is imported on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from signals.fleet.spec import POOLS, FleetSpec, PoolCounts
from signals.fleet.workload import Workload

if TYPE_CHECKING:
    from signals.fleet.fleet import Fleet
    from signals.fleet.scrapes import ScrapeLog

__all__ = ["POOLS", "Fleet", "FleetSpec", "PoolCounts", "ScrapeLog", "Workload"]


def __getattr__(name: str) -> object:
    if name == "Fleet":
        from signals.fleet.fleet import Fleet

        return Fleet
    if name == "ScrapeLog":
        from signals.fleet.scrapes import ScrapeLog

        return ScrapeLog
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
