"""The project's own names: a measurement or signal of the catalog, as it is."""

from __future__ import annotations

from signals.catalog.canonical import MEASUREMENTS, SIGNALS
from signals.catalog.spec import EngineSpec, MetricRule

__all__ = ["OWN"]

_MEASUREMENT_NAMES = {spec.name for spec in MEASUREMENTS}

_RULES: tuple[MetricRule, ...] = (
    *(
        MetricRule(spec.name.removesuffix("_total"), spec.name, spec.unit, priority=0)
        for spec in MEASUREMENTS
    ),
    # `ready` and other gauges are a measurement and a signal under one name: stored as the measurement
    *(
        MetricRule(spec.name, spec.name, spec.unit, priority=0)
        for spec in SIGNALS
        if spec.name not in _MEASUREMENT_NAMES
    ),
)

OWN = EngineSpec("own", "autoscale-signals", ("",), _RULES)
