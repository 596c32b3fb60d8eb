"""vLLM's names against a real scrape."""

from __future__ import annotations

from signals.catalog.naming import match
from signals.store.sources.exposition import parse_labels


def names_in(path):
    """(metric, labels) of every sample of a scrape."""
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            parsed = parse_labels(line.rpartition(" ")[0])
            if parsed:
                yield parsed


def test_a_decode_workers_prompts_are_no_prefill_work():
    local = match("vllm:prompt_tokens_by_source_total", {"source": "local_compute"}, "counter")
    moved = match(
        "vllm:prompt_tokens_by_source_total", {"source": "external_kv_transfer"}, "counter"
    )
    assert local is not None
    assert local.measurement == "prefill_tokens_total"
    assert local.parts == ()
    assert moved is None


def test_version_0_25(shared):
    path = shared / "data" / "nolicence" / "scrapes" / "vllm_0.25.1_loaded.prom"
    found = {match(metric, labels, "") for metric, labels in names_in(path)} - {None}
    assert {one.measurement for one in found if one} == {
        "cached_tokens_total",
        "completions_total",
        "decode_tokens_total",
        "e2e",
        "itl",
        "kv_usage",
        "preemptions_total",
        "prefill_tokens_total",
        "prefix_hits_total",
        "prefix_queries_total",
        "prompt_tokens_total",
        "queue_depth",
        "queue_wait",
        "requests_total",
        "running",
        "tpot",
        "ttft",
    }
    assert {one.target.part for one in found if one and one.engine == "vllm"} == {"engine=0"}


def test_version_0(shared):
    path = shared / "data" / "scrapes" / "vllm_0.6-0.7_v0engine_docs.prom"
    found = {match(metric, labels, "") for metric, labels in names_in(path)} - {None}
    assert {"kv_usage", "running", "queue_depth", "preemptions_total"} <= {
        one.measurement for one in found if one
    }


def test_names_of_version_0_hold_signals():
    for metric, signal in (
        ("vllm:avg_prompt_throughput_toks_per_s", "prompt_tps"),
        ("vllm:avg_generation_throughput_toks_per_s", "decode_tps"),
        ("vllm:gpu_prefix_cache_hit_rate", "prefix_hit_ratio"),
    ):
        found = match(metric, {"pod": "p"}, "gauge")
        assert found is not None
        assert (found.measurement, found.exported) == (signal, True)


def test_computed_tokens_of_finished_requests_come_second():
    late = match("vllm:request_prefill_kv_computed_tokens_sum", {"pod": "p"}, "histogram")
    live = match("vllm:prompt_tokens_by_source_total", {"pod": "p", "source": "local_compute"}, "")
    assert late is not None
    assert live is not None
    assert (late.measurement, late.target) == (live.measurement, live.target)
    assert late.priority > live.priority


def test_the_http_servers_count_is_known_by_its_path():
    labels = {"handler": "/v1/chat/completions", "method": "POST", "status": "2xx", "pod": "p"}
    found = match("http_requests_total", labels, "counter")
    assert found is not None
    assert found.measurement == "requests_total"
    assert dict(found.parts) == {k: labels[k] for k in ("handler", "method", "status")}
    assert match("http_requests_total", {**labels, "handler": "/health"}, "counter") is None
    assert match("http_requests_total", {"code": "200"}, "counter") is None


def test_waiting_by_reason_is_not_added_to_waiting():
    labels = {"pod": "p", "reason": "capacity"}
    assert match("vllm:num_requests_waiting_by_reason", labels, "gauge") is None
