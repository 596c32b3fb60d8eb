"""What is lost must be as much, and lie together, as asked; what is kept must be untouched."""

from __future__ import annotations

import numpy as np
import pytest

from signals.series.synthetic import drop_runs, drop_stretch, drop_ticks, stale


def runs_of(lost: np.ndarray) -> np.ndarray:
    """Lengths of the runs of lost ticks."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], lost.astype(int), [0]])))
    return edges[1::2] - edges[0::2]


@pytest.mark.parametrize("share", [0.0, 0.1, 0.6])
def test_dropped_ticks_are_a_share_and_lie_apart(share: float, rng: np.random.Generator) -> None:
    """Runs are as long as chance makes them."""
    values = np.arange(50_000.0)
    left = drop_ticks(values, share, rng)
    lost = np.isnan(left)
    np.testing.assert_array_equal(left[~lost], values[~lost])
    assert lost.mean() == pytest.approx(share, abs=0.01)
    if share:
        assert runs_of(lost).mean() == pytest.approx(1 / (1 - share), rel=0.05)


@pytest.mark.parametrize(("share", "length"), [(0.1, 30), (0.5, 10), (0.9, 4), (0.3, 1), (0.0, 5)])
def test_dropped_runs_have_their_share_and_length(
    share: float, length: float, rng: np.random.Generator
) -> None:
    """A run may follow another at once where little is kept; the length is that of the joined ones then."""
    values = np.arange(1_000_000.0)
    left = drop_runs(values, share, length, rng)
    lost = np.isnan(left)
    np.testing.assert_array_equal(left[~lost], values[~lost])
    assert lost.mean() == pytest.approx(share, rel=0.06, abs=1e-9)
    if 0 < share < 0.8:
        assert runs_of(lost).mean() == pytest.approx(length, rel=0.06)


def test_dropped_stretch_is_that_one() -> None:
    """The first tick named is lost, the last is kept, and the input is left alone."""
    values = np.arange(6.0)
    np.testing.assert_array_equal(drop_stretch(values, 1, 3), [0, np.nan, np.nan, 3, 4, 5])
    assert np.isfinite(values).all()


def test_stale_repeats_until_the_next_look() -> None:
    """Each third value is seen three times; on average it is one tick old."""
    np.testing.assert_array_equal(stale(np.arange(7.0), 3), [0, 0, 0, 3, 3, 3, 6])
