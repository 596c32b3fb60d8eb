"""Compiled code that reads `[time, "value"]`, the samples of a Prometheus matrix, from bytes.

Numbers are rounded correctly: small ones are exact products (W. Clinger, "How to read floating point numbers
accurately", 1990), others by D. Lemire, "Number parsing at a gigabyte per second" (2021); where that cannot
decide, the caller has to.

It works on addresses, as counting references to arrays would take more time than reading numbers, and need not
look for the end of the text: Python ends every `bytes` with a NUL, which nothing here accepts. All of it is in
this file, because numba's cache knows a function by its own file alone. Importing it costs about a second.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import njit, types
from numba.extending import intrinsic

__all__ = [
    "CAPACITY",
    "EXACT_POWER",
    "LEAST_POWER",
    "MAX_MICROS",
    "MAX_SHIFT",
    "MOST_POWER",
    "scan_pairs",
]

_Function = TypeVar("_Function", bound=Callable[..., Any])
_Number = tuple[int, np.uint64, int, int, bool]

CAPACITY = 1 << 18  # samples of one call
LEAST_POWER, MOST_POWER = -342, 308
# later times may not fit the microseconds that a float of seconds can tell apart: the parser's float decides
MAX_MICROS = 2_147_483_648_000_000
MAX_SHIFT = 16
_DIGITS = 19  # that fit 64 bits
_EXACT = np.uint64(1 << 53)
EXACT_POWER = 22
_QUOTE, _COMMA, _OPEN, _CLOSE = 34, 44, 91, 93
_PLUS, _MINUS, _POINT, _ZERO = 43, 45, 46, 48
_SPACE, _TAB, _NEWLINE, _RETURN = 32, 9, 10, 13
_E, _A, _F, _I, _N, _SMALL_N = 101, 97, 102, 73, 78, 110

_NONE = np.uint64(0)
_ONE = np.uint64(1)
_TEN = np.uint64(10)
_HALF = np.uint64(32)
_LOW_HALF = np.uint64(0xFFFFFFFF)
_LOW_NINE = np.uint64(0x1FF)
_FRACTION = np.uint64((1 << 52) - 1)
_SIGN = np.uint64(1 << 63)
_INFINITY = np.uint64(0x7FF << 52)
_NAN = np.uint64(0x7FF8 << 48)


def _part(function: _Function) -> _Function:
    return cast("_Function", njit(nogil=True, error_model="numpy")(function))


def _reader(kind: Any, width: int) -> Callable[[int], Any]:  # noqa: ANN401 - numba's types
    """A function for compiled code that reads one item of memory."""

    @intrinsic
    def read(typing: Any, address: Any) -> Any:  # noqa: ANN401, ARG001 - numba's protocol
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ANN401, ARG001
            item = ir.DoubleType() if kind is types.float64 else ir.IntType(width)
            found = builder.load(builder.inttoptr(arguments[0], item.as_pointer()))
            return builder.zext(found, ir.IntType(64)) if width < 64 else found

        return kind(types.int64), generate

    return cast("Callable[[int], Any]", read)


_byte = _reader(types.int64, 8)
_word = _reader(types.uint64, 64)
_integer = _reader(types.int64, 64)
_float = _reader(types.float64, 64)


@intrinsic
def _stored(typing: Any, address: Any, value: Any) -> Any:  # noqa: ANN401, ARG001 - numba's protocol
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ANN401, ARG001
        builder.store(arguments[1], builder.inttoptr(arguments[0], arguments[1].type.as_pointer()))
        return context.get_dummy_value()

    return types.void(types.int64, value), generate


# writes a number of 64 bits to an address
_write = cast("Callable[[int, Any], None]", _stored)


@_part
def _skip_space(at: int) -> int:
    byte = _byte(at)
    while byte == _SPACE or byte == _NEWLINE or byte == _RETURN or byte == _TAB:  # noqa: PLR1714, SIM109
        at += 1
        byte = _byte(at)
    return at


@_part
def _behind(at: int, wanted: int) -> int:
    """The address behind a character and the white space around it; 0 if it is another one."""
    at = _skip_space(at)
    return _skip_space(at + 1) if _byte(at) == wanted else 0


@_part
def _digits(at: int, number: np.uint64) -> tuple[int, np.uint64]:
    """Read digits onto a number; it overflows where the caller counts more than 19 of them."""
    digit = _byte(at) - _ZERO
    while 0 <= digit <= 9:
        number = number * _TEN + np.uint64(digit)
        at += 1
        digit = _byte(at) - _ZERO
    return at, number


@_part
def _exponent(at: int) -> tuple[int, int]:
    """The address behind `e-07` or the like, and its value; 0 if it is none."""
    sign = _byte(at + 1)
    first = at + 2 if sign == _MINUS or sign == _PLUS else at + 1  # noqa: PLR1714, SIM109
    stop, number = _digits(first, _NONE)
    if stop == first or stop - first > 4:
        return 0, 0
    value: Any = np.int64(number)  # int() would leave it without a sign
    return stop, -value if sign == _MINUS else value


@_part
def _decimal(at: int) -> _Number:
    """Read a number as JSON writes them.

    Returns:
        The address behind it (0 if it is none), its digits as a whole number, how many of them count, the power
        of ten, whether it is negative.
    """
    negative = _byte(at) == _MINUS
    first = at + 1 if negative else at
    stop, number = _digits(first, _NONE)
    digits = stop - first
    power = 0
    if digits == 0 or (digits > 1 and _byte(first) == _ZERO):
        return 0, number, digits, power, negative
    if _byte(stop) == _POINT:
        start = stop + 1
        stop, number = _digits(start, number)
        power = start - stop
        digits -= power
        if power == 0:
            return 0, number, digits, power, negative
    if _byte(stop) | 32 == _E:
        stop, shift = _exponent(stop)
        power += shift
    if digits > _DIGITS:
        digits -= _leading_zeros(first)
    return stop, number, digits, power, negative


@_part
def _leading_zeros(at: int) -> int:
    """Zeros before the first digit that counts."""
    zeros = 0
    byte = _byte(at)
    while byte == _ZERO or byte == _POINT:  # noqa: PLR1714, SIM109
        zeros += byte == _ZERO
        at += 1
        byte = _byte(at)
    return zeros


@_part
def _product(left: np.uint64, right: np.uint64) -> tuple[np.uint64, np.uint64]:
    """High and low half of the product of two 64-bit numbers."""
    left_low, left_high = left & _LOW_HALF, left >> _HALF
    right_low, right_high = right & _LOW_HALF, right >> _HALF
    low = left_low * right_low
    first = left_high * right_low + (low >> _HALF)
    second = left_low * right_high + (first & _LOW_HALF)
    high = left_high * right_high + (first >> _HALF) + (second >> _HALF)
    return high, (second << _HALF) | (low & _LOW_HALF)


@_part
def _shift_of(number: np.uint64) -> np.uint64:
    """Zero bits before the first one of a number above 0."""
    shift = _NONE
    width = _HALF
    while width > _NONE:
        if number >> (np.uint64(64) - width) == _NONE:
            number <<= width
            shift += width
        width >>= _ONE
    return shift


@_part
def _rounded(number: np.uint64, power: int, powers: int) -> tuple[np.uint64, bool]:
    """The bits of the float next to number x 10^power, and whether they are certain."""
    shift = _shift_of(number)
    number <<= shift
    row = powers + 16 * (power - LEAST_POWER)
    high, low = _product(number, _word(row))
    if high & _LOW_NINE == _LOW_NINE and low + number < number:
        # the table's second half may still carry into the bits that count
        more_high, more_low = _product(number, _word(row + 8))
        merged = low + more_high
        if merged < low:
            high += _ONE
        low = merged
        if high & _LOW_NINE == _LOW_NINE and low + _ONE == _NONE and more_low + number < number:
            return _NONE, False
    top = high >> np.uint64(63)
    mantissa = high >> (top + np.uint64(9))
    if low == _NONE and high & _LOW_NINE == _NONE and mantissa & np.uint64(3) == _ONE:
        return _NONE, False  # half-way between two floats
    mantissa = (mantissa + (mantissa & _ONE)) >> _ONE
    # 217706 / 2^16 is log2(10), near enough for the table
    exponent = ((217706 * power) >> 16) + 1087 - np.int64(shift) - np.int64(_ONE - top)
    if mantissa >> np.uint64(53):
        mantissa >>= _ONE
        exponent += 1
    if exponent < 1 or exponent > 2046:
        return _NONE, False
    return (np.uint64(exponent) << np.uint64(52)) | (mantissa & _FRACTION), True


@_part
def _write_number(found: _Number, target: int, powers: int, float_powers: int) -> bool:
    """Write the float of what `_decimal` found; False if it takes another to decide which it is."""
    _, number, digits, power, negative = found
    if digits > _DIGITS:
        return False
    if number < _EXACT and -EXACT_POWER <= power <= EXACT_POWER:
        value = np.float64(np.int64(number))
        factor = _float(float_powers + 8 * abs(power))
        value = value * factor if power >= 0 else value / factor
        _write(target, -value if negative else value)
        return True
    if number == _NONE or power < LEAST_POWER or power > MOST_POWER:
        return False
    bits, certain = _rounded(number, power, powers)
    _write(target, bits | _SIGN if negative else bits)
    return certain


@_part
def _special(at: int, target: int) -> int:
    """Write NaN or an infinity; the address behind its quote, 0 if it is another word."""
    if _byte(at) == _N:
        _write(target, _NAN)
        return (
            at + 4 if _byte(at + 1) == _A and _byte(at + 2) == _N and _byte(at + 3) == _QUOTE else 0
        )
    _write(target, _INFINITY | _SIGN if _byte(at) == _MINUS else _INFINITY)
    signed = _byte(at) == _PLUS or _byte(at) == _MINUS
    if signed and _byte(at + 1) == _I and _byte(at + 2) == _SMALL_N and _byte(at + 3) == _F:
        return at + 5 if _byte(at + 4) == _QUOTE else 0
    return 0


@_part
def _time(at: int, target: int, micro_powers: int) -> int:
    """Write a time in microseconds; the address behind it, 0 if it is none that is exact in them."""
    stop, number, digits, power, negative = _decimal(at)
    shift = power + 6
    if negative or digits >= _DIGITS or shift < 0 or shift > MAX_SHIFT:
        return 0
    micros = np.int64(number)
    row = micro_powers + 16 * shift
    if micros > _integer(row + 8):
        return 0
    _write(target, micros * _integer(row))
    return stop


@_part
def _value(at: int, target: int, powers: int, float_powers: int) -> tuple[int, int]:
    """Write a value; the address behind it (0 if it is none), and the end of its text if undecided."""
    quoted = _byte(at) == _QUOTE
    if quoted:
        at += 1
        first = _byte(at)
        if first == _N or ((first == _PLUS or first == _MINUS) and _byte(at + 1) == _I):  # noqa: PLR1714, SIM109
            return _special(at, target), 0
    found = _decimal(at)
    stop = found[0]
    if stop == 0 or (quoted and _byte(stop) != _QUOTE):
        return 0, 0
    decided = _write_number(found, target, powers, float_powers)
    if quoted:
        return stop + 1, 0 if decided else stop
    # JSON has no whole -0, and leaves to Python what Python has to decide anyhow
    return 0 if not decided or (found[1] == _NONE and found[4]) else stop, 0


@njit(nogil=True, error_model="numpy", cache=True)  # type: ignore[untyped-decorator, unused-ignore]
def scan_pairs(
    at: int,
    powers: int,
    float_powers: int,
    micro_powers: int,
    times: int,
    values: int,
    undecided: int,
) -> tuple[int, int, int]:
    """Read samples with commas between them; all arguments are addresses.

    Args:
        at: where a sample may begin in a text that ends in a NUL.
        powers: UInt64[n, 2] high and low half of 128 bits of each power of ten from `LEAST_POWER`.
        float_powers: Float64[n] powers of ten up to `EXACT_POWER`.
        micro_powers: Int64[n, 2] powers of ten up to `MAX_SHIFT`, and what may be multiplied with each.
        times: written: Int64[n] microseconds.
        values: written: Float64[n].
        undecided: written: Int64[n, 3] index, first and last address of values that are still to be parsed.

    Returns:
        Samples read, the address behind the last one, and rows of `undecided`.
    """
    count = late = 0
    end = at
    while count < CAPACITY:
        at = _behind(at, _OPEN)
        at = _time(at, times + 8 * count, micro_powers) if at else 0
        at = _behind(at, _COMMA) if at else 0
        start = at + 1
        at, open_end = _value(at, values + 8 * count, powers, float_powers) if at else (0, 0)
        at = _behind(at, _CLOSE) if at else 0
        if at == 0:
            break
        if open_end:
            _write(undecided + 24 * late, count)
            _write(undecided + 24 * late + 8, start)
            _write(undecided + 24 * late + 16, open_end)
            late += 1
        count += 1
        # the white space behind the bracket is taken too, which nobody reads
        end = at
        if _byte(at) != _COMMA:
            break
        at += 1
    return count, end, late
