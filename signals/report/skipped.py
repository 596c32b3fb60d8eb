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
# what a user may change; nobody wants a hidden file or a pipe
_MAY_LACK = ("the format is not recognised", "like ")


def skipped_json(skipped: Sequence[Skipped]) -> list[Json]:
    """`skipped` of `signals load --json`."""
    return [{"uri": _text(one), "reason": one.why} for one in skipped]


def skipped_lines(skipped: Sequence[Skipped]) -> list[Text]:
    """A line for each reason, with the number of files and the names of the first; and what to do about them."""
    reasons: dict[str, list[str]] = {}
    for one in skipped:
        reasons.setdefault(one.why, []).append(_text(one).rpartition("/")[2])
    lines = [
        Text(f"skipped {count_text(len(names))} ({why}): {_some(names)}")
        for why, names in reasons.items()
    ]
    if any(why.startswith(_MAY_LACK) for why in reasons):
        lines.append(
            Text("→ if one of them should be loaded: load it by its name to be told what it lacks")
        )
    return lines


def _some(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {count_text(more)} more" if more > 0 else "")


def _text(one: Skipped) -> str:
    """The path; what of it is not UTF-8 as escapes."""
    return str(one.path).encode(errors="backslashreplace").decode()
