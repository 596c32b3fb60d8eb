"""Which ticks are judged, and which are learned from."""

from __future__ import annotations

import numpy as np

from signals.study.held_out import judged_ticks, training_folds

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
