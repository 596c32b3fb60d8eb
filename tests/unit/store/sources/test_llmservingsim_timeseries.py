"""LLMServingSim's series of an engine: seconds from a start that lies beside it."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from signals.errors import InputError
from signals.store.parsed import ReadOptions

TEXT = "t,prompt_throughput,gen_throughput,running,waiting,kv_cache_pct\n1.0,90.5,166.0,9,2,13.2\n2.0,1,2,3,4,x\n"
START = "2025-10-09T08:53:20Z"


def test_times_count_from_the_meta_files_start(whole, write):
    write("a_meta.json", json.dumps({"started_at": START}))
    found = whole(write("a_timeseries.csv", TEXT))
    assert found.format == "llmservingsim-timeseries"
    assert found.rows[0] == ("prompt_tps", {}, 1.0, 90.5)
    assert {metric: one.unit for (metric, _), one in found.series.items()} == {
        "prompt_tps": "tokens/s",
        "decode_tps": "tokens/s",
        "running": "count",
        "queue_depth": "count",
        "kv_usage": "%",
    }
    assert found.codes == {"start_from_meta": 1}
    assert found.rejected == [(3, "bad_number")]


def test_a_start_of_the_users_comes_first(whole, write):
    write("a_meta.json", json.dumps({"started_at": "2020-01-01T00:00:00Z"}))
    found = whole(
        write("a_timeseries.csv", TEXT),
        ReadOptions(start=datetime(2025, 10, 9, 8, 53, 20, tzinfo=UTC)),
    )
    assert set(found.seconds) == {1.0, 2.0}
    assert found.codes == {}


@pytest.mark.parametrize(
    "meta",
    [None, b"{", b"[]", b'{"started_at": 5}', b'{"started_at": "soon"}', b"\xff", b"[" * 100_000],
)
def test_a_meta_file_that_says_no_start(whole, write, meta):
    if meta is not None:
        write("a_meta.json", meta)
    assert whole(write("a_timeseries.csv", TEXT)).codes == {"start_assumed": 1}
    assert whole(write("b.csv", TEXT)).codes == {"start_assumed": 1}


def test_a_start_without_a_zone_is_utc(whole, write):
    write("a_meta.json", json.dumps({"started_at": START.removesuffix("Z")}))
    assert set(whole(write("a_timeseries.csv", TEXT)).seconds) == {1.0, 2.0}


def test_a_header_alone(whole, write):
    with pytest.raises(InputError, match="no row"):
        whole(write("a_timeseries.csv", TEXT.split("\n", 1)[0] + "\n"))


def test_real_runs(whole, shared):
    folder = shared / "data" / "llmservingsim_vllm"
    rows = {"RTX4090_Llama-3.1-8B": 184, "RTXPRO6000_Llama-3.1-8B": 67, "RTXPRO6000_Qwen3-32B": 160}
    for name, seconds in rows.items():
        found = whole(folder / f"{name}_timeseries.csv")
        assert len(found.rows) == 5 * seconds
        assert found.codes == {"start_from_meta": 1}
        usage = [value for metric, *_, value in found.rows if metric == "kv_usage"]
        assert (max(usage) == 0.0) == name.startswith("RTXPRO6000")
