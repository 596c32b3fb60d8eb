"""The registry: which format a file has, and what is said if it has none."""

from __future__ import annotations

import dataclasses
import gzip
import os

import pytest

from signals.errors import FormatError, InputError, UsageError
from signals.store.sources import SOURCES, detect, detect_folder, find_source, input_files


@pytest.fixture
def write(tmp_path):
    """Write a small input file."""

    def write_file(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write_file


def test_formats_are_found_by_name():
    for source in SOURCES:
        assert find_source(source.name) is source
        assert find_source(source.name.replace("-", "_")) is source


def test_an_unknown_name_suggests_a_near_one():
    with pytest.raises(UsageError) as caught:
        find_source("own-wid")
    assert caught.value.hint == "did you mean 'own-wide'?"


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("TIMESTAMP,ContextTokens,GeneratedTokens\n", "azure-trace"),
        ("#Entity   GPUTL   POWER\nID        %       W\n", "dcgmi-dmon"),
        ("timestamp, index, utilization.gpu [%]\n", "nvidia-smi-csv"),
        ("vllm,host=a x=1i 1760000000000000000\n", "influx-line"),
        ('{"resourceMetrics":[]}\n', "otlp-jsonl"),
        (",result,table,_time,_value,_field\n,,0,2026-06-01T08:00:00Z,1,a\n", "influx-csv"),
        ("Label,a b\nID,m1\n2026/06/01 08:00:00,1\n", "cloudwatch-csv"),
        ('{"MetricDataResults":[]}', "cloudwatch-json"),
        ("time,timestamp,metric,group,value\n", "datadog-csv"),
        ('{"status":"ok","series":[{"metric":"a","pointlist":[]}]}', "datadog-json"),
        ("Time,TTFT p50\n2024-10-27 01:30:00,420 ms\n", "grafana-csv"),
        ("# HELP up x\n# TYPE up gauge\nup 1\n", "openmetrics"),
        ('up{pod="a"} 1 1760000000000\n', "openmetrics"),
        ("ts,metric,value\n", "own-long"),
        ("pod,value,metric,ts_s\n", "own-long"),
        ("arrived_at,prompt_tokens,output_tokens\n", "own-requests"),
        ("ts,decode:gpu_util [%]\n", "own-wide"),
        ("ts [ms],decode:gpu_util [%]\n", "own-wide"),
        ('{"status":"success","data":{"resultType":"matrix","result":[]}}', "prometheus-matrix"),
        ('[{"metric":{"__name__":"up"},"values":[]}]', "prometheus-matrix"),
        ('{"status":"error","errorType":"bad_data","error":"x"}', "prometheus-matrix"),
        ('up{pod="a"} =>\n1 @[1760000000]\n', "promtool-text"),
        ('up{pod="a"} => 1 @[1760000000]\n', "promtool-text"),
        ("scalar: 1 @[1760000000]\n", "promtool-text"),
        ('{__name__="up", pod="a"} 1 1760000000000\n', "tsdb-dump"),
        ("up,decode-0,1,1760000000000\n", "victoriametrics-csv"),
        (
            '{"metric":{"__name__":"up"},"values":[1],"timestamps":[1760000000000]}',
            "victoriametrics-jsonl",
        ),
    ],
)
def test_detection(write, content, name):
    assert detect(write("file.dat", content)).name == name
    assert detect(write("file.dat.gz", gzip.compress(content.encode()))).name == name


@pytest.mark.parametrize(
    "content",
    [
        "hello, world\n",
        '{"a": 1}',
    ],
)
def test_other_files_name_what_was_seen_and_what_is_known(write, content):
    with pytest.raises(InputError, match="not recognised") as caught:
        detect(write("file.dat", content))
    assert "file.dat" in caught.value.where
    assert content.splitlines()[0][:20] in caught.value.where
    assert "signals formats" in caught.value.expected
    assert "nearest" not in caught.value.expected
    assert "--format" in caught.value.hint
    assert len(str(caught.value)) < 500


def test_what_nearly_is_a_format_is_told_what_it_lacks(write):
    with pytest.raises(FormatError, match="not recognised") as caught:
        detect(write("log.csv", "sent,prompt_tokens,output_tokens\n1,2,3\n"))
    near = "nearest: aibrix-trace (lacks timestamp_ms), own-requests (lacks arrived_at)"
    assert near in caught.value.expected


def test_two_formats_that_fit_are_both_named(write, monkeypatch):
    twin = dataclasses.replace(find_source("own-wide"), name="twin")
    monkeypatch.setattr("signals.store.sources.SOURCES", (*SOURCES, twin))
    with pytest.raises(InputError, match="could be twin or own-wide") as caught:
        detect(write("a.csv", "ts,decode:gpu_util [%]\n"))
    assert not isinstance(caught.value, FormatError)
    assert "--format twin" in caught.value.hint


@pytest.mark.parametrize(
    "content",
    [b"", b"\n \n", b"\xff\xd8\xff\xe0" + bytes(200), b"PK\x03\x04zip", gzip.compress(bytes(9))],
)
def test_no_text_at_all(write, content):
    with pytest.raises(FormatError):
        detect(write("file.dat", content))


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="no regular file"):
        detect(tmp_path / "pipe")


def test_a_folder_stands_for_its_files(tmp_path):
    (tmp_path / "b.csv").touch()
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.csv").touch()
    (tmp_path / ".hidden").touch()
    assert [path.name for path in input_files(tmp_path)] == ["b.csv", "a.csv"]
    assert input_files(tmp_path / "b.csv") == [tmp_path / "b.csv"]


def test_a_folder_that_is_one_input(tmp_path):
    (tmp_path / "a.prom").write_text("# TYPE up gauge\nup 1\n")
    assert detect_folder(tmp_path) is None
    (tmp_path / "index.jsonl").write_text('{"file": "a.prom", "time": 1760000000}\n')
    assert detect_folder(tmp_path) is find_source("openmetrics")
    (tmp_path / "README.md").write_text("how these were taken\n")
    assert detect_folder(tmp_path) is find_source("openmetrics")
    (tmp_path / "a.prom").write_text("ts,metric,value\n")
    assert detect_folder(tmp_path) is None
    (tmp_path / "a.prom").write_text("hello, world\n")
    assert detect_folder(tmp_path) is None


def test_files_of_no_format_do_not_keep_scrapes_apart(tmp_path):
    for seconds in (0, 15):
        (tmp_path / f"a_{1760000000 + seconds}.prom").write_text("# TYPE up gauge\nup 1\n")
    (tmp_path / "0_README.md").write_text("how these were taken\n")
    (tmp_path / "photo_1760000000.png").write_bytes(bytes(9))
    assert detect_folder(tmp_path) is find_source("openmetrics")
    (tmp_path / "log.csv").write_text("arrived_at,prompt_tokens,output_tokens\n")
    assert detect_folder(tmp_path) is None


def test_paths_that_hold_nothing(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        input_files(tmp_path / "none")
    with pytest.raises(InputError, match="no file"):
        input_files(tmp_path)
    with pytest.raises(InputError, match="folder"):
        detect(tmp_path)


def test_lines_that_end_in_returns_are_told_where_no_format_fits(write):
    point = "vllm,pod=a num_requests_running=1 1780300800000000000"
    with pytest.raises(FormatError, match="CR alone") as caught:
        detect(write("x.txt", f"{point}\r{point}\r"))
    assert "line 1" in caught.value.where
    assert "tr '" in caught.value.hint
