"""The shipped profiles and the text form of a profile (TOML)."""

from __future__ import annotations

import dataclasses
import difflib
import tomllib
from collections.abc import Callable, Mapping
from importlib.resources import files
from typing import Any

from signals.errors import InputError, UsageError
from signals.profiles.spec import CounterModel, FitError, Knots, Profile

__all__ = ["load_profile", "parse_profile", "profile_names"]

_SUFFIX = ".toml"


def profile_names() -> tuple[str, ...]:
    """Names of the shipped profiles, sorted."""
    entries = files("signals.profiles").iterdir()
    return tuple(sorted(e.name.removesuffix(_SUFFIX) for e in entries if e.name.endswith(_SUFFIX)))


def load_profile(name: str) -> Profile:
    """Read a shipped profile.

    Args:
        name: one of `profile_names()`.

    Returns:
        The profile.

    Raises:
        UsageError: no shipped profile has this name.
        InputError: the file does not hold what a profile needs.
    """
    names = profile_names()
    if name not in names:
        near = difflib.get_close_matches(name, names, n=1)
        raise UsageError(
            f"profile '{name}' is not shipped",
            where="--profile",
            expected=f"one of {', '.join(names)}",
            hint=f"did you mean '{near[0]}'?" if near else "",
        )
    text = files("signals.profiles").joinpath(f"{name}{_SUFFIX}").read_text(encoding="utf-8")
    return parse_profile(text, name=name, where=f"{name}{_SUFFIX}")


def parse_profile(text: str, *, name: str, where: str) -> Profile:
    """Read a profile from its text form.

    Args:
        text: TOML with the fields of `Profile`; `prefill` and `decode` are tables of `x` and `seconds`,
            `counters` a table of `CounterModel`, `fit_errors` an array of tables.
        name: the profile's name.
        where: file it came from, for errors.

    Returns:
        The profile.

    Raises:
        InputError: not TOML, a field is missing, unknown or of the wrong kind, or a curve is not one.
    """
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"not a TOML file: {error}", where=where) from error
    try:
        profile = _profile(table, name, where)
    except (TypeError, ValueError, AttributeError) as error:
        raise InputError(
            f"the profile holds a value of the wrong kind: {error}",
            where=where,
            expected="numbers, lists and tables as in the shipped profiles",
        ) from error
    for curve in ("prefill", "decode"):
        _check_curve(getattr(profile, curve), f"{where}, table '{curve}'")
    return profile


def _profile(table: Mapping[str, Any], name: str, where: str) -> Profile:
    optional: dict[str, Any] = {"price_per_gpu_hour": None, "fit_errors": []}
    fields = {**optional, **table, "name": name}
    _check_names(Profile, fields, where)
    _check_names(CounterModel, fields["counters"], f"{where}, table 'counters'")
    build: dict[str, Callable[[Any], Any]] = {
        "prefill": _knots,
        "decode": _knots,
        "counters": lambda t: CounterModel(**t),
        "fit_errors": lambda rows: tuple(FitError(**row) for row in rows),
        "valid_prompt_tokens": tuple,
        "valid_batch": tuple,
    }
    return Profile(**{key: build.get(key, _same)(value) for key, value in fields.items()})


def _same(value: Any) -> Any:  # noqa: ANN401 - whatever the file holds
    return value


def _knots(table: Mapping[str, Any]) -> Knots:
    return Knots(
        tuple(float(v) for v in table.get("x", ())),
        tuple(float(v) for v in table.get("seconds", ())),
    )


def _check_names(kind: type[Profile | CounterModel], table: Mapping[str, Any], where: str) -> None:
    declared = dataclasses.fields(kind)
    required = {f.name for f in declared if f.default is dataclasses.MISSING}
    missing = sorted(required - set(table))
    unknown = sorted(set(table) - {f.name for f in declared})
    if missing or unknown:
        parts = (("missing", missing), ("unknown", unknown))
        raise InputError(
            "the fields of the profile do not match",
            where=where,
            expected=", ".join(f.name for f in declared),
            hint="; ".join(f"{label}: {', '.join(names)}" for label, names in parts if names),
        )


def _check_curve(knots: Knots, where: str) -> None:
    steps = zip(knots.x, knots.x[1:], strict=False)
    rising = all(a < b for a, b in steps)
    if len(knots.x) < 2 or len(knots.x) != len(knots.seconds) or not rising:
        raise InputError(
            "a curve needs at least two knots with rising x",
            where=where,
            expected="lists 'x' and 'seconds' of equal length",
        )
    if min(knots.seconds) <= 0:
        raise InputError("a step takes no time", where=where, expected="seconds above 0")
