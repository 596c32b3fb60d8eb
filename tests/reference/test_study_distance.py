"""Distance correlation and its shifts against loops that follow the definition word by word."""

from __future__ import annotations

import numpy as np
import pytest

from signals.study.distance import distance_corr


def slow_covariance(x: np.ndarray, y: np.ndarray) -> float:
    """Squared distance covariance: mean product of doubly centred distances."""
    count = len(x)
    a = [[abs(p - q) for q in x] for p in x]
    b = [[abs(p - q) for q in y] for p in y]
    rows = [[sum(row) / count for row in d] for d in (a, b)]
    wholes = [sum(row) / count for row in rows]
    total = 0.0
    for i in range(count):
        for j in range(count):
            left = a[i][j] - rows[0][i] - rows[0][j] + wholes[0]
            right = b[i][j] - rows[1][i] - rows[1][j] + wholes[1]
            total += left * right
    return total / count**2


@pytest.mark.parametrize("count", [40, 41])
def test_distance_correlation_equals_the_loop(count: int) -> None:
    """Value, share of shifts that do as well, and what the shifts reach."""
    rng = np.random.default_rng(count)
    x = rng.standard_normal(count).cumsum()
    y = 0.5 * x + 2 * rng.standard_normal(count).cumsum()
    scale = np.sqrt(slow_covariance(x, x) * slow_covariance(y, y))
    shifts = [slow_covariance(x, np.roll(y, -k)) for k in range(2, count - 1)]
    observed = slow_covariance(x, y)
    estimate = distance_corr(x, y)
    assert estimate.value == pytest.approx(np.sqrt(observed / scale))
    better = sum(shift >= observed for shift in shifts)
    assert estimate.extra["p_value"] == pytest.approx((1 + better) / (1 + len(shifts)))
    assert estimate.extra["chance"] == pytest.approx(np.sqrt(np.mean(shifts) / scale))
