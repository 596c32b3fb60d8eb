"""One text: created series, ends, histograms of the new kind, and labels of the target."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from signals.store.parsed import ReadOptions
from signals.store.sources.sample_chunks import SampleChunks
from signals.store.sources.scrape import Scrape

AT = ReadOptions(at=datetime(2025, 10, 9, 8, 53, 20, tzinfo=UTC))


def read(path: Path, **more):
    """Rows (metric, labels, value), rejected lines, and counts of findings."""
    chunks = SampleChunks(path)
    scrape = Scrape(path, AT, chunks, **more)
    for _ in scrape.blocks():
        pass
    rows, rejects = [], []
    for chunk in chunks.rest():
        for number, _, value in chunk.samples.rows():
            one = chunk.series[number]
            rows.append((one.metric, dict(one.labels), value))
        rejects += [(reject.line, reject.reason) for reject in chunk.rejects]
    codes: Counter[str] = Counter()
    for finding in scrape.findings():
        codes[finding.code] += finding.count
    return rows, rejects, dict(codes)


def test_created_series_of_known_families_are_left_out(write):
    text = (
        "# TYPE a counter\na_total 1\na_created 1.76e+09\n"
        "# TYPE b_total counter\nb_total 1\n# TYPE b_created gauge\nb_created 1.76e+09\n"
        '# TYPE c histogram\nc_count{x="1"} 1\nc_created{x="1"} 1.76e+09\nc_created{x="2"} 1.76e+09\n'
        "# TYPE kube_pod_created gauge\nkube_pod_created 1.76e+09\n"
    )
    rows, rejects, codes = read(write("x.prom", text))
    assert [row[0] for row in rows] == ["a_total", "b_total", "c_count", "kube_pod_created"]
    assert rejects == []
    assert codes == {"created_series_ignored": 4}


def test_an_openmetrics_text_without_its_end(write):
    text = "# TYPE a unknown\n# UNIT a_seconds seconds\na_seconds 1\n"
    assert read(write("x.om", text))[2] == {"eof_missing": 1}
    assert read(write("y.om", text + "# EOF\n"))[2] == {}


def test_a_last_line_without_its_end(write):
    rows, _, codes = read(write("x.prom", "up 1\nup 12"))
    assert len(rows) == 2
    assert codes == {"last_line_open": 1}


def test_scrapes_one_behind_the_other(write):
    assert read(write("x.om", "up 1\n# EOF\nup 2\n# EOF\n"))[2] == {"several_scrapes": 2}


@pytest.mark.parametrize("value", ["{count:3,sum:1.5,schema:0}", "{count:3, sum:1.5, [-1,1]:3}"])
def test_native_histograms_are_rejects(write, value):
    text = f'up 1\nh{{pod="a"}} {value}\nh {value}\nup 2\n'
    rows, rejects, _ = read(write("x.prom", text))
    assert len(rows) == 2
    assert rejects == [(2, "native_histogram"), (3, "native_histogram")]


def test_labels_of_the_target_give_way(write):
    text = 'up{pod="own"} 1\nup{job="x"} 2\n'
    rows, *_ = read(write("x.prom", text), labels={"pod": "decode-0", "job": "y"})
    assert rows == [
        ("up", {"pod": "own", "job": "y"}, 1.0),
        ("up", {"pod": "decode-0", "job": "x"}, 2.0),
    ]


def test_odd_gauges_of_old_engines(write):
    text = (
        "# HELP vllm:avg_generation_throughput_toks_per_s x\n"
        "# TYPE vllm:avg_generation_throughput_toks_per_s gauge\n"
        'vllm:avg_generation_throughput_toks_per_s{model_name="a/b c"} 0.0\n'
        'vllm:lora_requests_info{max_lora="0",running_lora_adapters="",waiting_lora_adapters=""} 1.76e+09\n'
        'nv_gpu_utilization{gpu_uuid="GPU-1",} NaN\n'
        'DCGM_FI_DEV_MEMORY_TEMP{gpu="0",Hostname="n",hostname="m"} 9223372036854775794\n'
    )
    rows, rejects, _ = read(write("x.prom", text))
    assert rejects == []
    assert [row[1] for row in rows] == [
        {"model_name": "a/b c"},
        {"max_lora": "0"},
        {"gpu_uuid": "GPU-1"},
        {"gpu": "0", "Hostname": "n", "hostname": "m"},
    ]
    assert rows[3][2] == 9223372036854775794.0
