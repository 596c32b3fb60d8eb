"""nvidia-smi's CSV: units in cells, what stands for missing, zones, whose GPU it is."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signals.errors import InputError
from signals.store.parsed import NameChoice, ReadOptions
from signals.store.sources.nvidia_smi_csv import NVIDIA_SMI_CSV

UTC = ReadOptions(zone="UTC")
HEAD = "timestamp, index, uuid, utilization.gpu [%], memory.used [MiB], power.draw [W]\n"
ROW = "2025/10/09 08:53:20.123, 0, GPU-a, 35 %, 20480 MiB, 310.50 W\n"


def of(found, metric):
    return [(labels.get("gpu"), value) for name, labels, _, value in found.rows if name == metric]


def test_cells_have_units(whole, write):
    found = whole(write("x.csv", HEAD + ROW), UTC)
    assert found.format == "nvidia-smi-csv"
    labels = {"UUID": "GPU-a", "gpu": "0"}
    assert found.rows == [
        ("utilization.gpu", labels, 0.123, 35.0),
        ("memory.used", labels, 0.123, 20480.0),
        ("power.draw", labels, 0.123, 310.5),
    ]
    assert {metric: one.unit for (metric, _), one in found.series.items()} == {
        "utilization.gpu": "%",
        "memory.used": "MiB",
        "power.draw": "W",
    }
    assert found.codes == {"zone_assumed": 1}


def test_without_units_it_is_the_same(whole, write):
    bare = ROW.replace(" %", "").replace(" MiB", "").replace(" W", "")
    assert (
        whole(write("x.csv", HEAD + bare), UTC).rows == whole(write("y.csv", HEAD + ROW), UTC).rows
    )


def test_case_11_cells_that_hold_no_value(whole, shared):
    found = whole(shared / "cases" / "11-nvidia-smi-cells" / "input.csv", UTC)
    assert of(found, "utilization.gpu") == [("0", 35), ("0", 45), ("1", 0)]
    assert of(found, "memory.used") == [("0", 20480), ("1", 1024), ("0", 20480), ("1", 1024)]
    assert of(found, "memory.total") == [("0", 81920), ("1", 81920)] * 2
    assert of(found, "power.draw") == [("0", 310.5), ("0", 330.5)]
    assert found.codes == {"zone_assumed": 4, "missing_cells": 3}
    assert found.rejects == []


def test_the_zone_is_asked_for(whole, write):
    with pytest.raises(InputError, match="no zone") as caught:
        whole(write("x.csv", HEAD + ROW))
    assert "--tz" in caught.value.hint
    found = whole(write("x.csv", HEAD + ROW), ReadOptions(zone="Europe/Paris"))
    assert found.seconds[0] == 0.123 - 7200


def test_a_loop_started_again_repeats_its_header(whole, write):
    found = whole(write("x.csv", HEAD + ROW + HEAD + ROW), UTC)
    assert len(found.rows) == 6
    assert found.codes["repeated_header"] == 1
    other = HEAD.replace("power.draw [W]", "power.limit [W]")
    with pytest.raises(InputError, match="columns change") as caught:
        whole(write("y.csv", HEAD + ROW + other + ROW), UTC)
    assert "y.csv, line 3" in caught.value.where


@pytest.mark.parametrize(
    "cell",
    ["[N/A]", "[Not Supported]", "[Unknown Error]", "[GPU requires reset]", "N/A", "ERR!", ""],
)
def test_what_stands_for_a_missing_value(whole, write, cell):
    found = whole(write("x.csv", HEAD + ROW.replace("35 %", cell)), UTC)
    assert found.values == [20480, 310.5]
    assert found.codes["missing_cells"] == 1


@pytest.mark.parametrize("cell", ["x", "35 W", "3 5", "35 % %", "0x4"])
def test_what_is_no_number(whole, write, cell):
    found = whole(write("x.csv", HEAD + ROW.replace("35 %", f'"{cell}"')), UTC)
    assert found.rejected == [(2, "bad_number")]
    assert found.values == [20480, 310.5]


def test_huge_numbers_are_handed_over(whole, write):
    found = whole(write("x.csv", HEAD + ROW.replace("35 %", "4294967295 %")), UTC)
    assert found.values[0] == 4294967295.0


@pytest.mark.parametrize(
    ("columns", "cells", "labels"),
    [
        ("index", "3", {"gpu": "3"}),
        ("pci.bus_id, index", "00000000:18:00.0, 3", {"UUID": "00000000:18:00.0", "gpu": "3",
                                                      "pci_bus_id": "00000000:18:00.0"}),
        ("index, uuid, pci.bus_id", "3, GPU-b, 00000000:18:00.0",
         {"UUID": "GPU-b", "gpu": "3", "pci_bus_id": "00000000:18:00.0"}),
        ("index, uuid", "3, [Unknown Error]", {"gpu": "3"}),
        ("name, uuid", "NVIDIA H100, GPU-b", {"UUID": "GPU-b", "modelName": "NVIDIA H100"}),
    ],
)  # fmt: skip
def test_whose_gpu_it_is(whole, write, columns, cells, labels):
    text = f"timestamp, {columns}, utilization.gpu [%]\n2025/10/09 08:53:20.000, {cells}, 5 %\n"
    assert whole(write("x.csv", text), UTC).rows == [("utilization.gpu", labels, 0.0, 5.0)]


def test_gpus_that_nothing_tells_apart(whole, write):
    text = "timestamp, utilization.gpu [%]\n2025/10/09 08:53:20.000, 5 %\n"
    assert whole(write("x.csv", text), UTC).codes["gpu_unknown"] == 1


def test_texts_and_unknown_units(whole, write):
    text = (
        "timestamp, index, pstate, fan.speed [%], odd.rate [KB/q], utilization.gpu [%]\n"
        "2025/10/09 08:53:20.000, 0, P0, 30 %, 7 KB/q, 5 %\n"
    )
    found = whole(write("x.csv", text), UTC)
    assert [row[0] for row in found.rows] == ["fan.speed", "odd.rate", "utilization.gpu"]
    assert found.codes == {"zone_assumed": 1, "text_cells": 1}


def test_broken_rows(whole, write):
    text = (
        HEAD + ROW + "Unable to determine the device handle\n" + ROW.replace("2025/10/09", "soon")
    )
    found = whole(write("x.csv", text + ROW[:30]), UTC)
    assert found.rejected == [(3, "wrong_column_count"), (4, "bad_time"), (5, "wrong_column_count")]
    assert found.rows_read == 6


def test_the_hour_that_happens_twice(whole, write):
    rows = [f"2025/10/26 {time}.000, {gpu}, 1 %\n" for time in
            ("02:30:00", "02:59:59", "02:00:01", "02:30:00") for gpu in (0, 1)]  # fmt: skip
    text = "timestamp, index, utilization.gpu [%]\n" + "".join(rows)
    found = whole(write("x.csv", text), ReadOptions(zone="Europe/Paris"))
    one = [seconds for _, labels, seconds, _ in found.rows if labels["gpu"] == "1"]
    assert [later - one[0] for later in one] == [0, 1799, 1801, 3600]


def test_a_column_may_be_named(whole, write):
    options = ReadOptions(zone="UTC", columns={"power.draw [W]": NameChoice("power_w", "mW")})
    found = whole(write("x.csv", HEAD + ROW.replace(" W", "")), options)
    assert (
        next(one.unit for (metric, _), one in found.series.items() if metric == "power_w") == "mW"
    )


def test_no_header(whole, write):
    with pytest.raises(InputError, match="no column 'timestamp'") as caught:
        whole(write("x.csv", ROW * 2), UTC)
    assert "noheader" in caught.value.hint


def test_no_time(whole, write):
    with pytest.raises(InputError, match="no column 'timestamp'"):
        whole(write("x.csv", "index, utilization.gpu [%]\n0, 5 %\n"), UTC)


def test_nothing_and_bad_bytes(whole, write):
    with pytest.raises(InputError, match="no row"):
        whole(write("x.csv", HEAD), UTC)
    with pytest.raises(InputError, match="UTF-8"):
        whole(write("x.csv", HEAD.encode() + b"\xff\n"), UTC)
    with pytest.raises(InputError, match="longer than"):
        whole(write("x.csv", HEAD + "9" * (5 << 20)), UTC)


def test_the_documented_sample(whole, shared):
    found = whole(shared / "formats" / "nvidia_smi_query.csv", UTC)
    assert len(found.series) == 12
    assert len(found.rows) == 46
    assert found.codes == {"zone_assumed": 8, "missing_cells": 2}


def test_an_endless_header(whole, write):
    names = "".join(f", a{number}" for number in range(5000))
    with pytest.raises(InputError, match="more than 1000 columns"):
        whole(write("x.csv", HEAD.rstrip() + names + "\n"), UTC)


@settings(deadline=None)
@given(st.lists(st.floats(0, 1e9), min_size=1, max_size=30))
def test_numbers_come_out_as_they_are(tmp_path_factory, numbers):
    path = tmp_path_factory.mktemp("smi") / "x.csv"
    lines = [f"2025/10/09 08:53:20.000, 0, {number!r} W\n" for number in numbers]
    path.write_text("timestamp, index, power.draw [W]\n" + "".join(lines))
    chunks = [*NVIDIA_SMI_CSV.read(path, UTC)]
    assert chunks[0].samples["value"].to_list() == numbers
