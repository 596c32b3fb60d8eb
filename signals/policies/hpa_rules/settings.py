"""What the parameters of `hpa` mean together."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from signals.catalog import SignalSpec, require_signal
from signals.errors import UsageError
from signals.policies.choice import ParameterValue, parse_quantity
from signals.policies.hpa_rules.metric import Metric, MetricRules, MetricType
from signals.policies.hpa_rules.proposal import Tolerance
from signals.policies.hpa_rules.rates import RatePolicy, Select
from signals.policies.policy import SignalRequest
from signals.policies.ratio import parse_ratio
from signals.schema import SERVICE_POOL, split_pooled_name

__all__ = ["HpaSettings", "check_settings", "read_settings"]

_TYPES: dict[str, MetricType] = {"AverageValue": "AverageValue", "Pods": "Pods", "Value": "Value"}


@dataclass(frozen=True, slots=True)
class HpaSettings:
    """All parameters, read.

    Attributes:
        signals: `(pool, signal, kind, target)` as asked for; the pool is empty for a bare signal.
        scales: the pool to scale, or `auto`.
        pd_ratio: asked for; None for the pressure test's.
        window_s: window of the query.
        interval_s: sync period.
        rules: how readings are judged.
        up_window_s, down_window_s: stabilisation windows.
        up, down: rate policies.
        up_select, down_select: how they combine.
    """

    signals: tuple[tuple[str, str, MetricType, float], ...]
    scales: str
    pd_ratio: tuple[int, int] | None
    window_s: float
    interval_s: float
    rules: MetricRules
    up_window_s: float
    down_window_s: float
    up: tuple[RatePolicy, ...]
    down: tuple[RatePolicy, ...]
    up_select: Select
    down_select: Select

    def metrics_of(self, pools: tuple[str, ...]) -> dict[str, tuple[Metric, ...]]:
        """The metrics of each scaled pool.

        Args:
            pools: the pools of the fleet.

        Raises:
            UsageError: a signal names a pool that the fleet does not have.
        """
        found: dict[str, tuple[Metric, ...]] = {}
        for pool, signal, kind, target in self.signals:
            for scaled, read in self._scaled(pool, pools):
                request = SignalRequest(signal, read, self.window_s, per_instance=kind == "Pods")
                metric = Metric(request, kind, target, require_signal(signal).scope)
                found[scaled] = (*found.get(scaled, ()), metric)
        return found

    def _scaled(self, pool: str, pools: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
        if not pool:
            return tuple((p, p) for p in pools if self.scales in {"auto", p})
        scaled = self.scales
        if scaled == "auto":
            scaled = pool if pool != SERVICE_POOL else ("decode" if "decode" in pools else pools[0])
        if scaled not in pools or pool not in {*pools, SERVICE_POOL}:
            raise UsageError(
                f"the fleet has no pool '{scaled if scaled not in pools else pool}'",
                where="hpa, signal",
                expected=f"one of {', '.join(pools)}",
            )
        return ((scaled, pool),)


def read_settings(params: Mapping[str, ParameterValue]) -> HpaSettings:
    """All parameters, read.

    Args:
        params: every parameter's value, in base units.

    Returns:
        The settings.

    Raises:
        UsageError: signal or target are missing, do not match, or a target is out of its signal's range.
    """
    values: dict[str, Any] = dict(params)
    both = values["tolerance"]
    up, down = values["tolerance_up"], values["tolerance_down"]
    return HpaSettings(
        signals=_signals(values),
        scales=values["scales"],
        pd_ratio=parse_ratio(values["pd_ratio"], where="hpa, pd_ratio")
        if values["pd_ratio"]
        else None,
        window_s=values["window"],
        interval_s=values["interval"],
        rules=MetricRules(
            Tolerance(
                both if up is None else up, both if down is None else down, values["tolerance_test"]
            ),
            starting_is_unready=values["starting"] == "unready",
            missing_is_zero=values["on_missing"] == "zero",
            max_age_s=values["max_age"],
        ),
        up_window_s=values["up_window"],
        down_window_s=values["down_window"],
        up=_rates(values, "up"),
        down=_rates(values, "down"),
        up_select=values["up_select"],
        down_select=values["down_select"],
    )


def check_settings(params: Mapping[str, ParameterValue]) -> None:
    """Refuse parameters that contradict each other.

    Args:
        params: every parameter's value.

    Raises:
        UsageError: as for `read_settings`.
    """
    read_settings(params)


def _rates(values: Mapping[str, Any], way: str) -> tuple[RatePolicy, ...]:
    kinds: tuple[tuple[Literal["Percent", "Pods"], str], ...] = (
        ("Percent", f"{way}_percent"),
        ("Pods", f"{way}_pods"),
    )
    return tuple(
        RatePolicy(kind, values[name], values[f"{name}_period"])
        for kind, name in kinds
        if values[name]
    )


def _signals(values: Mapping[str, Any]) -> tuple[tuple[str, str, MetricType, float], ...]:
    for name in ("signal", "target"):
        if values[name] is None:
            raise UsageError(
                f"hpa needs '{name}'",
                where=f"--policy hpa, {name}",
                expected="hpa:signal=decode:gpu_util,target=70%",
            )
    names = values["signal"].split("+")
    targets = (
        values["target"].split("+") if isinstance(values["target"], str) else [values["target"]]
    )
    if len(names) != len(targets):
        raise UsageError(
            f"the number of targets ({len(targets)}) is not that of signals ({len(names)})",
            where="--policy hpa, target",
            expected="one target for each signal, joined by +",
        )
    return tuple(
        _signal(name.strip(), target, values["type"])
        for name, target in zip(names, targets, strict=True)
    )


def _signal(name: str, raw: float | str, asked: str) -> tuple[str, str, MetricType, float]:
    pool, signal = split_pooled_name(name)
    where = f"--policy hpa, signal {name}"
    spec = require_signal(signal, where=where)
    target = parse_quantity(raw, spec.unit, where=where) if isinstance(raw, str) else raw
    high = spec.valid_range[1]
    if target < 0.001 or target > (math.inf if high is None else high):
        raise UsageError(
            f"target {target:g} is out of the range of '{signal}'",
            where=where,
            expected="above 0" + ("" if high is None else f", at most {high:g} {spec.unit}"),
            hint=f"did you mean {target:g}%?" if spec.unit == "ratio" and 1 < target <= 100 else "",
        )
    return pool, signal, _kind(spec, asked, where), target


def _kind(spec: SignalSpec, asked: str, where: str) -> MetricType:
    by_instance = spec.how in {"gauge_mean", "gauge_sum", "rate_sum"}
    if asked == "Pods" and not by_instance:
        raise UsageError(
            f"'{spec.name}' is not known per instance",
            where=where,
            expected="type=Value or type=AverageValue",
        )
    if asked in _TYPES:
        return _TYPES[asked]
    if spec.scope == "total":
        return "AverageValue"
    return "Pods" if by_instance else "Value"
