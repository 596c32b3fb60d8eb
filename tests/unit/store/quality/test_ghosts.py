"""Findings told of targets that are gone."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
import pytest

from signals.store.quality import series_findings
from tests.unit.store.quality.figures_of import every, figures_of

WAVE = [float(i % 7) for i in range(60)]


def found(stats: pl.DataFrame) -> list[tuple[int, str]]:
    return [(f.count, f.text) for f in series_findings(stats) if f.code == "staleness_ghost"]


def test_a_value_that_outlives_its_counters_is_a_ghost() -> None:
    counters = figures_of(
        ("x_total", every(15, [10.0 * i for i in range(20)])),
        kind="counter",
        measurement="decode_tokens_total",
    )
    rows = {"running": [*WAVE[:20], *[4.0] * 40], "kv": WAVE}
    gauges = figures_of(*((name, every(15, values)) for name, values in rows.items()))
    stats = pl.concat([counters, gauges.with_columns(pl.col("series_id") + 10)])
    assert found(stats) == [
        (1, "1 series of running repeat a value after the counters of their target ended")
    ]


def fleet(
    gauge: Sequence[float], counter: Sequence[float], others: int, step_s: float = 15.0
) -> pl.DataFrame:
    """A target with a gauge of running requests and a counter, beside one with a sample every step."""
    gauges = figures_of(
        ("running", every(step_s, gauge)),
        ("running", every(step_s, (WAVE * 5)[:others])),
        target=(1, 2),
    )
    counters = figures_of(
        ("x_total", every(step_s, counter)),
        kind="counter",
        measurement="decode_tokens_total",
    )
    return pl.concat([gauges, counters.with_columns(pl.col("series_id") + 10)])


def rising(samples: int, held: int) -> list[float]:
    """A counter that rises and then stands still, `samples` in all."""
    return [10.0 * min(i, samples - held) for i in range(samples)]


def held(samples: int, count: int, value: float = 3.5) -> list[float]:
    return [*(WAVE * 3)[: samples - count], *[value] * count]


GHOST = fleet(held(80, 20), rising(80, 20), 120)


def test_values_that_stand_still_before_a_target_ends() -> None:
    """A query over a range goes on with the last sample for five minutes."""
    assert found(GHOST) == [
        (
            1,
            "1 of 2 targets repeat all their values, counters too, for up to 4.75 min before they end",
        )
    ]


@pytest.mark.parametrize(("step_s", "count"), [(15.0, 3), (15.0, 21), (60.0, 5), (5.0, 60)])
def test_for_up_to_the_look_back(step_s: float, count: int) -> None:
    assert len(found(fleet(held(100, count), rising(100, count), 130, step_s))) == 1


@pytest.mark.parametrize(
    "silent",
    [
        pytest.param(fleet(held(80, 2), rising(80, 2), 120), id="too short to tell"),
        pytest.param(fleet(held(80, 40), rising(80, 40), 120), id="longer than a look-back"),
        pytest.param(fleet(held(80, 20), rising(80, 20), 80), id="the others end, too"),
        pytest.param(fleet(held(80, 20), rising(80, 0), 120), id="the counter moves"),
        pytest.param(fleet((WAVE * 2)[:80], rising(80, 20), 120), id="the gauge moves"),
        pytest.param(fleet(held(80, 20, 0.0), rising(80, 20), 120), id="drained"),
        pytest.param(fleet(held(80, 80), rising(80, 80), 120), id="never moved"),
        pytest.param(fleet((WAVE * 2)[:80], rising(80, 0), 120), id="ends at work"),
        pytest.param(GHOST.filter(pl.col("target_id") == 1), id="alone"),
        pytest.param(GHOST.filter(pl.col("kind") == "gauge"), id="no counter"),
    ],
)
def test_what_is_no_ghost(silent: pl.DataFrame) -> None:
    assert found(silent) == []


def test_without_requests_in_flight_the_counters_must_not_have_rested_before() -> None:
    unknown = GHOST.with_columns(measurement=pl.lit("kv_usage"))
    assert len(found(unknown)) == 1
    rested = unknown.with_columns(longest_still=pl.lit(30, pl.Int64))
    assert found(rested) == []
