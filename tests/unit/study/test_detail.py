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
    assert detail.windows.columns == ["window_s", "noise_ratio", "lag_s", "capacity_error"]
    assert detail.windows["window_s"][0] == 30.0
    assert detail.windows["window_s"][-1] == 900.0
    assert detail.windows["capacity_error"].null_count() == 0
    assert detail.parts["kind"].unique(maintain_order=True).to_list()[-2:] == ["hours", "load"]
    assert detail.events["offset_s"].to_list() == [30.0 * i for i in range(-20, 31)]
    shares = [f"{name}_q{share}" for name in ("load", "signal") for share in (25, 50, 75)]
    assert detail.events.columns == ["offset_s", *shares]


def test_detail_shows_load_and_signal_around_sudden_changes(make_panel) -> None:
    """Thirty steps of load, answered three ticks later: both from 0 to 1."""
    load = np.repeat(np.tile([50.0, 100.0], 16), 40)
    panel = make_panel(
        60.0, {"service:offered_output_tps": load, "decode:decode_tps": np.roll(load, 3)}
    )
    events = signal_detail(panel, "decode_tps").events
    offset = events["offset_s"]
    assert events["load_q50"].to_list() == [float(at >= 0) for at in offset]
    assert events["signal_q50"].to_list() == [float(at >= 180) for at in offset]


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
