"""What one instance can do, from its service times alone: where the pressure test begins to look."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from signals.fleet import Workload
from signals.profiles import Profile
from signals.profiles.fit import curve_seconds
from signals.schema import Finding, Slo

__all__ = ["Capacity", "estimate_capacity"]

_PREFILL_BUSY = 0.75  # share of busy time at which queues still leave room within the objective
_DECODE_MARGIN = 0.95  # share of the TPOT objective that a mean step may take


@dataclass(frozen=True, slots=True)
class Capacity:
    """Estimated rates of one instance.

    Attributes:
        prefill_tps: prompt tokens/s.
        decode_tps: output tokens/s.
        decode_batch: sequences at which a decode step takes as long as the objective allows.
        findings: remarks.
    """

    prefill_tps: float
    decode_tps: float
    decode_batch: int
    findings: tuple[Finding, ...] = ()


def estimate_capacity(workload: Workload, profile: Profile, slo: Slo) -> Capacity:
    """Estimate the rates of one instance on this mix of requests.

    Prefill: tokens over step time, each prompt alone in steps of the token budget, at 75 % busy. Decode: the
    largest batch whose step, with the mix's mean context, stays within the TPOT objective.

    Args:
        workload: at least one request.
        profile: service times.
        slo: the objectives.

    Returns:
        The rates, each above 0.
    """
    computed = np.maximum(workload.prompt_tokens - workload.cached_tokens, 1).astype(np.float64)
    budget = float(profile.max_batched_tokens)
    full, rest = np.divmod(computed, budget)
    step_s = curve_seconds(profile.prefill, np.array([budget]))[0]
    times_s = full * step_s + np.where(rest > 0, curve_seconds(profile.prefill, rest), 0.0)
    prefill_tps = _PREFILL_BUSY * float(computed.sum() / times_s.sum())

    output = workload.output_tokens.astype(np.float64)
    context = float((output * (workload.prompt_tokens + output / 2.0)).sum() / output.sum())
    fitting = max(1, min(profile.max_num_seqs, int(profile.kv_capacity_tokens // context)))
    batches = np.arange(1, fitting + 1, dtype=np.float64)
    steps_s = (
        curve_seconds(profile.decode, batches) + profile.context_s_per_token * context * batches
    )
    within = np.flatnonzero(steps_s <= _DECODE_MARGIN * slo.tpot_s)
    batch = int(batches[within[-1]]) if within.size else 1
    return Capacity(
        prefill_tps=prefill_tps,
        decode_tps=batch / float(steps_s[batch - 1]),
        decode_batch=batch,
        findings=_remarks(batch, profile),
    )


def _remarks(batch: int, profile: Profile) -> tuple[Finding, ...]:
    if batch <= profile.valid_batch[1]:
        return ()
    return (
        Finding(
            "profile_extrapolated",
            "warning",
            f"decode batches of {batch} lie beyond the measured {profile.valid_batch[1]} of profile "
            f"{profile.name}",
            subject=profile.name,
            action="the curve's last slope goes on",
        ),
    )
