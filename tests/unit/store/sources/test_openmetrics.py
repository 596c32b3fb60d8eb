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
        ("nolicence/scrapes/vllm_0.25.1_loaded.prom", 435),
        ("dynamo_pd_run/raw_scrapes/saturated_frontend-0.prom.txt", 823),
    ],
)
def test_real_scrapes(whole, shared, name, samples):
    found = whole(shared / "data" / name, AT)
    assert len(found.rows) == samples
    assert found.rejects == []


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
