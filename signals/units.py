"""Units of measurement: how they are written, their base unit, and how people are shown them.

Base units inside: seconds, tokens, requests, ratio 0..1, watts, bytes. Conversion happens once, at the
edge, and never by guessing from values.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass

from signals.errors import UsageError

__all__ = ["UNITS", "Unit", "format_quantity", "parse_unit"]


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit as people write it.

    Attributes:
        name: spelling used in files and on screen.
        base: name of the unit in which values are stored.
        factor: stored value = written value * factor.
        aliases: other accepted spellings.
    """

    name: str
    base: str
    factor: float
    aliases: tuple[str, ...] = ()


UNITS: tuple[Unit, ...] = (
    Unit("%", "ratio", 0.01, ("percent", "pct")),
    Unit("B", "B", 1.0, ("bytes", "byte")),
    Unit("B/s", "B/s", 1.0, ("bytes/s",)),
    Unit("C", "C", 1.0, ("celsius",)),
    Unit("GB", "B", 1e9),
    Unit("GB/s", "B/s", 1e9),
    Unit("GiB", "B", 2.0**30),
    Unit("Hz", "MHz", 1e-6),
    Unit("J", "J", 1.0, ("joules",)),
    Unit("KiB", "B", 1024.0),
    Unit("MB", "B", 1e6),
    Unit("MHz", "MHz", 1.0),
    Unit("MiB", "B", 2.0**20),
    Unit("W", "W", 1.0, ("watts", "watt")),
    Unit("count", "count", 1.0, ("1", "requests", "instances", "gpus", "events", "blocks")),
    Unit("count/s", "count/s", 1.0, ("1/s", "events/s", "ops")),
    Unit("h", "s", 3600.0, ("hours",)),
    Unit("kW", "W", 1e3),
    Unit("mJ", "J", 1e-3),
    Unit("mW", "W", 1e-3),
    Unit("min", "s", 60.0, ("minutes",)),
    Unit("ms", "s", 1e-3, ("milliseconds",)),
    Unit("ns", "s", 1e-9, ("nanoseconds",)),
    Unit("ratio", "ratio", 1.0, ("fraction",)),
    Unit("rel", "rel", 1.0, ("relative",)),
    Unit("req/min", "req/s", 1.0 / 60.0, ("requests/min", "rpm")),
    Unit("req/s", "req/s", 1.0, ("requests/s", "rps", "reqps", "qps")),
    Unit("s", "s", 1.0, ("seconds", "sec")),
    Unit("tokens", "tokens", 1.0, ("token", "tok")),
    Unit("tokens/min", "tokens/s", 1.0 / 60.0, ("tpm",)),
    Unit("tokens/s", "tokens/s", 1.0, ("tok/s", "tps")),
    Unit("us", "s", 1e-6, ("µs", "microseconds")),
)

_BY_SPELLING = {spelling: unit for unit in UNITS for spelling in (unit.name, *unit.aliases)}


def parse_unit(text: str, *, where: str = "") -> Unit:
    """Find a unit by any of its spellings.

    Args:
        text: the unit as written, for example `ms` or `tok/s`; letter case matters (`mW`, `MW`).
        where: the file, column or option it was found in, for the error.

    Returns:
        The unit's row of `UNITS`.

    Raises:
        UsageError: no unit has this spelling.
    """
    unit = _BY_SPELLING.get(text.strip())
    if unit is not None:
        return unit
    near = difflib.get_close_matches(text.strip(), list(_BY_SPELLING), n=1)
    raise UsageError(
        f"unit '{text}' is not known",
        where=where,
        expected=f"one of {', '.join(u.name for u in UNITS)}",
        hint=f"did you mean '{near[0]}'?" if near else "",
    )


_PREFIXES = ((1e9, "G"), (1e6, "M"), (1e3, "k"))


def format_quantity(value: float | None, unit: str) -> str:
    """Write a stored value for people: percent for ratios, ms to days for times, k and M for large ones.

    Args:
        value: in the base unit, or None for a missing one.
        unit: a base unit's name.

    Returns:
        Three significant digits with the unit, or an en dash for a missing value.
    """
    if value is None or value != value:  # noqa: PLR0124 - NaN is the only value unequal to itself
        return "–"
    if unit == "ratio":
        return f"{value * 100:.3g} %"
    if unit == "s":
        return _format_seconds(value)
    if unit == "B":
        return _scaled(value, "B")
    if unit in {"rel", "count"}:
        return f"{value:.4g}"
    return _scaled(value, unit)


def _format_seconds(value: float) -> str:
    size = abs(value)
    if 0 < size < 1:
        return f"{value * 1e3:.3g} ms"
    if size < 120:
        return f"{value:.3g} s"
    if size < 7200:
        return f"{value / 60:.3g} min"
    if size < 3.6e6:
        return f"{value / 3600:.3g} h"
    return f"{value / 86400:.3g} d"


def _scaled(value: float, unit: str) -> str:
    for size, prefix in _PREFIXES:
        if abs(value) >= size:
            return (
                f"{value / size:.3g} {prefix}{unit}"
                if unit == "B"
                else f"{value / size:.3g}{prefix} {unit}"
            )
    return f"{value:.3g} {unit}"
