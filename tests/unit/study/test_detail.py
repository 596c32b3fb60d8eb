"""The curves behind one signal's score."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from signals.errors import UsageError
from signals.schema import Panel
from signals.series.synthetic import daily_load
from signals.study.detail import signal_detail
from signals.study.scorecard import evaluate_panel


@pytest.fixture
def panel(make_panel) -> Panel:
    """Two days at 30 s, with a hole in the signal."""
    rng = np.random.default_rng(3)
    load = 100 * daily_load(5760, 30.0, wander=0.1, phi=0.95, rng=rng)
    signal = np.roll(load, 4) / 400
    signal[100:110] = np.nan
    return make_panel(
        30.0,
        {
            "service:offered_output_tps": load,
            "decode:gpu_util": signal,
            "decode:ready": np.full(5760, 4.0),
        },
    )


def test_detail_has_the_promised_frames(panel: Panel) -> None:
    """Columns, types, lengths, and missing as null."""
    detail = signal_detail(panel, "gpu_util")
    floats = dict.fromkeys(("load", "signal", "ready"), pl.Float64)
    assert dict(detail.series.schema) == {"tick": panel.frame.schema["tick"], **floats}
    assert detail.series.height == 5760
    assert detail.series["signal"].null_count() == 10
    assert detail.lag_curve.columns == ["lag_s", "correlation"]
    assert detail.lag_curve.height == 61
    assert detail.lag_curve["lag_s"][int(detail.lag_curve["correlation"].arg_max() or 0)] == 120.0
    assert detail.response.columns == ["load_per_instance", "signal", "count"]
    assert detail.response.height == 24
    assert detail.points.height <= 2000
    assert detail.fit.height <= 500
    assert detail.fit["signal"].is_sorted()
    assert detail.extra["per_instance"] == 1.0


def test_detail_is_the_same_score_as_in_the_card(panel: Panel) -> None:
    """One signal alone or among all: the same figures."""
    card = next(s for s in evaluate_panel(panel).signals if s.signal == "decode:gpu_util")
    detail = signal_detail(panel, "decode:gpu_util")
    assert detail.score.verdict == card.verdict
    assert detail.score.measures["lag_s"] == card.measures["lag_s"]
    assert detail.load.column == "service:offered_output_tps"


def test_detail_of_a_short_or_empty_signal_has_empty_curves(make_panel) -> None:
    """Nothing to draw is an empty frame, not an error."""
    panel = make_panel(
        60.0, {"service:request_rate": np.arange(20.0), "decode:kv_usage": np.full(20, np.nan)}
    )
    detail = signal_detail(panel, "kv_usage")
    assert detail.score.verdict == "insufficient_data"
    assert detail.response.height == detail.fit.height == detail.points.height == 0
    assert detail.series["ready"].null_count() == 20


def test_detail_of_an_unknown_signal_is_a_usage_error(panel: Panel) -> None:
    """With the option it came from."""
    with pytest.raises(UsageError) as caught:
        signal_detail(panel, "gpu_utill")
    assert caught.value.where == "--signal"
