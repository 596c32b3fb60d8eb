"""The line syntax of OpenMetrics and of Prometheus' text exposition."""

from __future__ import annotations

import re
from collections.abc import Callable
from sys import intern
from typing import Literal

from signals.errors import UsageError
from signals.units import parse_unit

__all__ = [
    "ESCAPE",
    "Families",
    "parse_labels",
    "parse_series",
    "split_sample",
    "unescape_go",
    "unescape_text",
]

_NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
_LABELS = r"\{(?:[^\"}]|\"(?:[^\"\\]|\\.)*\")*\}"
# series, value, time; an exemplar or comment may follow
_SAMPLE = re.compile(rf"^((?:{_NAME})?(?:{_LABELS})?)\s+(\S+)(?:[ \t]+([^#\s]\S*))?[ \t]*(?:#.*)?$")

_SERIES = re.compile(rf"^({_NAME})?\s*(?:\{{(.*)\}})?$", re.DOTALL)
_LABEL = re.compile(
    r"\s*(?:(?P<name>[a-zA-Z_]\w*|\"(?:[^\"\\]|\\.)*\")\s*=\s*)?\"(?P<value>(?:[^\"\\]|\\.)*)\"\s*(?:,|$)",
    re.DOTALL,
)
ESCAPE = re.compile(r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{3}|.)", re.DOTALL)
"""A character written with a backslash, as `unescape_text` and `unescape_go` take it."""

_ESCAPES = {"n": "\n"}
_GO_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_PARTS = re.compile(r"_(?:total|bucket|sum|count|created|info)$")
_META = re.compile(r"^#\s+(TYPE|UNIT)\s+(\S+)\s+(\S+)\s*$")

Kind = Literal["", "counter", "gauge", "histogram"]
_KINDS: dict[str, Kind] = {"counter": "counter", "gauge": "gauge", "histogram": "histogram"}
# what only OpenMetrics has
_OPENMETRICS_TYPES = {"unknown", "info", "stateset", "gaugehistogram"}
_CREATED = "_created"


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


def unescape_text(found: re.Match[str]) -> str:
    """What an escape of the exposition formats stands for."""
    return _ESCAPES.get(found[0][1:], found[0][1:])


def unescape_go(found: re.Match[str]) -> str:
    """What an escape of Go's quoted strings stands for; half of a surrogate pair becomes a question mark."""
    text = found[0][1:]
    if text[0] in "xuU" and len(text) > 1:
        return _character(int(text[1:], 16))
    if len(text) == 3 and text[0] in "01234567":
        return _character(int(text, 8))
    return _GO_ESCAPES.get(text, text)


def _character(code: int) -> str:
    return "?" if 0xD800 <= code < 0xE000 or code > 0x10FFFF else chr(code)


def parse_labels(
    series: str, unescape: Callable[[re.Match[str]], str] = unescape_text
) -> tuple[str, dict[str, str]] | None:
    """Name and labels of a series' text.

    Args:
        series: `name`, `name{a="b"}`, `{"quoted name",a="b"}` or `{__name__="name",a="b"}`.
        unescape: how the format escapes characters of label values.

    Returns:
        The name and the labels without empty ones, or None if the text is malformed or has no name.
    """
    parsed = parse_series(series, unescape)
    return parsed if parsed is not None and parsed[0] else None


def parse_series(
    series: str, unescape: Callable[[re.Match[str]], str] = unescape_text
) -> tuple[str, dict[str, str]] | None:
    """As `parse_labels`, but the name may be empty, as expressions' results have it."""
    found = _SERIES.match(series)
    if found is None:
        return None
    name, inside = intern(found.group(1) or ""), found.group(2) or ""
    labels: dict[str, str] = {}
    at = 0
    while inside[at:].strip():
        label = _LABEL.match(inside, at)
        if label is None:
            return None
        at = label.end()
        # the same few names and values come again in series after series
        value = intern(ESCAPE.sub(unescape, label["value"]))
        key = intern(ESCAPE.sub(unescape, (label["name"] or "__name__").strip('"')))
        if key == "__name__":
            name = name or value
        elif key in labels:
            return None
        elif value:
            labels[key] = value
    return name, labels


class Families:
    """Types and units that comment lines have declared so far.

    Attributes:
        openmetrics: whether they used words that only OpenMetrics has.
    """

    def __init__(self) -> None:
        self.openmetrics = False
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
            self.openmetrics = self.openmetrics or text.lower() in _OPENMETRICS_TYPES
            return
        self.openmetrics = True
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

    def is_created(self, metric: str) -> bool:
        """Whether a metric says when a counter or histogram of this text began, and measures nothing itself."""
        family = metric.removesuffix(_CREATED)
        return family != metric and (family in self._kinds or f"{family}_total" in self._kinds)
