"""Responses must bend, stand and remember as they say."""

from __future__ import annotations

import numpy as np
import pytest

from signals.series.synthetic import (
    clipped,
    hysteretic,
    idle_offset,
    plateau,
    power_response,
    saturating,
    two_segments,
)


def slope_of_logs(load: float, respond) -> float:
    """Elasticity at a load, by a small step."""
    low, high = respond(np.array([load, load * 1.0001]))
    return float(np.log(high / low) / np.log(1.0001))


def test_power_response_has_its_elasticity() -> None:
    """Twice the load, 2^0.5 times the signal."""
    np.testing.assert_allclose(power_response(np.array([1.0, 4.0]), 0.5), [1, 2])


@pytest.mark.parametrize("load", [1.0, 5.0])
def test_offset_and_saturation_have_the_elasticity_they_state(load: float) -> None:
    """load / (load + offset), and half / (load + half)."""
    assert slope_of_logs(load, lambda x: idle_offset(x, 2)) == pytest.approx(
        load / (load + 2), rel=1e-3
    )
    assert slope_of_logs(load, lambda x: saturating(x, 2)) == pytest.approx(
        2 / (load + 2), rel=1e-3
    )


def test_saturating_is_half_at_its_half() -> None:
    """And stays under 1."""
    np.testing.assert_allclose(saturating(np.array([0.0, 3.0, 3e9]), 3.0), [0, 0.5, 1])


def test_two_segments_bend_at_the_knee_alone() -> None:
    """One slope under it, the other above, no leap."""
    np.testing.assert_allclose(
        two_segments(np.array([0.0, 1.0, 2.0, 3.0, 4.0]), 2.0, below=3, above=0.5),
        [0, 3, 6, 6.5, 7],
    )


def test_clipped_never_exceeds_its_quantile() -> None:
    """Half of the ticks lie at the cap."""
    values = clipped(np.arange(101.0), 0.5)
    assert values.max() == 50


def test_plateau_pins_the_share_it_says(rng: np.random.Generator) -> None:
    """A fifth at the bottom, three tenths at the top, the rest untouched."""
    values = rng.normal(size=10_000)
    pinned = plateau(values, 0.2, 0.7)
    assert (pinned == pinned.min()).mean() == pytest.approx(0.2, abs=0.001)
    assert (pinned == pinned.max()).mean() == pytest.approx(0.3, abs=0.001)
    inner = (pinned > pinned.min()) & (pinned < pinned.max())
    np.testing.assert_array_equal(pinned[inner], values[inner])


def test_hysteretic_is_lower_on_the_way_up() -> None:
    """On a triangle: one ratio up, the other down, their logarithms apart by the gap."""
    load = np.concatenate([np.arange(1.0, 50.0), np.arange(50.0, 0.0, -1.0)])
    ratio = np.log(hysteretic(load, 0.4, 5) / load)
    np.testing.assert_allclose(ratio[:45], -0.2)
    np.testing.assert_allclose(ratio[55:], 0.2)
