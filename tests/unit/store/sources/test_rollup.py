"""The step of aggregated points."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import polars as pl
import pytest

from signals.schema import TIMESTAMP
from signals.store.parsed import Series
from signals.store.sources.rollup import StepWatch, scraped_apart, step_of

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


@pytest.mark.parametrize(
    ("seconds", "step_s"),
    [
        ([[0, 15, 30], [15, 30]], 15),
        ([[0, 15, 45]], 15),
        ([[0, 15, 30], [4, 19, 34]], 0),
        ([[0.0, 15.002, 30.0]], 0),
        ([[0], [15]], 0),
        ([[]], 0),
        ([[30, 0, 15]], 15),
        ([[0, 0]], 0),
    ],
)
def test_a_range_query_is_told_by_its_grid(seconds, step_s):
    micros = [np.array([round(s * 1e6) for s in one], dtype=np.int64) for one in seconds]
    assert step_of(micros, exporters=2) == step_s * 1_000_000


def test_regular_scrapes_of_one_target_are_no_steps() -> None:
    scrapes = [np.arange(10) * 15_000_000 + 1_760_000_000_123_000] * 3
    assert step_of(scrapes, exporters=1) == 0
    assert step_of(scrapes, exporters=2) == 15_000_000
    assert step_of([times - 123_000 for times in scrapes], exporters=1) == 15_000_000


def test_what_one_exporter_tells_of_several_things_is_scraped_at_once() -> None:
    gpus = [Series("g", {"job": "dcgm", "instance": "n1:9400", "gpu": str(k)}) for k in range(8)]
    assert scraped_apart(gpus) == 1
    assert scraped_apart([*gpus, Series("g", {"job": "dcgm", "instance": "n2:9400"})]) == 2
    assert scraped_apart([Series("g", {"pod": "a"}), Series("g", {"pod": "b"})]) == 2
