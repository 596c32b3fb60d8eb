"""Conditions of --fail-on."""

import pytest

from signals.errors import UsageError
from signals.usecases import gate
from tests.builders import make_scorecard


def test_a_condition_on_a_verdict() -> None:
    card = make_scorecard()
    score = card.signals[0]
    assert gate.met(gate.parse(f"{score.signal}.verdict=={score.verdict}"), card)
    assert not gate.met(gate.parse(f"{score.signal}.verdict!={score.verdict}"), card)


def test_a_condition_on_a_measure_of_any_signal() -> None:
    card = make_scorecard()
    assert gate.met(gate.parse("*.coverage>=0"), card)
    assert not gate.met(gate.parse("*.coverage>1"), card)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "decode:decode_tps",
        "decode:decode_tps.verdict>3",
        "a:b.lag_s>x",
        "a:b.nothing>1",
        "a:b.lag_s~1",
        "*.lag_s>nan",
        "*.verdict==porportional",
    ],
)
def test_what_is_no_condition_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        gate.parse(text)


def test_a_signal_that_is_not_there_is_refused() -> None:
    with pytest.raises(UsageError, match="not in the scorecard"):
        gate.met(gate.parse("decode:nothing.lag_s>1"), make_scorecard())
