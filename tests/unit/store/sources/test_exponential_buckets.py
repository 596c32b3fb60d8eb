"""Exponential histograms: exact merging, bounds that stay, scales that fall."""

from __future__ import annotations

import math
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signals.store.sources.exponential_buckets import ExponentialBuckets
from signals.store.sources.otlp_values import MalformedError


def histogram(values, scale):
    """A data point as an SDK makes it."""
    base = 2.0 ** (2.0**-scale)
    indices = Counter(math.ceil(math.log(value, base) - 1e-9) - 1 for value in values)
    offset = min(indices, default=0)
    counts = [str(indices[place]) for place in range(offset, max(indices, default=-1) + 1)]
    return {
        "scale": scale,
        "count": str(len(values)),
        "positive": {"offset": offset, "bucketCounts": counts},
    }


def test_a_bucket_lies_between_powers_of_the_base():
    # scale 0: bucket 1 is above 2 up to 4
    point = {"scale": 0, "positive": {"offset": 1, "bucketCounts": ["5", 0, 2]}, "zeroCount": "1"}
    found = ExponentialBuckets().cumulative(point)
    assert found == [("2.0", 1), ("4.0", 6), ("8.0", 6), ("16.0", 8)]


def test_finer_scales_are_merged_and_coarser_ones_stay():
    buckets = ExponentialBuckets()
    fine = {"scale": 4, "positive": {"offset": 0, "bucketCounts": [1] * 16}}
    quarter = 2**0.25
    assert buckets.cumulative(fine) == [
        ("1.0", 0), (repr(quarter), 4), (repr(2**0.5), 8), (repr(2.0**0.75), 12), ("2.0", 16),
    ]  # fmt: skip
    coarse = {"scale": 0, "positive": {"offset": 0, "bucketCounts": [20]}}
    assert buckets.cumulative(coarse) == [("1.0", 0), ("2.0", 20)]
    # once it fell, the scale does not rise again
    assert buckets.cumulative(fine) == [("1.0", 0), ("2.0", 16)]


def test_bounds_stay_when_counts_are_gone():
    buckets = ExponentialBuckets()
    first = [bound for bound, _ in buckets.cumulative(histogram([0.01, 5.0], 2))]
    assert [bound for bound, _ in buckets.cumulative(histogram([1.0], 2))] == first
    assert [bound for bound, _ in buckets.cumulative(histogram([], 2))] == first


def test_deltas_add_up():
    buckets = ExponentialBuckets()
    one = {"scale": 0, "positive": {"offset": 0, "bucketCounts": [1]}, "zeroCount": 2,
           "negative": {"offset": 3, "bucketCounts": ["4"]}}  # fmt: skip
    assert buckets.delta(one) == [("1.0", 6), ("2.0", 7)]
    assert buckets.delta(one) == [("1.0", 12), ("2.0", 14)]
    lower = {"scale": -1, "positive": {"offset": 1, "bucketCounts": [5]}}  # above 4 up to 16
    assert buckets.delta(lower) == [("1.0", 12), ("4.0", 14), ("16.0", 19)]


def test_nothing_was_observed():
    assert ExponentialBuckets().cumulative({"scale": 20, "zeroCount": "3"}) == []


@pytest.mark.parametrize(
    "point",
    [
        {"scale": 21},
        {"scale": -12},
        {"scale": "x"},
        {"positive": []},
        {"positive": {"bucketCounts": ["-1"]}},
        {"positive": {"offset": 2000, "bucketCounts": [1]}},
        {"positive": {"offset": -2000, "bucketCounts": [1]}},
        {"scale": 2, "positive": {"offset": 0, "bucketCounts": [1, *[0] * 4000, 1]}},
        {"positive": {"offset": 2**63, "bucketCounts": [1]}},
    ],
)
def test_what_is_no_histogram(point):
    buckets = ExponentialBuckets()
    before = buckets.cumulative(histogram([1.0], 2))
    with pytest.raises(MalformedError):
        buckets.cumulative(point)
    assert buckets.cumulative(histogram([1.0], 2)) == before


@settings(deadline=None)
@given(st.lists(st.lists(st.floats(1e-3, 1e3), max_size=20), max_size=6), st.lists(st.integers(-2, 8), min_size=6, max_size=6))  # fmt: skip
def test_counts_are_those_of_the_observations(batches, scales):
    buckets = ExponentialBuckets()
    seen = []
    for batch, scale in zip(batches, scales, strict=False):
        seen += batch
        for bound, count in buckets.delta(histogram(batch, scale)):
            near = sum(abs(value - float(bound)) < 1e-6 * value for value in seen)
            below = sum(value <= float(bound) for value in seen)
            assert abs(count - below) <= near
