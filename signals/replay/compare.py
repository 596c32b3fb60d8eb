"""Run several policies on one workload and put their accounts side by side."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from functools import partial

import numpy as np
import polars as pl

from signals.errors import UsageError
from signals.fleet import FleetSpec, Workload
from signals.policies import PolicyChoice, PolicyContext, find_policy
from signals.policies.ratio import ratio_text
from signals.profiles import Profile
from signals.replay.accounting import account_requests, minute_rows
from signals.replay.capacity_account import CapacityAccount, account_capacity, lifecycle_rows
from signals.replay.limits import Limits
from signals.replay.loop import POOLS, Run, Trace, replay_policy
from signals.replay.pressure import Pressure, instances_for, pressure_test
from signals.replay.result import Comparison, PolicyResult
from signals.replay.settings import ReplaySettings
from signals.schema import Finding, Slo, Span

__all__ = ["run_backtest"]

Progress = Callable[[str, float], None]

NO_REGRET = "no oracle policy in this version"

_START_S = 600.0  # the part of the workload that sizes the fleet at the start


@dataclass(frozen=True)
class _Backtest:
    workload: Workload
    profile: Profile
    slo: Slo
    settings: ReplaySettings
    start: datetime
    until_s: float
    pressure: Pressure
    context: PolicyContext
    limits: Limits


@dataclass(frozen=True)
class _Outcome:
    result: PolicyResult
    trace: Trace
    events: pl.DataFrame
    minutes: pl.DataFrame


def run_backtest(
    workload: Workload,
    choices: Sequence[PolicyChoice],
    *,
    profile: Profile,
    slo: Slo,
    settings: ReplaySettings,
    start: datetime,
    source: Mapping[str, float | int | str | None],
    progress: Progress | None = None,
) -> Comparison:
    """What would these policies have done with this load?

    Each policy gets a fleet of its own, with the same requests, seed and start size. Instance time is
    accounted from the start to the last full minute of load; after that the fleets stand still and go on
    for at most `settings.drain_s`, so that the last requests can finish.

    Args:
        workload: the requests, before the load factor.
        choices: at least one policy; labels must differ.
        profile: service times.
        slo: the objectives.
        settings: everything else that is assumed.
        start: time zero of the workload, UTC.
        source: what the workload is, for the record.
        progress: told what is being done, and the share done.

    Returns:
        The comparison; policies in the order asked.

    Raises:
        UsageError: no policy, two with the same label, or one that does not fit this fleet.
        AnalysisError: there is no request, or the workload is too large.
    """
    _check_labels(choices)
    tell = progress or _silent
    tell("pressure test", 0.0)
    backtest = _prepare(workload, profile, slo, settings, start)
    outcomes = []
    for number, choice in enumerate(choices):
        share = partial(_within, tell, f"policy {choice.label}", number, len(choices))
        share(0.0)
        outcomes.append(_run(backtest, choice, share))
    tell("done", 1.0)
    return Comparison(
        workload={**source, **_described(backtest)},
        settings=_assumed(backtest),
        slo=slo,
        span=Span(start, start + timedelta(seconds=backtest.until_s)),
        policies=tuple(o.result for o in outcomes),
        ticks=pl.concat([o.trace.ticks for o in outcomes]),
        readings=pl.concat([o.trace.readings for o in outcomes]),
        events=pl.concat([o.events for o in outcomes]),
        minutes=pl.concat([o.minutes for o in outcomes]),
        findings=_remarks(backtest),
    )


def _within(tell: Progress, text: str, number: int, count: int, share: float) -> None:
    tell(text, 0.1 + 0.9 * (number + share) / count)


def _silent(_text: str, _share: float) -> None:
    return


def _check_labels(choices: Sequence[PolicyChoice]) -> None:
    labels = [choice.label for choice in choices]
    double = sorted({label for label in labels if labels.count(label) > 1})
    if not labels:
        raise UsageError("there is no policy to replay", where="--policy")
    if double:
        raise UsageError(
            f"two policies are called '{double[0]}'",
            where="--policy",
            hint="tell repeats apart with label=",
        )


def _prepare(
    workload: Workload,
    profile: Profile,
    slo: Slo,
    settings: ReplaySettings,
    start: datetime,
) -> _Backtest:
    if settings.load_factor != 1.0:
        workload = workload.scaled(settings.load_factor, np.random.default_rng(settings.seed))
    pressure = pressure_test(
        workload, profile, slo, window_s=settings.pressure_window_s, seed=settings.seed
    )
    limits = Limits(
        settings.min_instances,
        settings.max_instances,
        settings.max_gpus,
        profile.gpus_per_instance,
        pressure.pd_ratio,
        settings.ratio_guard,
    )
    first_minutes = min(_START_S, max(workload.duration_s, 1.0))
    initial = settings.initial or instances_for(
        workload, pressure, first_s=0.0, last_s=first_minutes
    )
    context = PolicyContext(
        pressure.pd_ratio,
        {"prefill": pressure.prefill_tps, "decode": pressure.decode_tps},
        limits.apply(initial),
        limits.apply(pressure.peak),
        slo,
    )
    until_s = max(60.0, 60.0 * math.ceil(workload.duration_s / 60.0))
    return _Backtest(workload, profile, slo, settings, start, until_s, pressure, context, limits)


def _run(backtest: _Backtest, choice: PolicyChoice, progress: Callable[[float], None]) -> _Outcome:
    from signals.fleet import Fleet

    settings, context = backtest.settings, backtest.context
    entry = find_policy(choice.name)
    params = entry.resolve(entry.params(choice.params), context)
    counts = backtest.limits.apply({**context.initial, **entry.initial(params, context)})
    fleet = Fleet(_fleet_spec(backtest, counts), backtest.workload, settings.seed)
    run = Run(
        choice.label,
        entry.build(params, context),
        fleet,
        backtest.workload,
        backtest.limits,
        backtest.start,
        backtest.until_s,
        settings.query_delay_s,
    )
    trace = replay_policy(run, progress=progress)
    account = account_capacity(
        fleet,
        trace,
        gpus_per_instance=backtest.profile.gpus_per_instance,
        pd_ratio=context.pd_ratio,
        tolerance_ratio=settings.ratio_tolerance_ratio,
    )
    fleet.advance(backtest.until_s + settings.drain_s)
    log = fleet.request_log()
    requests = account_requests(log, backtest.slo)
    price = backtest.profile.price_per_gpu_hour
    result = PolicyResult(
        policy=choice.name,
        label=choice.label,
        params=params,
        attainment=requests.attainment,
        ttft_s=requests.ttft_s,
        tpot_s=requests.tpot_s,
        e2e_s=requests.e2e_s,
        gpu_hours=account.gpu_hours,
        gpu_hours_by_pool=account.gpu_hours_by_pool,
        cost=None if price is None else price * account.gpu_hours,
        gpu_util=account.busy_ratio,
        scale_events=account.scale_events,
        flaps=account.flaps,
        ratio_violation_s=account.ratio_violation_s,
        requests=requests.requests,
        regret=None,
        reason_no_regret=NO_REGRET,
        peak_instances=account.peak_instances,
        mean_instances=account.mean_instances,
        findings=_run_remarks(trace, account, backtest.profile),
    )
    events = pl.concat(
        [trace.events, lifecycle_rows(fleet, policy=choice.label, start=backtest.start)]
    ).sort("ts", maintain_order=True)
    minutes = minute_rows(log, backtest.slo, policy=choice.label, start=backtest.start)
    return _Outcome(result, trace, events, minutes)


def _fleet_spec(backtest: _Backtest, counts: Mapping[str, int]) -> FleetSpec:
    settings = backtest.settings
    return FleetSpec(
        profile=backtest.profile,
        prefill=counts["prefill"],
        decode=counts["decode"],
        cold_start_s=settings.cold_start_s,
        cold_start_sigma=settings.cold_start_sigma,
        grace_s=settings.grace_s,
        scrape_interval_s=settings.scrape_interval_s,
        exporter_delay_s=settings.exporter_delay_s,
    )


def _described(backtest: _Backtest) -> dict[str, float | int | str | None]:
    load = backtest.workload
    minutes = np.bincount((load.arrival_s // 60.0).astype(np.int64))
    return {
        "requests": len(load),
        "duration_s": round(load.duration_s, 3),
        "load_factor": backtest.settings.load_factor,
        "mean_rps": round(len(load) / backtest.until_s, 4),
        "peak_rps": round(float(minutes.max()) / 60.0, 4),
        "prompt_tokens_mean": round(float(load.prompt_tokens.mean()), 2),
        "output_tokens_mean": round(float(load.output_tokens.mean()), 2),
        "cached_tokens_mean": round(float(load.cached_tokens.mean()), 2),
    }


def _assumed(backtest: _Backtest) -> dict[str, float | int | str | None]:
    settings, pressure = backtest.settings, backtest.pressure
    shown: dict[str, float | int | str | None] = {
        f.name: getattr(settings, f.name)
        for f in fields(settings)
        if f.name not in {"initial", "load_factor"}
    }
    return {
        "profile": backtest.profile.name,
        "gpus_per_instance": backtest.profile.gpus_per_instance,
        "pd_ratio": ratio_text(pressure.pd_ratio),
        "initial": _sizes(backtest.context.initial),
        "initial_from": "asked" if settings.initial else "pressure test",
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


def _remarks(backtest: _Backtest) -> tuple[Finding, ...]:
    needed = backtest.pressure.peak
    held = backtest.context.peak
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
    return (*backtest.pressure.findings, *capped)


def _run_remarks(trace: Trace, account: CapacityAccount, profile: Profile) -> tuple[Finding, ...]:
    missing = [
        Finding(
            "signal_missing",
            "warning",
            f"{name} had no value at {count} decisions",
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
            f"{pool}: limits held orders back at {count} decisions",
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
