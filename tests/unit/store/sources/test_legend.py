"""What charts call their series, and what becomes of it."""

from __future__ import annotations

import pytest

from signals.errors import InputError
from signals.store.parsed import NameChoice, ReadOptions
from signals.store.sources.legend import Legend, name_legends, read_legend


def name(texts, **options):
    series, findings = name_legends(
        [read_legend(t) for t in texts], ReadOptions(**options), "x.csv"
    )
    rows = [(one.metric, dict(one.labels), one.unit, one.pool) for one in series]
    assert {one.sampling for one in series} == {"step_aligned"}
    return rows, {finding.code: finding.count for finding in findings}


@pytest.mark.parametrize(
    ("text", "metric", "labels"),
    [
        ('up{pod="a"}', "up", {"pod": "a"}),
        ('{__name__="up", pod="a", gpu="0"}', "up", {"pod": "a", "gpu": "0"}),
        ('vllm:num_requests_running{pod="a, b"}', "vllm:num_requests_running", {"pod": "a, b"}),
        ("vllm:num_requests_running", "vllm:num_requests_running", {}),
        (
            "decode/pod-a#0:gpu_util",
            "gpu_util",
            {"pool": "decode", "instance": "pod-a", "gpu": "0"},
        ),
    ],
)
def test_texts_that_name_a_metric(text, metric, labels):
    found = read_legend(text)
    assert (found.name, dict(found.labels), found.nameless) == (metric, labels, False)


def test_units_in_brackets():
    assert read_legend("decode:ttft_p99 [ms]").unit == "ms"
    assert read_legend("decode:ttft_p99 [furlong]").name == ""


@pytest.mark.parametrize("text", ["Value", "Value #A", "value", '{pod="a"}', 'Value {pod="a"}'])
def test_results_of_expressions_have_no_name(text):
    found = read_legend(text)
    assert (found.name, found.nameless) == ("", True)


@pytest.mark.parametrize("text", ["TTFT p99", "decode", "vllm-decode-0", "a}", "{pod=a}", "x{}y{}"])
def test_words_of_a_persons_own(text):
    found = read_legend(text)
    assert (found.name, found.nameless) == ("", False)


def test_named_by_the_user_and_by_itself():
    rows, codes = name(
        ['up{pod="a"}', "TTFT p99", "speed"],
        columns={"TTFT p99": NameChoice("decode:ttft_p99", "s")},
    )
    assert rows == [
        ("up", {"pod": "a"}, "", ""),
        ("ttft_p99", {"pool": "decode"}, "s", "decode"),
        ("speed", {}, "", ""),
    ]
    assert codes == {"unnamed_column": 1}


def test_one_name_for_all_series_of_a_metric():
    rows, _ = name(['foo{pod="a"}', 'foo{pod="b"}'], columns={"foo": NameChoice("running", "")})
    assert rows == [("running", {"pod": "a"}, "", ""), ("running", {"pod": "b"}, "", "")]


def test_as_names_nameless_results_and_keeps_their_labels():
    rows, codes = name(['{pod="a"}', '{pod="b"}'], as_name=NameChoice("kv_usage", "%"))
    assert rows == [("kv_usage", {"pod": "a"}, "%", ""), ("kv_usage", {"pod": "b"}, "%", "")]
    assert codes == {}


def test_as_names_the_only_column():
    rows, codes = name(["TTFT p99"], as_name=NameChoice("decode:ttft_p99", "s"))
    assert rows == [("ttft_p99", {"pool": "decode"}, "s", "decode")]
    assert codes == {}


def test_as_takes_legends_for_instances():
    rows, codes = name(["decode-0", "prefill-1"], as_name=NameChoice("gpu_util", "%"))
    assert [labels for _, labels, *_ in rows] == [
        {"instance": "decode-0"},
        {"instance": "prefill-1"},
    ]
    assert codes == {"legend_as_instance": 2}


def test_as_leaves_legends_alone_beside_a_nameless_result():
    rows, codes = name(["Value", "speed"], as_name=NameChoice("gpu_util", "%"))
    assert [metric for metric, *_ in rows] == ["gpu_util", "speed"]
    assert codes == {"unnamed_column": 1}


def test_nothing_named_says_how_to():
    with pytest.raises(InputError, match="no series has the name") as caught:
        name(["TTFT p99", "speed"])
    assert "'TTFT p99', 'speed'" in caught.value.where
    assert "--map 'TTFT p99=NAME[unit]'" in caught.value.hint
    with pytest.raises(InputError) as caught:
        name(["Value"])
    assert "--as" in caught.value.hint


def test_the_same_series_twice():
    columns = {"a": NameChoice("decode:itl_p50", "s"), "b": NameChoice("decode:itl_p50", "ms")}
    with pytest.raises(InputError, match="'a' and 'b' come out as the same series itl_p50"):
        name(["a", "b"], columns=columns)


def test_aliases_name_too():
    legend = Legend("vllm-decode GPUUtilization", aliases=("m2",))
    choice = {"m2": NameChoice("decode:gpu_util", "%")}
    (one,), _ = name_legends([legend], ReadOptions(columns=choice), "x")
    assert one.metric == "gpu_util"


def test_halves_of_characters_do_not_reach_the_store():
    rows, _ = name(['up{pod="a\ud800"}', "x\ud800"])
    assert rows == [("up", {"pod": "a?"}, "", ""), ("x?", {}, "", "")]


def test_a_further_aggregate_stays_beside():
    legends = [Legend("gpu"), Legend("gpu Maximum", beside=True)]
    with pytest.raises(InputError, match="no series has the name"):
        name_legends(legends, ReadOptions(), "x")
    options = ReadOptions(as_name=NameChoice("gpu_util", "%"))
    series, findings = name_legends(legends, options, "x")
    assert [one.metric for one in series] == ["gpu_util", "gpu Maximum"]
    assert findings == []


def test_the_exports_unit_and_pool_fill_in_what_the_user_leaves_out():
    legend = Legend("x", unit="ms", pool="decode")
    (one,), _ = name_legends([legend], ReadOptions(as_name=NameChoice("ttft_p99", "")), "x")
    assert (one.unit, one.pool) == ("ms", "decode")
    choice = NameChoice("prefill:ttft_p99", "s")
    (one,), _ = name_legends([legend], ReadOptions(as_name=choice), "x")
    assert (one.unit, one.pool) == ("s", "prefill")


def test_a_result_without_a_name_is_named_by_its_file():
    """One --as for a folder of panels would make one signal of all of them."""
    for legends in (["Value"], ['{pod="a"}', '{pod="b"}']):
        read = [read_legend(text) for text in legends]
        with pytest.raises(InputError) as caught:
            name_legends(read, ReadOptions(), "panels/ttft.csv.gz")
        assert "of several files this one with --map 'ttft=NAME[unit]'" in caught.value.hint
        options = ReadOptions(columns={"ttft": NameChoice("decode:ttft_p99", "ms")})
        series, findings = name_legends(read, options, "panels/ttft.csv.gz")
        assert {(one.metric, one.pool, one.unit) for one in series} == {
            ("ttft_p99", "decode", "ms")
        }
        assert findings == []
        with pytest.raises(InputError):
            name_legends(read, options, "panels/itl.csv")
    with pytest.raises(InputError) as caught:
        name_legends([read_legend(text) for text in ("p50", "p99")], ReadOptions(), "ttft.csv")
    assert "--map 'p50=NAME[unit]'" in caught.value.hint
