"""The pool of a series: the user's rules, the format's word, the labels, else undecided."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from signals.catalog.pools import POOLS
from signals.errors import UsageError

__all__ = ["PoolRule", "apply_rules", "parse_rules"]


@dataclass(frozen=True, slots=True)
class PoolRule:
    """A rule of the user.

    Attributes:
        pool: the pool it assigns.
        label: label that is looked at.
        pattern: what its whole value must match.
        text: the rule as written.
    """

    pool: str
    label: str
    pattern: re.Pattern[str]
    text: str


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
        if value is not None and rule.pattern.fullmatch(value):
            return rule.pool, rule.text
    return "", ""


def _parse(text: str) -> PoolRule:
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
    source = value[1:] if value.startswith("~") else re.escape(value)
    try:
        pattern = re.compile(source)
    except re.error as error:
        raise UsageError(
            f"the pattern of pool rule '{text}' is no regular expression",
            where="--pool",
            hint=str(error),
        ) from error
    return PoolRule(pool, label, pattern, text)
