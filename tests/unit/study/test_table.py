"""Scores as a frame."""

from __future__ import annotations

import polars as pl
import pytest

from signals.schema import Estimate
from signals.study.score import MEASURES
from signals.study.table import TESTED, p_value, score_table
from tests.builders import make_score, make_scorecard


def test_every_measure_has_value_interval_reason_and_whether_it_is_settled() -> None:
    """And a p-value where it comes with a test."""
    lag = Estimate(40.0, 20.0, 60.0, determined=False, reason="wide", extra={"p_value": 0.2})
    frame = score_table([make_score(measures={"lag_s": lag})])
    parts = [
        frame[f"lag_s{end}"][0] for end in ("", "_low", "_high", "_p", "_determined", "_reason")
    ]
    assert parts == [40.0, 20.0, 60.0, 0.2, False, "wide"]
    for spec in MEASURES:
        ends = ("", "_low", "_high", "_determined", "_reason")
        assert {f"{spec.name}{end}" for end in ends} <= set(frame.columns)
        assert (f"{spec.name}_p" in frame.columns) == (spec.name in TESTED)


def test_types_do_not_depend_on_what_is_missing() -> None:
    """No score, one without a measure, all of a card: the same columns of the same types; missing is null."""
    schemas = [score_table(scores).schema for scores in ((), (make_score(measures={}),), make_scorecard().signals)]  # fmt: skip
    assert schemas[0] == schemas[1] == schemas[2]
    bare = score_table([make_score(measures={})])
    assert bare["noise_ratio"][0] is None
    assert bare["noise_ratio_determined"][0] is False
    assert bare.schema["partial_p"] == pl.Float64


@pytest.mark.parametrize(
    ("extra", "expected"),
    [
        ({"p_value": 0.01, "p_adjusted": 0.04}, 0.04),
        ({"p_value": 0.01}, 0.01),
        ({"p_value": None}, None),
        ({}, None),
    ],
)
def test_corrected_p_value_comes_first(
    extra: dict[str, float | None], expected: float | None
) -> None:
    """What was corrected for the number of signals is what counts."""
    assert p_value(Estimate(0.5, extra=extra)) == expected
