"""Scenario files: one backtest as a TOML document, so that it can be kept, reviewed and repeated."""

from __future__ import annotations

import difflib
import re
import tomllib
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from signals.errors import InputError, UsageError
from signals.schema import Slo

__all__ = ["Scenario", "parse_initial", "parse_slo", "read_scenario"]

_INITIAL = re.compile(r"(\d{1,6})P(\d{1,6})D", re.IGNORECASE)
_TIME = re.compile(r"(\d+(?:\.\d+)?)(ms|s)")


@dataclass(frozen=True, slots=True)
class Scenario:
    """What to replay and how.

    Attributes:
        workload: service, trace file, or scenario file.
        policies: policy texts, `NAME[:key=value,...]`; empty for the default three.
        slo: `ttft=1s,tpot=50ms`.
        profile: name of a service-time profile.
        load_factor: multiplies arrivals at every moment.
        initial: `4P2D`; empty for the pressure test's counts.
        max_instances: most instances of a pool.
        max_gpus: GPU budget of the fleet; None for no budget.
        cold_start: time from order to ready, a duration.
        seed: of every random draw.
    """

    workload: str = ""
    policies: tuple[str, ...] = ()
    slo: str = "ttft=1s,tpot=50ms"
    profile: str = "llama2-70b-h100"
    load_factor: float = 1.0
    initial: str = ""
    max_instances: int = 64
    max_gpus: int | None = None
    cold_start: str = "2m"
    seed: int = 0


def read_scenario(path: Path) -> Scenario:
    """Read a scenario file.

    Args:
        path: a TOML file whose keys are the fields of `Scenario`.

    Raises:
        InputError: the file is no TOML, or a key or its type is not known.
    """
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        # tomllib lets errors of int() and of deep nesting through as they are
        text = str(error)[:200]
        raise InputError(f"the scenario is not valid TOML: {text}", where=str(path)) from error
    known = {f.name: f for f in fields(Scenario)}
    default = Scenario()
    for key, value in values.items():
        if key not in known:
            near = difflib.get_close_matches(key, list(known), n=1)
            raise InputError(
                f"key '{key}' is not known",
                where=str(path),
                expected=f"one of {', '.join(known)}",
                hint=f"did you mean '{near[0]}'?" if near else "",
            )
        values[key] = _typed(key, value, getattr(default, key), path)
    scenario = Scenario(**values)
    if not scenario.workload:
        raise InputError(
            "the scenario names no workload",
            where=str(path),
            expected='workload = "SERVICE or FILE"',
        )
    return scenario


def _typed(key: str, value: Any, default: Any, path: Path) -> Any:  # noqa: ANN401 - TOML values
    if isinstance(default, tuple):
        if isinstance(value, list) and all(isinstance(v, str) for v in value):
            return tuple(value)
        raise InputError(f"'{key}' is not a list of texts", where=str(path))
    wanted = (
        (int,)
        if default is None
        else (int, float)
        if isinstance(default, float)
        else (type(default),)
    )
    if isinstance(value, bool) or not isinstance(value, wanted):
        raise InputError(
            f"'{key}' has the wrong type: {value!r}",
            where=str(path),
            expected=" or ".join(t.__name__ for t in wanted),
        )
    return float(value) if isinstance(default, float) else value


def parse_slo(text: str) -> Slo:
    """Parse `ttft=1s,tpot=50ms`.

    Raises:
        UsageError: a part is not understood.
    """
    values = {"ttft": Slo().ttft_s, "tpot": Slo().tpot_s}
    for part in filter(None, (p.strip() for p in text.split(","))):
        name, _, amount = part.partition("=")
        match = _TIME.fullmatch(amount.strip())
        if name.strip() not in values or match is None or float(match[1]) <= 0:
            raise UsageError(
                f"'{part}' is not an objective",
                where="--slo",
                expected="ttft=1s,tpot=50ms, each above 0",
            )
        values[name.strip()] = float(match[1]) * (0.001 if match[2] == "ms" else 1.0)
    return Slo(ttft_s=values["ttft"], tpot_s=values["tpot"])


def parse_initial(text: str) -> dict[str, int] | None:
    """Parse `4P2D` into instances by pool; None for an empty text.

    Raises:
        UsageError: it is not understood, or a pool would be empty.
    """
    if not text:
        return None
    match = _INITIAL.fullmatch(text.strip())
    if match is None or not int(match[1]) or not int(match[2]):
        raise UsageError(
            f"'{text}' is not a start size",
            where="--initial",
            expected="such as 4P2D, each at least 1",
        )
    return {"prefill": int(match[1]), "decode": int(match[2])}
