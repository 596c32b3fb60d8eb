"""Values of OTLP's JSON encoding: numbers that may be texts, attributes, units, times."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence

from signals.store.sources.header import known_unit

__all__ = [
    "MalformedError",
    "count_of",
    "counts_of",
    "labels_of",
    "members_of",
    "micros_of",
    "number_of",
    "resource_labels",
    "unit_of",
    "whole_of",
]

_LAST_US = 7_258_118_400_000_000  # the year 2200
_MAX_WHOLE = 2**64
_WORDS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_NUMBER = re.compile(r"^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$")
_WHOLE = re.compile(r"^[+-]?[0-9]+$")
_NO_LABEL = re.compile(r"[^a-zA-Z0-9_]")
# what Prometheus calls these
_LABELS = {
    "host.name": "host",
    "k8s.container.name": "container",
    "k8s.namespace.name": "namespace",
    "k8s.node.name": "node",
    "k8s.pod.name": "pod",
    "service.instance.id": "instance",
    "service.name": "job",
}
# about the collecting program or its connection, not about what is measured
_ASIDE = ("http_scheme", "net_host_", "os_", "process_", "server_", "telemetry_", "url_scheme")
_UCUM = {
    "By": "B",
    "By/s": "B/s",
    "Cel": "C",
    "GBy": "GB",
    "GiBy": "GiB",
    "KiBy": "KiB",
    "MBy": "MB",
    "MiBy": "MiB",
    "{token}": "tokens",
    "{token}/s": "tokens/s",
    "{tokens}": "tokens",
    "{request}": "count",
    "{requests}": "count",
}


class MalformedError(ValueError):
    """A value is not what OTLP says.

    Attributes:
        reason: short code for the reject.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def number_of(value: object) -> float:
    """A number, or its text; JSON has no other way to write NaN, Infinity and 64-bit integers.

    Raises:
        MalformedError: it is neither.
    """
    if isinstance(value, str):
        if value in _WORDS:
            return _WORDS[value]
        if _NUMBER.match(value):
            return float(value)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError as error:
            raise MalformedError("bad_number") from error
    raise MalformedError("bad_number")


def whole_of(value: object) -> int:
    """A whole number, or its text; 0 for none, which JSON leaves out.

    Raises:
        MalformedError: it is something else, or has more than 64 bits.
    """
    if value is None:
        return 0
    if isinstance(value, str) and len(value) <= 20 and _WHOLE.match(value):
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < _MAX_WHOLE:
        return value
    raise MalformedError("bad_number")


def count_of(value: object) -> int:
    """A whole number from 0 up; see `whole_of`."""
    count = whole_of(value)
    if count < 0:
        raise MalformedError("bad_number")
    return count


def counts_of(values: object) -> list[int]:
    """Counts of buckets; none if there are none."""
    return [count_of(value) for value in members_of(values)]


def members_of(values: object) -> Sequence[object]:
    """Elements of an array; none if it is left out.

    Raises:
        MalformedError: it is no array.
    """
    if values is None:
        return ()
    if isinstance(values, list):
        return values
    raise MalformedError("bad_point")


def micros_of(nanoseconds: object) -> int:
    """Microseconds since the epoch, rounded down.

    Raises:
        MalformedError: it is no time, 0 (which stands for none), or after 2199.
    """
    try:
        micros = whole_of(nanoseconds) // 1000
    except MalformedError as error:
        raise MalformedError("bad_time") from error
    if not 0 < micros < _LAST_US:
        raise MalformedError("bad_time")
    return micros


def labels_of(attributes: object) -> dict[str, str]:
    """Labels of a list of attributes, named as Prometheus names them; empty ones are left out.

    Raises:
        MalformedError: it is no list of keys and values.
    """
    labels: dict[str, str] = {}
    for pair in members_of(attributes):
        if not isinstance(pair, dict) or not isinstance(pair.get("key"), str):
            raise MalformedError("bad_attribute")
        key = pair["key"]
        text = _text_of(pair.get("value"))
        if key and text:
            labels[_LABELS.get(key) or _label_name(key)] = text
    return labels


def resource_labels(attributes: object) -> dict[str, str]:
    """Labels of a resource's attributes; what describes the collecting program is left out.

    Where nothing else tells instances apart, the process does.

    Raises:
        MalformedError: as `labels_of`.
    """
    labels = labels_of(attributes)
    process = labels.get("process_pid", "")
    kept = {name: value for name, value in labels.items() if not name.startswith(_ASIDE)}
    if process and not kept.keys() & {"instance", "pod"}:
        kept["instance"] = f"{kept['host']}:{process}" if "host" in kept else process
    return kept


def _label_name(key: str) -> str:
    name = _NO_LABEL.sub("_", key)
    return f"_{name}" if name[0].isdigit() else name


def _text_of(value: object) -> str:
    if not isinstance(value, dict):
        return ""
    for kind, content in value.items():
        if kind == "boolValue":
            return "true" if content is True else "false"
        if isinstance(content, (dict, list)):
            return json.dumps(_plain(content), separators=(",", ":"))
        # halves of surrogate pairs are allowed in JSON and in no database
        return str(content).encode("utf-8", "replace").decode()
    return ""


def _plain(content: Mapping[str, object] | Iterable[object]) -> object:
    """Arrays and maps of attributes without their type names, one level deep."""
    values = content.get("values", []) if isinstance(content, dict) else content
    if not isinstance(values, list):
        return str(values)
    return [
        _text_of(value.get("value", value) if isinstance(value, dict) else value)
        for value in values
    ]


def unit_of(text: object) -> str:
    """Our name of a unit in UCUM; empty for none, for `1`, and for one of no measurement of ours."""
    if not isinstance(text, str) or text in {"", "1"}:
        return ""
    return known_unit(_UCUM.get(text, text))
