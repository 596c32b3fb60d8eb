"""Two monotone curves at once."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from signals.study.additive import fit_additive, fit_graded, grade

EVERYTHING = np.ones(600, dtype=bool)


def test_signals_of_few_values_have_few_grades() -> None:
    """Three values are three grades, however many ticks; their means are the values."""
    signal = np.tile([0.0, 1.0, 5.0], 200)
    wanted = signal**2
    graded = grade(signal, wanted, np.ones(600, dtype=bool), "either")
    np.testing.assert_allclose(graded.means, [0.0, 1.0, 5.0])
    assert graded.rising
    assert not grade(signal, -wanted, np.ones(600, dtype=bool), "either").rising


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), weight=st.floats(-2, 2))
def test_two_curves_never_fit_worse_than_one(seed: int, weight: float) -> None:
    """On what they learn from; each is monotone in the direction that is asked for."""
    rng = np.random.default_rng(seed)
    x, z = rng.standard_normal(300), rng.standard_normal(300)
    wanted = np.tanh(x) + weight * z + 0.3 * rng.standard_normal(300)
    everything = np.ones(300, dtype=bool)
    a, b = grade(x, wanted, everything, "rises"), grade(z, wanted, everything, "falls")
    alone, f, g = fit_additive(a, b, wanted, everything)
    assert (np.diff(alone) >= -1e-12).all()
    assert (np.diff(f) >= -1e-12).all()
    assert (np.diff(g) <= 1e-12).all()
    rest_alone = ((wanted - alone[a.grade]) ** 2).sum()
    rest_both = ((wanted - f[a.grade] - g[b.grade]) ** 2).sum()
    assert rest_both <= rest_alone * (1 + 1e-6)


def test_sum_of_two_curves_is_found(rng: np.random.Generator) -> None:
    """A parabola of the third degree in one and a line in the other, without noise: nothing is left but the width of a grade."""
    x, z = rng.random((2, 600))
    wanted = 2.0 * x**3 + z
    a, b = grade(x, wanted, EVERYTHING, "rises"), grade(z, wanted, EVERYTHING, "rises")
    _, f, g = fit_additive(a, b, wanted, EVERYTHING)
    rest = wanted - f[a.grade] - g[b.grade]
    assert rest.std() < 0.05
    assert np.ptp(g) > 0.9


def test_fit_of_one_is_the_mean_of_its_grade() -> None:
    """Where the means of grades rise already; ticks that are not judged have none."""
    signal = np.tile([0.0, 1.0, 5.0], 200)
    wanted = signal**2 + np.repeat([-1.0, 1.0], 300)
    judged = EVERYTHING.copy()
    judged[-3:] = False
    fitted = fit_graded(grade(signal, wanted, judged, "rises"), wanted, judged)
    np.testing.assert_allclose(fitted[:3], [0.0, 1.0, 25.0], atol=0.01)
    assert (fitted[-3:] == 0).all()


def test_grades_without_a_tick_lie_between_their_neighbours() -> None:
    """A range that the training part never saw is bridged."""
    signal = np.linspace(0, 1, 600)
    graded = grade(signal, signal, EVERYTHING, "rises")
    train = EVERYTHING.copy()
    train[200:400] = False
    alone, _, _ = fit_additive(graded, graded, signal, train)
    assert (np.diff(alone) >= -1e-12).all()
    np.testing.assert_allclose(alone[graded.grade], signal, atol=0.02)
