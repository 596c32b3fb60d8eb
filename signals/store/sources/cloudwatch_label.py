"""CloudWatch's labels, units and statistics, in the words of the catalog."""

from __future__ import annotations

from signals.catalog import find_measurement
from signals.catalog.naming import match
from signals.catalog.pools import detect_pool
from signals.schema import Finding
from signals.store.sources.legend import Legend
from signals.store.sources.part import clip

__all__ = ["STATISTICS", "note_statistic", "read_label", "read_unit_name"]

STATISTICS = ("Average", "Sum", "Maximum", "Minimum", "SampleCount")
"""Statistics that are no percentiles, the one that stands for a gauge first."""

# metrics of the CloudWatch agent and the unit that nvidia-smi writes; the agent declares memory as `Megabytes`
_AGENT = {
    "nvidia_smi_memory_used": ("fb_used", "MiB"),
    "nvidia_smi_power_draw": ("power_w", "W"),
    "nvidia_smi_utilization_gpu": ("gpu_util", "%"),
}
_UNITS = {
    "Bytes": "B",
    "Bytes/Second": "B/s",
    "Count": "count",
    "Count/Second": "count/s",
    "Gigabytes": "GB",
    "Gigabytes/Second": "GB/s",
    "Megabytes": "MB",
    "Microseconds": "us",
    "Milliseconds": "ms",
    "Percent": "%",
    "Seconds": "s",
}
_NAMESPACES = ("CWAgent", "ContainerInsights", "AWS/")


def read_unit_name(text: str) -> str:
    """Our spelling of a CloudWatch unit; empty for `None` and for those that no signal has."""
    return _UNITS.get(text, "")


def read_label(
    label: str, *, metric: str = "", full: str = "", unit: str = "", aliases: tuple[str, ...] = ()
) -> tuple[Legend, list[Finding]]:
    """What a result is, as far as its texts tell.

    Args:
        label: what the graph calls it.
        metric: the metric's name, if the export has it.
        full: the long label: namespace, metric, values of dimensions.
        unit: the spelling that `read_unit_name` gave.
        aliases: ids that `--map` may go by.

    Returns:
        The legend, and remarks about it.
    """
    pool, _ = detect_pool({"pod": f"{label} {full}"})
    words = (full or label).split()
    candidates = [metric, *(word for word in words if "_" in word or ":" in word)]
    for name in filter(None, candidates):
        if name in _AGENT:
            ours, written = _AGENT[name]
            place = _gpu_place(words, name)
            return Legend(label, ours, place, written, pool, aliases=(*aliases, name)), []
        labels = _place(words, name)
        found = match(name, labels, "")
        if found is None:
            continue
        spec = find_measurement(found.measurement)
        if spec is not None and spec.kind == "counter":
            return Legend(label, name, labels, unit, pool, aliases=aliases), [_delta(name)]
        return Legend(label, name, labels, unit, pool, aliases=aliases), []
    return Legend(
        label, unit=unit, pool=pool, aliases=(*aliases, *filter(None, (metric, full)))
    ), []


def _place(words: list[str], name: str) -> dict[str, str]:
    """What stands beside the metric's name: values of dimensions, which tell the instance."""
    rest = [word for word in words if word != name and not word.startswith(_NAMESPACES)]
    return {"instance": " ".join(rest)} if rest else {}


def _gpu_place(words: list[str], name: str) -> dict[str, str]:
    """As `_place`; the agent's `index` is a number of its own and tells the GPU."""
    numbers = [word for word in words if word.isdecimal()]
    if len(numbers) != 1:
        return _place(words, name)
    return {**_place([word for word in words if word != numbers[0]], name), "gpu": numbers[0]}


def _delta(name: str) -> Finding:
    return Finding(
        "count_per_interval",
        "warning",
        f"{name} is a counter, which CloudWatch keeps as what was added per interval",
        subject=name,
        action="kept, but no rate can be told from it; graph RATE() of it and name that with --map",
    )


def note_statistic(statistic: str, label: str) -> list[Finding]:
    """A remark about a statistic that is not the value of a gauge."""
    if statistic not in STATISTICS or statistic == "Average":
        return []
    return [
        Finding(
            "statistic",
            "warning",
            f"'{clip(label)}' is the {statistic} of each period, not its average",
            subject=clip(label),
            action="kept as it is; export the Average for gauges",
        )
    ]
