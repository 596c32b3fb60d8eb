"""Streams of data points: when they begin to count anew, and how many parts they may have."""

from __future__ import annotations

import pytest

from signals.store.sources.otlp_stream import OtlpStream
from signals.store.sources.otlp_values import MalformedError


def restarts(*points: tuple[int | None, int]) -> list[int | None]:
    stream = OtlpStream("m", {}, "")
    return [stream.restart(start_us, time_us) for start_us, time_us in points]


@pytest.mark.parametrize(
    ("points", "expected"),
    [
        ([(5, 10), (5, 20), (25, 30), (25, 40)], [None, None, 25, None]),
        # begun before the point that was the last one: never at or before it
        ([(5, 10), (5, 20), (15, 30)], [None, None, 21]),
        ([(5, 10), (5, 20), (15, 21)], [None, None, None]),
        # the time of the point before, in every point, says nothing
        ([(0, 10), (10, 20), (20, 30), (30, 40)], [None, None, None, None]),
        # points out of order say nothing, and neither do those without a start
        ([(5, 10), (5, 20), (15, 18), (None, 30), (5, 40)], [None, None, None, None, None]),
        # a start that moves back is no restart
        ([(5, 10), (5, 20), (3, 30)], [None, None, None]),
    ],
)
def test_a_start_that_moves_is_a_restart(
    points: list[tuple[int | None, int]], expected: list[int | None]
) -> None:
    assert restarts(*points) == expected


def test_parts_are_made_once_and_not_without_end() -> None:
    stream = OtlpStream("m", {"pod": "a"}, "s")
    assert stream.part("_bucket", "histogram", "le", "1") is stream.part(
        "_bucket", "histogram", "le", "1"
    )
    assert (stream.part("_sum", "histogram").unit, stream.part("_count", "histogram").unit) == (
        "s",
        "",
    )
    for number in range(49_999):
        stream.part("_bucket", "histogram", "le", str(number))
    with pytest.raises(MalformedError, match="too_many_buckets"):
        stream.part("_bucket", "histogram", "le", "one more")


def test_deltas_add_up_until_bounds_change() -> None:
    stream = OtlpStream("m", {}, "")
    assert stream.add_up(("1",), [1.0, 2.0]) == ([1.0, 2.0], True)
    assert stream.add_up(("1",), [1.0, 2.0]) == ([2.0, 4.0], False)
    assert stream.add_up(("2",), [1.0, 2.0]) == ([1.0, 2.0], True)
