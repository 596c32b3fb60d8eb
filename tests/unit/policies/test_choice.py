"""The text form of a policy."""

import pytest

from signals.errors import UsageError
from signals.policies import POLICIES, parse_policy
from signals.policies.choice import parse_quantity


def test_name_ends_at_the_first_colon_and_values_may_hold_colons():
    """The signal is pooled."""
    choice = parse_policy("hpa:signal=decode:gpu_util,target=70%,type=Pods,label=util 70")
    assert choice.name == "hpa"
    assert choice.label == "util 70"
    assert choice.params == {"signal": "decode:gpu_util", "target": 0.7, "type": "Pods"}


def test_label_defaults_to_the_text():
    """So that two choices of one policy differ."""
    assert parse_policy(" static:decode=4 ").label == "static:decode=4"


@pytest.mark.parametrize(
    ("raw", "unit", "expected"),
    [
        ("70%", "ratio", 0.7),
        ("0.7", "ratio", 0.7),
        ("50ms", "s", 0.05),
        ("50 ms", "s", 0.05),
        ("5m", "s", 300.0),
        ("1h30m", "s", 5400.0),
        ("2 min", "s", 120.0),
        ("3000", "tokens/s", 3000.0),
        ("60 tokens/min", "tokens/s", 1.0),
        ("1e3", "tokens/s", 1000.0),
    ],
)
def test_quantities_with_and_without_units(raw, unit, expected):
    """Bare numbers are in the base unit."""
    assert parse_quantity(raw, unit, where="") == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("hpaa", "policy 'hpaa' is not known"),
        ("", "policy '' is not known"),
        ("hpa:signl=x", "policy 'hpa' has no parameter 'signl'"),
        ("hpa:signal", "'signal' is not a pair"),
        ("hpa:signal=,target=1", "'signal=' is not a pair"),
        ("static:decode=2,decode=3", "'decode' is given twice"),
        ("static:decode=2.5", "'decode' is not a whole number: 2.5"),
        ("static:decode=0", "'decode' is out of range: 0"),
        ("static:decode=many", "'many' is not a number"),
        ("static:decode=nan", "'nan' is not a number"),
        ("hpa", "hpa needs 'signal'"),
        ("hpa:signal=decode:gpu_util", "hpa needs 'target'"),
        ("hpa:signal=decode:gpu_utl,target=1", "signal 'gpu_utl' is not in the catalog"),
        ("hpa:signal=decode:gpu_util,target=70", "target 70 is out of the range of 'gpu_util'"),
        ("hpa:signal=decode:gpu_util,target=70ms", "'70ms' is in ms, which is not a unit of this"),
        ("hpa:signal=decode:gpu_util,target=0", "target 0 is out of the range of 'gpu_util'"),
        ("hpa:signal=decode:itl_p90,target=50ms,type=Pods", "'itl_p90' is not known per instance"),
        (
            "hpa:signal=decode:running+queue_depth,target=5",
            "the number of targets (1) is not that of signals (2)",
        ),
        ("hpa:signal=decode:running,target=5,other=both", "'both' is not a value of 'other'"),
    ],
)
def test_what_cannot_be_read_is_refused_and_named(text, what):
    """The error says what and how it should have been."""
    with pytest.raises(UsageError) as caught:
        parse_policy(text)
    assert caught.value.what == what
    assert caught.value.expected or "twice" in what or "whole" in what


@pytest.mark.parametrize(
    "text",
    [
        "static:decode=" + "9" * 5000,
        "heteroscale:window=" + "9" * 5000 + "s",
        "heteroscale:window=" + "9" * 5000,
        "heteroscale:window=1h" + "9" * 5000 + "m",
        "heteroscale:target=1e308ktokens/s",
        "heteroscale:pd_ratio=" + "9" * 5000 + "/1",
        "hpa:signal=decode:gpu_util,target=" + "9" * 5000 + "%",
    ],
    ids=["count", "duration", "seconds", "durations", "unit", "ratio", "target"],
)
def test_numbers_that_overflow_are_refused(text):
    """Thousands of digits are a slip of the user's, not an error of the program's."""
    with pytest.raises(UsageError):
        parse_policy(text)


def test_a_number_too_large_is_not_repeated_in_full():
    """The first digits tell which one it is."""
    with pytest.raises(UsageError, match="too large") as caught:
        parse_policy("static:decode=" + "9" * 5000)
    assert len(caught.value.what) < 60


def test_near_names_are_hinted():
    """A percentage without its sign, a misspelt policy."""
    with pytest.raises(UsageError) as caught:
        parse_policy("hpa:signal=decode:gpu_util,target=70")
    assert caught.value.hint == "did you mean 70%?"
    with pytest.raises(UsageError) as caught:
        parse_policy("heteroscal")
    assert caught.value.hint == "did you mean 'heteroscale'?"


def test_registry_is_alphabetical_and_every_parameter_is_documented():
    """Names are unique; defaults lie within their ranges and choices."""
    names = [entry.spec.name for entry in POLICIES]
    assert names == sorted(set(names))
    for entry in POLICIES:
        parameters = entry.spec.parameters
        assert len({p.name for p in parameters}) == len(parameters)
        for p in parameters:
            assert p.text
            assert p.default in p.choices if p.choices else True
            if isinstance(p.default, float | int):
                assert p.low <= p.default <= p.high
