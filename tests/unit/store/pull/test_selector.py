"""Selectors and expressions are told apart by their form alone."""

import re

import pytest

from signals.errors import UsageError
from signals.store.pull.selector import any_of, check_matcher, is_selector, quoted, with_matchers


@pytest.mark.parametrize(
    "query",
    [
        "up",
        "vllm:num_requests_waiting",
        'up{job="a"}',
        ' { __name__ =~ "vllm:.*" , job != "x", } ',
        "up{job='it''s'}".replace("''", "\\'"),
        '{"dotted.name", job=~"a|b"}',
        r'up{path="a\"b}"}',
    ],
)
def test_selectors(query):
    """A name, matchers, or both."""
    assert is_selector(query)


@pytest.mark.parametrize(
    "query",
    ["sum(up)", "rate(x[5m])", "a + b", "up offset 5m", "1", "{}", "up @ 5", 'up{job="a"} or b'],
)
def test_expressions(query):
    """Everything else is computed by the server."""
    assert not is_selector(query)


@pytest.mark.parametrize("query", ["", "  ", "up[5m]", 'up{job="a"}[1h]'])
def test_no_question(query):
    """Nothing, or a range of its own."""
    with pytest.raises(UsageError):
        is_selector(query)


def test_matchers_are_added():
    """To a bare name, to braces, and to nothing if there are none."""
    assert with_matchers("up", ['a="1"']) == 'up{a="1"}'
    assert with_matchers('up{b="2",}', ['a="1"', 'c!="3"']) == 'up{b="2",a="1",c!="3"}'
    assert with_matchers('{__name__=~"x"}', []) == '{__name__=~"x"}'


def test_matcher_is_checked():
    """What is no matcher would change the meaning of the question."""
    assert check_matcher(' namespace = "llm" ') == 'namespace = "llm"'
    for text in ("namespace", 'a="b"} or up{c="d"', "a=b", 'a="b",c="d"'):
        with pytest.raises(UsageError):
            check_matcher(text)


def test_texts_are_quoted():
    """Quotes, backslashes and line ends keep their meaning."""
    assert quoted('a"b\\c\nd') == '"a\\"b\\\\c\\nd"'
    assert is_selector(f"up{{job={quoted(chr(34) + '}')}}}")


def test_any_of_takes_values_letter_by_letter():
    """Signs of regular expressions stand for themselves."""
    matcher = any_of("job", ["a.b", "c|d(e)", "x-y/z"])
    assert matcher.startswith('job=~"')
    pattern = matcher.removeprefix('job=~"').removesuffix('"').replace("\\\\", "\\")
    assert all(re.fullmatch(pattern, value) for value in ("a.b", "c|d(e)", "x-y/z"))
    assert not re.fullmatch(pattern, "aXb")
