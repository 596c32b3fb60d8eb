"""TensorRT-LLM's names."""

from __future__ import annotations

import pytest

from signals.catalog.naming import match


@pytest.mark.parametrize("prefix", ["trtllm_", "trtllm:"])
def test_both_separators(prefix):
    found = match(f"{prefix}generation_tokens_total", {"engine_type": "decode"}, "counter")
    assert found is not None
    assert (found.measurement, found.pool) == ("decode_tokens_total", "decode")


def test_kv_usage_is_a_ratio():
    found = match("trtllm_kv_cache_utilization", {}, "gauge")
    assert found is not None
    assert (found.measurement, found.unit) == ("kv_usage", "ratio")
