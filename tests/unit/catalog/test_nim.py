"""NIM's names have no prefix."""

from __future__ import annotations

import pytest

from signals.catalog.naming import match


@pytest.mark.parametrize(
    ("metric", "measurement", "engine"),
    [
        ("num_requests_running", "running", "nim"),
        ("generation_tokens_total", "decode_tokens_total", "nim"),
        ("time_to_first_token_seconds_sum", "ttft", "nim"),
        ("prompt_tokens_total", "prompt_tokens_total", "own"),
        ("running", "running", "own"),
    ],
)
def test_bare_names(metric, measurement, engine):
    found = match(metric, {"pod": "p"}, "")
    assert found is not None
    assert (found.measurement, found.engine) == (measurement, engine)
