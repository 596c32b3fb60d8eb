"""Compiled numbers against Python's, and where the compiled code stops."""

from __future__ import annotations

import math
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signals.store.sources.matrix_scan import PairScanner

SCAN = PairScanner()


def bits(value):
    return struct.pack("d", value)


def value_of(text):
    """The value of a sample with this text, or None if the compiled code left it."""
    data = f'[1,"{text}"]'.encode()
    end, pairs = SCAN(data, 0)
    assert end == (0 if pairs is None else len(data))
    return None if pairs is None else pairs.values[0]


def time_of(text):
    end, pairs = SCAN(f'[{text},"1"]'.encode(), 0)
    return None if end == 0 else int(pairs.times[0])


@pytest.mark.parametrize(
    "text",
    [
        "0",
        "-0",
        "1",
        "-1.5",
        "0.1",
        "100",
        "9007199254740993",  # 2^53 + 1, half-way
        "9007199254740992.5",
        "0.30000000000000004",
        "1e22",
        "1e23",
        "8.5e-7",
        "1E+05",
        "1e-5",
        "5e-324",  # the least
        "2.2250738585072011e-308",
        "2.2250738585072014e-308",  # the least with all its bits
        "1.7976931348623157e308",
        "1e308",
        "1e309",
        "1e-400",
        "123456789012345678901234567890",
        "0.000000000000000000000000012345",
        "18446744073709551615",
        "9999999999999999999",
        "99999999999999999999",
        "1e9999",
    ],
)
def test_numbers_are_those_of_python(text):
    assert bits(value_of(text)) == bits(float(text))


@settings(max_examples=500)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_shortest_texts(value):
    assert bits(value_of(repr(value))) == bits(value)


@settings(max_examples=500)
@given(
    st.integers(0, 10**25),
    st.integers(0, 25),
    st.integers(-400, 400),
    st.sampled_from(["", "-"]),
)
def test_any_decimal(digits, places, power, sign):
    whole, rest = divmod(digits, 10**places)
    point = f".{rest:0{places}d}" if places else ""
    text = f"{sign}{whole}{point}e{power}"
    assert bits(value_of(text)) == bits(float(text))


@settings(max_examples=500)
@given(st.integers(1 << 52, (1 << 53) - 1), st.integers(-1074, 900), st.integers(-1, 1))
def test_half_way_between_two_floats(mantissa, exponent, off):
    middle = 2 * mantissa + 1
    number = middle << exponent if exponent >= 0 else middle
    text = f"{number + off}" if exponent >= 0 else f"{middle * 10**16 + off}e-16"
    assert bits(value_of(text)) == bits(float(text))


@pytest.mark.parametrize("text", ["NaN", "+Inf", "-Inf"])
def test_special_values(text):
    value = value_of(text)
    assert math.isnan(value) if text == "NaN" else value == float(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nan",
        "Inf",
        "inf",
        "+1",
        "01",
        ".5",
        "1.",
        "e5",
        "-",
        "--1",
        "0x10",
        "1_0",
        " 1",
        "1 ",
        "NaNs",
    ],
)
@pytest.mark.parametrize("tail", ["", "e", "é", "\\u0030"])
def test_other_texts_are_left(text, tail):
    assert value_of(text + tail) is None


@pytest.mark.parametrize(
    ("text", "micros"),
    [
        ("1700000000", 1_700_000_000_000_000),
        ("1700000000.123", 1_700_000_000_123_000),
        ("1700000000.000001", 1_700_000_000_000_001),
        ("1.7e9", 1_700_000_000_000_000),
        ("1.780300815893e+09", 1_780_300_815_893_000),
        ("0", 0),
        ("0.5", 500_000),
        ("2147483648", 2_147_483_648_000_000),
    ],
)
def test_times_are_exact(text, micros):
    assert time_of(text) == micros


@pytest.mark.parametrize(
    "text", ["NaN ", "Na", "+Infinity", "+In", "+", "-I", "1,5", "1e00001", "1e+"]
)
def test_texts_that_begin_well_are_left(text):
    assert value_of(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "-1",
        "2147483649",
        "1760000000000",
        "1e300",
        "1e11",
        "1e-7",
        "1700000000.1234567",
        "99999999999999999999",
        "01",
        "1.",
        "NaN",
        "true",
        '"1"',
        "",
        "[1]",
    ],
)
def test_other_times_are_left(text):
    assert time_of(text) is None
