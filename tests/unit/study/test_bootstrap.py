"""Block bootstrap."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from signals.series.synthetic import ar1
from signals.study import bootstrap
from signals.study.bootstrap import (
    block_length,
    draw_counts,
    drawn_medians,
    percentile_interval,
    politis_white,
)


@pytest.mark.parametrize(("count", "phi"), [(60, 0.0), (500, 0.7), (3000, 0.95), (200, 0.99)])
def test_politis_white_equals_the_arch_package(
    count: int, phi: float, rng: np.random.Generator
) -> None:
    """The circular bootstrap's length, as arch computes it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from arch.bootstrap import optimal_block_length
    values = ar1(count, phi, rng)
    assert politis_white(values) == pytest.approx(optimal_block_length(values)["circular"].iloc[0])


def test_politis_white_of_a_constant_is_one() -> None:
    """Nothing to keep together."""
    assert politis_white(np.full(100, 3.3)) == 1.0
    assert politis_white(np.zeros(0)) == 1.0


def test_block_length_stays_between_cube_root_and_a_twentieth(rng: np.random.Generator) -> None:
    """White noise takes the cube root, a random walk the cap, a short series at least one tick."""
    assert block_length(rng.normal(size=8000), 8000) == 20
    assert block_length(ar1(1000, 0.999, rng), 1000) == 50
    assert block_length(rng.normal(size=12), 12) == 1


def test_draw_counts_draw_as_many_blocks_as_there_are(rng: np.random.Generator) -> None:
    """Each resample holds as many blocks; each block comes once on average."""
    counts = draw_counts(7, rng, 4000)
    assert counts.shape == (4000, 7)
    assert set(counts.sum(axis=1)) == {7.0}
    np.testing.assert_allclose(counts.mean(axis=0), 1, atol=0.08)


@pytest.mark.parametrize("count", [11, 1000, 5000])
def test_drawn_medians_equal_those_of_the_repeated_values(
    count: int, rng: np.random.Generator
) -> None:
    """Against the obvious way: repeat the values, take the median, average the distances."""
    values, ids = rng.normal(size=count), np.arange(count) * 5 // count
    counts = draw_counts(5, rng, 20)
    medians, distances = drawn_medians(values, ids, counts)
    for row, median, distance in zip(counts, medians, distances, strict=True):
        drawn = np.sort(np.repeat(values, row[ids].astype(int)))
        expected = drawn[(len(drawn) - 1) // 2]
        near = 0.0 if count <= 1024 else 0.02
        assert median == pytest.approx(expected, abs=near + 1e-12)
        assert distance == pytest.approx(np.abs(drawn - median).mean())


def test_percentile_interval_needs_nine_tenths_of_the_draws() -> None:
    """Missing draws are tolerated up to a tenth."""
    draws = np.arange(101.0)
    assert percentile_interval(draws) == (2.5, 97.5)
    draws[:20] = np.nan
    assert percentile_interval(draws) is None


def test_long_series_get_the_block_length_of_the_direct_sums(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Beyond the limit the products come from a transform; the length is the same."""
    values = ar1(20_000, 0.9, np.random.default_rng(0))
    direct = politis_white(values)
    monkeypatch.setattr(bootstrap, "_DIRECT_LIMIT", 0)
    assert politis_white(values) == pytest.approx(direct, rel=1e-9)
