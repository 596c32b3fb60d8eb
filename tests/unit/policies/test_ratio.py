"""Pools in proportion."""

import pytest

from signals.policies.ratio import follow, other_pool, parse_ratio


@pytest.mark.parametrize(
    ("count", "pool", "expected"),
    [(3, "decode", 2), (4, "decode", 3), (2, "prefill", 3), (3, "prefill", 5)],
)
def test_the_other_pool_is_rounded_up(count, pool, expected):
    """Two prefill to three decode."""
    assert follow(count, pool, (2, 3)) == expected


def test_the_other_pool_is_never_empty():
    """One prefill serves twenty decode, but none serves nothing."""
    assert follow(1, "decode", (1, 20)) == 1


def test_unified_stands_alone():
    """No other pool."""
    assert other_pool("unified") is None


def test_ratio_text():
    """Spaces do not matter."""
    assert parse_ratio(" 3 / 5", where="") == (3, 5)
