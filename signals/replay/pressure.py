"""The pressure test: what does one instance sustain, and how many does the busiest part of a workload need?

An estimate from the service times says where to look; short simulations of the busiest minutes say what is
true. Both objectives must be met by 99 % of requests, or by as many as any number of instances reaches.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields

from signals.errors import AnalysisError
from signals.fleet import FleetSpec, Workload
from signals.policies.ratio import follow
from signals.profiles import Profile
from signals.replay.accounting import account_requests
from signals.replay.capacity import Capacity, estimate_capacity
from signals.replay.demand import busiest_window, token_rates, tokens_of
from signals.schema import Finding, Slo

__all__ = ["GOAL", "Pressure", "instances_for", "pressure_test"]

GOAL = 0.99
"""Share of requests that must meet an objective."""

_LEAD_S = 60.0  # fills the fleet before the window; its requests are not judged
_DRAIN_S = 120.0  # lets the window's requests finish
_MOST = 4096  # instances of a pool beyond which a workload is refused


@dataclass(frozen=True)
class Pressure:
    """What the pressure test found.

    Attributes:
        pd_ratio: prefill to decode instances, in lowest terms.
        prefill_tps: prompt tokens/s that one prefill instance sustains within the TTFT objective.
        decode_tps: output tokens/s that one decode instance sustains within the TPOT objective.
        peak: instances by pool that the busiest windows need.
        windows_s: begin and end of the busiest window of each pool, seconds.
        attainment: `ttft`, `tpot` and `both` with these instances, in the worse of the windows.
        findings: remarks.
    """

    pd_ratio: tuple[int, int]
    prefill_tps: float
    decode_tps: float
    peak: Mapping[str, int]
    windows_s: Mapping[str, tuple[float, float]]
    attainment: Mapping[str, float | None]
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class _Trial:
    ttft: float
    tpot: float
    both: float


def pressure_test(
    workload: Workload,
    profile: Profile,
    slo: Slo,
    *,
    window_s: float = 600.0,
    seed: int = 0,
) -> Pressure:
    """Find the P/D ratio and the smallest fleet for the busiest part of a workload.

    Args:
        workload: the requests.
        profile: service times of an instance.
        slo: the objectives.
        window_s: width of the busiest part, seconds.
        seed: of the simulations.

    Returns:
        Ratio, sustained rates, peak counts.

    Raises:
        AnalysisError: there is no request, or more than 4,096 instances would be needed.
    """
    if not len(workload):
        raise AnalysisError("there is no request to replay", expected="at least one request")
    capacity = estimate_capacity(workload, profile, slo)
    windows = {
        pool: busiest_window(workload.arrival_s, tokens, window_s)
        for pool, tokens in tokens_of(workload).items()
    }
    found = {
        window: _Search(
            _trials(workload, profile, slo, window, seed),
            token_rates(workload, *window),
            capacity,
        ).run()
        for window in dict.fromkeys(windows.values())
    }
    peak = {pool: max(sizes.peak[pool] for sizes in found.values()) for pool in windows}
    common = math.gcd(*peak.values())
    at_peak = [sizes.trial(peak["prefill"], peak["decode"]) for sizes in found.values()]
    best = [sizes.best for sizes in found.values()]
    return Pressure(
        pd_ratio=(peak["prefill"] // common, peak["decode"] // common),
        prefill_tps=_sustained("prefill", capacity.prefill_tps, found[windows["prefill"]]),
        decode_tps=_sustained("decode", capacity.decode_tps, found[windows["decode"]]),
        peak=peak,
        windows_s=windows,
        attainment={f.name: min(getattr(t, f.name) for t in at_peak) for f in fields(_Trial)},
        findings=(*_remarks(best, slo), *capacity.findings),
    )


def instances_for(
    workload: Workload, pressure: Pressure, *, first_s: float, last_s: float
) -> dict[str, int]:
    """How many instances does a part of the workload need on average, in proportion?

    Args:
        workload: the requests.
        pressure: what one instance sustains.
        first_s: begin of the part, seconds.
        last_s: its end, seconds.

    Returns:
        Instances by pool, at least 1, at most the peak's. Decode follows from its tokens/s; prefill is the
        larger of its own need and what the P/D ratio asks for beside decode, so that a policy that keeps the
        ratio finds it kept.
    """
    demand = token_rates(workload, first_s, last_s)
    sustained = {"prefill": pressure.prefill_tps, "decode": pressure.decode_tps}
    need = {
        pool: min(max(1, math.ceil(demand[pool] / sustained[pool])), count)
        for pool, count in pressure.peak.items()
    }
    beside_decode = follow(need["decode"], "decode", pressure.pd_ratio)
    return {**need, "prefill": max(need["prefill"], beside_decode)}


@dataclass(frozen=True)
class _Sizes:
    """What one window needs."""

    peak: Mapping[str, int]
    demand_tps: Mapping[str, float]
    best: _Trial
    trial: Callable[[int, int], _Trial]


@dataclass(frozen=True)
class _Search:
    trial: Callable[[int, int], _Trial]
    demand_tps: Mapping[str, float]
    capacity: Capacity

    def run(self) -> _Sizes:
        """The smallest prefill pool beside plenty of decode, then the smallest decode pool beside it."""
        trial, guess = self.trial, self._guess()
        plenty = {pool: 2 * count + 2 for pool, count in guess.items()}
        best = trial(plenty["prefill"], plenty["decode"])
        goal = _Trial(_reachable(best.ttft), _reachable(best.tpot), _reachable(best.both))
        prefill = _smallest(
            lambda n: trial(n, plenty["decode"]).ttft >= goal.ttft,
            guess["prefill"],
            plenty["prefill"],
        )
        decode = _smallest(
            lambda n: trial(prefill, n).ttft >= goal.ttft and trial(prefill, n).tpot >= goal.tpot,
            guess["decode"],
            plenty["decode"],
        )
        prefill, decode = _both(trial, prefill, decode, goal.both, plenty)
        return _Sizes({"prefill": prefill, "decode": decode}, self.demand_tps, best, trial)

    def _guess(self) -> dict[str, int]:
        rates = {"prefill": self.capacity.prefill_tps, "decode": self.capacity.decode_tps}
        guess = {p: max(1, math.ceil(self.demand_tps[p] / rate)) for p, rate in rates.items()}
        if max(guess.values()) > _MOST:
            raise AnalysisError(
                f"the workload needs about {guess['prefill']} prefill and {guess['decode']} decode "
                "instances",
                expected=f"at most {_MOST} of a pool",
                hint="a smaller --load-factor",
            )
        return guess


def _reachable(best: float) -> float:
    return GOAL if best >= GOAL else max(0.0, best - 0.002)


def _trials(
    workload: Workload, profile: Profile, slo: Slo, window_s: tuple[float, float], seed: int
) -> Callable[[int, int], _Trial]:
    from signals.fleet import Fleet

    lead_s = min(_LEAD_S, window_s[0])
    # the last arrival belongs to the window although its end is open
    part = workload.between(window_s[0] - lead_s, math.nextafter(window_s[1], math.inf))
    known: dict[tuple[int, int], _Trial] = {}

    def trial(prefill: int, decode: int) -> _Trial:
        if (prefill, decode) not in known:
            spec = FleetSpec(profile, prefill, decode, scrape_interval_s=3600.0)
            fleet = Fleet(spec, part, seed)
            fleet.advance(part.duration_s + _DRAIN_S)
            log = fleet.request_log()
            shares = account_requests(log.filter(log["arrival_s"] >= lead_s), slo).attainment
            known[prefill, decode] = _Trial(
                shares["ttft"] or 0.0, shares["tpot"] or 0.0, shares["both"] or 0.0
            )
        return known[prefill, decode]

    return trial


def _smallest(enough: Callable[[int], bool], guess: int, plenty: int) -> int:
    """The smallest count that is enough, near the guess; `plenty` is taken to be enough."""
    low, high = 0, plenty
    probe, step = min(guess, plenty), 1
    # gallop away from the guess until the answer is enclosed, then bisect: a good guess costs two or three
    # simulations
    if enough(probe):
        high = probe
        while high - step > low and enough(high - step):
            high, step = high - step, 2 * step
        low = max(low, high - step)
    else:
        low = probe
        while low + step < high and not enough(low + step):
            low, step = low + step, 2 * step
        high = min(high, low + step)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _both(
    trial: Callable[[int, int], _Trial],
    prefill: int,
    decode: int,
    goal: float,
    plenty: Mapping[str, int],
) -> tuple[int, int]:
    """Add instances where more is missed until both objectives hold together."""
    while True:
        now = trial(prefill, decode)
        if now.both >= goal or (prefill >= plenty["prefill"] and decode >= plenty["decode"]):
            return prefill, decode
        more_prefill = now.ttft <= now.tpot and prefill < plenty["prefill"]
        if more_prefill or decode >= plenty["decode"]:
            prefill += 1
        else:
            decode += 1


def _sustained(pool: str, estimate_tps: float, sizes: _Sizes) -> float:
    """The estimate, held between what one of n instances carried and what one of n - 1 could not."""
    count, demand_tps = sizes.peak[pool], sizes.demand_tps[pool]
    most = demand_tps / (count - 1) if count > 1 else math.inf
    return min(max(estimate_tps, demand_tps / count), most)


def _remarks(best: Sequence[_Trial], slo: Slo) -> tuple[Finding, ...]:
    rows = (
        ("ttft", min(t.ttft for t in best), slo.ttft_s),
        ("tpot", min(t.tpot for t in best), slo.tpot_s),
    )
    return tuple(
        Finding(
            "slo_out_of_reach",
            "warning",
            f"with plenty of instances {share:.1%} of requests meet {name} <= {objective_s:g} s, "
            f"less than {GOAL:.0%}",
            subject=name,
            action="the pressure test aims at what can be reached",
        )
        for name, share, objective_s in rows
        if share < GOAL
    )
