"""Load and signal around sudden changes of load."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

from signals.plots.events import describe_events, plot_events
from signals.plots.theme import palette, pool_color
from signals.schema import Estimate
from tests.builders import make_detail, make_score


def test_medians_stand_in_bands_of_quartiles_and_times_on_the_curve() -> None:
    """Load neutral, signal in the pool's hue; t50 at half, t90 at nine tenths of the way, with quartiles."""
    detail = make_detail("decode:decode_tps")
    figure = plot_events(detail, theme="light")
    names = [t.name for t in figure.data]
    bands = [*["load quartiles"] * 2, "load", *["signal quartiles"] * 2, "signal"]
    assert names == [*bands, "t50", "t90"]
    load, signal, half, nearly = (figure.data[i] for i in (2, 5, 6, 7))
    assert (load.line.color, signal.line.color) == (palette("light").load, pool_color("decode", "light"))  # fmt: skip
    assert list(signal.x) == detail.events["offset_s"].to_list()
    assert list(signal.y) == detail.events["signal_q50"].to_list()
    assert list(figure.data[3].y) == detail.events["signal_q25"].to_list()
    assert list(figure.data[4].y) == detail.events["signal_q75"].to_list()
    assert (half.x[0], half.y[0], nearly.x[0], nearly.y[0]) == (90.0, 0.5, 270.0, 0.9)
    assert (half.error_x.arrayminus[0], half.error_x.array[0]) == (30.0, 30.0)
    assert (nearly.error_x.arrayminus[0], nearly.error_x.array[0]) == (30.0, 60.0)
    assert figure.layout.xaxis.title.text == "time from the change of load (s)"
    assert figure.layout.xaxis.range == (-600.0, 900.0)


def test_one_wild_event_does_not_flatten_the_others() -> None:
    """The axis shows from half a way below to less than two ways."""
    detail = make_detail()
    wild = detail.events.with_columns(signal_q75=pl.lit(40.0), signal_q25=pl.lit(-40.0))
    figure = plot_events(replace(detail, events=wild), theme="dark")
    assert figure.layout.yaxis.range == (-0.6, 1.8)
    assert plot_events(detail, theme="dark").layout.yaxis.range[1] == pytest.approx(1.15)


def test_load_without_clear_levels_is_left_out_of_the_legend() -> None:
    """On fewer than five changes load itself may be clear: no name without a line."""
    detail = make_detail()
    unclear = detail.events.with_columns(
        pl.lit(None, pl.Float64).alias(f"load_q{share}") for share in (25, 50, 75)
    )
    names = [t.name for t in plot_events(replace(detail, events=unclear), theme="light").data]
    assert names == ["signal quartiles", "signal quartiles", "signal", "t50", "t90"]


def test_unsettled_rise_marks_no_times() -> None:
    """A curve is drawn as far as there is one, without points that suggest a result."""
    names = [t.name for t in plot_events(make_detail("decode:gpu_util"), theme="light").data]
    assert "t50" not in names
    assert "signal" in names


def test_too_few_changes_are_said_with_the_studys_reason() -> None:
    """A frame of nulls, and none at all."""
    detail = make_detail("decode:gpu_util")
    nothing = detail.events.with_columns(pl.lit(None, pl.Float64).alias("signal_q50"))
    for events in (nothing, pl.DataFrame()):
        figure = plot_events(replace(detail, events=events), theme="light")
        assert not figure.data
        text = figure.layout.annotations[0].text.replace("<br>", " ")
        assert text.endswith("sudden changes of load that it followed: 0; 5 are needed")


@pytest.mark.parametrize(
    ("rise", "text"),
    [
        (Estimate(30.0), "half way after 30 s"),
        (
            Estimate(30.0, 15.0, 60.0, extra={"t90_s": 120.0, "events": 7}),
            "half way after 30 s (95 %: 15 s to 60 s), nine tenths after 2 min; 7 changes of load",
        ),
        (Estimate(None, reason="few"), "rise unknown: few"),
        (Estimate(3.0, determined=False), "rise unknown"),
        (None, "rise unknown"),
    ],
)
def test_rise_in_words(rise: Estimate | None, text: str) -> None:
    """Half, nine tenths, the interval, over how many changes."""
    assert describe_events(rise) == text


def test_score_without_the_measure_still_shows_its_curve() -> None:
    """No rise measured: no points, but words."""
    figure = plot_events(replace(make_detail(), score=make_score(measures={})), theme="light")
    assert figure.layout.annotations[0].text == "rise unknown"
