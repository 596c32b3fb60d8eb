"""Conditions on a scorecard, for gates in CI: `SIGNAL.FIELD OP VALUE`."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import get_args

from signals.errors import UsageError
from signals.study.score import MEASURES, Scorecard, SignalScore, Verdict

__all__ = ["Condition", "met", "parse"]

_OPERATORS: dict[str, Callable[[float, float], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
_FORM = re.compile(
    r"(?P<signal>[\w:*]+)\.(?P<field>\w+)\s*(?P<op>==|!=|>=|<=|>|<)\s*(?P<value>\S+)"
)


@dataclass(frozen=True, slots=True)
class Condition:
    """One parsed condition.

    Attributes:
        signal: `pool:signal`, or `*` for any.
        field: `verdict`, `rank` or a measure.
        op: comparison.
        value: right-hand side.
    """

    signal: str
    field: str
    op: str
    value: str


def parse(text: str) -> Condition:
    """Parse `decode:decode_tps.verdict!=proportional`, `*.lag_s>60`.

    Raises:
        UsageError: the form or the field is not known.
    """
    match = _FORM.fullmatch(text.strip())
    fields = ["verdict", "rank", *(m.name for m in MEASURES)]
    expected = f"SIGNAL.FIELD OP VALUE, SIGNAL may be *, FIELD one of {', '.join(fields)}"
    if match is None:
        raise UsageError(f"'{text}' is not a condition", where="--fail-on", expected=expected)
    condition = Condition(match["signal"], match["field"], match["op"], match["value"])
    if condition.field not in fields:
        raise UsageError(
            f"field '{condition.field}' is not known", where="--fail-on", expected=expected
        )
    if condition.field == "verdict":
        if condition.op not in {"==", "!="}:
            raise UsageError("a verdict is equal or not", where="--fail-on", expected="== or !=")
        if condition.value not in get_args(Verdict):
            raise UsageError(
                f"'{condition.value}' is not a verdict",
                where="--fail-on",
                expected=f"one of {', '.join(get_args(Verdict))}",
            )
        return condition
    try:
        finite = math.isfinite(float(condition.value))
    except ValueError:
        finite = False
    if not finite:
        raise UsageError(f"'{condition.value}' is not a number", where="--fail-on")
    return condition


def met(condition: Condition, card: Scorecard) -> str:
    """The first signal for which the condition holds, in words; empty if there is none.

    Raises:
        UsageError: the scorecard has no such signal.
    """
    scores = [s for s in card.signals if condition.signal in {"*", s.signal}]
    if not scores:
        raise UsageError(
            f"signal '{condition.signal}' is not in the scorecard",
            where="--fail-on",
            expected=f"one of {', '.join(s.signal for s in card.signals)}",
        )
    for score in scores:
        value = _field(score, condition.field)
        if value is not None and _holds(value, condition):
            return f"{score.signal}.{condition.field} is {value}"
    return ""


def _field(score: SignalScore, field: str) -> str | float | None:
    if field == "verdict":
        return score.verdict
    if field == "rank":
        return score.rank
    estimate = score.measures.get(field)
    return estimate.value if estimate else None


def _holds(value: str | float, condition: Condition) -> bool:
    if isinstance(value, str):
        return (value == condition.value) == (condition.op == "==")
    return _OPERATORS[condition.op](value, float(condition.value))
