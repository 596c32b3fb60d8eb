"""Telemetry to try a measure on: it must be as true as it says."""

from __future__ import annotations

import doctest
import re
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from signals.errors import UsageError
from signals.schema import TIMESTAMP
from signals.study import specimen
from signals.study.score import SignalScore
from signals.study.scorecard import evaluate_panel
from signals.study.specimen import Specimen, Truth, known_fleet, panel_of

GUIDE = Path(__file__).parents[3] / "docs" / "measures.md"


@pytest.fixture(scope="module")
def fleet() -> Specimen:
    """Four days of minutes."""
    return known_fleet(np.random.default_rng(3))


@pytest.fixture(scope="module")
def scored(fleet: Specimen) -> list[tuple[Truth, SignalScore]]:
    """The truth about each signal beside what the study says."""
    scores = {score.signal: score for score in evaluate_panel(fleet.panel).signals}
    return [(truth, scores[truth.name]) for truth in fleet.truths]


def test_fleet_has_every_class(fleet: Specimen) -> None:
    """All four verdicts, each with a sentence on how the signal was made."""
    assert {truth.verdict for truth in fleet.truths} == {
        "proportional",
        "feedback",
        "unusable",
        "insufficient_data",
    }
    assert all(truth.text for truth in fleet.truths)
    assert {truth.name for truth in fleet.truths} == {
        column.name
        for column in fleet.panel.columns
        if column.signal not in {"ready", "offered_output_tps"}
    }


def test_study_finds_the_stated_verdicts(scored: list[tuple[Truth, SignalScore]]) -> None:
    """Class by class."""
    assert {truth.name: score.verdict for truth, score in scored} == {
        truth.name: truth.verdict for truth, _ in scored
    }


def test_study_finds_the_stated_elasticities_and_lags(
    scored: list[tuple[Truth, SignalScore]],
) -> None:
    """Elasticities within 5 %, lags inside their intervals, where noise leaves something to see."""
    clear = [(t, s) for t, s in scored if t.spread <= 0.05 and t.verdict != "insufficient_data"]
    seen = 0
    for truth, score in clear:
        if truth.elasticity is None:
            continue
        seen += 1
        assert score.measures["elasticity"].value == pytest.approx(truth.elasticity, rel=0.05)
        lag = score.measures["lag_s"]
        assert lag.determined
        assert lag.low is not None
        assert lag.high is not None
        assert lag.low - 1 <= truth.lag_s <= lag.high + 1, truth.name
    assert seen == 5


def test_fleet_is_drawn_from_the_generator_alone() -> None:
    """The same seed, the same telemetry; another, another."""
    one, same, other = (known_fleet(np.random.default_rng(s), days=1) for s in (1, 1, 2))
    assert one.panel.frame.equals(same.panel.frame)
    assert not one.panel.frame.equals(other.panel.frame)


def test_fleet_has_the_ticks_and_gaps_that_were_asked_for() -> None:
    """Two days of half minutes, a tenth of each signal lost, load and count whole."""
    panel = known_fleet(np.random.default_rng(4), days=2, tick_s=30.0, missing=0.1).panel
    assert panel.frame.height == 5760
    assert panel.frame["decode:sm_active"].null_count() / 5760 == pytest.approx(0.1, abs=0.03)
    assert panel.frame["service:offered_output_tps"].null_count() == 0


def test_panel_takes_units_and_scopes_from_the_catalog() -> None:
    """What the catalog does not know is relative and an average, unless said."""
    values = np.array([1.0, np.nan, 3.0])
    names = ["service:request_rate", "decode:kv_usage", "decode:mine", "decode:ours"]
    panel = panel_of(
        dict.fromkeys(names, values),
        15.0,
        first=datetime(2026, 3, 1, tzinfo=UTC),
        scopes={"decode:ours": "total"},
    )
    assert [(c.pool, c.signal, c.unit, c.scope) for c in panel.columns] == [
        ("service", "request_rate", "req/s", "total"),
        ("decode", "kv_usage", "ratio", "average"),
        ("decode", "mine", "rel", "average"),
        ("decode", "ours", "rel", "total"),
    ]
    assert panel.frame["decode:mine"].to_list() == [1.0, None, 3.0]
    assert panel.frame["tick"].dtype == TIMESTAMP
    assert panel.span.first == datetime(2026, 3, 1, tzinfo=UTC)
    assert panel.span.seconds == 45


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({}, "0 arrays of 0 lengths"),
        ({"a:b": np.ones(3), "a:c": np.ones(4)}, "2 arrays of 2 lengths"),
        ({"kv_usage": np.ones(3)}, "'kv_usage' has no pool"),
    ],
)
def test_panel_refuses_what_is_no_grid(values: dict[str, np.ndarray], words: str) -> None:
    """And says what it expects."""
    with pytest.raises(UsageError, match=words) as error:
        panel_of(values, 60.0)
    assert error.value.expected


def test_example_of_the_module_holds() -> None:
    """What its docstring shows is what comes out."""
    outcome = doctest.testmod(specimen)
    assert outcome.attempted == 6
    assert outcome.failed == 0


def test_example_of_the_guide_holds() -> None:
    """The code under "Try a measure yourself" runs, and each printed comment is what it prints."""
    text = GUIDE.read_text(encoding="utf-8").partition("## Try a measure yourself")[2]
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert blocks
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, str(GUIDE), "exec"), names)
        for shown, value in re.findall(r"^(\S.*?)  # -> (.*)$", block, re.MULTILINE):
            assert repr(eval(shown, names)) == value
