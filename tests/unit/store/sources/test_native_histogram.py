"""Native histograms made classic: by hand, and as cumulative counts of any buckets."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from signals.errors import InputError
from signals.store.parsed import NameChoice, ReadOptions, Series
from signals.store.sources import native_histogram, prometheus_matrix
from signals.store.sources.native_histogram import NativeHistograms

BASE = 1_760_000_000
ONE = Series("x", {"pod": "a"})


def element(*buckets, time=BASE, count=None, total="1.5"):
    count = sum(float(bucket[3]) for bucket in buckets) if count is None else count
    return [time, {"count": count, "sum": total, "buckets": [list(bucket) for bucket in buckets]}]


def collected(*elements):
    native = NativeHistograms("x.json, series 1")
    for one in elements:
        assert native.add(one)
    return native


def counts_of(native, one=ONE):
    """Per bound the cumulative counts in time."""
    return {
        series.labels["le"]: values.tolist()
        for series, _, values in native.classic(one)
        if "le" in series.labels
    }


def test_names_labels_and_kinds():
    found = [series for series, *_ in collected(element((0, "1", "2", "3"))).classic(ONE)]
    assert [(series.metric, series.labels.get("le")) for series in found] == [
        ("x_bucket", "1.0"),
        ("x_bucket", "2.0"),
        ("x_bucket", "+Inf"),
        ("x_sum", None),
        ("x_count", None),
    ]
    assert {series.kind for series in found} == {"histogram"}
    assert {series.labels["pod"] for series in found} == {"a"}


def test_a_name_by_the_user_is_the_histograms_own():
    named = replace(ONE, metric="ttft", unit="ms", pool="decode")
    found = [series for series, *_ in collected(element((0, "1", "2", "3"))).classic(named)]
    assert [series.metric for series in found] == ["ttft", "ttft", "ttft", "ttft_sum", "ttft_count"]
    assert [series.unit for series in found] == ["ms", "ms", "ms", "ms", ""]
    assert {series.pool for series in found} == {"decode"}


def test_absent_buckets_keep_the_count_below_them():
    native = collected(
        element((0, "1", "2", "3"), (0, "4", "8", "5")),
        element((0, "2", "4", "7"), time=BASE + 0.25),
    )
    expected = {"1.0": [0, 0], "2.0": [3, 0], "4.0": [3, 7], "8.0": [8, 7], "+Inf": [8, 7]}
    assert counts_of(native) == expected
    times = [times.tolist() for _, times, _ in native.classic(ONE)]
    assert times == [[BASE * 10**6, BASE * 10**6 + 250_000]] * 7


def test_the_zero_bucket_of_what_is_never_negative_begins_at_zero():
    native = collected(element((3, "-0.001", "0.001", "4"), (0, "0.001", "0.002", "1")))
    assert counts_of(native) == {"0.001": [4], "0.002": [5], "+Inf": [5]}


def test_negative_buckets():
    native = collected(element((1, "-2", "-1", "3"), (3, "-0.5", "0.5", "4"), (0, "1", "2", "5")))
    assert counts_of(native) == {
        "-2.0": [0],
        "-1.0": [3],
        "-0.5": [3],
        "0.5": [7],
        "1.0": [7],
        "2.0": [12],
        "+Inf": [12],
    }


def test_custom_buckets_begin_and_end_at_infinity():
    native = collected(element((0, "-Inf", "1", "3"), (0, "1", "5", "4"), (0, "5", "+Inf", "2")))
    assert counts_of(native) == {"1.0": [3], "5.0": [7], "+Inf": [9]}


def test_observations_outside_of_all_buckets_count_at_the_end():
    assert counts_of(collected(element((0, "1", "2", "3"), count="5"))) == {
        "1.0": [0],
        "2.0": [3],
        "+Inf": [5],
    }


def test_a_coarser_resolution_leaves_only_the_bounds_that_all_have():
    native = collected(
        element((0, "1", "1.5", "1"), (0, "1.5", "2", "2"), (0, "2", "3", "4")),
        element((0, "1", "2", "5"), (0, "2", "4", "6")),
    )
    assert counts_of(native) == {"1.0": [0, 0], "2.0": [3, 5], "4.0": [7, 11], "+Inf": [7, 11]}
    assert native.dropped_bounds == 2


def test_no_bucket_at_all():
    native = collected([BASE, {"count": "0", "sum": "0"}])
    assert counts_of(native) == {"+Inf": [0]}
    assert counts_of(NativeHistograms("x")) == {"+Inf": []}


@pytest.mark.parametrize(
    "body",
    [
        {},
        None,
        [],
        {"count": "1"},
        {"count": "x", "sum": "1"},
        {"count": True, "sum": "1"},
        {"count": "1", "sum": None},
        {"count": "1", "sum": "1", "buckets": {}},
        {"count": "1", "sum": "1", "buckets": [[0, "1", "2"]]},
        {"count": "1", "sum": "1", "buckets": [[4, "1", "2", "3"]]},
        {"count": "1", "sum": "1", "buckets": [[True, "1", "2", "3"]]},
        {"count": "1", "sum": "1", "buckets": [["0", "1", "2", "3"]]},
        {"count": "1", "sum": "1", "buckets": [[[], "1", "2", "3"]]},
        {"count": "1", "sum": "1", "buckets": [[0, "2", "1", "3"]]},
        {"count": "1", "sum": "1", "buckets": [[0, "NaN", "1", "3"]]},
        {"count": "1", "sum": "1", "buckets": [[0, "1", "2", "x"]]},
        {"count": "1", "sum": "1", "buckets": ["abcd"]},
        {"count": 10**400, "sum": "1"},
    ],
)
def test_what_is_no_histogram(body):
    native = NativeHistograms("x")
    assert not native.add([BASE, body])
    assert len(native) == 0


@pytest.mark.parametrize("time", [-1, "x", None, math.nan, math.inf, True])
def test_what_is_no_time(time):
    assert not NativeHistograms("x").add([time, {"count": "1", "sum": "1"}])


def test_more_buckets_than_fit(monkeypatch):
    monkeypatch.setattr(native_histogram, "_MAX_BUCKETS", 3)
    native = NativeHistograms("x.json, series 7")
    native.add(element((0, "1", "2", "3"), (0, "2", "3", "3")))
    with pytest.raises(InputError, match="more than 3") as caught:
        native.add(element((0, "1", "2", "3"), (0, "2", "3", "3")))
    assert "series 7" in caught.value.where


BUCKETS = st.lists(st.tuples(st.integers(-6, 6), st.integers(1, 4), st.integers(0, 9)), max_size=6)


@given(st.lists(BUCKETS, min_size=1, max_size=5), st.sampled_from([1, 7, 1000]))
def test_counts_are_sums_of_the_buckets_below(histograms, cells):
    native = collected(
        *(
            element(*((0, low, low + width, n) for low, width, n in buckets))
            for buckets in histograms
        )
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(native_histogram, "_BLOCK_CELLS", cells)
        found = counts_of(native)
    spans = [(low, low + width) for buckets in histograms for low, width, _ in buckets]
    counted = {float(bound): counts for bound, counts in found.items()}
    totals = counted.pop(math.inf)
    assert totals == [sum(n for *_, n in buckets) for buckets in histograms]
    for edge, counts in counted.items():
        assert not any(low < edge < high for low, high in spans)
        assert counts == [
            sum(n for low, width, n in buckets if low + width <= edge) for buckets in histograms
        ]
    assert np.all(np.diff(np.array(list(found.values())), axis=0) >= 0)


def answer(*result):
    """An answer with a series of one float in front and one behind."""
    floats = {"metric": {"__name__": "up"}, "values": [[BASE, "1"]]}
    body = {"resultType": "matrix", "result": [floats, *result, floats]}
    return json.dumps({"status": "success", "data": body})


def test_native_histograms_become_classic_ones(whole, shared):
    path = shared / "formats" / "mimir_query_range_native_histogram.json"
    found = whole(path, ReadOptions(as_name=NameChoice("prefill:ttft", "s")))
    # 13 up to 0.0109, 84 more up to 0.0218 and 43 more up to 0.0438, none between the buckets
    bounds = {labels["le"]: value for _, labels, _, value in found.rows if "le" in labels}
    assert bounds == {
        "0.0092": 0.0,
        "0.0109": 13.0,
        "0.0184": 13.0,
        "0.0218": 97.0,
        "0.0368": 97.0,
        "0.0438": 140.0,
        "+Inf": 140.0,
    }
    rest = {name: (labels, value) for name, labels, _, value in found.rows if "le" not in labels}
    pod = {"pod": "vllm-prefill-0"}
    assert rest == {"ttft_sum": (pod, 4.2), "ttft_count": (pod, 140.0)}
    assert {one.pool for one in found.series.values()} == {"prefill"}
    assert found.codes == {"server_info": 1, "native_histogram": 1}
    assert found.rows_read == 1


def histogram(seconds, *buckets):
    count = sum(int(bucket[3]) for bucket in buckets)
    body = {"count": str(count), "sum": "1", "buckets": [list(bucket) for bucket in buckets]}
    return [BASE + seconds, body]


def test_native_histograms_beside_floats(whole, write):
    histograms = [histogram(0, (0, "1", "2", "3")), histogram(15, (0, "2", "4", "5")), [BASE, {}]]
    native = {"metric": {"__name__": "x", "pod": "a"}, "histograms": histograms}
    found = whole(write("x.json", answer(native)))
    named = {}
    for name, labels, seconds, value in found.rows:
        named.setdefault((name, labels.get("le")), []).append((seconds, value))
    assert named == {
        ("up", None): [(0, 1), (0, 1)],
        ("x_bucket", "1.0"): [(0, 0), (15, 0)],
        ("x_bucket", "2.0"): [(0, 3), (15, 0)],
        ("x_bucket", "4.0"): [(0, 3), (15, 5)],
        ("x_bucket", "+Inf"): [(0, 3), (15, 5)],
        ("x_sum", None): [(0, 1), (15, 1)],
        ("x_count", None): [(0, 3), (15, 5)],
    }
    assert found.codes == {"native_histogram": 2, "step_aligned": 1}
    assert found.rejected == [(2, "bad_histogram")]
    assert found.rejects[0].excerpt.startswith("series 2, histogram 3: ")
    assert found.rows_read == 5


def test_bounds_inside_of_wider_buckets_are_left_out_and_told(whole, write):
    fine = histogram(0, (0, "1", "1.5", "1"), (0, "1.5", "2", "2"))
    native = {"metric": {"__name__": "x"}, "histograms": [fine, histogram(15, (0, "1", "2", "4"))]}
    found = whole(write("x.json", answer(native)))
    bounds = {labels["le"] for _, labels, *_ in found.rows if "le" in labels}
    assert bounds == {"1.0", "2.0", "+Inf"}
    (finding,) = (one for one in found.findings if one.code == "native_histogram")
    assert "1 bounds that wider buckets span" in finding.action


def test_native_histograms_with_times_in_milliseconds(whole, write):
    native = {"metric": {"__name__": "x"}, "histograms": [histogram(999 * BASE)]}
    with pytest.raises(InputError, match="beyond the year 2200"):
        whole(write("x.json", answer(native)))


def test_many_malformed_histograms_end_early(whole, write, monkeypatch):
    monkeypatch.setattr(prometheus_matrix, "_MAX_REJECTS", 20)
    native = {"metric": {"__name__": "x"}, "histograms": [[]] * 100}
    with pytest.raises(InputError, match="malformed, 21 so far"):
        whole(write("x.json", answer(native)))
