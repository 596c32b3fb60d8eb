"""What a load passed over in its folders, for people and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from signals.report.json_values import Json
from signals.report.words import count_text

if TYPE_CHECKING:
    from signals.store.tree import Skipped

__all__ = ["skipped_json", "skipped_lines"]

_NAMED = 6


def skipped_json(skipped: Sequence[Skipped]) -> list[Json]:
    """`skipped` of `signals load --json`."""
    return [{"uri": _text(one), "reason": one.why} for one in skipped]


def skipped_lines(skipped: Sequence[Skipped]) -> list[Text]:
    """A line for each reason, with the number of files and the names of the first."""
    reasons: dict[str, list[str]] = {}
    for one in skipped:
        reasons.setdefault(one.why, []).append(_text(one).rpartition("/")[2])
    return [
        Text(f"skipped {count_text(len(names))} ({why}): {_some(names)}")
        for why, names in reasons.items()
    ]


def _some(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {count_text(more)} more" if more > 0 else "")


def _text(one: Skipped) -> str:
    """The path; what of it is not UTF-8 as escapes."""
    return str(one.path).encode(errors="backslashreplace").decode()
