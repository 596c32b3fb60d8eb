"""The pool of a series: the user's rules, the format's word, the labels, else undecided."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import polars as pl

from signals.catalog.pools import POOLS
from signals.errors import UsageError
from signals.store.place import is_utf8, shown

__all__ = ["PoolRule", "apply_rules", "parse_rules"]

_SHOWN = 200


@dataclass(frozen=True, slots=True)
class PoolRule:
    """A rule of the user.

    Attributes:
        pool: the pool it assigns.
        label: label that is looked at.
        value: the value it must have, or `~` and a regular expression that all of it must match.
        text: the rule as written.
    """

    pool: str
    label: str
    value: str
    text: str

    def fits(self, value: str) -> bool:
        """Whether a label's value is the one asked for."""
        if self.value.startswith("~"):
            return _matches(self.value[1:], value)
        return self.value == value


def parse_rules(texts: tuple[str, ...]) -> tuple[PoolRule, ...]:
    """Read rules of the form `pool=label:value` or `pool=label:~regex`.

    Raises:
        UsageError: a rule is not of this form, or names a pool that does not exist.
    """
    return tuple(_parse(text) for text in texts)


def apply_rules(rules: tuple[PoolRule, ...], labels: Mapping[str, str]) -> tuple[str, str]:
    """Pool and text of the first rule that the labels match; two empty texts if none does."""
    for rule in rules:
        value = labels.get(rule.label)
        if value is not None and rule.fits(value):
            return rule.pool, rule.text
    return "", ""


@lru_cache(maxsize=65_536)
def _matches(pattern: str, value: str) -> bool:
    """Whether all of a value matches, in time that grows with its length only: no backtracking."""
    found = pl.Series([value], dtype=pl.String).str.contains(f"^(?:{pattern})$")
    return bool(found[0])


def _parse(text: str) -> PoolRule:
    if not is_utf8(text):
        raise UsageError(f"pool rule '{shown(text)}' is not UTF-8", where="--pool")
    pool, equals, condition = text.partition("=")
    label, colon, value = condition.partition(":")
    if not (equals and colon and label and value):
        raise UsageError(
            f"pool rule '{text}' is not understood",
            where="--pool",
            expected="POOL=LABEL:VALUE or POOL=LABEL:~REGEX",
            hint="for example prefill=pod:~.*prefill.*",
        )
    if pool not in POOLS:
        raise UsageError(
            f"pool '{pool}' does not exist", where="--pool", expected=f"one of {', '.join(POOLS)}"
        )
    if value.startswith("~"):
        _check_pattern(text, value[1:])
    return PoolRule(pool, label, value, text)


def _check_pattern(text: str, pattern: str) -> None:
    """Refuse what is no pattern by itself, or none between the anchors."""
    try:
        for form in (pattern, f"^(?:{pattern})$"):
            pl.Series([""]).str.contains(form)
    except pl.exceptions.PolarsError as error:
        reasons = [line for line in str(error).splitlines() if "error: " in line]
        raise UsageError(
            f"the pattern of pool rule '{_clip(text)}' is no regular expression",
            where="--pool",
            expected="a regular expression without look-around and references back",
            hint=_clip(reasons[-1].rpartition("error: ")[2] if reasons else str(error)),
        ) from error


def _clip(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
