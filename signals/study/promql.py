"""A signal under an averaging window as a PromQL expression.

Metrics carry the catalog's own names of measurements unless the exporter's are handed in, and no label selects a
pool: both are the user's to fill in.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from signals.catalog import find_signal
from signals.catalog.spec import SignalSpec
from signals.schema import PanelColumn

__all__ = ["window_query"]

_PLAIN = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
_SAMPLES = 2
"""Scrapes that a rate takes at least."""


def window_query(
    column: PanelColumn, window_s: float, *, metrics: Mapping[str, str] | None = None
) -> str:
    """What to ask Prometheus for, to get this signal averaged over a window.

    Args:
        column: the signal.
        window_s: width of the window, seconds, > 0.
        metrics: the exporter's name of each measurement, a histogram's without `_bucket`, `_sum`, `_count`.

    Returns:
        `rate` of counters and histograms over the window, at least two scrapes wide; `avg_over_time` of gauges and
        of anything the export already held as the signal; empty for a signal of the request log, which
        Prometheus does not have.
    """
    spec = find_signal(column.signal)
    names = metrics or {}
    if spec is None or column.exported:
        return _gauge(
            names.get(column.signal, column.signal), window_s, total=column.scope == "total"
        )
    needs = [names.get(need, need) for need in spec.needs]
    if spec.how in {"gauge_mean", "gauge_sum"}:
        return _gauge(needs[0], window_s, total=spec.how == "gauge_sum")
    if spec.how == "gauge_ratio":
        above, below = (_gauge(need, window_s, total=False) for need in needs)
        return f"{above} / {below}"
    return _counters(spec, needs, max(window_s, _SAMPLES * column.resolution_s))


def _gauge(metric: str, window_s: float, *, total: bool) -> str:
    return f"{'sum' if total else 'avg'}(avg_over_time({_selector(metric, window_s)}))"


def _counters(spec: SignalSpec, needs: list[str], window_s: float) -> str:
    def rate(metric: str, by: str = "") -> str:
        return f"sum{by}(rate({_selector(metric, window_s)}))"

    first = needs[0] if needs else ""
    if spec.how == "rate_sum":
        return rate(first)
    if spec.how == "rate_ratio":
        return f"{rate(first)} / {rate(needs[1])}"
    if spec.how == "hist_mean":
        return f"{rate(f'{first}_sum')} / {rate(f'{first}_count')}"
    if spec.how == "hist_sum_rate":
        return rate(f"{first}_sum")
    if spec.how == "hist_quantile":
        return f"histogram_quantile({spec.quantile:g}, {rate(f'{first}_bucket', ' by (le) ')})"
    return ""


def _selector(metric: str, window_s: float) -> str:
    """The metric over a range; names outside the classic letters are quoted, as Prometheus 3 reads them."""
    name = metric if _PLAIN.fullmatch(metric) else f'{{"{_escaped(metric)}"}}'
    return f"{name}[{_duration(window_s)}]"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _duration(seconds: float) -> str:
    """Whole minutes, else whole seconds, else milliseconds; never nothing."""
    milliseconds = max(1, round(seconds * 1000))
    if milliseconds % 1000:
        return f"{milliseconds}ms"
    whole = milliseconds // 1000
    return f"{whole // 60}m" if whole % 60 == 0 else f"{whole}s"
