"""Run several policies on one workload and put their accounts side by side."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

import numpy as np
import polars as pl

from signals.fleet import FleetSpec, Workload
from signals.policies import PolicyChoice, PolicyContext, find_policy
from signals.profiles import Profile
from signals.replay.accounting import account_requests, minute_rows
from signals.replay.capacity_account import account_capacity, lifecycle_rows
from signals.replay.limits import Limits
from signals.replay.lineup import line_up
from signals.replay.loop import Run, Trace, replay_policy
from signals.replay.pressure import Pressure, instances_for, pressure_test
from signals.replay.remarks import (
    comparison_findings,
    describe_settings,
    describe_workload,
    run_findings,
)
from signals.replay.result import Comparison, PolicyResult
from signals.replay.settings import ReplaySettings
from signals.schema import Slo, Span

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
        choices: at least one policy; labels must differ. Peak provisioning is added if it is not among them.
        profile: service times.
        slo: the objectives.
        settings: everything else that is assumed.
        start: time zero of the workload, UTC.
        source: what the workload is, for the record.
        progress: told what is being done, and the share done.

    Returns:
        The comparison; policies in the order asked, then the baseline if it was added.

    Raises:
        UsageError: no policy, two with the same label, or one that does not fit this fleet.
        AnalysisError: there is no request, or the workload is too large.
    """
    entrants = line_up(choices, profile=profile, slo=slo)
    tell = progress or _silent
    tell("pressure test", 0.0)
    backtest = _prepare(workload, profile, slo, settings, start)
    outcomes = []
    for number, choice in enumerate(entrants):
        share = partial(_within, tell, f"policy {choice.label}", number, len(entrants))
        share(0.0)
        outcomes.append(_run(backtest, choice, share))
    tell("done", 1.0)
    return Comparison(
        workload={**source, **describe_workload(backtest.workload, settings, backtest.until_s)},
        settings=describe_settings(settings, profile, backtest.pressure, backtest.context),
        slo=slo,
        span=Span(start, start + timedelta(seconds=backtest.until_s)),
        policies=tuple(o.result for o in outcomes),
        ticks=pl.concat([o.trace.ticks for o in outcomes]),
        readings=pl.concat([o.trace.readings for o in outcomes]),
        events=pl.concat([o.events for o in outcomes]),
        minutes=pl.concat([o.minutes for o in outcomes]),
        findings=comparison_findings(backtest.pressure, backtest.context),
    )


def _within(tell: Progress, text: str, number: int, count: int, share: float) -> None:
    tell(text, 0.1 + 0.9 * (number + share) / count)


def _silent(_text: str, _share: float) -> None:
    return


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
        findings=run_findings(trace, account, backtest.profile),
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
