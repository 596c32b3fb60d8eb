"""A live Dynamo fleet through the command line: what evaluate says about it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from signals.cli.app import run

RUN = "data/dynamo_pd_run"


@pytest.fixture(scope="module")
def card(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> dict:
    store = str(tmp_path_factory.mktemp("dynamo") / "fleet.duckdb")
    files = [
        str(shared / RUN / "prom_15s/raw_range_vector"),
        str(shared / RUN / "ground_truth/requests.own_form.csv.gz"),
    ]
    assert run(["--store", store, "load", *files, "--service", "dynamo", "-q"]) == 0
    output = Path(store).with_name("card.json")
    with output.open("w", encoding="utf-8") as stream, pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdout", stream)
        assert (
            run(["--store", store, "evaluate", "dynamo", "--load", "offered_output_tps", "--json"])
            == 0
        )
    return json.loads(output.read_text(encoding="utf-8"))


def test_decode_tokens_trail_what_clients_asked_for_by_5_to_20_s(card: dict) -> None:
    """The estimate; 27 minutes near saturation are too short to settle it, and the interval says so."""
    lag = next(s for s in card["signals"] if s["signal"] == "decode:decode_tps")["lag_s"]
    assert 5 <= lag["value"] <= 20
    assert lag["low"] < lag["value"] < lag["high"]
    assert lag["determined"] == (not lag["reason"])


def test_absent_gpu_metrics_are_named(card: dict) -> None:
    assert "no_gpu_signals" in [f["code"] for f in card["findings"]]
    assert not [s for s in card["signals"] if s["name"] in {"gpu_util", "sm_active", "power_w"}]


def test_pools_come_from_labels_and_load_from_the_log(card: dict) -> None:
    assert {s["pool"] for s in card["signals"]} == {"prefill", "decode", "service"}
    assert {choice["kind"] for choice in card["loads"]} == {"offered"}


def test_too_few_ticks_for_a_verdict_are_said(card: dict) -> None:
    score = next(s for s in card["signals"] if s["signal"] == "decode:decode_tps")
    assert score["verdict"] == "insufficient_data"
    assert [r["code"] for r in score["reasons"]] == ["few_ticks"]


FINE = (
    "vllm__kv_cache_usage_perc",
    "vllm__num_requests_waiting",
    "vllm__num_requests_running",
    "vllm__time_to_first_token_seconds_bucket",
    "dynamo_component_inflight_requests",
    "dynamo_frontend_time_to_first_token_seconds_bucket",
    "dynamo_frontend_output_tokens_total",
    "dynamo_frontend_requests_started_total",
)


@pytest.fixture(scope="module")
def fine(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict]:
    """The fleet at its finer scrape interval of 5 s, which gives ticks enough, by signal; `` has the card."""
    store = str(tmp_path_factory.mktemp("fine") / "fleet.duckdb")
    folder = shared / RUN / "prom_5s/raw_range_vector"
    files = [str(folder / f"{name}.json.gz") for name in FINE]
    files.append(str(shared / RUN / "ground_truth/requests.own_form.csv.gz"))
    assert run(["--store", store, "load", *files, "--service", "dynamo", "-q"]) == 0
    output = Path(store).with_name("card.json")
    signals = ("decode_tps", "kv_usage", "running", "request_rate")
    words = [word for name in signals for word in ("--signal", name)]
    words += ["--load", "offered_output_tps", "--tick", "5s", "--json"]
    with output.open("w", encoding="utf-8") as stream, pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdout", stream)
        assert run(["--store", store, "evaluate", "dynamo", *words]) == 0
    found = json.loads(output.read_text(encoding="utf-8"))
    return {score["signal"]: score for score in found["signals"]} | {"": found}


def _said(score: dict, kind: str) -> dict[str, str]:
    return {remark["code"]: remark["text"] for remark in score[kind]}


def test_five_seconds_give_ticks_enough(card: dict, fine: dict[str, dict]) -> None:
    """105 ticks of 15 s are none too many to measure, but too few for a class; 5 s give one."""
    coarse = next(s for s in card["signals"] if s["signal"] == "decode:decode_tps")
    assert coarse["capacity_error"]["value"] > 0
    assert coarse["elasticity"]["value"] > 0
    assert fine["decode:decode_tps"]["verdict"] == "feedback"
    lag = fine["decode:decode_tps"]["lag_s"]
    assert 5 <= lag["value"] <= 20
    assert lag["low"] < lag["value"] < lag["high"]


def test_cache_warns_before_first_tokens_come_late(fine: dict[str, dict]) -> None:
    """Full before all three rises of TTFT, which are said to prove little; other signals are not first."""
    warned = _said(fine["decode:kv_usage"], "findings")["warns_of_latency"]
    assert "at 3 of 3 rises" in warned
    assert "prove little" in warned
    assert "warns_of_latency" in _said(fine["decode:kv_usage"], "conditions")
    assert "warns_of_latency" not in _said(fine["decode:running"], "findings")
    assert "warns_of_latency" not in _said(fine["prefill:running"], "findings")


def test_prefill_looks_busy_because_decode_is(fine: dict[str, dict]) -> None:
    """What prefill holds in flight follows decode's queue; what decode runs does not follow prefill's."""
    prefill, decode = fine["prefill:running"], fine["decode:running"]
    assert "moved_by_other_pool" in _said(prefill, "conditions")
    assert "decode:queue_depth" in _said(prefill, "findings")["other_pool_moves_it"]
    assert "moved_by_other_pool" not in _said(decode, "conditions")


def test_arrivals_that_the_counter_never_saw_are_said(fine: dict[str, dict]) -> None:
    """240 refused requests are in the log alone; the log is used."""
    said = {f["code"]: f for f in fine[""]["findings"]}["arrivals_disagree"]
    assert said["count"] == 240
    assert "load looks low at saturation" in said["text"] + said["action"]
