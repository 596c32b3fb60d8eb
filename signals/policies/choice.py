"""How a policy is asked for in text, and what it is built from."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from signals.catalog import require_signal
from signals.errors import UsageError
from signals.policies.policy import Parameter, Policy, PolicySpec
from signals.schema import Slo, split_pooled_name
from signals.units import parse_unit

__all__ = [
    "SIGNAL_UNIT",
    "TEXT_UNIT",
    "ParameterValue",
    "PolicyChoice",
    "PolicyContext",
    "PolicyEntry",
    "parse_choice",
]

ParameterValue = float | int | str | bool | None

TEXT_UNIT = "text"
"""Unit of a parameter that is a text: a name, or several joined by `+`."""
SIGNAL_UNIT = "signal"
"""Unit of a parameter that is a value of the signal named by the parameter `signal`."""

_NUMBER = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(.*)")
_DURATION = re.compile(r"(?:\d{1,15}(?:ms|y|w|d|h|m|s))+")
_DURATION_PART = re.compile(r"(\d+)(ms|y|w|d|h|m|s)")
_SHOWN = 20
"""Characters of a number that an error repeats."""
_SECONDS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800, "y": 31536000}


@dataclass(frozen=True, slots=True)
class PolicyChoice:
    """A policy as asked for.

    Attributes:
        name: registry name.
        label: how it is called in results; the policy's text, or what `label=` says.
        params: the parameters given, in base units; those left out take their defaults.
    """

    name: str
    label: str
    params: Mapping[str, ParameterValue]


@dataclass(frozen=True, slots=True)
class PolicyContext:
    """What a policy may know of the service before the replay starts.

    Attributes:
        pd_ratio: prefill to decode instances that belong together, from the pressure test.
        per_instance: tokens/s that one instance sustains within the objectives, by pool.
        initial: instances at the start, by pool.
        peak: instances that the busiest part of the workload needs, by pool.
        slo: the objectives.
    """

    pd_ratio: tuple[int, int]
    per_instance: Mapping[str, float]
    initial: Mapping[str, int]
    peak: Mapping[str, int]
    slo: Slo


@dataclass(frozen=True, slots=True)
class PolicyEntry:
    """A row of the registry.

    Attributes:
        spec: what the policy declares.
        resolve: fills the parameters whose default depends on the service.
        build: makes the policy from its resolved parameters and the context.
        check: raises UsageError for parameters that contradict each other; called before anything runs.
        initial: counts at the start if they are the policy's own; the replay's for a pool it leaves out.
    """

    spec: PolicySpec
    resolve: Callable[[Mapping[str, ParameterValue], PolicyContext], Mapping[str, ParameterValue]]
    build: Callable[[Mapping[str, ParameterValue], PolicyContext], Policy]
    check: Callable[[Mapping[str, ParameterValue]], None]
    initial: Callable[[Mapping[str, ParameterValue], PolicyContext], Mapping[str, int]]

    def params(self, given: Mapping[str, ParameterValue]) -> dict[str, ParameterValue]:
        """Every parameter with its value, defaults included, in declared order."""
        return {p.name: given.get(p.name, p.default) for p in self.spec.parameters}


def parse_choice(text: str, entries: tuple[PolicyEntry, ...]) -> PolicyChoice:
    """Read `NAME[:key=value,...]`.

    The name ends at the first `:`, pairs split at `,`, each at its first `=`, so values may hold `:`.

    Args:
        text: for example `hpa:signal=decode:gpu_util,target=70%,label=util`.
        entries: the registry.

    Returns:
        The choice; values in base units.

    Raises:
        UsageError: an unknown policy or parameter, a value that cannot be read or is out of range, a pair
            without `=`, or a parameter given twice.
    """
    where = f"--policy {text}"
    name, _, rest = text.strip().partition(":")
    entry = _entry(name, entries, where)
    pairs = _pairs(rest, where)
    label = pairs.pop("label", text.strip())
    declared = {p.name: p for p in entry.spec.parameters}
    for key in pairs:
        if key not in declared:
            raise UsageError(
                f"policy '{name}' has no parameter '{key}'",
                where=where,
                expected=f"one of {', '.join([*declared, 'label'])}",
                hint=_near(key, [*declared, "label"]),
            )
    params = {key: _value(declared[key], raw, pairs, where) for key, raw in pairs.items()}
    entry.check(entry.params(params))
    return PolicyChoice(name, label, params)


def _entry(name: str, entries: tuple[PolicyEntry, ...], where: str) -> PolicyEntry:
    for entry in entries:
        if entry.spec.name == name:
            return entry
    names = [entry.spec.name for entry in entries]
    raise UsageError(
        f"policy '{name}' is not known",
        where=where,
        expected=f"one of {', '.join(names)}",
        hint=_near(name, names),
    )


def _pairs(rest: str, where: str) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for part in filter(None, (p.strip() for p in rest.split(","))):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not key or not value:
            raise UsageError(f"'{part}' is not a pair", where=where, expected="key=value,key=value")
        if key in pairs:
            raise UsageError(f"'{key}' is given twice", where=where)
        pairs[key] = value
    return pairs


def _value(parameter: Parameter, raw: str, pairs: Mapping[str, str], where: str) -> ParameterValue:
    if parameter.choices:
        return _chosen(parameter, raw, where)
    if parameter.unit == TEXT_UNIT:
        return raw
    if parameter.unit == SIGNAL_UNIT and "+" in raw:
        return raw
    unit = parameter.unit
    if unit == SIGNAL_UNIT:
        _, signal = split_pooled_name(pairs.get("signal", ""))
        if "+" in pairs.get("signal", "") or not signal:
            return raw
        unit = require_signal(signal, where=where).unit
    return _number(parameter, raw, unit, where)


def _chosen(parameter: Parameter, raw: str, where: str) -> str:
    if raw in parameter.choices:
        return raw
    raise UsageError(
        f"'{raw}' is not a value of '{parameter.name}'",
        where=where,
        expected=f"one of {', '.join(parameter.choices)}",
        hint=_near(raw, parameter.choices),
    )


def _number(parameter: Parameter, raw: str, unit: str, where: str) -> float | int:
    number = parse_quantity(raw, unit, where=f"{where}, {parameter.name}")
    low = -math.inf if parameter.low is None else parameter.low
    high = math.inf if parameter.high is None else parameter.high
    if not low <= number <= high:
        raise UsageError(
            f"'{parameter.name}' is out of range: {raw}",
            where=where,
            expected=f"{low:g} to {high:g} {unit}".replace("to inf ", "or more, "),
        )
    if parameter.unit == "count":
        if number != int(number):
            raise UsageError(f"'{parameter.name}' is not a whole number: {raw}", where=where)
        return int(number)
    return number


def parse_quantity(raw: str, unit: str, *, where: str) -> float:
    """Read a number with or without a unit.

    Args:
        raw: `0.7`, `70%`, `3000`, `1h30m`, `50 ms`.
        unit: base unit that a bare number is in.
        where: option it came from, for errors.

    Returns:
        The value in the base unit.

    Raises:
        UsageError: not a number, one too large to hold, an unknown unit, or a unit of something else.
    """
    if unit == "s" and _DURATION.fullmatch(raw):
        return sum(int(n) * _SECONDS[u] for n, u in _DURATION_PART.findall(raw))
    match = _NUMBER.fullmatch(raw)
    if match is None:
        raise UsageError(f"'{raw}' is not a number", where=where, expected=f"a number in {unit}")
    if not math.isfinite(float(match[1])):
        raise _too_large(raw, unit, where)
    if not match[2]:
        return float(match[1])
    given = parse_unit(match[2], where=where)
    if given.base != unit:
        raise UsageError(
            f"'{raw}' is in {given.name}, which is not a unit of this",
            where=where,
            expected=f"a number in {unit}",
        )
    # the product of 70 and 0.01 is 0.7000000000000001; nine digits are what people write
    number = float(f"{float(match[1]) * given.factor:.12g}")
    if not math.isfinite(number):
        raise _too_large(raw, unit, where)
    return number


def _too_large(raw: str, unit: str, where: str) -> UsageError:
    shown = raw if len(raw) <= _SHOWN else f"{raw[:_SHOWN]}..."
    return UsageError(f"{shown} is too large", where=where[:200], expected=f"a number in {unit}")


def _near(name: str, names: list[str] | tuple[str, ...]) -> str:
    near = difflib.get_close_matches(name, names, n=1)
    return f"did you mean '{near[0]}'?" if near else ""
