"""What is told with a comparison: the workload, everything assumed, and remarks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields

import numpy as np

from signals.fleet import Workload
from signals.policies import PolicyContext
from signals.policies.ratio import ratio_text
from signals.profiles import Profile
from signals.replay.capacity_account import CapacityAccount
from signals.replay.loop import POOLS, Trace
from signals.replay.pressure import Pressure
from signals.replay.settings import ReplaySettings
from signals.schema import Finding

__all__ = ["comparison_findings", "describe_settings", "describe_workload", "run_findings"]


def describe_workload(
    load: Workload, settings: ReplaySettings, until_s: float
) -> dict[str, float | int | str | None]:
    """What was replayed: counts, rates, mean lengths; each with its unit in its name."""
    minutes = np.bincount((load.arrival_s // 60.0).astype(np.int64))
    return {
        "requests": len(load),
        "duration_s": round(load.duration_s, 3),
        "load_factor": settings.load_factor,
        "mean_rps": round(len(load) / until_s, 4),
        "peak_rps": round(float(minutes.max()) / 60.0, 4),
        "prompt_tokens_mean": round(float(load.prompt_tokens.mean()), 2),
        "output_tokens_mean": round(float(load.output_tokens.mean()), 2),
        "cached_tokens_mean": round(float(load.cached_tokens.mean()), 2),
    }


def describe_settings(
    settings: ReplaySettings, profile: Profile, pressure: Pressure, context: PolicyContext
) -> dict[str, float | int | str | None]:
    """What was assumed: profile, sizes, limits, delays, seed; each with its unit in its name."""
    shown: dict[str, float | int | str | None] = {
        f.name: getattr(settings, f.name)
        for f in fields(settings)
        if f.name not in {"initial", "load_factor"}
    }
    return {
        "profile": profile.name,
        "gpus_per_instance": profile.gpus_per_instance,
        "pd_ratio": ratio_text(pressure.pd_ratio),
        "initial": _sizes(context.initial),
        "initial_from": "asked" if settings.initial else "pressure test, prefill by the P/D ratio",
        "peak": _sizes(pressure.peak),
        "prefill_instance_tps": round(pressure.prefill_tps, 1),
        "decode_instance_tps": round(pressure.decode_tps, 1),
        "busiest_prefill_s": round(pressure.windows_s["prefill"][0], 1),
        "busiest_decode_s": round(pressure.windows_s["decode"][0], 1),
        "busiest_attainment_both": pressure.attainment["both"],
        **shown,
    }


def _sizes(counts: Mapping[str, int]) -> str:
    return f"{counts['prefill']}P{counts['decode']}D"


def comparison_findings(pressure: Pressure, context: PolicyContext) -> tuple[Finding, ...]:
    """Remarks that concern every policy of the comparison."""
    needed, held = pressure.peak, context.peak
    capped = [
        Finding(
            "peak_above_limit",
            "warning",
            f"the busiest part needs {needed[pool]} {pool} instances, the limits allow {held[pool]}",
            subject=pool,
            action="every policy is held to the limit",
        )
        for pool in POOLS
        if held[pool] < needed[pool]
    ]
    return (*pressure.findings, *capped)


def run_findings(trace: Trace, account: CapacityAccount, profile: Profile) -> tuple[Finding, ...]:
    """Remarks about one run."""
    missing = [
        Finding(
            "signal_missing",
            "warning",
            f"{name} had no value at {_decisions(count)}",
            count,
            name,
            "the policy held, unless its parameters say otherwise",
        )
        for name, count in sorted(trace.missing.items())
    ]
    capped = [
        Finding(
            "order_capped",
            "warning",
            f"{pool}: limits held orders back at {_decisions(count)}",
            count,
            pool,
        )
        for pool, count in sorted(trace.capped.items())
    ]
    beyond = []
    if account.largest_batch > profile.valid_batch[1]:
        beyond.append(
            Finding(
                "profile_extrapolated",
                "warning",
                f"decode instances ran {account.largest_batch:.0f} sequences, the profile was measured up "
                f"to {profile.valid_batch[1]}",
                subject=profile.name,
                action="the curve's last slope goes on",
            )
        )
    return (*missing, *capped, *beyond)


def _decisions(count: int) -> str:
    return "1 decision" if count == 1 else f"{count} decisions"
