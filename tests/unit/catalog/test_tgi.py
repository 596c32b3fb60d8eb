"""TGI's names."""

from __future__ import annotations

import pytest

from signals.catalog.naming import match


@pytest.mark.parametrize(
    ("metric", "measurement", "part"),
    [
        ("tgi_request_generated_tokens_sum", "decode_tokens_total", "value"),
        ("tgi_request_input_length_sum", "prompt_tokens_total", "value"),
        ("tgi_request_queue_duration_sum", "queue_wait", "sum"),
        ("tgi_queue_size", "queue_depth", "value"),
        ("tgi_request_count", "requests_total", "value"),
    ],
)
def test_names(metric, measurement, part):
    found = match(metric, {}, "")
    assert found is not None
    assert (found.measurement, found.part) == (measurement, part)


def test_only_sums_of_lengths_count_tokens():
    assert match("tgi_request_input_length_bucket", {"le": "1"}, "") is None
