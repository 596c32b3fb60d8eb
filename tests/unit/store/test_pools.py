"""The user's pool rules."""

from __future__ import annotations

import pytest

from signals.errors import UsageError
from signals.store.pools import apply_rules, parse_rules


def test_the_first_rule_that_fits_wins() -> None:
    rules = parse_rules(("prefill=pod:~.*prefill.*", "decode=zone:b", "unified=pod:~.*"))
    assert apply_rules(rules, {"pod": "x-prefill-0"}) == ("prefill", "prefill=pod:~.*prefill.*")
    assert apply_rules(rules, {"pod": "y", "zone": "b"})[0] == "decode"
    assert apply_rules(rules, {"pod": "y"})[0] == "unified"
    assert apply_rules(rules, {}) == ("", "")


def test_a_value_is_taken_as_it_stands() -> None:
    rules = parse_rules(("decode=image:a.b:1",))
    assert apply_rules(rules, {"image": "a.b:1"})[0] == "decode"
    assert apply_rules(rules, {"image": "aXb:1"})[0] == ""


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("prefill", "pool rule 'prefill' is not understood"),
        ("prefill=pod", "pool rule 'prefill=pod' is not understood"),
        ("prefil=pod:a", "pool 'prefil' does not exist"),
        ("prefill=pod:~(", "the pattern of pool rule 'prefill=pod:~(' is no regular expression"),
    ],
)
def test_a_rule_that_is_not_understood_says_why(text: str, what: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_rules((text,))
    assert caught.value.what == what


def test_a_pattern_takes_time_by_the_length_of_the_value_only() -> None:
    rules = parse_rules((r"prefill=pod:~(a+)+b", r"decode=pod:~(.*)*(.*)*x"))
    assert apply_rules(rules, {"pod": "a" * 2000}) == ("", "")


def test_all_of_a_value_must_match() -> None:
    rules = parse_rules((r"prefill=pod:~a|bc", r"decode=pod:~d$"))
    assert apply_rules(rules, {"pod": "a"})[0] == "prefill"
    assert apply_rules(rules, {"pod": "bc"})[0] == "prefill"
    assert apply_rules(rules, {"pod": "ac"})[0] == ""
    assert apply_rules(rules, {"pod": "d\n"})[0] == ""


@pytest.mark.parametrize(
    "pattern",
    [
        "a{99999999999999999999}",
        "(a{1000}){1000}",
        "(" * 5000 + ")" * 5000,
        "(?=a)a",
        r"(a)\1",
        "a)b(c",
        "\udcff",
    ],
)
def test_a_pattern_that_cannot_be_used_is_refused(pattern: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_rules((f"prefill=pod:~{pattern}",))
    assert len(str(caught.value).encode()) < 1500
