"""What a pull asked for and did not get, said with a way to find out what there is."""

from __future__ import annotations

import re
from collections.abc import Sequence

from signals.schema import Finding
from signals.store.pull.presets import find_presets
from signals.store.pull.reports import Pulled
from signals.store.pull.selection import Selection, Wanted, names_hint

__all__ = ["missing_presets", "unanswered"]

_SHORT_MS = 300_000
_MOST_QUERY = 100


def missing_presets(wanted: Wanted, selections: Sequence[Selection], base: str) -> list[Finding]:
    """Presets that were asked for by name, and of which the server has no metrics.

    Args:
        wanted: what was asked for; without presets nothing is missed.
        selections: what was found.
        base: the server's address.
    """
    if not wanted.presets:
        return []
    found = {selection.name for selection in selections}
    matched = f" that match {', '.join(wanted.matchers)}" if wanted.matchers else ""
    return [
        _nothing(
            f"the server has no metrics of preset {preset.name}{matched} in this time; "
            f"{names_hint(base, preset.name)}",
            preset.name,
        )
        for preset in find_presets(wanted.presets)
        if preset.name not in found
    ]


def unanswered(pulled: Sequence[Pulled], base: str, *, known: frozenset[str]) -> list[Finding]:
    """Selections that were asked for and brought no sample.

    Args:
        pulled: what became of each.
        base: the server's address.
        known: names of selections that brought some before: a few minutes without a sample are nothing odd there.
    """
    return [
        _nothing(_about(one, base), one.selection.name)
        for one in pulled
        if one.questions
        and not one.samples
        and (one.asked_ms >= _SHORT_MS or one.selection.name not in known)
    ]


def _about(one: Pulled, base: str) -> str:
    selection = one.selection
    if selection.metrics:
        return f"{selection.name}: its metrics are known to the server, but none has a sample in this time"
    query = selection.query
    shown = query if len(query) <= _MOST_QUERY else f"{query[:_MOST_QUERY]}…"
    word = re.search(r"[a-zA-Z]+", query)
    return f"{selection.name}: nothing matches {shown} in this time; {names_hint(base, word[0] if word else '')}"


def _nothing(text: str, subject: str) -> Finding:
    return Finding("empty_result", "warning", text, subject=subject, action="nothing was pulled")
