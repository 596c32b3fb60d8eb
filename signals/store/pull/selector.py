"""Series selectors as text: telling them from expressions, adding matchers, quoting."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from signals.errors import UsageError

__all__ = ["any_of", "check_matcher", "is_selector", "quoted", "with_matchers"]

_STRING = r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'"
_MATCHER = rf"(?:[a-zA-Z_]\w*|{_STRING})\s*(?:=~|!~|!=|=)\s*(?:{_STRING})"
_ITEM = rf"(?:{_MATCHER}|{_STRING})"
_SELECTOR = re.compile(
    rf"\s*(?P<name>[a-zA-Z_:][\w:]*)?\s*"
    rf"(?P<braces>\{{\s*(?P<items>{_ITEM}(?:\s*,\s*{_ITEM})*)?\s*,?\s*\}})?\s*"
)
_RANGE = re.compile(r"\[\s*[^\[\]:]+\s*\]\s*$")


def is_selector(query: str) -> bool:
    """Whether a query only selects series, so that their raw samples can be asked for.

    Raises:
        UsageError: it is empty, or a selector with a range of its own.
    """
    if not query.strip():
        raise UsageError("the query is empty", where="--query")
    found = _SELECTOR.fullmatch(query)
    if found is not None and (found["name"] or found["items"]):
        return True
    bare = _RANGE.sub("", query)
    if bare != query and _SELECTOR.fullmatch(bare):
        raise UsageError(
            f"'{query}' carries a range of its own",
            where="--query",
            expected='a selector such as metric{label="value"}',
            hint="leave the [range] away; --since, --from and --to say which time is pulled",
        )
    return False


def check_matcher(text: str) -> str:
    """A label matcher as it was given.

    Raises:
        UsageError: it is none.
    """
    if re.fullmatch(_MATCHER, text.strip()):
        return text.strip()
    raise UsageError(
        f"'{text}' is not a label matcher", where="--match", expected='such as namespace="llm"'
    )


def with_matchers(selector: str, matchers: Sequence[str]) -> str:
    """A selector that also demands some matchers."""
    found = _SELECTOR.fullmatch(selector)
    if found is None or not matchers:
        return selector
    items = [part for part in (found["items"], *matchers) if part]
    return f"{found['name'] or ''}{{{','.join(items)}}}"


def quoted(text: str) -> str:
    """A text as a string of the query language."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def any_of(label: str, values: Iterable[str]) -> str:
    """A matcher that holds for each of some values, letter by letter."""
    # re.escape also escapes signs that the server's regular expressions do not let one escape
    patterns = [re.sub(r"[.^$*+?{}\[\]\\|()]", r"\\\g<0>", value) for value in sorted(values)]
    return f"{label}=~{quoted('|'.join(patterns))}"
