"""Text for a terminal without the signs that steer it."""

from __future__ import annotations

import re

__all__ = ["plain"]

# control characters but tab and newline, and those that turn the direction of a line around
_STEERING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def plain(text: str) -> str:
    """A text with `�` for each sign that would steer a terminal."""
    return _STEERING.sub("\ufffd", text)
