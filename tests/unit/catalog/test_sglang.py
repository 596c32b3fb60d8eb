"""SGLang's names."""

from __future__ import annotations

import pytest

from signals.catalog.naming import match


@pytest.mark.parametrize(
    ("mode", "measurement"),
    [
        ("prefill_compute", "prefill_tokens_total"),
        ("prefill_cache", "cached_tokens_total"),
        ("decode", "decode_tokens_total"),
    ],
)
def test_real_time_tokens_by_mode(mode, measurement):
    found = match("sglang:realtime_tokens_total", {"mode": mode}, "counter")
    assert found is not None
    assert (found.measurement, found.parts) == (measurement, ())


def test_counters_that_move_at_the_end_come_second():
    early = match("sglang:realtime_tokens_total", {"mode": "decode"}, "")
    late = match("sglang:generation_tokens_total", {}, "")
    assert early is not None
    assert late is not None
    assert early.measurement == late.measurement
    assert early.priority < late.priority


def test_queues_of_a_split_deployment_add_up():
    names = ["num_queue_reqs", "num_decode_prealloc_queue_reqs", "num_decode_transfer_queue_reqs"]
    found = [match(f"sglang:{name}", {"engine_type": "decode"}, "") for name in names]
    assert {one.measurement for one in found if one} == {"queue_depth"}
    assert {one.priority for one in found if one} == {10}
    assert len({one.parts for one in found if one}) == 3
    assert {one.pool for one in found if one} == {"decode"}


def test_throughput_is_a_signal_already():
    found = match("sglang:gen_throughput", {}, "gauge")
    assert found is not None
    assert (found.measurement, found.exported, found.unit) == ("decode_tps", True, "tokens/s")
