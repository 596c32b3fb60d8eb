"""The line syntax of OpenMetrics and of Prometheus' text exposition."""

from __future__ import annotations

import re
from typing import Literal

from signals.errors import UsageError
from signals.units import parse_unit

__all__ = ["Families", "parse_labels", "split_sample"]

_NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
_LABELS = r"\{(?:[^\"}]|\"(?:[^\"\\]|\\.)*\")*\}"
# series, value, time; an exemplar or comment may follow
_SAMPLE = re.compile(rf"^((?:{_NAME})?(?:{_LABELS})?)\s+(\S+)(?:[ \t]+([^#\s]\S*))?[ \t]*(?:#.*)?$")

_SERIES = re.compile(rf"^({_NAME})?\s*(?:\{{(.*)\}})?$", re.DOTALL)
_LABEL = re.compile(
    r"\s*(?:(?P<name>[a-zA-Z_]\w*|\"(?:[^\"\\]|\\.)*\")\s*=\s*)?\"(?P<value>(?:[^\"\\]|\\.)*)\"\s*(?:,|$)",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES = {"n": "\n"}
_PARTS = re.compile(r"_(?:total|bucket|sum|count|created|info)$")
_META = re.compile(r"^#\s+(TYPE|UNIT)\s+(\S+)\s+(\S+)\s*$")

Kind = Literal["", "counter", "gauge", "histogram"]
_KINDS: dict[str, Kind] = {"counter": "counter", "gauge": "gauge", "histogram": "histogram"}


def split_sample(line: str) -> tuple[str, str, str | None] | None:
    """Series, value and time of a sample line.

    Args:
        line: without the newline, no comment.

    Returns:
        Three texts, the time None if there is none; or None if the line has another form. The series may
        still be malformed: `parse_labels` tells.
    """
    if "#" in line:
        found = _SAMPLE.match(line)
        return (found[1], found[2], found[3]) if found else None
    end = line.rfind("}") + 1
    rest = line[end:].split()
    if end == 0:
        name, *rest = rest or [""]
    else:
        name = line[:end]
    if len(rest) == 1:
        return name, rest[0], None
    return (name, rest[0], rest[1]) if len(rest) == 2 else None


def parse_labels(series: str) -> tuple[str, dict[str, str]] | None:
    """Name and labels of a series' text.

    Args:
        series: `name`, `name{a="b"}`, `{"quoted name",a="b"}` or `{__name__="name",a="b"}`.

    Returns:
        The name and the labels without empty ones, or None if the text is malformed.
    """
    found = _SERIES.match(series)
    if found is None:
        return None
    name, inside = found.group(1) or "", found.group(2) or ""
    labels: dict[str, str] = {}
    at = 0
    while inside[at:].strip():
        label = _LABEL.match(inside, at)
        if label is None:
            return None
        at = label.end()
        value = _ESCAPE.sub(_unescape, label["value"])
        key = (label["name"] or "__name__").strip('"')
        if key == "__name__":
            name = name or value
        elif value:
            labels[key] = value
    return (name, labels) if name else None


def _unescape(found: re.Match[str]) -> str:
    return _ESCAPES.get(found.group(1), found.group(1))


class Families:
    """Types and units that comment lines have declared so far."""

    def __init__(self) -> None:
        self._kinds: dict[str, Kind] = {}
        self._units: dict[str, str] = {}

    def note(self, line: str) -> None:
        """Take a comment line; what is no `TYPE` or `UNIT` is skipped."""
        found = _META.match(line)
        if found is None:
            return
        what, family, text = found.groups()
        if what == "TYPE":
            self._kinds[family] = _KINDS.get(text.lower(), "")
            return
        try:
            self._units[family] = parse_unit(text).name
        except UsageError:
            return  # a unit of no measurement of ours

    def kind_of(self, metric: str) -> Kind:
        """The declared type of a sample's family; empty if none or another one was declared."""
        return self._kinds.get(metric) or self._kinds.get(_PARTS.sub("", metric), "")

    def unit_of(self, metric: str) -> str:
        """The declared unit of a sample's family; empty for counts of a histogram and if none was declared."""
        if metric.endswith(("_count", "_bucket")):
            return ""
        return self._units.get(metric) or self._units.get(_PARTS.sub("", metric), "")
