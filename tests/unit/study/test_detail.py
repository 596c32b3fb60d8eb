"""The curves behind one signal's score."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from signals.errors import UsageError
from signals.schema import Panel
from signals.series.synthetic import daily_load, wandering_load
from signals.study.detail import signal_detail
from signals.study.scorecard import evaluate_panel
from signals.study.significance import pearson_p_value


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


def test_detail_knows_where_the_response_is_flat(make_panel) -> None:
    """Clipped above 80 per instance: from there on; never below, for a signal that has no lower end."""
    load = 100 * daily_load(4320, 60.0, trough=0.2, rng=np.random.default_rng(5))
    panel = make_panel(
        60.0, {"service:offered_output_tps": load, "decode:decode_tps": np.minimum(load, 80.0)}
    )
    extra = signal_detail(panel, "decode_tps").extra
    assert extra["upper_plateau"] == pytest.approx(80.0, abs=2.0)
    assert "lower_plateau" not in extra


def test_detail_parts_the_way_up_from_the_way_down(make_panel) -> None:
    """A signal a tenth lower on rising load: two monotone curves, a tenth of the signal apart on each side."""
    load = 100 * daily_load(4320, 60.0, trough=0.3, rng=np.random.default_rng(5))
    up = np.gradient(load) > 0
    signal = load * np.where(up, 0.9, 1.1)
    panel = make_panel(60.0, {"service:offered_output_tps": load, "decode:decode_tps": signal})
    branches = signal_detail(panel, "decode_tps").branches
    assert branches.columns == ["trend", "load_per_instance", "signal"]
    ratio = branches["signal"] / branches["load_per_instance"]
    for trend, expected in (("rising", 0.9), ("falling", 1.1)):
        assert ratio.filter(branches["trend"] == trend).median() == pytest.approx(
            expected, abs=0.01
        )


def test_detail_knows_which_correlation_is_significant(panel: Panel) -> None:
    """At the bound itself the corrected p-value of the lag is 5 %: below it above, above it below."""
    detail = signal_detail(panel, "gpu_util")
    lag = detail.score.measures["lag_s"]
    least = detail.extra["least_correlation"]
    assert 0 < least < 1
    single = pearson_p_value(least, float(lag.extra["n_eff"] or 0.0))
    assert 1 - (1 - single) ** 61 == pytest.approx(0.05, rel=1e-6)


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


def test_lag_curve_reaches_as_far_as_the_lag_was_sought(make_panel) -> None:
    """A signal 20 minutes late at ticks of 15 s: the peak lies beyond the usual 15 minutes, and is shown."""
    load = 100 * wandering_load(2000, phi=0.98, spread=0.4, rng=np.random.default_rng(5))
    panel = make_panel(
        15.0, {"service:offered_output_tps": load[80:], "decode:gpu_util": load[:-80] / 400}
    )
    detail = signal_detail(panel, "gpu_util")
    assert detail.score.verdict == "unusable"
    assert "too_late" in {reason.code for reason in detail.score.reasons}
    assert detail.score.measures["lag_s"].value == pytest.approx(1200, abs=5)
    peak = int(detail.lag_curve["correlation"].arg_max() or 0)
    assert detail.lag_curve["lag_s"][peak] == 1200
    assert detail.lag_curve["lag_s"].max() == 1800
