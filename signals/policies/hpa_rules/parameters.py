"""The declared parameters of `hpa`."""

from __future__ import annotations

from signals.policies.choice import SIGNAL_UNIT, TEXT_UNIT
from signals.policies.policy import Parameter

__all__ = ["PARAMETERS"]

_K8S = "Kubernetes default"
_SELECT = ("Max", "Min", "Disabled")

PARAMETERS = (
    Parameter(
        "signal",
        TEXT_UNIT,
        None,
        "pool:signal scales that pool, signal alone each pool from its own; several joined by +",
    ),
    Parameter(
        "target",
        SIGNAL_UNIT,
        None,
        "target in the signal's unit, or with a unit such as 70%; joined by + like the signals",
    ),
    Parameter(
        "type",
        "",
        "auto",
        "Pods averages over instances, AverageValue shares a total out, Value is a plain ratio; auto: "
        "Pods for averages, AverageValue for totals, Value for latencies",
        choices=("auto", "Value", "AverageValue", "Pods"),
    ),
    Parameter(
        "scales",
        "",
        "auto",
        "the pool to scale; auto: the signal's own, decode for signals of the service",
        choices=("auto", "prefill", "decode", "unified"),
    ),
    Parameter(
        "other",
        "",
        "ratio",
        "the other pool follows by the P/D ratio or stands at its peak size",
        choices=("ratio", "static"),
    ),
    Parameter("pd_ratio", TEXT_UNIT, None, "P/D, such as 3/5; the pressure test's if absent"),
    Parameter(
        "window", "s", 60.0, "window of the query (own choice); 0 for the last sample", 0, 3600
    ),
    Parameter("interval", "s", 15.0, f"sync period ({_K8S})", 1, 3600),
    Parameter("tolerance", "ratio", 0.1, f"tolerance in both directions ({_K8S})", 0, 1),
    Parameter("tolerance_up", "ratio", None, "tolerance when growing, if it differs", 0, 1),
    Parameter("tolerance_down", "ratio", None, "tolerance when shrinking, if it differs", 0, 1),
    Parameter(
        "tolerance_test",
        "",
        "range",
        "range: 1-t <= ratio <= 1+t; abs: |1-ratio| <= t, as older releases test",
        choices=("range", "abs"),
    ),
    Parameter("up_window", "s", 0.0, f"stabilisation window for growing ({_K8S})", 0, 3600),
    Parameter("down_window", "s", 300.0, f"stabilisation window for shrinking ({_K8S})", 0, 3600),
    Parameter(
        "up_percent", "count", 100, f"per cent per period; 0 leaves it out ({_K8S})", 0, 100000
    ),
    Parameter("up_percent_period", "s", 15.0, f"its period ({_K8S})", 1, 1800),
    Parameter("up_pods", "count", 4, f"pods per period; 0 leaves it out ({_K8S})", 0, 4096),
    Parameter("up_pods_period", "s", 15.0, f"its period ({_K8S})", 1, 1800),
    Parameter("up_select", "", "Max", f"how they combine ({_K8S})", choices=_SELECT),
    Parameter(
        "down_percent", "count", 100, f"per cent per period; 0 leaves it out ({_K8S})", 0, 100
    ),
    Parameter("down_percent_period", "s", 15.0, f"its period ({_K8S})", 1, 1800),
    Parameter("down_pods", "count", 0, f"pods per period; 0 leaves it out ({_K8S})", 0, 4096),
    Parameter("down_pods_period", "s", 15.0, "its period", 1, 1800),
    Parameter("down_select", "", "Max", f"how they combine ({_K8S})", choices=_SELECT),
    Parameter(
        "starting",
        "",
        "missing",
        "starting instances are running pods without a sample, or pending (unready) ones",
        choices=("missing", "unready"),
    ),
    Parameter(
        "on_missing",
        "",
        "hold",
        "what no data mean: hold, or zero as KEDA's ignoreNullValues reads it",
        choices=("hold", "zero"),
    ),
    Parameter("max_age", "s", 120.0, "older data count as missing (own choice)", 15, 3600),
)
