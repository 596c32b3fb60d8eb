"""The grammar of column headers in the project's own tables: `[pool[/instance[#gpu]]:]name [unit]`, `label:name`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from signals.catalog.pools import POOLS
from signals.errors import InputError, UsageError
from signals.units import Unit, parse_unit

__all__ = [
    "SeriesHeader",
    "TimeHeader",
    "known_unit",
    "label_of_header",
    "parse_header_unit",
    "parse_series_header",
    "parse_time_header",
    "split_unit",
]

_WITH_UNIT = re.compile(r"^(?P<name>.*\S)\s*\[(?P<unit>[^\[\]]*)\]$")
_SECONDS = ("ts_s", "clock_s")
_EPOCH_UNITS = ("s", "ms", "us", "ns")
_LABEL = "label:"


@dataclass(frozen=True, slots=True)
class TimeHeader:
    """A time column.

    Attributes:
        column: the header as written.
        unit: unit of epochs; empty to tell it from the values.
        relative: True if values are seconds from `--start`.
        clock: True if they are seconds on a clock whose zero means nothing: the first row is at `--start`.
    """

    column: str
    unit: str
    relative: bool
    clock: bool = False


@dataclass(frozen=True, slots=True)
class SeriesHeader:
    """A series' column.

    Attributes:
        name: measurement, signal or exporter's metric.
        unit: spelling of a known unit; empty if none was given.
        pool: empty if none was given.
        instance: empty if none was given.
        gpu: empty if none was given.
    """

    name: str
    unit: str = ""
    pool: str = ""
    instance: str = ""
    gpu: str = ""

    def labels(self) -> dict[str, str]:
        """Pool, instance and GPU, as far as given."""
        pairs = {"pool": self.pool, "instance": self.instance, "gpu": self.gpu}
        return {name: value for name, value in pairs.items() if value}


def parse_time_header(columns: list[str], name: str = "ts") -> TimeHeader | None:
    """Find the time column among a table's headers: `ts`, `ts [ms]`, `ts_s` or `clock_s`.

    Args:
        columns: all headers.
        name: the column's name; `ts_s` and `clock_s` are known beside it only for `ts`.

    Returns:
        The first time column, or None.
    """
    for column in columns:
        base, unit = split_unit(column)
        if base == name and unit in {"", *_EPOCH_UNITS}:
            return TimeHeader(column, unit, relative=False)
        if name == "ts" and base in _SECONDS and unit in {"", "s"}:
            return TimeHeader(column, "s", relative=True, clock=base == "clock_s")
    return None


def label_of_header(text: str) -> str:
    """The label that a column headed `label:NAME` holds; empty for other columns."""
    return text[len(_LABEL) :].strip() if text.startswith(_LABEL) else ""


def split_unit(text: str) -> tuple[str, str]:
    """`name [unit]` into name and unit text; the unit is empty if there is none."""
    found = _WITH_UNIT.match(text.strip())
    if found is None:
        return text.strip(), ""
    return found["name"], found["unit"].strip()


def known_unit(text: str) -> str:
    """The name of a unit as an exporter spells it; empty for none, and for one that no measurement of ours has."""
    try:
        return parse_unit(text).name if text else ""
    except UsageError:
        return ""


def parse_series_header(text: str, *, where: str) -> SeriesHeader:
    """Read one series' header.

    Args:
        text: `decode/pod-a#0:gpu_util [%]`, `decode:itl_p50 [ms]`, `request_rate`, ...
        where: file, for errors.

    Returns:
        Its parts. What stands before the last `:` and is no pool stays part of the name, which is then an
        exporter's (`vllm:num_requests_running`).

    Raises:
        InputError: the unit is not known.
    """
    body, unit_text = split_unit(text)
    unit = parse_header_unit(unit_text, where=f"{where}, column '{text}'").name if unit_text else ""
    scope, _, name = body.rpartition(":")
    if not scope:
        return SeriesHeader(body, unit)
    pool, slash, place = scope.partition("/")
    if not slash and pool not in POOLS:
        return SeriesHeader(body, unit)
    instance, _, gpu = place.partition("#")
    return SeriesHeader(name.strip(), unit, pool.strip(), instance.strip(), gpu.strip())


def parse_header_unit(text: str, *, where: str) -> Unit:
    """The unit in a header's brackets; InputError if it is not known."""
    try:
        return parse_unit(text, where=where)
    except UsageError as error:
        raise InputError(
            error.what, where=where, expected=error.expected, hint=error.hint
        ) from error
