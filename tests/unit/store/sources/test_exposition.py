"""The syntax of a sample line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signals.store.sources.exposition import (
    Families,
    parse_labels,
    parse_series,
    split_sample,
    unescape_go,
)


@pytest.mark.parametrize(
    ("line", "groups"),
    [
        ("up 1", ("up", "1", None)),
        ('up{a="b"} 1 1760000000000', ('up{a="b"}', "1", "1760000000000")),
        (
            'x_bucket{le="+Inf"} 5 # {trace_id="a"} 0.5 1760000000.1',
            ('x_bucket{le="+Inf"}', "5", None),
        ),
        ('x{a="} # {"} 5 7', ('x{a="} # {"}', "5", "7")),
        ('x{a="q\\"}"} NaN', ('x{a="q\\"}"}', "NaN", None)),
        ("x{} 5\t6", ("x{}", "5", "6")),
    ],
)
def test_sample_lines(line, groups):
    assert split_sample(line) == groups


@pytest.mark.parametrize(
    "line",
    ["vllm,host=a x=1 123", "a b c d", '{"a": 1}', "1 2", "x{a=b} 1 2 3", "# x", "}", "{", "up"],
)
def test_other_lines(line):
    found = split_sample(line)
    assert found is None or parse_labels(found[0]) is None


@pytest.mark.parametrize(
    ("series", "expected"),
    [
        ("up", ("up", {})),
        ("up{}", ("up", {})),
        ('up{a="b", c="d",}', ("up", {"a": "b", "c": "d"})),
        (r'up{a="x\"y\\z\n"}', ("up", {"a": 'x"y\\z\n'})),
        ('up{a=""}', ("up", {})),
        ('{"my.metric",a="b"}', ("my.metric", {"a": "b"})),
        ('{__name__="up",a="b"}', ("up", {"a": "b"})),
        ('up{a="b" c="d"}', None),
        ("up{a=b}", None),
        ('{a="b"}', None),
        ('up{a="b",a="c"}', None),
        (r'up{a="\x41\u00e9\101"}', ("up", {"a": "x41u00e9101"})),
    ],
)
def test_labels(series, expected):
    assert parse_labels(series) == expected


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (r"\t\n\r\a\b\f\v", "\t\n\r\a\b\f\v"),
        (r"\"\\", '"\\'),
        (r"\x41\u00e9\U0001f600\101", "A\u00e9\U0001f600A"),
        (r"\ud800\Uffffffff", "??"),
        (r"\xz\9", "xz9"),
    ],
)
def test_gos_escapes(written, meant):
    assert parse_labels(f'up{{a="{written}"}}', unescape_go) == ("up", {"a": meant})


def written(text: str) -> str:
    for character, escaped in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n")):
        text = text.replace(character, escaped)
    return text


@given(
    st.dictionaries(
        st.from_regex(r"[a-z_][a-z0-9_]{0,8}", fullmatch=True).filter(
            lambda key: key != "__name__"
        ),
        st.text(st.characters(exclude_categories=["Cs"]), min_size=1),
        max_size=4,
    )
)
def test_labels_survive_writing_and_reading(labels):
    inside = ",".join(f'{key}="{written(text)}"' for key, text in labels.items())
    assert parse_labels(f"up{{{inside}}}") == ("up", labels)


def test_series_without_a_name():
    assert parse_series('{a="b"}') == ("", {"a": "b"})
    assert parse_series("{}") == ("", {})
    assert parse_series("{a=b}") is None


def test_created_series():
    families = Families()
    families.note("# TYPE a counter")
    families.note("# TYPE b_total counter")
    families.note("# TYPE kube_pod_created gauge")
    found = [
        name
        for name in ("a_created", "b_created", "kube_pod_created", "a", "_created")
        if families.is_created(name)
    ]
    assert found == ["a_created", "b_created"]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("# TYPE a counter", False),
        ("# HELP a_unit x", False),
        ("# UNIT a_seconds seconds", True),
        ("# TYPE a info", True),
    ],
)
def test_words_that_only_openmetrics_has(line, told):
    families = Families()
    families.note(line)
    assert families.openmetrics is told


def test_types_reach_the_parts_of_a_family():
    families = Families()
    families.note("# TYPE ttft histogram")
    families.note("# TYPE tokens_total counter")
    families.note("# TYPE requests counter")
    families.note("# TYPE odd summary")
    families.note("# HELP ttft text")
    families.note("# TYPE broken")
    assert families.kind_of("ttft_bucket") == "histogram"
    assert families.kind_of("tokens_total") == "counter"
    assert families.kind_of("requests_total") == "counter"
    assert families.kind_of("odd") == ""
    assert families.kind_of("unseen") == ""


def test_units_of_known_spelling():
    families = Families()
    families.note("# UNIT ttft_seconds seconds")
    families.note("# UNIT odd furlongs")
    assert families.unit_of("ttft_seconds_sum") == "s"
    assert families.unit_of("ttft_seconds_count") == ""
    assert families.unit_of("odd") == ""
