"""What a pull asked for and did not get, said with a way to find out what there is."""

from __future__ import annotations

import re
from collections.abc import Sequence

from signals.schema import Finding
from signals.store.pull.presets import find_presets
from signals.store.pull.reports import Pulled
from signals.store.pull.selection import Selection, Wanted, names_hint

__all__ = ["missing_presets", "silence_of", "unanswered"]

_SHORT_MS = 300_000
_MOST_QUERY = 100
_METRIC = re.compile(r"[a-zA-Z_:][\w:]*(?=\s*(\{|\[|$))")


def silence_of(
    wanted: Wanted, missing: Sequence[str], silent: Sequence[Selection], base: str
) -> list[Finding]:
    """One finding about everything that was asked for and brought nothing; none if there is nothing to say.

    Args:
        wanted: what was asked for.
        missing: presets of which the server has no metrics.
        silent: selections without a sample.
        base: the server's address.
    """
    told = [f"preset {name}" for name in missing] + [_shown(one) for one in silent]
    if not told:
        return []
    matched = f" (with {', '.join(wanted.matchers)})" if wanted.matchers else ""
    names = [*missing, *(one.name for one in silent)]
    words = [*missing, *(word for one in silent for word in _words(one))]
    return [
        Finding(
            "empty_result",
            "warning",
            f"the server has nothing in this time of {', '.join(told)}{matched}; {names_hint(base, words)}",
            len(told),
            subject=names[0] if len(names) == 1 else "",
            action="nothing was pulled of it",
        )
    ]


def missing_presets(wanted: Wanted, selections: Sequence[Selection]) -> list[str]:
    """Names of presets that were asked for by name, and of which the server has no metrics.

    Args:
        wanted: what was asked for; without presets nothing is missed.
        selections: what was found.
    """
    found = {selection.name for selection in selections}
    asked = find_presets(wanted.presets) if wanted.presets else ()
    return [preset.name for preset in asked if preset.name not in found]


def unanswered(pulled: Sequence[Pulled], *, known: frozenset[str]) -> list[Selection]:
    """Selections that were asked for and brought no sample.

    Args:
        pulled: what became of each.
        known: names of selections that brought some before: a few minutes without a sample are nothing odd there.
    """
    return [
        one.selection
        for one in pulled
        if one.questions
        and not one.samples
        and (one.asked_ms >= _SHORT_MS or one.selection.name not in known)
    ]


def _shown(selection: Selection) -> str:
    if selection.metrics:
        return f"{selection.name} (at other times it has)"
    query = selection.query
    return f"{selection.name} " + (
        query if len(query) <= _MOST_QUERY else f"{query[:_MOST_QUERY]}…"
    )


def _words(selection: Selection) -> list[str]:
    """The metric of a query, as far as one can be seen."""
    found = None if selection.metrics else _METRIC.search(selection.query)
    return [found[0]] if found else []
