"""The user's pool rules."""

from __future__ import annotations

from collections.abc import Sequence

import duckdb
import pytest

from signals.errors import UsageError
from signals.store.parsed import Series
from signals.store.pools import apply_rules, parse_rules, place_targets
from tests.sql.hand import Hand, chunk_of


def test_the_first_rule_that_fits_wins() -> None:
    rules = parse_rules(("prefill=pod:~.*prefill.*", "decode=zone:b", "unified=pod:~.*"))
    assert apply_rules(rules, {"pod": "x-prefill-0"}) == ("prefill", "prefill=pod:~.*prefill.*")
    assert apply_rules(rules, {"pod": "y", "zone": "b"})[0] == "decode"
    assert apply_rules(rules, {"pod": "y"})[0] == "unified"
    assert apply_rules(rules, {}) == ("", "")


def test_a_value_is_taken_as_it_stands() -> None:
    rules = parse_rules(("decode=image:a.b:1",))
    assert apply_rules(rules, {"image": "a.b:1"})[0] == "decode"
    assert apply_rules(rules, {"image": "aXb:1"})[0] == ""


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("prefill", "pool rule 'prefill' is not understood"),
        ("prefill=pod", "pool rule 'prefill=pod' is not understood"),
        ("prefill=pod:a,zone:", "pool rule 'prefill=pod:a,zone:' is not understood"),
        ("prefil=pod:a", "pool 'prefil' does not exist"),
        ("prefill=pod:~(", "the pattern of pool rule 'prefill=pod:~(' is no regular expression"),
    ],
)
def test_a_rule_that_is_not_understood_says_why(text: str, what: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_rules((text,))
    assert caught.value.what == what


def test_a_pattern_takes_time_by_the_length_of_the_value_only() -> None:
    rules = parse_rules((r"prefill=pod:~(a+)+b", r"decode=pod:~(.*)*(.*)*x"))
    assert apply_rules(rules, {"pod": "a" * 2000}) == ("", "")


def test_all_of_a_value_must_match() -> None:
    rules = parse_rules((r"prefill=pod:~a|bc", r"decode=pod:~d$"))
    assert apply_rules(rules, {"pod": "a"})[0] == "prefill"
    assert apply_rules(rules, {"pod": "bc"})[0] == "prefill"
    assert apply_rules(rules, {"pod": "ac"})[0] == ""
    assert apply_rules(rules, {"pod": "d\n"})[0] == ""


@pytest.mark.parametrize(
    "pattern",
    [
        "a{99999999999999999999}",
        "(a{1000}){1000}",
        "(" * 5000 + ")" * 5000,
        "(?=a)a",
        r"(a)\1",
        "a)b(c",
        "\udcff",
    ],
)
def test_a_pattern_that_cannot_be_used_is_refused(pattern: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_rules((f"prefill=pod:~{pattern}",))
    assert len(str(caught.value).encode()) < 1500


def test_all_conditions_of_a_rule_must_hold() -> None:
    rules = parse_rules(("prefill=Hostname:n0,gpu:~[0-3]", "decode=pod:~x{1,3},zone:b"))
    assert apply_rules(rules, {"Hostname": "n0", "gpu": "3"})[0] == "prefill"
    assert apply_rules(rules, {"Hostname": "n0", "gpu": "4"})[0] == ""
    assert apply_rules(rules, {"pod": "xxx", "zone": "b"})[0] == "decode"
    assert apply_rules(rules, {"pod": "xxx"})[0] == ""


@pytest.mark.parametrize("label", ["Hostname", "hostname", "node", "host.name"])
def test_a_rule_may_say_host_whatever_the_exporter_says(label: str) -> None:
    rules = parse_rules(("decode=host:n7,gpu:~[4-7]",))
    assert apply_rules(rules, {label: "n7", "gpu": "5", "UUID": "GPU-5"})[0] == "decode"
    assert apply_rules(rules, {label: "n8", "gpu": "5"})[0] == ""


def counter(metric: str, pod: str, last: float, **labels: str):  # type: ignore[no-untyped-def]
    points = [(60.0 * i, last * i / 10) for i in range(11)]
    return Series(metric, {"pod": pod, **labels}), points


def instance(pod: str, *, requests: float, prompt: float, made: float):  # type: ignore[no-untyped-def]
    return (
        counter("vllm:request_success_total", pod, requests, finished_reason="stop"),
        counter("vllm:prompt_tokens_total", pod, prompt),
        counter("vllm:generation_tokens_total", pod, made),
    )


def placed(hand: Hand) -> dict[str, tuple[str, str]]:
    """Pool and rule by instance or GPU."""
    with duckdb.connect(hand.path) as connection:
        place_targets(connection, "svc")
        rows = connection.execute(
            "select coalesce(nullif(gpu_uuid, ''), instance), pool, rule"
            " from target join target_pool using (target_id)"
        ).fetchall()
    return {name: (pool, rule) for name, pool, rule in rows}


PREFILL = {"requests": 500, "prompt": 400_000, "made": 500}
DECODE = {"requests": 490, "prompt": 400_000, "made": 90_000}
CHAT = {"requests": 500, "prompt": 400_000, "made": 90_000}


def test_behaviour_tells_prefill_from_decode(hand: Hand) -> None:
    hand.load(
        chunk_of(
            *instance("a", **PREFILL),
            *instance("b", **DECODE),
            *instance("idle", requests=0, prompt=0, made=0),
            (
                Series("DCGM_FI_DEV_GPU_UTIL", {"exported_pod": "b", "UUID": "GPU-b"}),
                [(0, 1), (600, 1)],
            ),
        )
    )
    assert placed(hand) == {
        "a": ("prefill", "behaviour"),
        "b": ("decode", "behaviour"),
        "idle": ("unified", "default"),
        "GPU-b": ("decode", "joined instance"),
    }


@pytest.mark.parametrize(
    "others",
    [
        [CHAT],  # a fleet of one kind
        [PREFILL],  # classification: one token each, nothing decodes
        [PREFILL, CHAT, {"requests": 500, "prompt": 400_000, "made": 1200}],  # one in between
        [{**PREFILL, "requests": 40, "prompt": 32_000, "made": 40}],  # few, so no half of a pair
    ],
)
def test_an_unclear_split_stays_unified(hand: Hand, others: Sequence[dict[str, float]]) -> None:
    first = PREFILL if others == [PREFILL] else CHAT
    chunks = [instance(f"p{i}", **numbers) for i, numbers in enumerate((first, *others))]
    hand.load(chunk_of(*(series for one in chunks for series in one)))
    assert set(placed(hand).values()) == {("unified", "default")}


def test_transferred_cache_tells_a_decode_instance(hand: Hand) -> None:
    quiet = {"requests": 500, "prompt": 400_000, "made": 1200}
    received = counter(
        "vllm:prompt_tokens_by_source_total", "b", 399_000, source="external_kv_transfer"
    )
    hand.load(chunk_of(*instance("a", **PREFILL), *instance("b", **quiet), received))
    assert placed(hand) == {"a": ("prefill", "behaviour"), "b": ("decode", "behaviour")}


def test_without_requests_the_ratio_of_tokens_tells(hand: Hand) -> None:
    hand.load(
        chunk_of(
            counter("vllm:prompt_tokens_total", "a", 400_000),
            counter("vllm:generation_tokens_total", "a", 500),
            counter("vllm:prompt_tokens_total", "b", 400_000),
            counter("vllm:generation_tokens_total", "b", 90_000),
        )
    )
    assert placed(hand) == {"a": ("prefill", "behaviour"), "b": ("decode", "behaviour")}


def test_a_restart_is_no_behaviour(hand: Hand) -> None:
    """Only increases count: a counter that starts anew is no work undone."""
    low = (Series("vllm:generation_tokens_total", {"pod": "b"}), [(0, 9e4), (60, 1e5), (120, 5)])
    hand.load(
        chunk_of(
            *instance("a", **PREFILL),
            counter("vllm:request_success_total", "b", 490, finished_reason="stop"),
            counter("vllm:prompt_tokens_total", "b", 400_000),
            low,
        )
    )
    assert placed(hand)["b"] == ("decode", "behaviour")


def test_labels_come_before_behaviour_and_new_data_tell_anew(hand: Hand) -> None:
    hand.load(chunk_of(*instance("a", **PREFILL)))
    assert placed(hand) == {"a": ("unified", "default")}
    hand.load(chunk_of(*instance("x-decode-0", **DECODE)))
    assert placed(hand) == {"a": ("prefill", "behaviour"), "x-decode-0": ("decode", "label pod")}
    hand.load(chunk_of(*instance("c", **CHAT), *instance("d", **{**CHAT, "made": 1200})))
    assert placed(hand)["a"] == ("unified", "default")


def test_gpus_join_by_host_and_number(hand: Hand) -> None:
    def gauge(metric: str, **labels: str):  # type: ignore[no-untyped-def]
        return Series(metric, labels), [(0, 1), (15, 1)]

    hand.load(
        chunk_of(
            gauge("vllm:num_requests_running", pod="x-prefill-0", node="n0", gpu="0"),
            gauge("vllm:num_requests_running", pod="x-decode-0", node="n0", gpu="1"),
            gauge("vllm:num_requests_running", instance="n1:8000", role="decode"),
            gauge("DCGM_FI_DEV_GPU_UTIL", Hostname="n0", gpu="0", UUID="GPU-00"),
            gauge("DCGM_FI_DEV_GPU_UTIL", Hostname="n0", gpu="1", UUID="GPU-01"),
            gauge("DCGM_FI_DEV_GPU_UTIL", Hostname="n0", gpu="2", UUID="GPU-02"),
            gauge("DCGM_FI_DEV_GPU_UTIL", Hostname="n1", gpu="0", UUID="GPU-10"),
            gauge("DCGM_FI_DEV_GPU_UTIL", instance="n1:9400", gpu="1", UUID="GPU-11"),
        )
    )
    found = placed(hand)
    assert found["GPU-00"] == ("prefill", "joined gpu")
    assert found["GPU-01"] == ("decode", "joined gpu")
    assert found["GPU-10"] == ("decode", "joined host")
    assert found["GPU-11"] == ("decode", "joined host")
    assert found["GPU-02"] == ("unified", "default")


def test_dynamos_backend_decodes_only_beside_prefill(hand: Hand) -> None:
    def running(pod: str, component: str):  # type: ignore[no-untyped-def]
        labels = {"pod": pod, "dynamo_component": component, "dynamo_endpoint": "generate"}
        return Series("dynamo_component_inflight_requests", labels), [(0, 1), (15, 1)]

    hand.load(chunk_of(running("w0", "backend")))
    assert placed(hand)["w0"] == ("unified", "label dynamo_component")
    hand.load(chunk_of(running("w1", "prefill")))
    assert placed(hand) == {
        "w0": ("decode", "label dynamo_component"),
        "w1": ("prefill", "label dynamo_component"),
    }


CHATS = {"handler": "/v1/chat/completions", "job": "api"}
FLEETS = {
    "split": ("x-prefill-0", "x-decode-0"),
    "whole": ("x-0", "x-1"),
}


@pytest.mark.parametrize(
    ("fleet", "labels", "pool"),
    [
        ("split", {"pod": "api-0"}, "service"),
        ("split", {"pod": "api-0", "role": "decode"}, "decode"),  # its own label says so
        ("split", {"pod": "x-decode-0"}, "decode"),
        # a pool on the same machine says nothing of where requests arrive
        ("split", {"instance": "n1:80"}, "service"),
        ("whole", {"pod": "api-0"}, "unified"),
        ("whole", {"pod": "x-0"}, "unified"),
    ],
)
def test_arrivals_beside_two_pools_are_the_services(
    hand: Hand, fleet: str, labels: dict[str, str], pool: str
) -> None:
    engines = [one for pod in FLEETS[fleet] for one in instance(pod, **CHAT)]
    near = Series("vllm:num_requests_running", {"instance": "n1:8000", "role": "decode"})
    others = [(near, [(0, 1.0), (60, 2.0)])] if fleet == "split" else []
    requests = Series("http_requests_total", {**CHATS, **labels})
    points = [(60.0 * i, 30.0 * i) for i in range(11)]
    hand.load(chunk_of(*engines, *others, (requests, points)))
    names = {name for name in hand.store.panel("svc").frame.columns if "request_rate" in name}
    assert names == {f"{pool}:request_rate"}


def test_an_engine_that_no_pool_is_told_of_keeps_its_arrivals(hand: Hand) -> None:
    split = [one for pod in FLEETS["split"] for one in instance(pod, **CHAT)]
    between = instance("odd-0", **{**CHAT, "made": 1200})
    requests = Series("http_requests_total", {**CHATS, "pod": "odd-0"})
    hand.load(chunk_of(*split, *between, (requests, [(60.0 * i, i) for i in range(11)])))
    names = {name for name in hand.store.panel("svc").frame.columns if "request_rate" in name}
    assert names == {"unified:request_rate"}
