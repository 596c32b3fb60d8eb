"""Totals are divided by the ready instances, averages are what they are."""

from __future__ import annotations

import numpy as np

from signals.schema import PanelColumn
from signals.study.panel import Observed
from signals.study.per_instance import load_per_instance, signal_per_instance
from signals.study.score import LoadChoice

CHOICE = LoadChoice(
    "decode", "service:offered_output_tps", "load", "tokens/s", "offered", "default", "decode:ready"
)


def _observed(scope: str, ready: np.ndarray | None) -> Observed:
    column = PanelColumn("decode:x", "decode", "x", "count", scope)  # type: ignore[arg-type]
    load, signal = np.array([10.0, 20.0, 30.0]), np.array([4.0, 8.0, np.nan])
    return Observed(column, CHOICE, 60.0, "rises", signal, load, signal, load, load, ready, 0.0)


def test_totals_and_averages() -> None:
    """10 and 20 of load on 2 instances are 5 and 10 each; without an instance nothing is known."""
    ready = np.array([2.0, 2.0, 0.0])
    total, average = _observed("total", ready), _observed("average", ready)
    for observed in (total, average):
        np.testing.assert_array_equal(load_per_instance(observed), [5.0, 10.0, np.nan])
    np.testing.assert_array_equal(signal_per_instance(total), [2.0, 4.0, np.nan])
    np.testing.assert_array_equal(signal_per_instance(average), [4.0, 8.0, np.nan])


def test_unknown_instances_are_one() -> None:
    """The figures are then those of the whole pool."""
    observed = _observed("total", None)
    np.testing.assert_array_equal(load_per_instance(observed), [10.0, 20.0, 30.0])
    np.testing.assert_array_equal(signal_per_instance(observed), [4.0, 8.0, np.nan])
