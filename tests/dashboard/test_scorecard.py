"""Signals: the scorecard grid and the curves of the chosen row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from dashboard.components.closeups import GRAPHS, window_query
from dashboard.components.score import answer_tiles, score_rows
from dashboard.pages.scorecard import layout
from signals.plots import CLOSEUPS
from signals.schema import Estimate
from signals.study.score import MEASURES
from tests.builders import make_score, make_scorecard
from tests.builders_advice import make_advised
from tests.dashboard.sources import MemorySource

Call = Callable[..., dict[str, Any]]
CHAT = {"service.value": "chat", "score-load.value": "", "theme.data": "light"}


def test_every_signal_has_a_row_in_order(call: Call) -> None:
    """Nothing is hidden, and the first row is chosen."""
    parts = call("score-grid.rowData", CHAT, "score-load.value")["response"]
    card = make_scorecard()
    assert [r["signal"] for r in parts["score-grid"]["rowData"]] == [s.signal for s in card.signals]
    assert parts["score-grid"]["selectedRows"] == {"ids": ["decode:decode_tps"]}
    assert parts["score-headline"]["children"] == card.headline


def test_row_holds_every_measure_with_interval() -> None:
    """Numbers sort, texts show: 9.8 s, from 7.7 to 12.2."""
    row = score_rows(make_scorecard())[0]
    assert row["lag_s"] == 9.8
    assert row["lag_s_text"] == "9.8 s"
    assert row["lag_s_range"] == "7.7 to 12.2 s"
    assert all(f"{m.name}_text" in row for m in MEASURES)


def test_undetermined_measure_sorts_as_missing_and_says_so() -> None:
    """A number that the data do not settle is not compared with others."""
    score = make_score(
        measures={"lag_s": Estimate(40.0, -400, 500, determined=False, reason="no peak")}
    )
    row = score_rows(_card_of(score))[0]
    assert row["lag_s"] is None
    assert row["lag_s_text"] == "undetermined"
    assert row["lag_s_note"] == "no peak"
    assert row["lag_s_range"] == ""


def test_identity_has_no_rank() -> None:
    """The load itself is not ranked against others."""
    row = score_rows(_card_of(make_score(identity=True, rank=None)))[0]
    assert row["rank"] is None
    assert row["rank_text"] == "is the load"


def _card_of(*scores: Any) -> Any:
    from dataclasses import replace

    return replace(make_scorecard(), signals=scores)


@pytest.mark.parametrize(
    "chosen", [{"ids": ["prefill:gpu_util"]}, [{"signal": "prefill:gpu_util"}]]
)
def test_chosen_row_fills_figures_and_reasons(call: Call, chosen: Any) -> None:
    """A row may be chosen by the page or by a click."""
    parts = call("score-lag.figure", {**CHAT, "score-grid.selectedRows": chosen})["response"]
    assert "prefill:gpu_util" in str(parts["score-title"])
    names = [t.get("name") for t in parts["score-timeline"]["figure"]["data"]]
    assert names[:2] == ["load", "prefill:gpu_util"]
    assert "bin means" in [t.get("name") for t in parts["score-response"]["figure"]["data"]]
    assert "Moves one for one with load" in str(parts["score-reasons"])
    assert "how long after load moves" in str(parts["score-measures"])


def test_asked_load_reaches_the_source(call: Call, source: MemorySource) -> None:
    """The picker's value is the load of scorecard and curves."""
    values = {**CHAT, "score-load.value": "decode:decode_tps"}
    call("score-grid.rowData", values)
    call("score-lag.figure", {**values, "score-grid.selectedRows": {"ids": ["prefill:gpu_util"]}})
    assert source.asked == [
        ("scorecard", "chat", "decode:decode_tps"),
        ("detail", "chat", "prefill:gpu_util", "decode:decode_tps"),
    ]


def test_load_picker_offers_loads_and_served_work_only(call: Call) -> None:
    """Utilisation is no load."""
    options = call("score-load.options", CHAT, "service.value")["response"]["score-load"]["options"]
    assert [o["value"] for o in options] == [
        "",
        "decode:decode_tps",
        "prefill:prefill_tps",
        "decode:offered_output_tps",
    ]


def test_zoom_sends_the_ticks_of_the_window(call: Call) -> None:
    """An hour of one-minute ticks is 61 points and their neighbours, not the thinned four days."""
    event = {
        "xaxis.range[0]": "2026-11-23 10:00",
        "xaxis.range[1]": "2026-11-23 11:00",
    }
    values = {
        **CHAT,
        "score-timeline.relayoutData": event,
        "score-grid.selectedRows": {"ids": ["decode:decode_tps"]},
    }
    answer = call("score-timeline.figure@", values, "score-timeline.relayoutData")
    patch = answer["response"]["score-timeline"]["figure"]
    (operation,) = patch["operations"]
    assert len(operation["params"]["value"][0]["x"]) == 63


def test_resize_sends_nothing(call: Call) -> None:
    """Only time asks for new points."""
    values = {**CHAT, "score-timeline.relayoutData": {"autosize": True}}
    assert call("score-timeline.figure@", values, "score-timeline.relayoutData") == {}


def test_chosen_row_fills_every_view_and_its_query(call: Call) -> None:
    """Response to jumps, window, stability; the query of the suggested window can be copied."""
    chosen = {**CHAT, "score-grid.selectedRows": {"ids": ["decode:decode_tps"]}}
    parts = call("score-window.figure", chosen)["response"]
    for view, trace in (
        ("events", "t50"),
        ("window", "suggested"),
        ("stability", "◆ feedback only"),
    ):
        figure = parts[f"score-{view}"]["figure"]
        assert trace in [t.get("name") for t in figure["data"]]
        assert parts[f"score-{view}"]["style"] == {"height": f"{figure['layout']['height']}px"}
    assert "avg(avg_over_time(signal[3m]))" in str(parts["score-query"])


def test_signal_without_promql_shows_no_query() -> None:
    """It comes from the request log, or no window was found."""
    for window in (Estimate(60.0, extra={"promql": ""}), Estimate(None)):
        assert window_query(make_score(measures={"suggested_window_s": window})) == []
    assert window_query(make_score(measures={})) == []


def test_all_signals_stand_side_by_side_with_intervals(call: Call) -> None:
    """Lags and elasticities of the rows that the grid shows; nothing before there are rows."""
    rows = score_rows(make_scorecard())
    parts = call("score-lags.figure", {**CHAT, "score-grid.rowData": rows})["response"]
    titles = [
        parts[place]["figure"]["layout"]["xaxis"]["title"]["text"]
        for place in ("score-lags", "score-elasticities")
    ]
    assert titles == ["lag (s)", "elasticity"]
    assert call("score-lags.figure", {**CHAT, "score-grid.rowData": []}) == {}


def test_every_view_has_its_place_with_its_question() -> None:
    """One graph per view, each under the words that say how to read it."""
    assert list(GRAPHS) == [view.name for view in CLOSEUPS]
    page = str(layout())
    for view in CLOSEUPS:
        assert page.count(f"id='{GRAPHS[view.name]}'") == 1
        assert view.reading in page


def test_answer_names_the_value_to_hold_and_what_came_second() -> None:
    """In the tile of its pool; a pool whose signal is another says nothing of it."""
    text = str(answer_tiles(make_advised()))
    assert "hold it at 464 tokens/s per instance (95 %: 411 to 545 tokens/s)" in text
    assert "averaged over 2 min, HPA or KEDA, AverageValue" in text
    assert "before decode:running: larger capacity error 9 % against 6.3 %" in text
    assert "hold it at 70.6 %" not in text
    assert "hold it" not in str(answer_tiles(make_scorecard()))
