"""The pools of targets: the user's rules, and what is left to tell when all labels are read.

What a series' own labels say is in `signals.catalog.pools`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import duckdb
import polars as pl

from signals.catalog.labels import plain_labels, target_of
from signals.catalog.pools import POOLS
from signals.errors import UsageError
from signals.store.place import is_utf8, shown
from signals.store.sql import execute

__all__ = ["PoolRule", "apply_rules", "parse_rules", "place_targets"]

_SHOWN = 200
# what follows a comma is another condition only if it begins like one: patterns have commas, too
_NEXT_CONDITION = re.compile(r",(?=[A-Za-z_][A-Za-z0-9_./-]*:)")
# words of a rule that stand for whatever the exporter calls it
_WORDS = {"gpu": "gpu_index", "host": "host", "instance": "instance", "namespace": "namespace"}
_STEPS = ("undecide_pools", "join_pools", "tell_pools_by_behaviour", "join_pools", "default_pools")


@dataclass(frozen=True, slots=True)
class PoolRule:
    """A rule of the user.

    Attributes:
        pool: the pool it assigns.
        conditions: labels that are looked at, each with the value it must have, or `~` and a regular
            expression that all of it must match; all of them have to hold.
        text: the rule as written.
    """

    pool: str
    conditions: tuple[tuple[str, str], ...]
    text: str

    def fits(self, labels: Mapping[str, str]) -> bool:
        """Whether labels meet all conditions."""
        return all(_holds(value, labels.get(label)) for label, value in self.conditions)


def parse_rules(texts: tuple[str, ...]) -> tuple[PoolRule, ...]:
    """Read rules of the form `pool=label:value` or `pool=label:~regex`, conditions joined by commas.

    Raises:
        UsageError: a rule is not of this form, or names a pool that does not exist.
    """
    return tuple(_parse(text) for text in texts)


def apply_rules(rules: tuple[PoolRule, ...], labels: Mapping[str, str]) -> tuple[str, str]:
    """Pool and text of the first rule that the labels match; two empty texts if none does.

    Beside the labels themselves, `instance`, `namespace`, `host` and `gpu` stand for whatever the exporter
    calls them.
    """
    if not rules:
        return "", ""
    key = target_of(labels)
    words = {word: found for word, field in _WORDS.items() if (found := getattr(key, field))}
    known = {**words, **plain_labels(labels), **labels}
    return next(((rule.pool, rule.text) for rule in rules if rule.fits(known)), ("", ""))


def place_targets(connection: duckdb.DuckDBPyConnection, service: str) -> None:
    """Find pools for the targets that no rule and no label of their own places.

    In this order: another target of the same instance, GPU or host whose pool is known; the tokens that an
    instance counts; `unified`, or `service` for what counts arrivals beside prefill and decode pools. All of it is told anew after each load, as new data may say more.

    Args:
        connection: of the running load, its targets, series and samples stored.
        service: the service whose targets to place.
    """
    for step in _STEPS:
        execute(connection, f"load/{step}", {"service": service})


def _holds(wanted: str, value: str | None) -> bool:
    if value is None:
        return False
    return _matches(wanted[1:], value) if wanted.startswith("~") else wanted == value


@lru_cache(maxsize=65_536)
def _matches(pattern: str, value: str) -> bool:
    """Whether all of a value matches, in time that grows with its length only: no backtracking."""
    found = pl.Series([value], dtype=pl.String).str.contains(f"^(?:{pattern})$")
    return bool(found[0])


def _parse(text: str) -> PoolRule:
    if not is_utf8(text):
        raise UsageError(f"pool rule '{shown(text)}' is not UTF-8", where="--pool")
    pool, equals, rest = text.partition("=")
    conditions = [part.partition(":") for part in _NEXT_CONDITION.split(rest)]
    if not equals or not all(label and colon and value for label, colon, value in conditions):
        raise UsageError(
            f"pool rule '{text}' is not understood",
            where="--pool",
            expected="POOL=LABEL:VALUE or POOL=LABEL:~REGEX, more conditions after commas",
            hint="for example prefill=pod:~.*prefill.* or decode=host:node7,gpu:~[4-7]",
        )
    if pool not in POOLS:
        raise UsageError(
            f"pool '{pool}' does not exist", where="--pool", expected=f"one of {', '.join(POOLS)}"
        )
    for _, _, value in conditions:
        if value.startswith("~"):
            _check_pattern(text, value[1:])
    return PoolRule(pool, tuple((label, value) for label, _, value in conditions), text)


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
