"""The wide form: headers, units as written, missing cells, bad cells."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime

import polars as pl
import pytest

from signals.errors import InputError
from signals.store.parsed import NameChoice, ReadOptions

TEXT = """ts,prefill:prefill_tps [tokens/s],decode/pod-a#0:gpu_util [%],request_rate
2025-10-09T08:53:20Z,100,50,2
2025-10-09T08:53:35Z,,60,x
oops,1,2,3
"""


def test_cells_become_samples(whole, write):
    found = whole(write("x.csv", TEXT))
    assert found.format == "own-wide"
    assert found.rows == [
        ("prefill_tps", {"pool": "prefill"}, 0.0, 100.0),
        ("gpu_util", {"pool": "decode", "instance": "pod-a", "gpu": "0"}, 0.0, 50.0),
        ("gpu_util", {"pool": "decode", "instance": "pod-a", "gpu": "0"}, 15.0, 60.0),
        ("request_rate", {}, 0.0, 2.0),
    ]
    units = {metric: one.unit for (metric, _), one in found.series.items()}
    assert units == {"prefill_tps": "tokens/s", "gpu_util": "%", "request_rate": ""}
    assert found.rejected == [(3, "bad_number"), (4, "bad_time")]
    assert found.rows_read == len(found.rows) + 2


def test_relative_times_and_a_start(whole, write):
    path = write("x.csv", "ts_s,gpu_util [%]\n0,5\n1.5,6\n")
    options = ReadOptions(start=datetime(2025, 10, 9, 8, 53, 20, tzinfo=UTC))
    assert whole(path, options).seconds == [0.0, 1.5]


def test_epochs_in_a_named_unit(whole, write):
    found = whole(write("x.csv", "ts [ms],gpu_util [%]\n1760000000500,5\n"))
    assert found.seconds == [0.5]
    assert found.codes == {}


def test_case_13_units_value_by_value(whole, write):
    stamps = [
        "1760000000",
        "1760000000.5",
        "1760000000000",
        "1760000000000000",
        "1760000000" + "0" * 9,
    ]
    rows = "".join(f"{stamp},{n}\n" for n, stamp in enumerate(stamps))
    found = whole(write("x.csv", "ts,gpu_util\n" + rows))
    assert found.seconds == [0.0, 0.5, 0.0, 0.0, 0.0]
    assert found.codes == {"epoch_unit_inferred": 5}


def test_case_14_the_hour_that_happens_twice(whole, write):
    times = ["01:30", "02:00", "02:30", "02:00", "02:30", "03:00"]
    values = [420, 480, 1200, 900, 600, 510]
    rows = "".join(f"2024-10-27 {t}:00,{v}\n" for t, v in zip(times, values, strict=True))
    path = write("x.csv", "ts,decode:ttft_p50 [ms]\n" + rows)
    found = whole(path, ReadOptions(zone="Europe/Paris"))
    steps = [b - a for a, b in zip(found.seconds, found.seconds[1:], strict=False)]
    assert steps == [1800.0] * 5
    assert found.values == values
    with pytest.raises(InputError, match="2 local times repeat"):
        whole(path)


def test_names_given_by_the_user(whole, write):
    path = write("x.csv", "ts,GPU,b\n1760000000,5,6\n")
    options = ReadOptions(columns={"GPU": NameChoice("decode:gpu_util", "%")})
    found = whole(path, options)
    assert found.rows[0] == ("gpu_util", {"pool": "decode"}, 0.0, 5.0)
    assert [f.subject for f in found.findings if f.code == "unknown_name"] == ["b"]


def test_unknown_names_are_kept_and_told(whole, write):
    found = whole(write("x.csv", "ts,gpu_util,speed\n1760000000,5,6\n"))
    assert found.rows[1] == ("speed", {}, 0.0, 6.0)
    assert found.codes["unknown_name"] == 1


def test_a_table_without_any_known_name(whole, write):
    with pytest.raises(InputError, match="no column is a known") as caught:
        whole(write("x.csv", "ts,speed,height\n1760000000,5,6\n"))
    assert "--map" in caught.value.hint


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("ts,gpu_util\n", "no row"),
        ("time,gpu_util\n1,2\n", "'ts' is missing"),
        ("ts,gpu_util,gpu_util\n1,2,3\n", "more than once"),
        ("ts,gpu_util,gpu_util [%]\n1,2,3\n", "name the same series"),
        ("ts,gpu_util [furlong]\n1,2\n", "unit 'furlong'"),
        ("ts,gpu_util\n2025-10-09 08:53:20,2\n", "no zone"),
    ],
)
def test_what_is_wrong_with_the_whole_file(whole, write, text, what):
    with pytest.raises(InputError, match=what) as caught:
        whole(write("x.csv", text), form="own-wide")
    assert "x.csv" in caught.value.where


def test_parquet_reads_as_csv_does(whole, write, tmp_path):
    times = [datetime(2025, 10, 9, 8, 53, second, tzinfo=UTC) for second in (20, 35)]
    path = tmp_path / "x.parquet"
    pl.DataFrame({"ts": times, "decode:gpu_util [%]": [5, None]}).write_parquet(path)
    found = whole(path)
    assert found.format == "own-wide"
    assert found.rows == [("gpu_util", {"pool": "decode"}, 0.0, 5.0)]


def test_the_published_day(whole, shared):
    found = whole(shared / "figures" / "heteroscale_fig2.wide.csv")
    assert found.rows_read == 8 * 481
    assert Counter(metric for metric, *_ in found.rows) == {
        "prefill_tps": 481,
        "decode_tps": 481,
        "itl_mean": 481,
        "ttft_mean": 481,
        "gpu_util": 962,
        "sm_active": 962,
    }
    assert found.rejects == []
    assert {one.unit for one in found.series.values()} == {"rel", "%"}


def test_columns_of_labels_say_what_a_row_is_about(whole, write):
    text = """timestamp,host,gpu,phase,gpu_util [%],sm_active
1760000000.5,a,0,steady,50,0.25
1760000000.5,a,1,steady,60,
1760000015.5,a,0,idle,x,0
"""
    path = write("x.csv", text)
    options = ReadOptions(columns={"timestamp": NameChoice("ts", "s")})
    found = whole(path, options)
    assert found.format == "own-wide"
    assert found.rows == [
        ("gpu_util", {"host": "a", "gpu": "0"}, 0.5, 50.0),
        ("gpu_util", {"host": "a", "gpu": "1"}, 0.5, 60.0),
        ("sm_active", {"host": "a", "gpu": "0"}, 0.5, 0.25),
        ("sm_active", {"host": "a", "gpu": "0"}, 15.5, 0.0),
    ]
    assert found.rejected == [(4, "bad_number")]
    assert found.codes == {"text_column": 1}
    with pytest.raises(InputError, match="'ts' is missing") as caught:
        whole(path)
    assert caught.value.hint == "name the time column with --map 'timestamp=ts'"


def test_any_column_becomes_a_label(whole, write):
    path = write("x.csv", "ts [s],ip,value\n1760000000,a,5\n1760000000,,6\n")
    options = ReadOptions(
        columns={"ip": NameChoice("label:pod", ""), "value": NameChoice("gpu_util", "%")}
    )
    found = whole(path, options)
    assert found.rows == [("gpu_util", {"pod": "a"}, 0.0, 5.0), ("gpu_util", {}, 0.0, 6.0)]


def test_a_name_of_the_users_own_is_no_mistake(whole, write):
    path = write("x.csv", "ts [s],value\n1760000000,5\n")
    found = whole(path, ReadOptions(columns={"value": NameChoice("model_load", "ms")}))
    assert found.rows == [("model_load", {}, 0.0, 5.0)]
    assert found.codes == {"unknown_name": 1}


def test_a_fleet_in_parquet_reads_as_its_csv_does(whole, tmp_path):
    times = [datetime(2025, 10, 9, 8, 53, second, tzinfo=UTC) for second in (20, 35) for _ in "ab"]
    frame = pl.DataFrame(
        {
            "ts": times,
            "host": pl.Series(["a", "b"] * 2, dtype=pl.Categorical),
            "gpu": pl.Series([0, None] * 2, dtype=pl.Int32),
            "DCGM_FI_DEV_GPU_UTIL": [10, 20, None, 40],
            "DCGM_FI_PROF_SM_ACTIVE": [0.1, 0.2, 0.3, 0.4],
        }
    )
    frame.write_parquet(tmp_path / "x.parquet")
    frame.with_columns(pl.col("ts").dt.strftime("%Y-%m-%dT%H:%M:%SZ")).write_csv(tmp_path / "x.csv")
    found = whole(tmp_path / "x.parquet")
    assert found.rows == whole(tmp_path / "x.csv").rows
    assert found.rows[:2] == [
        ("DCGM_FI_DEV_GPU_UTIL", {"host": "a", "gpu": "0"}, 0.0, 10.0),
        ("DCGM_FI_DEV_GPU_UTIL", {"host": "b"}, 0.0, 20.0),
    ]
    assert len(found.rows) == 7


def test_a_fleet_in_local_time(whole, write):
    times = ["02:00", "02:30", "02:00", "02:30", "03:00"]
    rows = "".join(f"2024-10-27 {t}:00,{p},1\n" for t in times for p in "ab")
    found = whole(write("x.csv", "ts,pod,gpu_util\n" + rows), ReadOptions(zone="Europe/Paris"))
    first = found.seconds[0]
    assert [s - first for s in found.seconds[::2]] == [0.0, 1800.0, 3600.0, 5400.0, 7200.0]


def test_a_clock_without_a_zero(whole, write):
    path = write("x.csv", "clock_s,gpu_util\n14592.5,5\n14593.75,6\n")
    options = ReadOptions(start=datetime(2025, 10, 9, 8, 53, 20, tzinfo=UTC))
    assert whole(path, options).seconds == [0.0, 1.25]
    assert whole(path).codes["start_assumed"] == 1
    assert whole(write("y.csv", "clock_s,gpu_util\nx,5\n1e300,6\n2,7\n"), options).seconds == [0.0]


def test_a_name_for_the_time_alone_leaves_unknown_columns_unknown(whole, write):
    path = write("x.csv", "timestamp,metric_name,value\n1760000000,gpu_util,5\n")
    with pytest.raises(InputError, match="no column is a known") as caught:
        whole(path, ReadOptions(columns={"timestamp": NameChoice("ts", "s")}))
    assert "own-long" in caught.value.hint


def test_a_json_table(whole, write):
    path = write("x.json", '{"0":{"t":1.5,"GPU":70},"1":{"t":2,"GPU":null},"2":{"t":3,"GPU":"x"}}')
    options = ReadOptions(
        columns={"t": NameChoice("ts_s", ""), "GPU": NameChoice("gpu_util", "%")},
        start=datetime(2025, 10, 9, 8, 53, 20, tzinfo=UTC),
    )
    found = whole(path, options, form="own-wide")
    assert found.rows == [("gpu_util", {}, 1.5, 70.0)]
    assert found.rejected == [(3, "bad_number")]
