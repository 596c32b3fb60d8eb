"""The step of aggregated points."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import polars as pl

from signals.schema import TIMESTAMP
from signals.store.sources.rollup import StepWatch

START = datetime(2026, 6, 1, tzinfo=UTC)


def times(*seconds):
    return pl.Series([START + timedelta(seconds=s) for s in seconds], dtype=TIMESTAMP)


def test_the_shortest_gap_of_any_series_is_the_step():
    watch = StepWatch()
    watch.take(times(180, 60, 0))
    watch.take_us([0, 20_000_000, 20_000_000])
    assert watch.step_s == 20.0
    (finding,) = watch.findings()
    assert finding.code == "step_aligned"
    assert "20 s" in finding.text


def test_single_points_have_no_step():
    watch = StepWatch()
    watch.take(times(5))
    watch.take(times())
    watch.take(times(30))
    assert watch.step_s == 0.0
    assert len(watch.findings()) == 1
    assert StepWatch().findings() == ()
