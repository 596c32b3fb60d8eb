"""Single cells as dashboards print them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signals.store.sources.printed_unit import PrintedNumber, PrintedUnit, read_printed, read_unit

CELLS = [
    ("412 ms", 0.412, "s"),
    ("1.02 s", 1.02, "s"),
    ("800 µs", 0.0008, "s"),
    ("800 μs", 0.0008, "s"),
    ("12 ns", 12e-9, "s"),
    ("1.5 min", 90.0, "s"),
    ("1.5 mins", 90.0, "s"),
    ("2 hour", 7200.0, "s"),
    ("2 hours", 7200.0, "s"),
    ("0.5 day", 43200.0, "s"),
    ("2 week", 1209600.0, "s"),
    ("97%", 0.97, "ratio"),
    ("99.5 %", 0.995, "ratio"),
    ("1.23 K", 1230.0, ""),
    ("1.23 Mil", 1.23e6, ""),
    ("1.23 Bil", 1.23e9, ""),
    ("2 T", 2e12, ""),
    ("12.3 GiB", 12.3 * 2**30, "B"),
    ("12.3 GB", 12.3e9, "B"),
    ("1 kB", 1000.0, "B"),
    ("7 B", 7.0, "B"),
    ("3 MiB/s", 3.0 * 2**20, "B/s"),
    ("1.2 kW", 1200.0, "W"),
    ("900 mW", 0.9, "W"),
    ("1.4 GHz", 1.4e9, "Hz"),
    ("71 °C", 71.0, "C"),
    ("45 req/s", 45.0, "req/s"),
    ("1.2K req/s", 1200.0, "req/s"),
    ("3M tok/s", 3e6, "tokens/s"),
    ("12 ops/s", 12.0, "count/s"),
    ("60 ops/m", 1.0, "count/s"),
    ("-3.5 ms", -0.0035, "s"),
    ("12,990 ms", 12.99, "s"),
    ("1.5e3 ms", 1.5, "s"),
    ("2 hours, 3 minutes", 7380.0, "s"),
    ("01:02:03", 3723.0, "s"),
    ("05h:12m:13s:200ms", 18733.2, "s"),
]


@pytest.mark.parametrize(("text", "value", "base"), CELLS)
def test_a_cell_is_what_it_says(text, value, base):
    found = read_printed(text)
    assert isinstance(found, PrintedNumber)
    assert found.base == base
    assert found.value == pytest.approx(value, rel=1e-15)


def test_decimal_units_are_read_digit_by_digit():
    for text, value in (("412 ms", 0.412), ("97%", 0.97), ("64.1%", 0.641), ("0.3 µs", 3e-7)):
        assert read_printed(text).value == value


@pytest.mark.parametrize("text", ["undefined", "null", "N/A", "-", "No data"])
def test_words_for_nothing(text):
    assert read_printed(text) == PrintedNumber(None)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("hello", "bad_number"),
        ("$3.40", "bad_number"),
        ("1,5 ms", "unknown_unit"),
        ("412 foo", "unknown_unit"),
        ("12 12", "unknown_unit"),
        ("1 hour, 2 apples", "unknown_unit"),
        ("1.2.3 s", "unknown_unit"),
        ("9" * 5000 + " x", "unknown_unit"),
    ],
)
def test_what_is_no_number_says_why(text, reason):
    assert read_printed(text) == reason


def test_infinite_and_undefined_quantities():
    assert read_printed("∞").value == math.inf
    assert read_printed("-Infinity s").value == -math.inf
    assert math.isnan(read_printed("NaN s").value)
    assert read_printed("9" * 400 + " s").value == math.inf


def test_a_lone_b_is_what_the_column_says():
    assert read_printed("2 B").value == 2.0
    assert read_printed("2 B", bare_b="count").value == 2e9
    assert read_unit("B") == PrintedUnit("B")


def test_the_last_digit_tells_how_far_a_value_may_be_off():
    assert read_printed("412 ms").half == pytest.approx(0.0005)
    assert read_printed("1.02 s").half == pytest.approx(0.005)
    assert read_printed("97%").half == pytest.approx(0.005)
    assert read_printed("1.2 K").half == pytest.approx(50)


@given(st.floats(1e-6, 1e9, allow_nan=False), st.integers(0, 4))
def test_printing_in_any_unit_is_off_by_no_more_than_it_says(seconds, digits):
    for unit, size in (("ms", 1e-3), ("s", 1.0), ("min", 60.0), ("week", 604800.0)):
        found = read_printed(f"{seconds / size:.{digits}f} {unit}")
        assert abs(found.value - seconds) <= found.half * (1 + 1e-9) + seconds * 1e-12


@given(st.text(max_size=40))
def test_any_text_has_an_answer(text):
    assert isinstance(read_printed(text.strip()), (PrintedNumber, str))
