"""OTLP JSON lines: exports, resources, what else a file may hold, broken lines."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signals.catalog.naming import match
from signals.errors import InputError
from signals.store.parsed import ReadOptions
from signals.store.sources.otlp_jsonl import OTLP_JSONL

NS = 1_760_000_000_000_000_000


def export(metrics, **resource):
    attributes = [{"key": key, "value": {"stringValue": value}} for key, value in resource.items()]
    scope = {"scope": {"name": "x"}, "metrics": metrics}
    return {"resourceMetrics": [{"resource": {"attributes": attributes}, "scopeMetrics": [scope]}]}


def gauge(value, name="vllm:num_requests_waiting"):
    return {"name": name, "gauge": {"dataPoints": [{"timeUnixNano": str(NS), "asDouble": value}]}}


def lines(*exports):
    return "".join(json.dumps(one) + "\n" for one in exports)


def test_exports_of_two_resources(whole, write):
    text = lines(export([gauge(1), gauge(2, "b")], pod="a"), export([gauge(3)], pod="b"))
    found = whole(write("x.jsonl", text))
    assert found.format == "otlp-jsonl"
    name = "vllm:num_requests_waiting"
    assert found.rows == [
        (name, {"pod": "a"}, 0, 1),
        ("b", {"pod": "a"}, 0, 2),
        (name, {"pod": "b"}, 0, 3),
    ]
    assert (found.rows_read, found.rejects, found.codes) == (3, [], {})


def test_names_of_older_encodings(whole, write):
    old = {"resource_metrics": [{"instrumentationLibraryMetrics": [{"metrics": [gauge(1)]}]}]}
    assert whole(write("x.jsonl", lines(old))).values == [1.0]


def test_an_export_spread_over_lines(whole, write):
    text = (
        json.dumps(export([gauge(1)]), indent=1) + "\n" + json.dumps(export([gauge(2)]), indent=1)
    )
    assert whole(write("x.json", text)).values == [1.0, 2.0]
    with pytest.raises(InputError, match="ends in the middle"):
        whole(write("y.json", text[:-9]))


def test_deltas_add_up_over_lines(whole, write):
    def delta(second, value):
        point = {"timeUnixNano": NS + second * 10**9, "asInt": str(value)}
        data = {"aggregationTemporality": 1, "isMonotonic": True, "dataPoints": [point]}
        return export([{"name": "m", "sum": data}])

    found = whole(write("x.jsonl", lines(delta(0, 5), delta(15, 6))))
    assert found.values == [5.0, 11.0]
    assert found.codes == {"deltas_summed": 2}


def test_broken_lines_are_rejects(whole, write):
    text = (
        lines(export([gauge(1)]))
        + "{broken}\n5\n\n"
        + lines(
            {"resourceMetrics": 5},
            {"resourceMetrics": [5]},
            {"resourceMetrics": [{"scopeMetrics": [5]}]},
            {"resourceMetrics": [{"scopeMetrics": [{"metrics": [5]}]}]},
            export([gauge("x")]),
        )
    )
    found = whole(write("x.jsonl", text))
    assert found.rejected == [
        (2, "bad_json"), (3, "no_object"), (5, "bad_point"), (6, "bad_resource"), (7, "bad_scope"),
        (8, "bad_metric"), (9, "bad_number"),
    ]  # fmt: skip
    assert found.values == [1.0]


def test_a_file_cut_short(whole, write):
    with pytest.raises(InputError, match="ends in the middle"):
        whole(write("x.jsonl", lines(export([gauge(1)])) + lines(export([gauge(1)]))[:50]))


def test_not_a_number_is_kept(whole, write):
    assert str(whole(write("x.jsonl", lines(export([gauge("NaN")])))).values) == "[nan]"


def test_other_exports(whole, write):
    spans = {"resourceSpans": []}
    found = whole(write("x.jsonl", lines(export([gauge(1)]), spans)))
    assert found.codes == {"not_metrics": 1}
    with pytest.raises(InputError, match="no metric, but exports of traces"):
        whole(write("y.jsonl", lines(spans)))


@pytest.mark.parametrize(
    "text", ['{"resourceMetrics":[]}', '{"resourceMetrics":[{"scopeMetrics":[]}]}\n\n']
)
def test_nothing(whole, write, text):
    with pytest.raises(InputError, match="no metric"):
        whole(write("x.jsonl", text))


def test_bad_encoding_nesting_and_an_endless_line(whole, write):
    head = lines(export([gauge(1)])).encode()
    with pytest.raises(InputError, match="UTF-8"):
        whole(write("x.jsonl", head + b"\xff\n"))
    deep = head + b'{"resourceMetrics":' + b"[" * 100_000 + b"\n" + head
    assert whole(write("y.jsonl", deep)).rejected == [(2, "bad_json")]
    with pytest.raises(InputError, match="longer than"):
        whole(write("z.jsonl", head + b'{"resourceMetrics":"' + b"x" * (40 << 20)))


def test_the_documented_sample(whole, shared):
    found = whole(shared / "formats" / "otlp_metrics.jsonl")
    assert (len(found.rows), len(found.series), found.rejects, found.codes) == (21, 21, [], {})
    buckets = [
        (labels["le"], value) for name, labels, _, value in found.rows if name.endswith("_bucket")
    ]
    assert buckets[2:6] == [("0.01", 13), ("0.02", 97), ("0.04", 123), ("0.06", 138)]
    assert buckets[-1] == ("+Inf", 140)
    known = {metric: match(metric, labels, "") for metric, labels, *_ in found.rows}
    assert {name: one.measurement for name, one in known.items() if one} == {
        "vllm:num_requests_waiting": "queue_depth",
        "vllm:generation_tokens": "decode_tokens_total",
        "gen_ai.server.time_to_first_token_bucket": "ttft",
        "gen_ai.server.time_to_first_token_sum": "ttft",
        "gen_ai.server.time_to_first_token_count": "ttft",
    }


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(["resource", "attributes", "scopeMetrics", "metrics", "name", "sum", "gauge", "histogram",
                         "exponentialHistogram", "summary", "dataPoints", "timeUnixNano", "asInt", "flags", "key",
                         "value", "positive", "scale"]),
        inner, max_size=4),
    max_leaves=20,
)  # fmt: skip


@settings(deadline=None)
@given(json_values)
def test_whatever_is_in_it_is_read_or_rejected(tmp_path_factory, value):
    path = tmp_path_factory.mktemp("otlp") / "x.jsonl"
    path.write_text(lines(export([gauge(1)]), {"resourceMetrics": [value]}, export([value])))
    chunks = list(OTLP_JSONL.read(path, ReadOptions()))
    assert sum(chunk.samples.height for chunk in chunks) >= 1
