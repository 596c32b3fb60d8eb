"""vLLM's log: both wordings, what surrounds a line, years and zones; and tables of the same numbers."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signals.errors import InputError
from signals.store.parsed import ReadOptions
from signals.store.sources import detect, find_source
from signals.store.sources.vllm_log import VLLM_LOG

DAY = ReadOptions(zone="UTC", start=datetime(2025, 10, 9, tzinfo=UTC))
NEW = (
    "(APIServer pid=1) INFO 10-09 08:53:{s:02d} [loggers.py:123] Engine {e:03d}: Avg prompt throughput: "
    "123.4 tokens/s, Avg generation throughput: 456.7 tokens/s, Running: 12 reqs, Waiting: 3 reqs, GPU KV "
    "cache usage: 45.6%, Prefix cache hit rate: 12.3%\n"
)
OLD = (
    "INFO 10-09 08:53:20 metrics.py:455] Avg prompt throughput: 6.3 tokens/s, Avg generation throughput: "
    "7.7 tokens/s, Running: 1 reqs, Swapped: 2 reqs, Pending: 4 reqs, GPU KV cache usage: 0.3%, CPU KV "
    "cache usage: 0.0%.\n"
    "INFO 10-09 08:53:20 metrics.py:471] Prefix cache hit rate: GPU: 25.00%, CPU: 0.00%\n"
)
TABLE = (
    "timestamp,prompt_throughput,generation_throughput,num_running,num_swapped,num_pending,"
    "gpu_kvcache_usage,cpu_kvcache_usage\n"
)


def test_the_present_wording(whole, write):
    found = whole(write("vllm.log", NEW.format(s=20, e=0) + NEW.format(s=30, e=1)), DAY)
    assert found.format == "vllm-log"
    first = [
        (metric, value) for metric, labels, _, value in found.rows if labels == {"engine": "0"}
    ]
    assert first == [
        ("prompt_tps", 123.4),
        ("decode_tps", 456.7),
        ("running", 12.0),
        ("queue_depth", 3.0),
        ("kv_usage", 45.6),
        ("prefix_hit_ratio", 12.3),
    ]
    assert {seconds for _, labels, seconds, _ in found.rows if labels == {"engine": "1"}} == {10.0}
    units = {metric: one.unit for (metric, _), one in found.series.items()}
    assert units["kv_usage"] == units["prefix_hit_ratio"] == "%"
    assert found.codes == {"zone_assumed": 2}


def test_the_old_wording(whole, write):
    found = whole(write("vllm.log", OLD), DAY)
    assert {metric: value for metric, _, _, value in found.rows} == {
        "prompt_tps": 6.3,
        "decode_tps": 7.7,
        "running": 1.0,
        "vllm:num_requests_swapped": 2.0,
        "queue_depth": 4.0,
        "kv_usage": 0.3,
        "vllm:cpu_cache_usage_perc": 0.0,
        "prefix_hit_ratio": 25.0,
        "vllm:cpu_prefix_cache_hit_rate": 0.0,
    }
    assert set(found.seconds) == {0.0}
    assert all(labels == {} for _, labels, _, _ in found.rows)


def test_other_lines_and_other_fields_are_told(whole, write):
    line = NEW.format(s=20, e=0).rstrip() + ", Corrupted: 0 reqs, Deferred: 2 reqs\n"
    text = 'INFO:     127.0.0.1 - "POST /v1/completions" 200 OK\n' + line + "\n"
    found = whole(write("vllm.log", text), DAY)
    assert found.codes == {"other_lines": 2, "unknown_name": 1, "zone_assumed": 1}
    assert dict.fromkeys(m for m, *_ in found.rows).keys() >= {"vllm:num_requests_deferred"}


@pytest.mark.parametrize(
    "line",
    [
        "\x1b[1;36m(EngineCore_0 pid=7)\x1b[0;0m " + NEW.format(s=20, e=0),
        "vllm-1  | " + NEW.format(s=20, e=0),
        NEW.format(s=20, e=0).replace("Engine 000", "4 Engines Aggregated"),
        NEW.format(s=20, e=0).replace("10-09 08:53:20", "2025-10-09 08:53:20"),
        NEW.format(s=20, e=0).replace("08:53:20", "08:53:20,000"),
        NEW.format(s=20, e=0).rstrip() + "\r\n",
    ],
)
def test_what_surrounds_a_line(whole, write, line):
    found = whole(write("vllm.log", line), DAY)
    assert found.seconds == [0.0] * 6
    assert found.rejects == []


def test_a_console_that_keeps_whole_times_needs_no_option(whole, write):
    text = "2025-10-09T08:53:21.500000000Z " + NEW.format(s=20, e=0)
    assert whole(write("vllm.log", text)).seconds == [1.5] * 6


def test_a_year_ends(whole, write):
    lines = [
        NEW.format(s=20, e=0).replace("10-09 08:53:20", stamp)
        for stamp in ("12-31 23:59:55", "01-01 00:00:05", "02-29 12:00:00")
    ]
    start = ReadOptions(zone="UTC", start=datetime(2023, 12, 31, 12, tzinfo=UTC))
    found = whole(write("vllm.log", "".join(lines)), start)
    steps = found.seconds[::6]
    assert steps[1] - steps[0] == 10.0
    assert steps[2] - steps[1] == 59 * 86400 + 12 * 3600 - 5


def test_a_zone_other_than_utc(whole, write):
    start = ReadOptions(zone="Asia/Tokyo", start=datetime(2025, 10, 8, 15, tzinfo=UTC))
    assert whole(write("x.log", NEW.format(s=20, e=0)), start).seconds == [-9 * 3600.0] * 6


def test_times_without_year_or_zone(whole, write):
    path = write("vllm.log", NEW.format(s=20, e=0))
    with pytest.raises(InputError, match="name no year") as caught:
        whole(path)
    assert "line 1" in caught.value.where
    with pytest.raises(InputError, match="no zone"):
        whole(path, ReadOptions(start=DAY.start))


def test_lines_that_cannot_be_read(whole, write):
    good = NEW.format(s=20, e=0)
    bad = [
        good.replace("123.4", "many"),
        good.replace("45.6%", "4.5.6%"),
        good.replace("10-09 08:53:20", "today"),
        good.replace("10-09", "13-41"),
        good.replace("Engine", "INFO 10-09 08:53:20 " * 100_000),
    ]
    found = whole(write("vllm.log", "start\n" + good + "".join(bad)), DAY)
    assert found.rejected == [
        (3, "bad_statistics"),
        (4, "bad_statistics"),
        (5, "bad_statistics"),
        (6, "bad_time"),
        (7, "bad_statistics"),
    ]
    assert found.rows_read == 6 + 5


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "no statistics"),
        ("INFO 10-09 08:53:20 [api_server.py:1] vLLM API server version 0.19.0\n", "no statistics"),
        ("Avg prompt throughput:" + "x" * (5 << 20), "longer than"),
        (NEW.encode() + b"\xe9\n", "not UTF-8"),
    ],
)
def test_what_is_wrong_with_the_whole_log(whole, write, text, what):
    with pytest.raises(InputError, match=what):
        whole(write("vllm.log", text), DAY, form="vllm-log")


def test_a_log_that_has_not_come_to_statistics_yet_is_still_one(write):
    text = "INFO 10-09 08:53:20 [api_server.py:1] vLLM API server version 0.19.0\n"
    assert detect(write("vllm.log", text)) is VLLM_LOG


def test_a_table_on_a_clock_of_its_own(whole, write):
    path = write("vllm.csv", TABLE + "14592.5,3.5,2,1,0,0,0.25,0\n14653.25,4,2,1,0,9,150,0\n")
    found = whole(path, ReadOptions(start=datetime(2025, 10, 9, 8, 53, 20, tzinfo=UTC)))
    assert found.format == "vllm-log"
    usage = [row[2:] for row in found.rows if row[0] == "kv_usage"]
    assert usage == [(0.0, 0.25), (60.75, 150.0)]
    assert {one.unit for (m, _), one in found.series.items() if m == "kv_usage"} == {"%"}
    assert "start_assumed" not in found.codes
    assert whole(path).codes["start_assumed"] == 1


def test_a_table_on_the_clock_of_the_world(whole, write):
    found = whole(write("vllm.csv", TABLE + "1760000015.5,3.5,2,1,0,0,0.25,0\n"))
    assert set(found.seconds) == {15.5}


@given(st.lists(st.tuples(st.integers(0, 59), st.floats(0, 1e6), st.integers(0, 999)), min_size=1))
def test_what_is_written_is_read(tmp_path_factory, lines):
    path = tmp_path_factory.mktemp("log") / "vllm.log"
    text = "".join(
        f"INFO 10-09 08:53:{s:02d} [loggers.py:1] Engine 000: Avg prompt throughput: {rate:.1f} tokens/s, "
        f"Running: {running} reqs\n"
        for s, rate, running in lines
    )
    path.write_text(text, encoding="utf-8")
    values = [
        value
        for chunk in find_source("vllm-log").read(path, DAY)
        if chunk.samples is not None
        for value in chunk.samples["value"]
    ]
    assert values == [x for _, rate, running in lines for x in (float(f"{rate:.1f}"), running)]


def test_a_real_replay(whole, shared):
    path = shared / "data" / "vllm_burstgpt_scales" / "vllm_log_scale100_prompt500.csv.gz"
    found = whole(path, ReadOptions(start=datetime(2025, 10, 9, tzinfo=UTC)))
    times = sorted(set(found.seconds))
    assert len(times) == 538
    assert max(b - a for a, b in pairwise(times)) == pytest.approx(61, abs=1)
    assert max(value for metric, *_, value in found.rows if metric == "kv_usage") > 1
