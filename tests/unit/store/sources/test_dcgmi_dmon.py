"""dcgmi dmon: times counted by rounds, headers, missing cells, MIG, broken lines."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signals.errors import InputError
from signals.store.parsed import ReadOptions
from signals.store.sources.dcgmi_dmon import DCGMI_DMON

START = datetime(2025, 10, 9, 8, 53, 20, tzinfo=UTC)
EVERY_2S = ReadOptions(start=START, interval_s=2.0)
HEAD = "#Entity   GPUTL     SMACT     POWER     \nID        %                   W         \n"


def rows(found, metric):
    return [
        (labels["gpu"], seconds, value)
        for name, labels, seconds, value in found.rows
        if name == metric
    ]


def test_rounds_are_timed(whole, write):
    text = HEAD + "GPU 0     97        0.913     612.4\nGPU 1     88        0.402     498.0\n" * 2
    found = whole(write("x.txt", text), EVERY_2S)
    assert found.format == "dcgmi-dmon"
    assert rows(found, "GPUTL") == [("0", 0, 97), ("1", 0, 88), ("0", 2, 97), ("1", 2, 88)]
    assert rows(found, "POWER")[0] == ("0", 0, 612.4)
    assert found.codes == {"times_counted": 2}
    assert found.rows_read == 12


def test_a_lost_gpu_shifts_nothing(whole, write):
    text = HEAD + "".join(f"GPU {gpu} 1 0.1 2\n" for gpu in "0110121")
    found = whole(write("x.txt", text), EVERY_2S)
    assert rows(found, "GPUTL") == [
        ("0", 0, 1), ("1", 0, 1), ("1", 2, 1), ("0", 4, 1), ("1", 4, 1), ("2", 4, 1), ("1", 6, 1)
    ]  # fmt: skip


def test_the_header_repeats_and_rules(whole, write):
    text = (
        HEAD
        + "GPU 0     97        0.913     612.4\n"
        + "#Entity   POWER     GPUTL     \nID        W         %         \nGPU 0     600.0     50\n"
        + "\n\ndmon was stopped do to receiving a signal\n"
    )
    found = whole(write("x.txt", text), EVERY_2S)
    assert rows(found, "POWER") == [("0", 0, 612.4), ("0", 2, 600)]
    assert rows(found, "GPUTL") == [("0", 0, 97), ("0", 2, 50)]
    assert found.rejects == []


def test_the_older_form_is_right_aligned(whole, write):
    text = "# Entity  GPUTL  XYZAB\n      Id      %    MiB\n   GPU 3     97     12\n"
    found = whole(write("x.txt", text), EVERY_2S)
    assert found.rows == [("GPUTL", {"gpu": "3"}, 0, 97), ("XYZAB", {"gpu": "3"}, 0, 12)]
    units = {metric: one.unit for (metric, _), one in found.series.items()}
    assert units == {"GPUTL": "", "XYZAB": "MiB"}  # the catalog knows the first


def test_missing_cells_and_texts(whole, write):
    text = (
        "#Entity   GPUTL     DVNAM                 POWER     \nID\n"
        "GPU 0     N/A       NVIDIA H100 80GB      612.4\n"
        "GPU 0     5                               612.4\n"
        "GPU 0     6         H100                  x\n"
    )
    found = whole(write("x.txt", text), EVERY_2S)
    assert found.values == [612.4, 5.0, 612.4, 6.0]
    assert found.codes == {"times_counted": 3, "missing_cells": 2, "text_cells": 2}
    assert found.rejected == [(5, "bad_number")]


def test_mig_instances_stand_below_their_gpu(whole, write):
    text = HEAD + "GPU 0 N/A 0.5 200\nGPU-I 0 N/A 0.9 N/A\nGPU-CI 0 N/A 0.9 N/A\nGPU 1 N/A 0.1 90\n"
    found = whole(write("x.txt", text), EVERY_2S)
    assert [labels for name, labels, *_ in found.rows if name == "SMACT"] == [
        {"gpu": "0"},
        {"gpu": "0", "GPU_I_ID": "0"},
        {"gpu": "0", "GPU_I_ID": "ci0"},
        {"gpu": "1"},
    ]
    assert found.codes["mig_instances"] == 2


def test_other_entities_are_no_gpus(whole, write):
    found = whole(write("x.txt", HEAD + "Switch 7 1 1 1\n"), EVERY_2S)
    assert {str(labels) for _, labels, *_ in found.rows} == {"{'entity': 'Switch 7'}"}


def test_broken_lines_are_rejects(whole, write):
    text = (
        "GPU 0 1\n" + HEAD + "GPU 0 1 0.1 2\nGPU 0 1 0.1\nGPU 0\nError: no data\nGPU 1 1 0.1 2 3\n"
    )
    found = whole(write("x.txt", text), EVERY_2S)
    assert found.rejected == [
        (1, "no_header"),
        (5, "wrong_column_count"),
        (6, "wrong_column_count"),
        (7, "bad_line"),
        (8, "wrong_column_count"),
    ]
    assert len(found.rows) == 3


def test_huge_values_are_handed_over(whole, write):
    found = whole(write("x.txt", HEAD + "GPU 0 9223372036854775794 nan 1e400\n"), EVERY_2S)
    assert found.values[0] == 9223372036854775794.0
    assert str(found.values[1:]) == "[nan, inf]"


@pytest.mark.parametrize(
    ("options", "missing"),
    [
        (ReadOptions(), "--start and --interval"),
        (ReadOptions(start=START), "--interval"),
        (ReadOptions(interval_s=1.0), "--start"),
    ],
)
def test_times_are_asked_for(whole, write, options, missing):
    with pytest.raises(InputError, match=rf"it needs {missing}\n") as caught:
        whole(write("x.txt", HEAD), options)
    assert "--interval 1s" in caught.value.hint


@pytest.mark.parametrize("step", [0.0, -1.0, float("nan"), float("inf")])
def test_an_impossible_interval(whole, write, step):
    with pytest.raises(InputError, match="not possible"):
        whole(write("x.txt", HEAD), ReadOptions(start=START, interval_s=step))


@pytest.mark.parametrize("text", [HEAD, "#Entity GPUTL\n# Entity GPUTL"])
def test_nothing_but_headers(whole, write, text):
    with pytest.raises(InputError, match="no row"):
        whole(write("x.txt", text), EVERY_2S)


def test_a_named_format_without_a_header(whole, write):
    with pytest.raises(InputError, match="no header"):
        whole(write("x.txt", "GPU 0 1\n"), EVERY_2S, "dcgmi-dmon")


def test_bad_encoding_and_an_endless_line(whole, write):
    with pytest.raises(InputError, match="UTF-8"):
        whole(write("x.txt", HEAD.encode() + b"GPU 0 \xff\n"), EVERY_2S)
    with pytest.raises(InputError, match="longer than"):
        whole(write("y.txt", HEAD + "GPU 0 " + "9" * (5 << 20)), EVERY_2S)


def test_the_documented_sample(whole, shared):
    found = whole(shared / "formats" / "dcgmi_dmon.txt", EVERY_2S)
    assert rows(found, "GPUTL") == [
        ("0", 0, 97), ("1", 0, 88), ("0", 2, 100), ("1", 2, 91), ("0", 4, 99), ("1", 4, 93)
    ]  # fmt: skip
    assert found.codes == {"times_counted": 3, "missing_cells": 4}
    assert len(found.series) == 12


def test_an_endless_header(whole, write):
    with pytest.raises(InputError, match="more than 1000 columns"):
        whole(write("x.txt", "#Entity " + "A " * 100_000), EVERY_2S)
    units = "#Entity A\nID " + "% " * 100_000 + "\nGPU 0 1\n"
    assert whole(write("y.txt", units), EVERY_2S).values == [1.0]


@settings(deadline=None)
@given(st.integers(1, 4), st.integers(1, 30), st.integers(1, 5000))
def test_every_row_gets_the_time_of_its_round(tmp_path_factory, gpus, rounds, step_ms):
    path = tmp_path_factory.mktemp("dmon") / "x.txt"
    lines = [f"GPU {gpu} {number}\n" for number in range(rounds) for gpu in range(gpus)]
    path.write_text("#Entity GPUTL\nID\n" + "".join(lines))
    options = ReadOptions(start=START, interval_s=step_ms / 1000)
    for chunk in DCGMI_DMON.read(path, options):
        for _, ts, value in chunk.samples.rows() if chunk.samples is not None else ():
            assert (ts - START).total_seconds() * 1000 == pytest.approx(value * step_ms, abs=0.001)
