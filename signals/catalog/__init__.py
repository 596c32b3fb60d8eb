"""The signals: declared data, one row each, and look-ups by name."""

from __future__ import annotations

import difflib

from signals.catalog.canonical import MEASUREMENTS, SIGNALS
from signals.catalog.spec import MeasurementSpec, MetricRule, SignalSpec
from signals.errors import UsageError

__all__ = [
    "MEASUREMENTS",
    "SIGNALS",
    "MeasurementSpec",
    "MetricRule",
    "SignalSpec",
    "find_measurement",
    "find_signal",
    "require_signal",
]

_MEASUREMENTS = {spec.name: spec for spec in MEASUREMENTS}
_SIGNALS = {spec.name: spec for spec in SIGNALS}


def find_measurement(name: str) -> MeasurementSpec | None:
    """The measurement with this canonical name, or None."""
    return _MEASUREMENTS.get(name)


def find_signal(name: str) -> SignalSpec | None:
    """The signal with this canonical name (no pool), or None."""
    return _SIGNALS.get(name)


def require_signal(name: str, *, where: str = "") -> SignalSpec:
    """The signal with this canonical name.

    Args:
        name: without a pool.
        where: option or file it came from, for the error.

    Returns:
        Its row of the catalog.

    Raises:
        UsageError: there is no such signal.
    """
    spec = find_signal(name)
    if spec is not None:
        return spec
    near = difflib.get_close_matches(name, list(_SIGNALS), n=1)
    raise UsageError(
        f"signal '{name}' is not in the catalog",
        where=where,
        expected=f"one of {len(_SIGNALS)} names (signals catalog)",
        hint=f"did you mean '{near[0]}'?" if near else "",
    )
