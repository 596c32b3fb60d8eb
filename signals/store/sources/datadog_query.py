"""Datadog's queries, tags and units, in the words of the catalog."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, replace

from signals.catalog import find_measurement, find_signal
from signals.catalog.canonical import SIGNALS
from signals.catalog.naming import MetricMatch, match
from signals.schema import Finding
from signals.store.sources.legend import Legend
from signals.store.sources.part import clip
from signals.units import parse_unit

__all__ = ["Query", "Remarks", "name_query", "read_query", "read_tags", "read_unit_pair"]

_PLAIN = re.compile(
    r"(?:(?P<over>avg|sum|min|max|count|p\d{1,2}(?:\.\d+)?):)?(?P<metric>[A-Za-z][\w.:]*)"
    r"(?:\s*\{[^{}]*\})?(?:\s*by\s*\{[^{}]*\})?(?P<calls>(?:\.\w+\([^()]*\))*)"
)
# what the agent appends to counters and to the parts of histograms, all of them differences per flush
_DELTA = re.compile(r"\.(count|sum|bucket)$")
_INSTANCES = frozenset({"pod_name", "pod", "host", "instance", "container_id", "container_name"})
_UNITS = {
    "byte": "B",
    "degree celsius": "C",
    "fraction": "ratio",
    "gibibyte": "GiB",
    "hertz": "Hz",
    "hour": "h",
    "joule": "J",
    "kibibyte": "KiB",
    "kilowatt": "kW",
    "mebibyte": "MiB",
    "megahertz": "MHz",
    "microsecond": "us",
    "millisecond": "ms",
    "milliwatt": "mW",
    "minute": "min",
    "nanosecond": "ns",
    "percent": "%",
    "second": "s",
    "token": "tokens",
    "watt": "W",
}
_COUNTED = frozenset({"connection", "event", "item", "operation", "request", "task", "unit"})
_RATES = {"byte": "B/s", "request": "req/s", "token": "tokens/s"}


@dataclass(frozen=True, slots=True)
class Query:
    """A query of one metric.

    Attributes:
        metric: with dots, as in Datadog.
        over: how sources are aggregated: `avg`, `sum`, `p99`; empty if not told.
        per_second: whether counts were turned into rates.
    """

    metric: str
    over: str = ""
    per_second: bool = False


class Remarks:
    """Findings about metrics, one for each kind and metric however many series it has."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], tuple[Finding, int]] = {}

    def add(self, finding: Finding) -> None:
        """Count a finding."""
        key = (finding.code, finding.subject)
        first, count = self._found.get(key, (finding, 0))
        self._found[key] = (first, count + 1)

    def findings(self, mapped: Container[str] = ()) -> list[Finding]:
        """All of them, with the number of series each is about, but for metrics that the user has named."""
        return [
            replace(finding, count=count)
            for finding, count in self._found.values()
            if finding.subject not in mapped
        ]


def read_query(text: str) -> Query | None:
    """Read `avg:metric{tags} by {tag}.as_rate()`; None for formulas and functions, whose result has no name."""
    found = _PLAIN.fullmatch(text.strip())
    if found is None:
        return None
    return Query(found["metric"], found["over"] or "", "as_rate" in found["calls"])


def read_tags(tags: Iterable[str]) -> dict[str, str]:
    """Labels of `key:value` tags; `*`, which stands for all, and values `N/A` are none."""
    labels = {}
    for tag in tags:
        key, colon, value = tag.strip().partition(":")
        if colon and key and value and value != "N/A":
            labels[key] = value
    return labels


def read_unit_pair(units: object) -> tuple[str, str]:
    """Our spelling of a unit as the API gives it, empty if there is none; and Datadog's own words for it.

    Args:
        units: a list of the unit and the unit it is divided by, each an object with a `name` or null.
    """
    pair = [_unit_name(one) for one in units[:2]] if isinstance(units, list) else []
    name, per = (*pair, "", "")[:2]
    words = f"{name}/{per}" if per else name
    if per:
        return (
            (_RATES.get(name, "count/s" if name in _COUNTED else ""), words)
            if (per == "second")
            else ("", words)
        )
    return _UNITS.get(name, "count" if name in _COUNTED else ""), words


def _unit_name(unit: object) -> str:
    return str(unit.get("name") or "") if isinstance(unit, dict) else ""


def name_query(
    query: Query,
    labels: Mapping[str, str],
    unit: tuple[str, str],
    remarks: Remarks,
    *,
    text: str,
) -> Legend:
    """What the catalog calls a query's result.

    Args:
        query: the query.
        labels: tags of the series.
        unit: what `read_unit_pair` gave.
        remarks: told what is not as it seems.
        text: the query as written, which `--map` may go by.
    """
    plain = _DELTA.sub("", query.metric) if _DELTA.search(query.metric) else query.metric
    exported, found = _find(plain, labels)
    kept = Legend(text, query.metric, labels, unit[0], aliases=(query.metric,))
    spec = find_measurement(found.measurement) if found else None
    if _is_delta(query.metric, spec.kind if spec else ""):
        return _rate(query, kept, found, remarks)
    if spec is not None and spec.kind == "histogram":
        return _quantile(query, kept, spec.name)
    if found is None:
        return kept
    signal = find_signal(found.measurement)
    if signal is not None and signal.scope == "total" and query.over in {"avg", "min", "max"}:
        _note_average(query, labels, remarks)
    _note_unit(query, found, unit, remarks)
    return Legend(text, exported, labels, aliases=(query.metric,))


def _find(metric: str, labels: Mapping[str, str]) -> tuple[str, MetricMatch | None]:
    """The exporter's name of a metric: the agent made dots of underscores, and may have put a name before it."""
    whole = metric.replace(".", "_")
    _, _, rest = metric.partition(".")
    for name in (whole, rest.replace(".", "_")):
        # buckets and parts of histograms come as differences, so only their name is asked for here
        found = match(name, labels, "") or match(f"{name}_sum", labels, "") if name else None
        if found is not None:
            return name, found
    return metric, None


def _is_delta(metric: str, kind: str) -> bool:
    return bool(_DELTA.search(metric)) or kind == "counter"


def _rate(query: Query, kept: Legend, found: MetricMatch | None, remarks: Remarks) -> Legend:
    """A counter, which Datadog keeps as what was added per flush: a signal only as a rate."""
    counts = query.metric.endswith(".count") or not _DELTA.search(query.metric)
    rates = [
        spec
        for spec in SIGNALS
        if found is not None
        and counts
        and spec.how == "rate_sum"
        and spec.needs == (found.measurement,)
    ]
    if query.per_second and rates:
        return Legend(kept.text, rates[0].name, kept.labels, rates[0].unit, aliases=kept.aliases)
    if found is not None and not query.per_second:
        remarks.add(
            Finding(
                "count_per_interval",
                "warning",
                f"{query.metric} is what was added per interval, not a counter and not a rate",
                subject=query.metric,
                action="kept under that name, used for no signal; query it with .as_rate(), or name it with --map",
            )
        )
    return kept


def _quantile(query: Query, kept: Legend, measurement: str) -> Legend:
    """A distribution: its quantiles and mean are signals."""
    suffix = {"avg": "mean"}.get(query.over, query.over)
    signal = find_signal(f"{measurement}_{suffix}")
    if signal is None:
        return kept
    unit = kept.unit or signal.unit
    return Legend(kept.text, signal.name, kept.labels, unit, aliases=kept.aliases)


def _note_average(query: Query, labels: Mapping[str, str], remarks: Remarks) -> None:
    if _INSTANCES & labels.keys():
        return
    remarks.add(
        Finding(
            "aggregated_over_instances",
            "warning",
            f"{query.metric} is the {query.over} over all sources, where the pool's total is wanted",
            subject=query.metric,
            action="kept; query sum, or group by pod_name",
        )
    )


def _note_unit(query: Query, found: MetricMatch, unit: tuple[str, str], remarks: Remarks) -> None:
    """Datadog's unit is a remark of the metric's page: values are stored as they were sent."""
    ours, words = unit
    if not ours or ours == found.unit:
        return
    told, exported = parse_unit(ours), parse_unit(found.unit)
    if told.base == exported.base and told.factor != exported.factor:
        remarks.add(
            Finding(
                "unit_label_ignored",
                "info",
                f"Datadog labels {query.metric} '{clip(words)}', its exporter writes {found.unit}",
                subject=query.metric,
                action=f"read as {found.unit}; name another unit with --map '{query.metric}=NAME[unit]'",
            )
        )
