"""The results of a backtest: one account per policy, and the comparison."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import polars as pl

from signals.schema import Finding, Slo, Span

__all__ = ["Comparison", "Percentiles", "PolicyResult"]


@dataclass(frozen=True, slots=True)
class Percentiles:
    """Percentiles of a latency over requests, seconds; None if no request has the value."""

    p50: float | None
    p90: float | None
    p99: float | None


@dataclass(frozen=True)
class PolicyResult:
    """What one policy did and what it cost.

    Attributes:
        policy: registry name.
        label: unique in the comparison.
        params: every parameter's value, defaults included.
        attainment: shares 0..1 of arrived requests within the objective, under `ttft`, `tpot`, `both`;
            a request that got no first token misses.
        ttft_s, tpot_s, e2e_s: percentiles over requests.
        gpu_hours: GPU-hours of starting, ready and draining instances.
        gpu_hours_by_pool: the same by pool.
        cost: money, in `currency` of the workload's price table; None without prices.
        gpu_util: mean share of ready time that instances were busy, by pool.
        scale_events: orders that changed a pool's desired count.
        flaps: changes opposite to the pool's previous one less than 15 min after it.
        ratio_violation_s: time in which the ready P/D ratio was off its target by more than the tolerance.
        requests: counts under `arrived`, `completed`, `dropped`, `cut`, `running`.
        regret: loss against the oracle by cause; None if there is none.
        reason_no_regret: why.
        peak_instances: largest ready count by pool.
        mean_instances: mean ready count by pool.
        findings: remarks, such as ticks without data.
    """

    policy: str
    label: str
    params: Mapping[str, float | int | str | bool | None]
    attainment: Mapping[str, float | None]
    ttft_s: Percentiles
    tpot_s: Percentiles
    e2e_s: Percentiles
    gpu_hours: float
    gpu_hours_by_pool: Mapping[str, float]
    cost: float | None
    gpu_util: Mapping[str, float | None]
    scale_events: int
    flaps: int
    ratio_violation_s: float
    requests: Mapping[str, int]
    regret: Mapping[str, float] | None
    reason_no_regret: str
    peak_instances: Mapping[str, int]
    mean_instances: Mapping[str, float]
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class Comparison:
    """Policies run on one workload.

    Attributes:
        workload: what was replayed: `service`, `source`, `requests`, `prompt_tokens_mean`,
            `output_tokens_mean`, `load_factor`, `peak_rps` and the like, each with its unit in its name.
        settings: what was assumed: `profile`, `pd_ratio`, `initial`, `cold_start_s`, `scrape_interval_s`,
            `seed`, `max_instances` and the like.
        slo: the objectives.
        span: replayed time.
        policies: one result per policy, in the order asked.
        ticks: RUN_TICK.
        readings: RUN_READING.
        events: RUN_EVENT.
        minutes: RUN_MINUTE.
        findings: remarks about workload, profile and pressure test.
    """

    workload: Mapping[str, float | int | str | None]
    settings: Mapping[str, float | int | str | None]
    slo: Slo
    span: Span
    policies: tuple[PolicyResult, ...]
    ticks: pl.DataFrame
    readings: pl.DataFrame
    events: pl.DataFrame
    minutes: pl.DataFrame
    findings: tuple[Finding, ...] = field(default=())

    def frame(self) -> pl.DataFrame:
        """One row per policy, in the order asked.

        Returns:
            `policy`, `label`, `attainment_ttft`, `attainment_tpot`, `attainment_both`, `ttft_p99_s`,
            `tpot_p99_s`, `gpu_hours`, `scale_events`, `flaps`, and the counts of `requests` by their name.
        """
        return pl.DataFrame([_row(result) for result in self.policies], infer_schema_length=None)

    def _repr_html_(self) -> str:
        """The table, for notebooks."""
        return str(self.frame()._repr_html_())


def _row(result: PolicyResult) -> dict[str, object]:
    return {
        "policy": result.policy,
        "label": result.label,
        **{f"attainment_{name}": share for name, share in result.attainment.items()},
        "ttft_p99_s": result.ttft_s.p99,
        "tpot_p99_s": result.tpot_s.p99,
        "gpu_hours": result.gpu_hours,
        "scale_events": result.scale_events,
        "flaps": result.flaps,
        **result.requests,
    }
