"""Which load signals are held against, and what is compared with what."""

from __future__ import annotations

import numpy as np
import pytest

from signals.errors import AnalysisError, UsageError
from signals.study.panel import (
    choose_loads,
    in_the_sense_of,
    observe,
    resolve_column,
    scored_columns,
    span_factor,
)

ONES = np.ones(8)


def test_default_load_is_offered_tokens_of_the_pools_kind(make_panel) -> None:
    """Prompt tokens for prefill, output tokens for decode, as clients asked for them."""
    panel = make_panel(
        60.0,
        {
            "service:offered_prompt_tps": ONES,
            "service:offered_output_tps": ONES,
            "service:request_rate": ONES,
            "prefill:gpu_util": ONES,
            "decode:gpu_util": ONES,
            "decode:ready": ONES,
        },
    )
    loads, findings = choose_loads(panel)
    assert loads["prefill"].column == "service:offered_prompt_tps"
    assert loads["decode"].column == "service:offered_output_tps"
    assert loads["service"].column == "service:request_rate"
    assert {choice.kind for choice in loads.values()} == {"offered"}
    assert {choice.chosen for choice in loads.values()} == {"default"}
    assert loads["decode"].ready_column == "decode:ready"
    assert loads["prefill"].ready_column is None
    assert {(f.code, f.subject) for f in findings} == {("assumed_constant_fleet", "prefill")}


@pytest.mark.parametrize(
    ("columns", "expected", "kind"),
    [
        (["service:offered_prompt_tps", "service:request_rate"], "offered_prompt_tps", "offered"),
        (["service:request_rate", "decode:completion_rate"], "request_rate", "offered"),
        (["decode:completion_rate", "decode:decode_tps"], "completion_rate", "served"),
        (["decode:decode_tps"], "decode_tps", "served"),
    ],
)
def test_default_load_falls_back_in_order(
    make_panel, columns: list[str], expected: str, kind: str
) -> None:
    """Other arrivals before anything served; served loads are flagged."""
    panel = make_panel(60.0, dict.fromkeys([*columns, "decode:kv_usage"], ONES))
    loads, findings = choose_loads(panel)
    assert loads["decode"].column.endswith(f":{expected}")
    assert loads["decode"].kind == kind
    flagged = "served_load" in {finding.code for finding in findings}
    assert flagged == (kind == "served")


def test_column_without_a_value_is_no_load(make_panel) -> None:
    """An empty column of offered tokens is passed over."""
    panel = make_panel(
        60.0,
        {"service:offered_output_tps": ONES * np.nan, "decode:decode_tps": ONES},
    )
    assert choose_loads(panel)[0]["decode"].column == "decode:decode_tps"


def test_pool_without_a_load_borrows_one(make_panel) -> None:
    """Prefill knows nothing of its own; it is held against decode's."""
    panel = make_panel(60.0, {"decode:decode_tps": ONES, "prefill:gpu_util": ONES})
    assert choose_loads(panel)[0]["prefill"].column == "decode:decode_tps"


def test_asked_load_is_used_for_all_pools(make_panel) -> None:
    """Also by its bare name, where that means one column."""
    panel = make_panel(
        60.0,
        {"service:offered_output_tps": ONES, "decode:decode_tps": ONES, "prefill:gpu_util": ONES},
    )
    for name in ("decode:decode_tps", "decode_tps"):
        loads, _ = choose_loads(panel, name)
        assert {c.column for c in loads.values()} == {"decode:decode_tps"}
        assert {c.chosen for c in loads.values()} == {"asked"}
        assert {c.kind for c in loads.values()} == {"served"}


def test_nothing_to_be_load_is_an_analysis_error(make_panel) -> None:
    """Hardware signals alone say nothing about what was asked for."""
    with pytest.raises(AnalysisError, match="nothing that can serve as load"):
        choose_loads(make_panel(60.0, {"decode:gpu_util": ONES}))


def test_unknown_name_is_a_usage_error_with_a_near_one(make_panel) -> None:
    """The message says where, what there is, and what was probably meant."""
    panel = make_panel(60.0, {"decode:decode_tps": ONES, "prefill:gpu_util": ONES})
    with pytest.raises(UsageError) as caught:
        choose_loads(panel, "decode:decode_tpz")
    assert caught.value.where == "--load"
    assert "decode:decode_tps" in caught.value.expected
    assert caught.value.hint == "did you mean 'decode:decode_tps'?"
    with pytest.raises(UsageError) as caught:
        scored_columns(panel, ("gpu_utl",))
    assert caught.value.where == "--signal"
    assert caught.value.hint == "did you mean 'prefill:gpu_util'?"


def test_bare_name_of_several_pools_is_ambiguous(make_panel) -> None:
    """One must be named; as a filter it means both."""
    panel = make_panel(60.0, {"decode:gpu_util": ONES, "prefill:gpu_util": ONES})
    with pytest.raises(UsageError, match="several pools"):
        resolve_column(panel, "gpu_util", where="--load")
    both = scored_columns(panel, ("gpu_util",))
    assert [c.name for c in both] == ["decode:gpu_util", "prefill:gpu_util"]


def test_instance_counts_are_not_scored(make_panel) -> None:
    """They are what a scaler sets, not what it reads."""
    panel = make_panel(
        60.0, dict.fromkeys(["decode:ready", "decode:desired", "decode:gpu_util"], ONES)
    )
    assert [c.name for c in scored_columns(panel)] == ["decode:gpu_util"]


def test_average_is_beside_load_per_instance_and_total_beside_load(make_panel) -> None:
    """Ticks on which no instance was ready have no load per instance."""
    panel = make_panel(
        60.0,
        {
            "service:offered_output_tps": np.array([10.0, 20, 30]),
            "decode:gpu_util": np.array([0.1, 0.2, np.inf]),
            "decode:decode_tps": np.array([1.0, 2, 3]),
            "decode:ready": np.array([2.0, 4, 0]),
        },
    )
    loads, _ = choose_loads(panel)
    average = observe(panel, panel.columns[1], loads["decode"])
    np.testing.assert_allclose(average.reference, [5, 5, np.nan])
    np.testing.assert_allclose(average.load, [10, 20, 30])
    np.testing.assert_allclose(average.raw_signal, [0.1, 0.2, np.nan])
    total = observe(panel, panel.columns[2], loads["decode"])
    np.testing.assert_allclose(total.reference, [10, 20, 30])


def test_decisions_see_trailing_minutes_and_lag_sees_ticks(make_panel) -> None:
    """At 30 s two ticks make a decision value; the raw ticks stay beside it."""
    values = np.array([2.0, 4, 6])
    panel = make_panel(30.0, {"decode:decode_tps": values, "service:request_rate": values})
    seen = observe(panel, panel.columns[0], choose_loads(panel)[0]["decode"])
    np.testing.assert_allclose(seen.signal, [2, 3, 5])
    np.testing.assert_allclose(seen.raw_signal, values)
    assert seen.direction == "rises"


@pytest.mark.parametrize("aligned", ["decode:gpu_util", "service:request_rate"])
def test_step_alignment_of_either_side_is_passed_on(make_panel, aligned: str) -> None:
    """The lag's interval widens by the step of signal or load."""
    panel = make_panel(
        30.0, {"decode:gpu_util": ONES, "service:request_rate": ONES}, aligned=(aligned,)
    )
    assert observe(panel, panel.columns[0], choose_loads(panel)[0]["decode"]).step_s == 30.0


def test_total_and_average_are_made_comparable(make_panel) -> None:
    """A total over four instances is a quarter for each; without a count it stays as it is."""
    values = {
        "service:offered_output_tps": ONES,
        "decode:decode_tps": 8 * ONES,
        "decode:gpu_util": 0.5 * ONES,
    }
    for ready, expected in (
        (4 * ONES, (2.0, 2.0)),
        (0 * ONES, (np.nan, np.nan)),
        (None, (8.0, 0.5)),
    ):
        known = {} if ready is None else {"decode:ready": ready}
        panel = make_panel(60.0, values | known)
        choice = choose_loads(panel)[0]["decode"]
        total, average = (
            observe(panel, resolve_column(panel, name, where=""), choice)
            for name in ("decode:decode_tps", "decode:gpu_util")
        )
        np.testing.assert_allclose(in_the_sense_of(average, total), np.full(8, expected[0]))
        np.testing.assert_allclose(in_the_sense_of(total, average), np.full(8, expected[1]))
        np.testing.assert_allclose(in_the_sense_of(total, total), 8.0)


def test_span_of_load_is_a_factor() -> None:
    """95th over 5th percentile; infinite from idle, 1 for nothing but idle, unknown without values."""
    assert span_factor(np.linspace(0, 100, 101)) == pytest.approx(19.0)
    assert span_factor(np.r_[np.zeros(10), np.ones(10)]) == float("inf")
    assert span_factor(np.zeros(5)) == 1.0
    assert span_factor(np.zeros(0)) is None
