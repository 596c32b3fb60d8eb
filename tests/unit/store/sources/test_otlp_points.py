"""Data points: every kind, both temporalities, what ends a series."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signals.store.sources.otlp_points import OtlpPoints
from signals.store.sources.sample_buffer import SampleBuffer

SECOND = 1_000_000_000
BASE = 1_760_000_000 * SECOND


def at(second, **members):
    return {"timeUnixNano": str(BASE + second * SECOND), **members}


class Taken:
    """Samples (name, le or quantile, second, value) of metrics, findings and rejects."""

    def __init__(self, *metrics):
        buffer = SampleBuffer()
        points = OtlpPoints(buffer)
        for metric in metrics:
            assert list(points.take({"name": "m", **metric}, ("a", {"pod": "a"}), 7)) == []
        self.codes = {finding.code: finding.count for finding in points.findings()}
        self.streams = points.streams
        chunk = buffer.flush()
        self.series = {one.metric: one for one in chunk.series}
        self.rejected = [(reject.line, reject.reason) for reject in chunk.rejects]
        self.rows = [
            (
                chunk.series[index].metric,
                chunk.series[index].labels.get("le", chunk.series[index].labels.get("quantile")),
                round(ts.timestamp()) - BASE // SECOND,
                value,
            )
            for index, ts, value in chunk.samples.rows()
        ]


def total(*points, temporality=2, monotonic=True):
    return {
        "sum": {
            "aggregationTemporality": temporality,
            "isMonotonic": monotonic,
            "dataPoints": [*points],
        }
    }


def histogram(*points, temporality=2):
    return {"histogram": {"aggregationTemporality": temporality, "dataPoints": [*points]}}


def test_gauges():
    found = Taken({"unit": "ms", "gauge": {"dataPoints": [at(0, asDouble=1.5), at(1, asInt="7")]}})
    assert found.rows == [("m", None, 0, 1.5), ("m", None, 1, 7.0)]
    one = found.series["m"]
    assert (one.kind, one.unit, one.labels) == ("gauge", "ms", {"pod": "a"})


@pytest.mark.parametrize(
    ("temporality", "code"),
    [(2, {}), ("AGGREGATION_TEMPORALITY_CUMULATIVE", {}), (0, {"temporality_unknown": 2}), (None, {"temporality_unknown": 2}),
     ([], {"temporality_unknown": 2})],
)  # fmt: skip
def test_counters(temporality, code):
    found = Taken(total(at(0, asInt="5"), at(15, asInt="3"), temporality=temporality))
    assert found.rows == [("m", None, 0, 5.0), ("m", None, 15, 3.0)]
    assert found.series["m"].kind == "counter"
    assert found.codes == code


def test_what_may_fall_is_a_gauge():
    assert Taken(total(at(0, asInt="5"), monotonic=False)).series["m"].kind == "gauge"


def test_deltas_add_up_from_their_start():
    start = str(BASE - SECOND)
    found = Taken(
        total(at(0, asInt="5", startTimeUnixNano=start), at(15, asInt="3"), temporality=1),
        total(at(30, asDouble=0.5, startTimeUnixNano=str(BASE)), temporality="AGGREGATION_TEMPORALITY_DELTA"),
    )  # fmt: skip
    assert [row[2:] for row in found.rows] == [(-1, 0.0), (0, 5.0), (15, 8.0), (30, 8.5)]
    assert found.codes == {"deltas_summed": 3}


def test_deltas_out_of_order_are_told():
    found = Taken(total(at(15, asInt="5"), at(0, asInt="3"), temporality=1))
    assert [row[2:] for row in found.rows] == [(15, 5.0), (0, 8.0)]
    assert found.codes == {"deltas_summed": 2, "delta_out_of_order": 1}


def test_attributes_in_another_order_are_the_same_series():
    pairs = [{"key": key, "value": {"stringValue": "x"}} for key in "ab"]
    points = [at(0, asInt="5", attributes=pairs), at(1, asInt="5", attributes=pairs[::-1])]
    found = Taken(total(*points, temporality=1))
    assert [row[3] for row in found.rows] == [5.0, 10.0]
    assert len(found.series) == 1


def test_histograms():
    point = at(
        0, count="7", sum=2.5, explicitBounds=[0.5, 1.0, 20], bucketCounts=["1", "2", 0, "4"]
    )
    found = Taken({"unit": "s", **histogram(point)})
    assert found.rows == [
        ("m_bucket", "0.5", 0, 1), ("m_bucket", "1", 0, 3), ("m_bucket", "20", 0, 3),
        ("m_bucket", "+Inf", 0, 7), ("m_sum", None, 0, 2.5), ("m_count", None, 0, 7),
    ]  # fmt: skip
    assert {one.kind for one in found.series.values()} == {"histogram"}
    units = {name: one.unit for name, one in found.series.items()}
    assert units == {"m_bucket": "s", "m_sum": "s", "m_count": ""}


def test_histograms_of_deltas():
    one = {"count": 3, "sum": 1.5, "explicitBounds": [1], "bucketCounts": [1, 2]}
    found = Taken(
        histogram(at(0, startTimeUnixNano=str(BASE - SECOND), **one), at(15, **one), temporality=1)
    )
    assert found.rows == [
        ("m_bucket", "1", -1, 0), ("m_bucket", "+Inf", -1, 0), ("m_sum", None, -1, 0), ("m_count", None, -1, 0),
        ("m_bucket", "1", 0, 1), ("m_bucket", "+Inf", 0, 3), ("m_sum", None, 0, 1.5), ("m_count", None, 0, 3),
        ("m_bucket", "1", 15, 2), ("m_bucket", "+Inf", 15, 6), ("m_sum", None, 15, 3.0), ("m_count", None, 15, 6),
    ]  # fmt: skip


def test_other_bounds_start_anew():
    points = [
        at(second, count=3, explicitBounds=[bound], bucketCounts=[1, 2])
        for second, bound in ((0, 1), (15, 2))
    ]
    found = Taken(histogram(*points, temporality=1))
    assert [row for row in found.rows if row[2] == 15] == [
        ("m_bucket", "2", 15, 1), ("m_bucket", "+Inf", 15, 3), ("m_count", None, 15, 3),
    ]  # fmt: skip


def test_histograms_without_buckets():
    assert Taken(histogram(at(0, count="3", sum=1))).rows == [
        ("m_sum", None, 0, 1),
        ("m_count", None, 0, 3),
    ]


def test_exponential_histograms():
    point = {
        "scale": 0,
        "count": "4",
        "sum": 9,
        "zeroCount": 1,
        "positive": {"offset": 1, "bucketCounts": [3]},
    }
    found = Taken(
        {"exponentialHistogram": {"aggregationTemporality": 2, "dataPoints": [at(0, **point)]}}
    )
    assert found.rows == [
        ("m_bucket", "2.0", 0, 1), ("m_bucket", "4.0", 0, 4), ("m_bucket", "+Inf", 0, 4),
        ("m_sum", None, 0, 9), ("m_count", None, 0, 4),
    ]  # fmt: skip
    assert found.codes == {"exponential_buckets": 1}
    twice = [at(0, **point), at(15, **point)]
    found = Taken({"exponentialHistogram": {"aggregationTemporality": 1, "dataPoints": twice}})
    assert [row[3] for row in found.rows if row[2] == 15] == [2, 8, 8, 18, 8]
    assert found.codes == {"exponential_buckets": 2, "deltas_summed": 2}


def test_summaries():
    quantiles = [{"quantile": 0.5, "value": 2}, {"quantile": 1, "value": "NaN"}, {}]
    found = Taken({"summary": {"dataPoints": [at(0, count="3", sum=6, quantileValues=quantiles)]}})
    assert str(found.rows) == (
        "[('m', '0.5', 0, 2.0), ('m', '1', 0, nan), ('m', '0', 0, 0.0), ('m_sum', None, 0, 6.0), "
        "('m_count', None, 0, 3.0)]"
    )


def test_a_series_that_has_ended():
    found = Taken(total(at(0, flags=1), at(15, asInt=5, flags=0)), histogram(at(0, flags=1)))
    assert math.isnan(found.rows[0][3])
    assert found.rows[1:] == [("m", None, 15, 5.0)]
    assert found.codes == {"no_recorded_value": 2}


@pytest.mark.parametrize(
    ("metric", "reason"),
    [
        (total({"asInt": "5"}), "bad_time"),
        (total(at(0, asInt="x")), "bad_number"),
        (total(at(0)), "bad_number"),
        (total("x"), "bad_point"),
        ({"name": 5, **total(at(0, asInt="5"))}, "bad_point"),
        (total(at(0, asInt="5", attributes="x")), "bad_point"),
        (total(at(0, asInt="5", flags="x")), "bad_number"),
        (histogram(at(0, count="3", explicitBounds=[1], bucketCounts=[1])), "bad_buckets"),
        (histogram(at(0, count="3", explicitBounds=[2, 1], bucketCounts=[1, 1, 1])), "bad_buckets"),
        (histogram(at(0, count="3", explicitBounds=["NaN"], bucketCounts=[1, 1])), "bad_buckets"),
        (
            histogram(at(0, explicitBounds=[*range(4001)], bucketCounts=[1] * 4002)),
            "too_many_buckets",
        ),
        (histogram(at(0, count="-3")), "bad_number"),
        ({"summary": {"dataPoints": [at(0, quantileValues=[5])]}}, "bad_point"),
        ({"exponentialHistogram": {"dataPoints": [at(0, scale=99)]}}, "bad_scale"),
    ],
)
def test_broken_points_are_rejects(metric, reason):
    found = Taken(metric)
    assert found.rejected == [(7, reason)]
    assert found.rows == []


@pytest.mark.parametrize("metric", [{}, {"sum": 5}, {"sum": {}}, {"gauge": {"dataPoints": {}}}])
def test_metrics_without_points(metric):
    assert Taken(metric).rows == []


def test_points_of_many_buckets_are_handed_out_on_the_way():
    bounds = [*range(3000)]
    point = at(0, count=3001, explicitBounds=bounds, bucketCounts=[1] * 3001)
    buffer = SampleBuffer()
    points = OtlpPoints(buffer)
    chunks = list(points.take({"name": "m", **histogram(*[point] * 200)}, ("a", {}), 1))
    sizes = [chunk.samples.height for chunk in chunks]
    assert sum(sizes) + len(buffer) == 200 * 3002
    assert max(sizes) < 510_000


def test_a_rejected_delta_is_not_added():
    bad = at(15, count=3, explicitBounds=[1], bucketCounts=[1])
    good = {"count": 3, "explicitBounds": [1], "bucketCounts": [1, 2]}
    found = Taken(
        histogram(at(0, **good), bad, {**good, "timeUnixNano": "0"}, at(30, **good), temporality=1)
    )
    assert [row[3] for row in found.rows if row[2] == 30] == [2, 6, 6]


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=1, max_size=8))
def test_deltas_end_where_cumulative_points_do(batches):
    def points(counts):
        return [
            at(second, count=sum(one), sum=sum(one), explicitBounds=[1, 2], bucketCounts=one)
            for second, one in enumerate(counts)
        ]

    sums = [
        [sum(column) for column in zip(*batches[: end + 1], strict=True)]
        for end in range(len(batches))
    ]
    assert (
        Taken(histogram(*points(batches), temporality=1)).rows
        == Taken(histogram(*points(sums))).rows
    )


def test_a_counter_whose_start_moves_began_anew():
    first, then = str(BASE - SECOND), str(BASE + 20 * SECOND)
    found = Taken(
        total(
            at(0, asInt="5", startTimeUnixNano=first), at(15, asInt="9", startTimeUnixNano=first)
        ),
        total(at(30, asInt="12", startTimeUnixNano=then)),
    )
    # it never fell, but counted 12 after the restart, not 3
    assert [row[2:] for row in found.rows] == [(0, 5.0), (15, 9.0), (20, 0.0), (30, 12.0)]


def test_a_histogram_whose_start_moves_began_anew_in_every_part():
    first, then = str(BASE - SECOND), str(BASE + 20 * SECOND)
    points = [
        at(
            s,
            explicitBounds=[1],
            bucketCounts=["1", "2"],
            sum=4,
            count="3",
            startTimeUnixNano=start,
        )
        for s, start in ((0, first), (15, first), (30, then))
    ]
    found = Taken(histogram(*points))
    assert sorted((row[0], row[1]) for row in found.rows if row[2:] == (20, 0.0)) == [
        ("m_bucket", "+Inf"), ("m_bucket", "1"), ("m_count", None), ("m_sum", None)
    ]  # fmt: skip


def test_what_may_fall_has_no_restart():
    first, then = str(BASE - SECOND), str(BASE + 20 * SECOND)
    points = [at(s, asInt="5", startTimeUnixNano=start) for s, start in ((0, first), (15, first), (30, then))]  # fmt: skip
    assert len(Taken(total(*points, monotonic=False)).rows) == 3
