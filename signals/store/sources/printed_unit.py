"""Numbers as dashboards print them, and the units behind them: `412 ms`, `97%`, `1.23 K`, `2 hours, 3 minutes`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from signals.errors import UsageError
from signals.units import parse_unit

__all__ = ["PrintedNumber", "PrintedUnit", "read_printed", "read_unit"]


@dataclass(frozen=True, slots=True)
class PrintedUnit:
    """A unit as printed: base value = number * factor * 10 ** exponent.

    Attributes:
        base: base unit; empty for a bare scale such as `K`, which counts whatever the column counts.
        factor: 1 unless the unit is no power of ten of its base.
        exponent: power of ten, kept apart so that `412 ms` becomes 0.412 and nothing beside it.
    """

    base: str
    factor: float = 1.0
    exponent: int = 0


@dataclass(frozen=True, slots=True)
class PrintedNumber:
    """A cell of a dashboard's table.

    Attributes:
        value: in the base unit; None for a word that says that there is none.
        base: base unit; empty for bare numbers and scales.
        unit: as printed; empty for bare numbers.
        scale: base units in one printed unit.
        half: half a step of the last printed digit, in the base unit.
        grouped: whether commas stood between thousands.
    """

    value: float | None
    base: str = ""
    unit: str = ""
    scale: float = 1.0
    half: float = 0.0
    grouped: bool = False


_NUMBER = re.compile(
    r"([+-]?(?:\d{1,3}(?:,\d{3})+(?:\.\d*)?|\d+\.?\d*|\.\d+|NaN|Infinity|∞)(?:[eE][+-]?\d{1,4})?)\s*(.*)"
)
_MISSING = frozenset({"undefined", "null", "none", "n/a", "no data", "-", "–"})
_SECONDS = {
    "nanosecond": PrintedUnit("s", 1.0, -9),
    "microsecond": PrintedUnit("s", 1.0, -6),
    "millisecond": PrintedUnit("s", 1.0, -3),
    "second": PrintedUnit("s"),
    "sec": PrintedUnit("s"),
    "minute": PrintedUnit("s", 60.0),
    "min": PrintedUnit("s", 60.0),
    "hour": PrintedUnit("s", 3600.0),
    "day": PrintedUnit("s", 86400.0),
    "week": PrintedUnit("s", 604800.0),
    "month": PrintedUnit("s", 2592000.0),
    "year": PrintedUnit("s", 31536000.0),
}
# letters of clocks such as `05h:12m:13s:200ms`
_CLOCK = {"d": "day", "h": "hour", "m": "minute", "s": "second", "ms": "millisecond"}
_COUNTS = {
    "K": 3,
    "k": 3,
    "M": 6,
    "Mil": 6,
    "B": 9,
    "Bil": 9,
    "T": 12,
    "Tri": 12,
    "Quadr": 15,
    "Quint": 18,
}
_DECIMAL = {"": 0, "k": 3, "K": 3, "M": 6, "G": 9, "T": 12, "P": 15, "m": -3, "µ": -6, "n": -9}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50}
_SCALABLE = ("B/s", "Hz", "B", "J", "W", "s")
_OTHERS = {"%": PrintedUnit("ratio", 1.0, -2), "°C": PrintedUnit("C")}
_PER = {"s": 1.0, "sec": 1.0, "m": 1 / 60, "min": 1 / 60, "h": 1 / 3600}
_EVENTS = {
    **dict.fromkeys(
        ("c", "count", "events", "evt", "io", "msg", "ops", "rd", "rec", "wr"), "count/s"
    ),
    "req": "req/s",
    "tok": "tokens/s",
    "token": "tokens/s",
    "tokens": "tokens/s",
}
_SCALED_UNIT = re.compile(r"^(K|M|B|T)\s*(\S.*)$")
_RATE = re.compile(r"^(\w+)/(\w+)$")
_PIECE = re.compile(r"(\d+(?:\.\d+)?)\s*([a-z]+)")
_HMS = re.compile(r"(\d+):([0-5]\d):([0-5]\d(?:\.\d+)?)")


@lru_cache(maxsize=4096)
def read_unit(text: str, *, bare_b: str = "B") -> PrintedUnit | None:
    """What a number's suffix stands for.

    Args:
        text: without blanks around it: `ms`, `hours`, `%`, `K`, `GiB/s`, `K req/s`.
        bare_b: what a lone `B` is: `B` for bytes, `count` for billions.

    Returns:
        The unit, or None if it is not known.
    """
    text = text.replace("μ", "µ")  # two characters look alike: the Greek letter and the sign
    if text == "B" and bare_b == "B":
        return PrintedUnit("B")
    if text in _COUNTS:
        return PrintedUnit("", 1.0, _COUNTS[text])
    found = _SECONDS.get(text) or _SECONDS.get(text.removesuffix("s")) or _OTHERS.get(text)
    return found or _read_scaled(text) or _read_rate(text) or _read_known(text)


def _read_scaled(text: str) -> PrintedUnit | None:
    for base in _SCALABLE:
        prefix = text.removesuffix(base)
        if prefix == text:
            continue
        if prefix in _BINARY and base.startswith("B"):
            return PrintedUnit(base, 2.0 ** _BINARY[prefix])
        if prefix in _DECIMAL:
            return PrintedUnit(base, 1.0, _DECIMAL[prefix])
    return None


def _read_rate(text: str) -> PrintedUnit | None:
    found = _RATE.match(text)
    if found is None or found[1] not in _EVENTS or found[2] not in _PER:
        return None
    return PrintedUnit(_EVENTS[found[1]], _PER[found[2]])


def _read_known(text: str) -> PrintedUnit | None:
    try:
        unit = parse_unit(text)
    except UsageError:
        scaled = _SCALED_UNIT.match(text)
        inner = read_unit(scaled[2]) if scaled else None
        if scaled is None or inner is None or not inner.base.endswith(("/s", "count", "tokens")):
            return None
        exponent = inner.exponent + _COUNTS[scaled[1]]
        return PrintedUnit(inner.base, inner.factor, exponent)
    return PrintedUnit(unit.base, unit.factor)


# printed with few digits, the same cells come again and again
@lru_cache(maxsize=1 << 16)
def read_printed(text: str, *, bare_b: str = "B") -> PrintedNumber | str:
    """Read one cell.

    Args:
        text: without blanks around it.
        bare_b: as for `read_unit`.

    Returns:
        The number, or why it is none: `bad_number` or `unknown_unit`.
    """
    if text.lower() in _MISSING:
        return PrintedNumber(None)
    found = _NUMBER.fullmatch(text)
    if found is None:
        return _read_duration(text) or "bad_number"
    unit = read_unit(found[2], bare_b=bare_b) if found[2] else PrintedUnit("")
    if unit is None:
        return _read_duration(text) or "unknown_unit"
    digits = found[1].replace(",", "").replace("∞", "inf")
    plain = digits.lstrip("+-").replace(".", "", 1).isdecimal()
    scale = unit.factor * 10.0**unit.exponent
    value = float(f"{digits}e{unit.exponent}") * unit.factor if plain else float(digits) * scale
    half = 0.5 * scale * (0.1 ** len(digits.partition(".")[2]) if plain else 1.0)
    return PrintedNumber(value, unit.base, found[2], scale, half, "," in found[1])


def _read_duration(text: str) -> PrintedNumber | None:
    """A duration in several units: `2 hours, 3 minutes`, `05h:12m:13s` or `01:02:03`."""
    clock = _HMS.fullmatch(text)
    if clock is not None:
        hours, minutes, seconds = (float(part) for part in clock.groups())
        return PrintedNumber(hours * 3600 + minutes * 60 + seconds, "s", "s", half=0.5)
    total = finest = 0.0
    for piece in text.replace(", ", ":").split(":"):
        found = _PIECE.fullmatch(piece)
        word = _CLOCK.get(found[2], found[2].removesuffix("s")) if found else ""
        unit = _SECONDS.get(word)
        if found is None or unit is None:
            return None
        finest = float(f"{unit.factor}e{unit.exponent}")
        total += float(found[1]) * finest
    return PrintedNumber(total, "s", "s", half=finest / 2)
