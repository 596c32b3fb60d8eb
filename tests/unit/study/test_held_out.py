"""Which ticks are judged, and which are learned from."""

from __future__ import annotations

import numpy as np

from signals.study.held_out import errors_by_rest, fold_bounds, judged_ticks, training_folds

TICK_S = 60.0


def test_ticks_without_load_or_value_are_not_judged() -> None:
    """Idle is under 5 % of the 95th percentile, here of 100."""
    load = np.full(40, 100.0)
    load[:4] = [0.0, 4.9, 5.1, np.nan]
    signal = np.ones(40)
    signal[4] = np.nan
    reference = load.copy()
    reference[5] = 0.0
    judged, top = judged_ticks(reference, signal, load)
    assert top == 100
    assert np.flatnonzero(~judged).tolist() == [0, 1, 3, 4, 5]
    assert not judged_ticks(load, signal, np.full(40, np.nan))[0].any()


def test_what_is_learned_from_keeps_its_distance() -> None:
    """Six blocks of 100 minutes; 15 minutes on both sides of a block are left out, more for a long lag."""
    judged = np.ones(600, dtype=bool)
    judged[500:] = False
    found = training_folds(600, TICK_S, 0.0, judged)
    assert [(fold.first, fold.last) for fold, _ in found] == [
        (0, 100), (100, 200), (200, 300), (300, 400), (400, 500)
    ]  # fmt: skip
    assert np.flatnonzero(~found[1][1]).tolist() == [*range(85, 215), *range(500, 600)]
    assert not training_folds(600, TICK_S, -40.0, judged)[1][1][60:240].any()


def test_too_few_to_learn_from_is_no_fold() -> None:
    """With judged ticks in one block only, nothing is left to learn from."""
    judged = np.zeros(600, dtype=bool)
    judged[:100] = True
    assert training_folds(600, TICK_S, 0.0, judged) == []


def test_errors_by_rest_leave_out_the_fold_and_the_gap(rng: np.random.Generator) -> None:
    """Each value less the median of what is farther away; the bounds are those of the folds."""
    values, ticks = rng.normal(size=500), np.sort(rng.choice(600, 500, replace=False))
    bounds = fold_bounds(600, TICK_S, 0.0)
    errors = errors_by_rest(values, ticks, bounds)
    assert len(bounds) == 6
    for start, first, last, end in bounds:
        rest = values[(ticks < start) | (ticks >= end)]
        part = (ticks >= first) & (ticks < last)
        np.testing.assert_allclose(errors[part], values[part] - np.median(rest))
        assert first - start == end - last == 15


def test_errors_by_rest_need_enough_to_learn_from() -> None:
    """No error where hardly anything is left; others keep theirs."""
    ticks = np.concatenate((np.arange(0, 30), np.arange(580, 585)))
    errors = errors_by_rest(np.ones(35), ticks, fold_bounds(600, TICK_S, 0.0))
    assert np.isnan(errors[:30]).all()
    assert (errors[30:] == 0).all()
