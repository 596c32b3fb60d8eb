"""Bounds of buckets."""

from __future__ import annotations

import pytest

from signals.store.parsed import Series
from signals.store.sources.bound import has_bad_bound

BUCKET = "vllm:time_to_first_token_seconds_bucket"


@pytest.mark.parametrize("bound", ["0.1", "1e-3", "+Inf", "Inf", "-1", "5"])
def test_numbers_are_bounds(bound: str) -> None:
    assert not has_bad_bound(Series(BUCKET, {"le": bound}))


@pytest.mark.parametrize("bound", ["abc", "0,1", "", "NaN", "1s"])
def test_a_bucket_needs_a_number(bound: str) -> None:
    assert has_bad_bound(Series(BUCKET, {"le": bound}))


def test_what_is_no_known_bucket_may_say_what_it_likes() -> None:
    assert not has_bad_bound(Series("shop_orders_bucket", {"le": "abc"}))
    assert not has_bad_bound(Series(BUCKET, {}))
    assert not has_bad_bound(Series("vllm:num_requests_waiting", {"le": "abc"}))
