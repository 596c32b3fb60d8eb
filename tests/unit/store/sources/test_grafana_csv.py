"""Grafana's CSV: its four forms, local times, printed cells, legends."""

from __future__ import annotations

import gzip
import math

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from signals.errors import InputError
from signals.store.parsed import NameChoice, ReadOptions
from signals.store.sources import detect
from signals.store.sources.grafana_csv import GRAFANA_CSV

TTFT = {"TTFT p99": NameChoice("decode:ttft_p99", "s")}
JOINED = """"Time","pod-a","TTFT p99"
2025-10-09 08:53:20,97,412 ms
2025-10-09 08:53:35,,1.02 s
2025-10-09 08:53:50,64,undefined
"""


def test_series_joined_by_time(whole, write):
    found = whole(write("x.csv", JOINED), ReadOptions(zone="UTC", columns=TTFT))
    assert found.format == "grafana-csv"
    assert found.rows == [
        ("pod-a", {}, 0.0, 97.0),
        ("pod-a", {}, 30.0, 64.0),
        ("ttft_p99", {"pool": "decode"}, 0.0, 0.412),
        ("ttft_p99", {"pool": "decode"}, 15.0, 1.02),
    ]
    assert {one.metric: (one.unit, one.sampling) for one in found.series.values()} == {
        "pod-a": ("", "step_aligned"),
        "ttft_p99": ("s", "step_aligned"),
    }
    assert found.codes == {
        "formatted_cells": 2,
        "step_aligned": 1,
        "unnamed_column": 1,
        "zone_assumed": 3,
    }
    assert found.rows_read == 4


def test_unformatted_times_and_labels_in_the_header(whole, write):
    text = 'Time,"{__name__=""up"", pod=""a""}","up{pod=""b"", x=""1,2""}"\n1760000000500,1,0\n'
    found = whole(write("x.csv", text))
    assert found.rows == [
        ("up", {"pod": "a"}, 0.5, 1.0),
        ("up", {"pod": "b", "x": "1,2"}, 0.5, 0.0),
    ]
    assert found.codes == {"step_aligned": 1}


@pytest.mark.parametrize(
    "content",
    [
        'sep=,\r\n"Time","Value"\r\n2025-10-09 08:53:20,97%\r\n2025-10-09 08:53:35,undefined\r\n',
        'sep=;\r\n"Time";"Value"\r\n2025-10-09 08:53:20;97%\r\n',
        b"\xef\xbb\xbf" + b"Time,Value\n2025-10-09 08:53:20,97%\n",
        '\ufeff"Time"\t"Value"\r\n2025-10-09 08:53:20\t97%\r\n'.encode("utf-16-le"),
        "Time\tValue\n2025-10-09 08:53:20\t97%\n".encode("utf-16"),
        gzip.compress(b"Time,Value\n2025-10-09 08:53:20,97%\n"),
    ],
)
def test_forms_for_spreadsheets(whole, write, content):
    options = ReadOptions(zone="UTC", as_name=NameChoice("decode:gpu_util", "%"))
    found = whole(write("x.csv", content), options)
    assert found.format == "grafana-csv"
    assert found.rows == [("gpu_util", {"pool": "decode"}, 0.0, 0.97)]
    assert [one.unit for one in found.series.values()] == ["ratio"]


def test_tabs_do_not_split_labels(whole, write):
    text = '\ufeff"Time"\t"{__name__=""up"", pod=""a"", gpu=""0""}"\r\n1760000000000\t1\r\n'
    found = whole(write("x.csv", text.encode("utf-16-le")))
    assert found.rows == [("up", {"pod": "a", "gpu": "0"}, 0.0, 1.0)]


CLOCK = ["01:30", "02:00", "02:30", "02:00", "02:30", "03:00"]
CELLS = ["420 ms", "480 ms", "1.20 s", "900 ms", "600 ms", "510 ms"]
FOLD = '"Time","TTFT p50"\n' + "".join(
    f"2024-10-27 {clock}:00,{cell}\n" for clock, cell in zip(CLOCK, CELLS, strict=True)
)
P50 = NameChoice("ttft_p50", "s")


def test_case_14_the_hour_that_happens_twice(whole, write):
    found = whole(write("x.csv", FOLD), ReadOptions(zone="Europe/Paris", as_name=P50))
    steps = [b - a for a, b in zip(found.seconds, found.seconds[1:], strict=False)]
    assert steps == [1800.0] * 5
    assert found.values == [0.42, 0.48, 1.2, 0.9, 0.6, 0.51]
    assert sum(found.values) / 6 == pytest.approx(0.685)


def test_case_14_without_a_zone(whole, write):
    with pytest.raises(InputError, match="2 local times repeat") as caught:
        whole(write("x.csv", FOLD), ReadOptions(as_name=P50))
    assert "twice: 2024-10-27 02:00:00; twice: 2024-10-27 02:30:00" in caught.value.where
    assert "--tz" in caught.value.hint


def test_an_unclear_hour_is_an_error(whole, write):
    text = "Time,Value\n2024-10-27 02:30:00,1\n2024-10-27 03:00:00,2\n"
    with pytest.raises(InputError, match="happen twice"):
        whole(write("x.csv", text), ReadOptions(zone="Europe/Paris", as_name=P50))


def test_a_skipped_hour_is_rejected(whole, write):
    text = "Time,Value\n2024-03-31 01:30:00,1\n2024-03-31 02:30:00,2\n"
    found = whole(write("x.csv", text), ReadOptions(zone="Europe/Paris", as_name=P50))
    assert found.rejected == [(3, "bad_time")]
    assert found.values == [1.0]


def test_bad_cells_name_their_line_and_column(whole, write):
    text = JOINED + "oops,1,2\n2025-10-09 08:54:05,x,97%\n2025-10-09 08:54:20,1\n"
    found = whole(write("x.csv", text), ReadOptions(zone="UTC", columns=TTFT))
    assert found.rejected == [
        (5, "bad_time"),
        (6, "bad_number"),
        (6, "mixed_units"),
        (7, "wrong_column_count"),
    ]
    assert found.rejects[1].excerpt == "pod-a: x"
    assert found.rows_read == len(found.rows) + 4


def test_order_repeats_nan_and_huge_numbers_are_handed_on(whole, write):
    text = "Time,Value\n1760000015000,1\n1760000000000,NaN\n1760000000000,1e400\n1760000000000,-3\n"
    found = whole(write("x.csv", text), ReadOptions(as_name=NameChoice("running", "")))
    assert found.seconds == [15.0, 0.0, 0.0, 0.0]
    assert math.isnan(found.values[1])
    assert found.values[2:] == [math.inf, -3.0]


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("", "empty"),
        ("\n\n", "empty"),
        ("Time,running\n", "no row"),
        ("sep=,\n", "does not begin with Time"),
        ("Zeit,Wert\n1,2\n", "does not begin with Time"),
        ("Time,up,up\n1,2,3\n", "'up' appears more than once"),
        ("Time,up,\n1,2,3\n", "has no name"),
        ("Time,TTFT p99\n1,2\n", "no series has the name"),
        ("Time,vllm:num_requests_running\n2025-10-09 08:53:20,1\n", "no zone"),
        ("Time,é\n".encode("latin-1"), "not UTF-8"),
        ("Time,running\n1760000000000,1\n".encode("utf-16")[:-1], "no sound UTF-16"),
        ('Time,up{pod="a"}\n' + "1" * (5 << 20), "longer than"),
        ("Time," + "x" * (5 << 20), "longer than"),
    ],
)
def test_what_is_wrong_with_the_whole_file(whole, write, content, what):
    with pytest.raises(InputError, match=what) as caught:
        whole(write("x.csv", content), form="grafana-csv")
    assert "x.csv" in caught.value.where


def test_a_file_cut_short_keeps_its_whole_lines(whole, write):
    text = 'Time,"up{pod=""a""}","up{pod=""b""}"\n1760000000000,1,0\n1760000015000,1'
    found = whole(write("x.csv", text))
    assert len(found.rows) == 2
    assert found.rejected == [(3, "wrong_column_count")]


@pytest.mark.parametrize(
    ("text", "least"),
    [
        (JOINED, 0.9),
        ('"Time","a"\n', 0.7),
        ("time,a\n2025-10-09 08:53:20,1\n", 0.5),
        ("time,a\n1,2\n", 0.0),
        ("Time\n1\n", 0.0),
        ("ts,a\n", 0.0),
        ("sep=,\n", 0.0),
        ("{}", 0.0),
    ],
)
def test_how_sure_it_is(tmp_path, text, least):
    found = GRAFANA_CSV.detect(text.encode(), tmp_path)
    assert found >= least
    assert (found > 0) == (least > 0)


@given(st.binary(max_size=200))
def test_no_head_breaks_detection(tmp_path_factory, head):
    assert 0 <= GRAFANA_CSV.detect(b'"Time",' + head, tmp_path_factory.getbasetemp()) <= 1


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=30))
def test_unformatted_values_come_back_to_the_last_bit(tmp_path_factory, values):
    path = tmp_path_factory.mktemp("grafana") / "x.csv"
    rows = "".join(f"{1760000000000 + 15000 * n},{v!r}\n" for n, v in enumerate(values))
    path.write_text('Time,"up{pod=""a""}"\n' + rows)
    chunks = list(GRAFANA_CSV.read(path, ReadOptions()))
    samples = pl.concat([chunk.samples for chunk in chunks if chunk.samples is not None])
    assert samples["value"].to_list() == values


# --- real files -------------------------------------------------------------------------------------------


def test_the_samples_of_the_four_forms(shared, whole):
    names = ["series_joined_by_time", "excel_single_series", "unformatted_epoch_ms"]
    found = {}
    for name in names:
        options = ReadOptions(
            zone="UTC",
            columns=TTFT if "joined" in name else {},
            as_name=NameChoice("gpu_util", "%"),
        )
        found[name] = whole(shared / "formats" / f"grafana_{name}.csv", options)
    joined = found["series_joined_by_time"]
    seconds = [value for metric, _, _, value in joined.rows if metric == "ttft_p99"]
    assert seconds == [0.412, 0.455, 1.02, 3.41, 0.89, 0.43, 0.421, 0.418]
    assert joined.codes["legend_as_instance"] == 2
    assert found["excel_single_series"].values == [0.97, 1.0, 0.99, 1.0, 0.64, 0.98, 12.3]
    plain = [r for r in joined.rows if r[0] == "gpu_util"]
    assert [value for *_, value in plain] == found["unformatted_epoch_ms"].values
    assert not any(one.rejects for one in found.values())


def test_the_live_run_is_the_same_as_its_json(shared, whole):
    folder = shared / "data" / "dynamo_pd_run" / "prom_5s"
    options = ReadOptions(zone="UTC", as_name=NameChoice("running", ""))
    files = sorted((folder / "grafana_csv").glob("*.csv"))
    assert len(files) == 14
    for file in files:
        assert detect(file) is GRAFANA_CSV
        table = _by_place(whole(file, options))
        answer = _by_place(
            whole(folder / "derived_query_range_15s" / f"{file.stem}.json.gz", options)
        )
        assert table == answer, file.name


def _by_place(found):
    return {
        (frozenset(labels.items()), seconds): "nan" if math.isnan(value) else value
        for _, labels, seconds, value in found.rows
    }
