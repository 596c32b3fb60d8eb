"""What can make a good-looking score meaningless."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from signals.schema import Estimate, PanelColumn
from signals.series.synthetic import daily_load
from signals.study.guards import (
    censoring,
    clock_unchecked,
    finer_tick,
    is_identity,
    scaler_elasticity,
    undetermined_lag,
)
from signals.study.specimen import panel_of


def _column(name: str, sources: tuple[str, ...] = ()) -> PanelColumn:
    pool, signal = name.split(":")
    return PanelColumn(name, pool, signal, "count", "total", sources=sources)


def test_same_measurements_are_the_same_information() -> None:
    """A column is itself, and what was computed from the same counters is too."""
    load = _column("decode:decode_tps", ("decode_tokens_total@decode",))
    assert is_identity(load, load)
    assert is_identity(_column("unified:tps", ("decode_tokens_total@decode",)), load)
    assert not is_identity(_column("prefill:prefill_tps", ("prefill_tokens_total@prefill",)), load)
    assert not is_identity(_column("a:x"), _column("b:y")), "no known source is no equality"


def test_scaler_elasticity_is_that_of_the_fleet(rng: np.random.Generator) -> None:
    """0 for a fixed fleet, 1 for one in proportion to load; unknown without counts."""
    load = 100 * daily_load(1440, 60.0, rng=rng)
    assert scaler_elasticity(load, np.full(1440, 8.0), 60.0) == pytest.approx(0.0)
    assert scaler_elasticity(load, load / 10, 60.0) == pytest.approx(1.0)
    assert scaler_elasticity(load, None, 60.0) is None
    assert scaler_elasticity(load[:10], load[:10], 60.0) is None
    assert scaler_elasticity(np.zeros(1440), load, 60.0) is None


def test_latencies_are_censored_and_the_queue_says_when(make_panel) -> None:
    """Requests that never started have no TTFT; three ticks had a queue."""
    panel = make_panel(
        60.0,
        {
            "prefill:ttft_p99": np.ones(5),
            "prefill:queue_depth": np.array([0.0, 1, 2, np.nan, 5]),
            "prefill:gpu_util": np.ones(5),
        },
    )
    note = censoring(panel, panel.columns[0])
    assert note is not None
    assert (note.code, note.count) == ("censored", 3)
    assert "requests waited on 3 of 5 ticks" in note.text
    assert censoring(panel, panel.columns[2]) is None


def test_short_spans_cannot_tell_load_from_clock(make_panel) -> None:
    """Three whole days can."""
    short = make_panel(3600.0, {"decode:gpu_util": np.ones(71)})
    long = make_panel(3600.0, {"decode:gpu_util": np.ones(72)})
    assert clock_unchecked(short) is not None
    assert clock_unchecked(long) is None


def test_undetermined_lag_is_a_finding_with_its_reason() -> None:
    """Association is then measured at lag 0."""
    column = _column("decode:gpu_util")
    note = undetermined_lag(column, Estimate(3.0, determined=False, reason="too flat"))
    assert note is not None
    assert "too flat" in note.text
    assert undetermined_lag(column, Estimate(3.0, 2.0, 4.0)) is None


@pytest.mark.parametrize(
    ("ticks", "sampled_s", "advised"),
    [
        (119, 5.0, "--tick 5s"),
        (20, 0.5, "--tick 1s"),
        (120, 5.0, ""),
        (119, 10.0, ""),
        (9, 0.0, ""),
    ],
)
def test_a_finer_grid_is_advised_where_it_helps(ticks: int, sampled_s: float, advised: str) -> None:
    """Too few ticks of 15 s from samples at least twice as often; else silence."""
    panel = panel_of({"decode:gpu_util": np.ones(ticks)}, 15.0)
    columns = tuple(replace(column, resolution_s=sampled_s) for column in panel.columns)
    note = finer_tick(replace(panel, columns=columns), 120)
    assert (note is not None) == bool(advised)
    if note is not None:
        assert note.action.endswith(advised)
        assert f"{int(ticks * 15 / float(advised[7:-1]))} ticks" in note.text
        # folds of a shorter record leave nothing to learn from
        assert ("more than 18 min" in note.text) == (ticks * 15 <= 18 * 60)
