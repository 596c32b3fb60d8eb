"""The response curve: ticks, bins, fit, and the proportional line for reference."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

from signals.plots.response import describe_response, plot_response
from signals.schema import Estimate
from tests.builders import make_detail, make_score


def test_response_shows_ticks_reference_fit_and_bins() -> None:
    """Bins, fit and the two branches are the frame's own values; axes carry units."""
    detail = make_detail("prefill:gpu_util")
    figure = plot_response(detail, theme="light")
    assert [t.name for t in figure.data] == [
        "ticks",
        "proportional",
        "fit",
        "load rising",
        "load falling",
        "bin means",
    ]
    rising = detail.branches.filter(pl.col("trend") == "rising")
    assert list(figure.data[3].y) == rising["signal"].to_list()
    assert list(figure.data[5].y) == detail.response["signal"].to_list()
    assert list(figure.data[2].x) == detail.fit["load_per_instance"].to_list()
    assert figure.layout.xaxis.title.text == "load per instance (tokens/s)"
    assert figure.layout.yaxis.title.text == "GPU utilisation (%)"


def test_reference_line_goes_through_origin_and_middle() -> None:
    """With bins at loads 1, 2, 3 and signals 10, 20, 40 the line has slope 20 / 2."""
    detail = make_detail()
    bins = pl.DataFrame({"load_per_instance": [1.0, 2.0, 3.0], "signal": [10.0, 20.0, 40.0], "count": [5, 5, 5]})  # fmt: skip
    line = plot_response(replace(detail, response=bins), theme="light").data[1]
    assert list(line.x) == [0.0, 3.0]
    assert list(line.y) == [0.0, pytest.approx(30.0)]


def test_total_without_instance_counts_is_held_against_load() -> None:
    """Where the study did not divide by instances, the axis does not say so."""
    detail = replace(make_detail(), extra={"per_instance": 0.0})
    assert plot_response(detail, theme="light").layout.xaxis.title.text == "load (tokens/s)"


def test_crowds_are_thinned() -> None:
    """At most the asked number of ticks is drawn."""
    figure = plot_response(make_detail(ticks=5000), theme="light", max_points=300)
    assert 150 < len(figure.data[0].x) <= 300


def test_response_of_nothing_says_why() -> None:
    """No bins: the study's reason, or the usual one."""
    detail = make_detail()
    bare = replace(detail, response=detail.response.clear(), score=make_score(measures={}))
    text = plot_response(bare, theme="dark").layout.annotations[0].text.replace("<br>", " ")
    assert text.startswith("no response curve: too few ticks")
    few = make_score(measures={"elasticity": Estimate(None, reason="constant series")})
    text = plot_response(replace(bare, score=few), theme="dark").layout.annotations[0].text
    assert text == "no response curve: constant series"


def test_plateaus_are_shaded_and_the_knee_is_a_line() -> None:
    """From zero to the end of the lower plateau, from the start of the upper one to the largest load."""
    detail = make_detail()
    reach = float(detail.fit["load_per_instance"].max() or 0.0)  # type: ignore[arg-type]
    extra = {"per_instance": 1.0, "lower_plateau": 900.0, "upper_plateau": 0.8 * reach}
    score = make_score(measures={"knee": Estimate(1200.0)})
    shapes = plot_response(replace(detail, extra=extra, score=score), theme="light").layout.shapes
    bands = [(s.x0, s.x1) for s in shapes if s.type == "rect"]
    assert bands == [(0.0, 900.0), (0.8 * reach, reach)]
    assert [s.x0 for s in shapes if s.type == "line"] == [1200.0]


def test_curve_without_branches_is_drawn_without_them() -> None:
    """Load that only rises has one branch, a steady one none."""
    detail = make_detail()
    one = detail.branches.filter(pl.col("trend") == "falling")
    for branches, names in ((one, ["load falling"]), (pl.DataFrame(), [])):
        traces = plot_response(replace(detail, branches=branches), theme="light").data
        assert [t.name for t in traces if t.name.startswith("load")] == names


@pytest.mark.parametrize(
    ("measures", "text"),
    [
        ({"elasticity": Estimate(0.984)}, "moves by 0.98 % when load moves by 1 %"),
        (
            {"knee": Estimate(1500.0), "saturation_ratio": Estimate(0.2)},
            "knee at 1.5k tokens/s (dotted line); flat 20 % of the time (shaded)",
        ),
        ({"hysteresis": Estimate(-0.2)}, "20 % of its span lower on rising load"),
        ({"hysteresis": Estimate(0.004)}, "response not settled"),
        ({"elasticity": Estimate(1.0, determined=False)}, "response not settled"),
    ],
)
def test_response_in_words(measures: dict[str, Estimate], text: str) -> None:
    """Only what there is, each in the unit of its axis."""
    assert describe_response(replace(make_detail(), score=make_score(measures=measures))) == text
