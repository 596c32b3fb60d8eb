"""Expositions: whose times count what, scrapes without times, broken lines."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from signals.errors import InputError
from signals.store.parsed import ReadOptions

AT = ReadOptions(at=datetime(2025, 10, 9, 8, 53, 20, tzinfo=UTC))


def test_case_13_seconds_and_milliseconds(whole, shared):
    folder = shared / "cases" / "13-epoch-units"
    assert whole(folder / "input.om").seconds == [0.0]
    assert whole(folder / "input.prom").seconds == [0.0]
    with pytest.raises(InputError, match="beyond the year 2200") as caught:
        whole(folder / "input.bad.om")
    assert caught.value.hint == "the number looks like ms"


def test_a_scrape_needs_its_time(whole, write):
    path = write("x.prom", '# TYPE up gauge\nup{pod="a"} 1\n')
    with pytest.raises(InputError, match="have no time") as caught:
        whole(path)
    assert "--at" in caught.value.hint
    assert "line 2" in caught.value.where
    assert whole(path, AT).rows == [("up", {"pod": "a"}, 0.0, 1.0)]


def test_a_time_that_is_not_used_is_told(whole, write, tmp_path):
    own = "up 1 1760000000000\n"
    assert whole(write("x.prom", own), AT).codes == {"option_unused": 1}
    assert whole(write("y.prom", own + "up 1\n"), AT).codes.get("option_unused") is None
    folder = tmp_path / "scrapes"
    folder.mkdir()
    for name in ("1760000000.prom", "1760000015.prom"):
        (folder / name).write_text("up 1\n")
    found = whole(folder, AT, form="openmetrics")
    assert (found.seconds, found.codes) == ([0.0, 15.0], {"option_unused": 1})
    assert whole(folder, form="openmetrics").codes == {}
    (folder / "timeless.prom").write_text("down 1\n")
    assert "option_unused" not in whole(folder, AT, form="openmetrics").codes


def test_types_and_units(whole, write):
    text = (
        "# TYPE ttft_seconds histogram\n# UNIT ttft_seconds seconds\n"
        'ttft_seconds_bucket{le="+Inf"} 3\nttft_seconds_sum 1.5\n'
        "# TYPE tokens counter\ntokens_total 7\n# EOF\n"
    )
    found = whole(write("x.om", text), AT)
    kinds = {metric: (one.kind, one.unit) for (metric, _), one in found.series.items()}
    assert kinds == {
        "ttft_seconds_bucket": ("histogram", ""),
        "ttft_seconds_sum": ("histogram", "s"),
        "tokens_total": ("counter", ""),
    }


def test_seconds_in_a_text_without_eof_are_told(whole, write):
    found = whole(write("x.prom", "up 1 1760000000\nup 1 1760000015000\n"))
    assert found.seconds == [0.0, 15.0]
    assert found.codes == {"stamp_unit_contradicted": 1}


def test_broken_lines_are_rejects(whole, write):
    text = "up 1 1760000000000\nup{a=b} 1 1760000000000\nup x 1760000000000\nup 1 soon\n?? ??\n\r\n"
    found = whole(write("x.prom", text), form="openmetrics")
    assert found.values == [1.0]
    assert found.rejected == [(2, "bad_line"), (3, "bad_line"), (4, "bad_time"), (5, "bad_line")]
    assert found.rows_read == 5


def test_exemplars_are_passed_over(whole, write):
    text = 'x_bucket{le="1"} 5 1760000000 # {trace_id="a"} 0.5 1760000000.1\n# EOF\n'
    assert whole(write("x.om", text), form="openmetrics").rows == [
        ("x_bucket", {"le": "1"}, 0.0, 5.0)
    ]


def test_a_text_without_samples(whole, write):
    with pytest.raises(InputError, match="no sample"):
        whole(write("x.prom", "# TYPE up gauge\n"))


@pytest.mark.parametrize(
    ("name", "samples"),
    [
        ("scrapes/dcgm_exporter_readme.prom", 3),
        ("scrapes/dynamo_component_docs.prom", 19),
        ("scrapes/sglang_docs_overloaded.prom", 44),
        ("scrapes/triton_trtllm_backend_metrics.prom", 33),
        ("scrapes/vllm_0.6-0.7_v0engine_docs.prom", 29),
        ("nolicence/scrapes/vllm_0.25.1_loaded.prom", 435 - 49),
        ("dynamo_pd_run/raw_scrapes/saturated_frontend-0.prom.txt", 823),
    ],
)
def test_real_scrapes(whole, shared, name, samples):
    found = whole(shared / "data" / name, AT)
    assert len(found.rows) == samples
    assert found.rejects == []


def test_case_06_buckets_as_they_are(whole, shared):
    found = whole(shared / "cases" / "06-inf-bucket" / "input.prom", AT)
    buckets = {labels["le"]: value for _, labels, _, value in found.rows if "le" in labels}
    assert buckets == {"1.0": 40, "2.5": 60, "5.0": 80, "7.5": 90, "10.0": 94, "+Inf": 100}
    assert [value for name, *_, value in found.rows if name.endswith(("_sum", "_count"))] == [
        520,
        100,
    ]
    assert {one.kind for one in found.series.values()} == {"histogram"}


def test_a_folder_of_timed_scrapes(whole, tmp_path):
    for pod, second, value in (("a", 0, 1), ("b", 0, 2), ("a", 15, 3), ("b", 15, 4)):
        file = tmp_path / f"pod-{pod}_{1_760_000_000 + second}.prom"
        file.write_text(f'# TYPE up gauge\nup{{job="x"}} {value}\nown{{pod="z",instance="i"}} 1\n')
    found = whole(tmp_path, form="openmetrics")
    ups = [row[1:] for row in found.rows if row[0] == "up"]
    assert ups == [
        ({"instance": f"pod-{pod}", "job": "x"}, second, value)
        for pod, second, value in (("a", 0.0, 1), ("b", 0.0, 2), ("a", 15.0, 3), ("b", 15.0, 4))
    ]
    assert {labels["instance"] for name, labels, *_ in found.rows if name == "own"} == {"i"}
    assert found.codes == {"targets_from_names": 2}
    assert {one.kind for (name, _), one in found.series.items() if name == "up"} == {"gauge"}


def test_a_folder_without_times_asks_for_them(whole, tmp_path):
    (tmp_path / "pod-a.prom").write_text("up 1\n")
    with pytest.raises(InputError, match="have no time") as caught:
        whole(tmp_path, form="openmetrics")
    assert "pod-a.prom, line 1" in caught.value.where
    assert "file names" in caught.value.hint
    assert whole(tmp_path, AT, form="openmetrics").seconds == [0.0]


def test_times_in_the_text_come_before_those_of_the_file(whole, tmp_path):
    (tmp_path / "x_1760000099.prom").write_text("up 1 1760000015000\ndown 2\n")
    assert whole(tmp_path, form="openmetrics").seconds == [15.0, 99.0]


def test_remarks_of_many_scrapes_are_one(whole, tmp_path):
    text = "# TYPE x counter\nx_total 1\nx_created 1.76e9\n"
    for second in (0, 15, 30):
        (tmp_path / f"{1_760_000_000 + second}.prom").write_text(text)
    found = whole(tmp_path, form="openmetrics")
    assert found.codes == {"created_series_ignored": 3}
    assert len(found.findings) == 1
    assert found.seconds == [0.0, 15.0, 30.0]


def test_the_real_folder_of_scrapes(whole, shared):
    found = whole(shared / "data" / "dynamo_pd_run" / "raw_scrapes", form="openmetrics")
    assert found.rejects == []
    waiting = [row for row in found.rows if row[0] == "vllm:num_requests_waiting"]
    assert {labels["pod"] for _, labels, *_ in waiting} == {"decode-0", "decode-1"}
    assert len(waiting) == 8
    assert max(value for *_, value in waiting) > 50  # saturated


def test_real_dumps(whole, shared):
    found = whole(shared / "formats" / "openmetrics_backfill.txt")
    assert (len(found.rows), len(found.series), found.rejects) == (36, 6, [])
    found = whole(shared / "formats" / "dcgm_exporter_metrics.txt", AT)
    assert found.rejects == []
    assert {"Hostname", "hostname"} <= {label for _, labels, *_ in found.rows for label in labels}


def test_the_live_fleets_dump_equals_its_range_vectors(whole, shared):
    run = shared / "data" / "dynamo_pd_run" / "prom_15s"
    found = whole(run / "openmetrics_all_series.txt.gz")
    assert found.rows_read == 146_353
    name = "vllm:num_requests_waiting"
    one = whole(run / "raw_range_vector" / "vllm__num_requests_waiting.json.gz")
    assert sorted(map(repr, one.rows)) == sorted(repr(row) for row in found.rows if row[0] == name)
