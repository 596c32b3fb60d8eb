"""Results kept beside the store."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import replace

import pytest
from polars.testing import assert_frame_equal

import signals
from signals.errors import StoreError
from signals.replay.result import Comparison
from signals.store import create_store
from signals.store.parsed import Series
from signals.store.runs import Runs
from tests.builders import make_comparison, make_scorecard
from tests.sql.hand import Hand, chunk_of


def runs_of(hand: Hand) -> Runs:
    return create_store(hand.path).runs


def seeded(seed: int) -> Comparison:
    comparison = make_comparison()
    return replace(comparison, settings={**comparison.settings, "seed": seed})


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
    ids = [
        runs.save(*asked)
        for asked in (("a", make_comparison()), ("b", make_comparison()), ("a", seeded(70)))
    ]
    assert runs.list()["run_id"].to_list() == ids[::-1]
    assert runs.list("a")["run_id"].to_list() == [ids[2], ids[0]]
    labels = [policy.label for policy in make_comparison().policies]
    assert runs.list()["policies"].to_list() == [labels] * 3


def test_the_same_run_again_takes_the_place_of_the_first(hand: Hand) -> None:
    runs = runs_of(hand)
    first = runs.save("svc", seeded(70))
    before = runs.list()["created_at"][0]
    other = runs.save("svc", seeded(8))
    assert runs.save("svc", seeded(70)) == first != other
    assert runs.list()["run_id"].to_list() == [first, other]
    assert runs.list()["created_at"][0] > before
    assert_frame_equal(runs.load(first).ticks, make_comparison().ticks)


def test_a_run_tells_what_it_was_made_from(hand: Hand) -> None:
    running = Series("vllm:num_requests_running", {"pod": "a"})
    hand.load(chunk_of((running, [(0, 1)])), name="one")
    hand.load(chunk_of((running, [(0, 1)])), name="elsewhere", service="other")
    runs = runs_of(hand)
    one = runs.save("svc", seeded(70))
    row = runs.list().row(0, named=True)
    assert row["inputs"] == [hashlib.sha256(b"one").hexdigest()]
    assert row["seed"] == 70
    assert json.loads(row["versions"])["autoscale-signals"] == signals.__version__
    hand.load(chunk_of((running, [(15, 1)])), name="two")
    assert runs.save("svc", seeded(70)) != one


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
