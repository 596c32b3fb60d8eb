"""The pools of a prefill/decode service in fixed proportion."""

from __future__ import annotations

from signals.errors import UsageError

__all__ = ["follow", "other_pool", "parse_ratio", "ratio_text"]

_MOST_DIGITS = 6
"""Digits of either number: a fleet has far fewer instances, and longer texts overflow."""


def follow(count: int, pool: str, pd_ratio: tuple[int, int]) -> int:
    """How many instances of the other pool go with these?

    Args:
        count: instances of `pool`.
        pool: `prefill` or `decode`.
        pd_ratio: prefill to decode.

    Returns:
        Instances of the other pool, rounded up, at least 1.
    """
    prefill, decode = pd_ratio
    have, want = (decode, prefill) if pool == "decode" else (prefill, decode)
    return max(1, -(-count * want // have))


def other_pool(pool: str) -> str | None:
    """The pool that moves with this one; None if it stands alone."""
    return {"prefill": "decode", "decode": "prefill"}.get(pool)


def parse_ratio(text: str, *, where: str) -> tuple[int, int]:
    """Read a P/D ratio such as `3/5` or `3:5`.

    Args:
        text: two whole numbers, at least 1, of up to six digits.
        where: option it came from, for the error.

    Returns:
        Prefill and decode.

    Raises:
        UsageError: it is not that.
    """
    prefill, sign, decode = text.replace(":", "/").partition("/")
    parts = (prefill.strip(), decode.strip())
    if sign and all(part.isdecimal() and len(part) <= _MOST_DIGITS for part in parts):
        ratio = (int(prefill), int(decode))
        if min(ratio) >= 1:
            return ratio
    raise UsageError(
        f"'{text[:40]}' is not a P/D ratio", where=where, expected="prefill/decode, for example 3/5"
    )


def ratio_text(pd_ratio: tuple[int, int]) -> str:
    """The text of a P/D ratio, as `parse_ratio` reads it."""
    return f"{pd_ratio[0]}:{pd_ratio[1]}"
