"""When odd records are rejects, and when they are the file's fault."""

from __future__ import annotations

import pytest

from signals.store.sources.stray import are_strays


@pytest.mark.parametrize(
    ("odd", "among", "expected"),
    [
        (1, 3, True),  # one bad line, however small the file
        (1, 2, False),  # nothing tells which of two is the odd one
        (1, 1, False),
        (2, 39, False),
        (2, 40, True),
        (50, 1000, True),
        (51, 1000, False),
        (1000, 1000, False),
    ],
)
def test_a_few_of_many_are_strays(odd: int, among: int, expected: bool) -> None:
    assert are_strays(odd, among) is expected
