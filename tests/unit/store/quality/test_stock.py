"""Findings about everything that is loaded."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from signals.schema import Finding
from signals.store.connect import reading
from signals.store.parsed import Series
from signals.store.quality import stock_findings
from signals.study.panel import choose_loads
from tests.sql.hand import Hand, chunk_of

WAVE = [(15 * i, float(i % 7)) for i in range(60)]


def found(hand: Hand) -> list[Finding]:
    with reading(hand.path) as connection:
        findings = stock_findings(connection)
    assert {service for service, _ in findings} <= {"svc"}
    return [finding for _, finding in findings]


def codes(hand: Hand) -> list[str]:
    return [finding.code for finding in found(hand)]


def rising(metric: str, step: float = 100.0, **labels: str):  # type: ignore[no-untyped-def]
    return Series(metric, labels), [(15 * i, step * i) for i in range(40)]


def test_a_slice_has_no_utilisation_of_its_own(hand: Hand) -> None:
    whole = {"UUID": "GPU-a", "gpu": "0"}
    hand.load(
        chunk_of(
            (Series("DCGM_FI_DEV_GPU_UTIL", whole), WAVE),
            *(
                (Series("DCGM_FI_PROF_SM_ACTIVE", {**whole, "GPU_I_ID": mig}), [(0, 0.5)])
                for mig in ("1", "2")
            ),
        )
    )
    assert [(f.code, f.count) for f in found(hand)] == [("mig_no_gpu_util", 2)]


def test_a_decode_pools_prompts_are_not_its_work(hand: Hand) -> None:
    hand.load(chunk_of(rising("vllm:prompt_tokens_total", pod="decode-0")))
    (finding,) = found(hand)
    assert (finding.code, finding.subject) == ("received_prompts_counted", "decode:prompt_tps")


@pytest.mark.parametrize(
    ("hits", "computed", "expected"),
    [(50.0, False, ["cached_prompts_counted"]), (0.0, False, []), (50.0, True, [])],
)
def test_prompts_from_the_cache_are_no_work(
    hand: Hand, hits: float, computed: bool, expected: list[str]
) -> None:
    series = [
        rising("vllm:prompt_tokens_total", pod="a"),
        rising("vllm:prefix_cache_hits_total", hits, pod="a"),
    ]
    if computed:
        name = "vllm:prompt_tokens_by_source_total"
        series.append(rising(name, 50.0, pod="a", source="local_compute"))
    hand.load(chunk_of(*series))
    assert codes(hand) == expected


def test_completions_are_no_arrivals(hand: Hand) -> None:
    done = rising("vllm:request_success_total", 1.0, pod="a", finished_reason="stop")
    hand.load(chunk_of(done))
    (finding,) = found(hand)
    assert finding.code == "completions_only"
    # what becomes of them is what the study says of its load
    choices, remarks = choose_loads(hand.store.panel("svc"))
    assert [one.column for one in choices.values()] == ["unified:completion_rate"]
    assert "served_load" in {one.code for one in remarks}
    assert "told as served load" in finding.action
    assert "not used" not in finding.action
    hand.load(chunk_of(rising("gateway_request_total", 1.0)))
    assert codes(hand) == []


def inventory_rows(hand: Hand) -> list[dict[str, object]]:
    """Findings of the stock and of the loads."""
    return hand.store.inventory().findings.to_dicts()


COPIES = {"rank_copies", "equal_series", "duplicate", "conflict", "metric_copy"}


@pytest.mark.parametrize("skew", [0.0, 1.0])
def test_other_ranks_are_copies(hand: Hand, skew: float) -> None:
    name = "sglang:realtime_tokens_total"
    ranks = [rising(name, 100.0 + skew * int(r), pod="a", mode="decode", tp_rank=r) for r in "0123"]
    hand.load(chunk_of(*ranks))
    (copy,) = (one for one in inventory_rows(hand) if one["code"] in COPIES)
    assert (copy["code"], copy["count"], copy["subject"]) == ("rank_copies", 3, name)
    assert f"4 ranks (tp_rank) of an engine export {name}: 3 of its series" in str(copy["text"])
    rates = hand.store.panel("svc").frame["unified:decode_tps"].drop_nulls()
    assert rates.to_list() == pytest.approx([100 / 15] * len(rates))


def test_copies_are_those_of_all_engines_and_kinds_of_ranks(hand: Hand) -> None:
    pairs = [("0", "0"), ("1", "0"), ("0", "1"), ("1", "1")]
    series = [
        rising("sglang:realtime_tokens_total", pod=pod, mode="decode", tp_rank=tp, pp_rank=pp)
        for pod in "ab"
        for tp, pp in pairs
    ]
    hand.load(chunk_of(*series))
    (finding,) = found(hand)
    assert finding.count == 6
    assert "4 ranks (pp_rank, tp_rank)" in finding.text


@pytest.mark.parametrize("label", ["tp_rank", "dp_rank"])
def test_one_rank_and_engines_of_data_parallelism_are_no_copies(hand: Hand, label: str) -> None:
    ranks = "0" if label == "tp_rank" else "0123"
    name = "sglang:realtime_tokens_total"
    hand.load(chunk_of(*(rising(name, pod="a", mode="decode", **{label: rank}) for rank in ranks)))
    assert not COPIES & {one["code"] for one in inventory_rows(hand)}
    rates = hand.store.panel("svc").frame["unified:decode_tps"].drop_nulls()
    assert rates.to_list() == pytest.approx([len(ranks) * 100 / 15] * len(rates))


def test_the_lowest_rank_speaks_where_rank_0_is_absent(hand: Hand) -> None:
    name = "sglang:realtime_tokens_total"
    series = [
        rising(name, 10.0 * int(rank), pod=pod, mode="decode", tp_rank=rank)
        for pod, ranks in (("a", "21"), ("b", "43"))
        for rank in ranks
    ]
    hand.load(chunk_of(*series))
    rates = hand.store.panel("svc").frame["unified:decode_tps"].drop_nulls()
    assert rates.to_list() == pytest.approx([(10 + 30) / 15] * len(rates))
    assert "equal_series" not in {one["code"] for one in inventory_rows(hand)}


def histogram(pod: str, counts: dict[str, Sequence[int]]):  # type: ignore[no-untyped-def]
    metric = "vllm:time_to_first_token_seconds_bucket"
    return [
        (Series(metric, {"pod": pod, "le": le}), [(15.0 * i, n) for i, n in enumerate(values)])
        for le, values in counts.items()
    ]


@pytest.mark.parametrize(
    ("counts", "code", "words"),
    [
        (
            {"1": [0, 30], "5": [0, 30], "+Inf": [0, 30]},
            "degenerate_histogram",
            "between 0 and 1 s",
        ),
        ({"1": [0, 0], "5": [0, 30], "+Inf": [0, 30]}, "degenerate_histogram", "between 1 and 5 s"),
        ({"1": [0, 0], "5": [0, 0], "+Inf": [0, 30]}, "degenerate_histogram", "above 5 s"),
        ({"+Inf": [0, 30]}, "histogram_without_bounds", "no bound but infinity"),
        ({"1": [0, 10], "5": [0, 30], "+Inf": [0, 31]}, "", ""),
        ({"1": [0, 3], "5": [0, 3], "+Inf": [0, 3]}, "", ""),  # three observations say nothing
    ],
)
def test_histograms_that_tell_little(
    hand: Hand, counts: dict[str, Sequence[int]], code: str, words: str
) -> None:
    hand.load(chunk_of(*histogram("prefill-0", counts)))
    findings = found(hand)
    assert [finding.code for finding in findings] == ([code] if code else [])
    assert all(words in finding.text for finding in findings)


def test_bounds_that_differ_between_pods(hand: Hand) -> None:
    old = {"1": [0, 10], "5": [0, 20], "+Inf": [0, 30]}
    new = {"1": [0, 10], "2": [0, 12], "5": [0, 20], "10": [0, 25], "+Inf": [0, 30]}
    hand.load(chunk_of(*histogram("prefill-0", old), *histogram("prefill-1", new)))
    (finding,) = found(hand)
    assert (finding.code, finding.count, finding.subject) == ("bounds_changed", 2, "prefill:ttft")
    assert "(3 to 5 bounds)" in finding.text


@pytest.mark.parametrize(("held", "is_sticky"), [(2, True), (1, False)])
def test_gpu_gauges_that_are_collected_less_often(hand: Hand, held: int, is_sticky: bool) -> None:
    values = [(15 * i, 0.3 + 0.001 * (7 * (i // held) % 11)) for i in range(80)]
    hand.load(
        chunk_of((Series("DCGM_FI_PROF_SM_ACTIVE", {"UUID": "GPU-a", "pod": "decode-0"}), values))
    )
    findings = found(hand)
    assert [finding.code for finding in findings] == (["sticky_gauge"] if is_sticky else [])
    if is_sticky:
        assert "sampled every 15 s, collected about every 30" in findings[0].text


@pytest.mark.parametrize(("counted", "is_short"), [(900, True), (995, False)])
def test_a_gateway_that_does_not_count_the_refused(
    hand: Hand, counted: int, is_short: bool
) -> None:
    log = [{"arrived_s": float(i), "prompt_tokens": 5} for i in range(1000)]
    points = [(15 * i - 15, counted * min(i, 68) / 68) for i in range(70)]
    hand.load(chunk_of((Series("gateway_request_total", {}), points), requests=log))
    findings = found(hand)
    assert [finding.code for finding in findings] == (["arrivals_disagree"] if is_short else [])


def test_an_empty_store_has_no_findings(hand: Hand) -> None:
    hand.load(chunk_of((Series("vllm:num_requests_running", {"pod": "a"}), WAVE)))
    assert found(hand) == []
