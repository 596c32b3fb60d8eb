"""Results kept beside the store."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from polars.testing import assert_frame_equal

from signals.errors import StoreError
from signals.store import create_store
from signals.store.runs import Runs
from tests.builders import make_comparison, make_scorecard
from tests.sql.hand import Hand


def runs_of(hand: Hand) -> Runs:
    return create_store(hand.path).runs


def test_a_comparison_comes_back_as_it_was(hand: Hand) -> None:
    runs, comparison = runs_of(hand), make_comparison()
    run_id = runs.save("svc", comparison)
    found = runs.load(run_id)
    for name in ("ticks", "readings", "events", "minutes"):
        assert_frame_equal(getattr(found, name), getattr(comparison, name))
    frames = dict.fromkeys(("ticks", "readings", "events", "minutes"))
    assert replace(found, **frames) == replace(comparison, **frames)  # type: ignore[arg-type]


def test_infinite_figures_survive(hand: Hand) -> None:
    comparison = make_comparison()
    comparison = replace(comparison, workload={**comparison.workload, "peak_rps": math.inf})
    runs = runs_of(hand)
    assert runs.load(runs.save("svc", comparison)).workload["peak_rps"] == math.inf


def test_the_list_is_newest_first_and_by_service(hand: Hand) -> None:
    runs = runs_of(hand)
    assert runs.list().is_empty()
    ids = [runs.save(service, make_comparison()) for service in ("a", "b", "a")]
    assert runs.list()["run_id"].to_list() == ids[::-1]
    assert runs.list("a")["run_id"].to_list() == [ids[2], ids[0]]
    labels = [policy.label for policy in make_comparison().policies]
    assert runs.list()["policies"].to_list() == [labels] * 3


def test_an_unknown_run_is_named(hand: Hand) -> None:
    runs = runs_of(hand)
    with pytest.raises(StoreError, match="does not exist"):
        runs.load("x")
    runs.save("svc", make_comparison())
    with pytest.raises(StoreError, match="run 'x' is not stored"):
        runs.load("x")


def test_a_scorecard_is_one_row_per_signal_and_measure(hand: Hand) -> None:
    runs, card = runs_of(hand), make_scorecard()
    card_id = runs.save_scorecard(card)
    rows = runs.scores()
    assert rows.height == sum(len(score.measures) for score in card.signals)
    assert rows["card_id"].unique().to_list() == [card_id]
    first = card.signals[0]
    lag = rows.filter(signal=first.signal, measure="lag_s").row(0, named=True)
    assert lag["value"] == first.measures["lag_s"].value
    assert lag["verdict"] == first.verdict


def test_results_never_touch_the_store(hand: Hand) -> None:
    runs_of(hand).save("svc", make_comparison())
    assert not hand.path.exists()
    assert runs_of(hand).path.name == "fleet.runs.duckdb"
