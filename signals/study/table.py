"""Scores as a frame: one row per signal, every measure with its interval, its p-value and its reason."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from signals.schema import Estimate
from signals.study.score import MEASURES, SignalScore

__all__ = ["TESTED", "p_value", "score_table"]

TESTED = ("lag_s", "pearson", "spearman", "distance_corr", "partial", "granger", "knee")
"""Measures that come with a test."""

_HEAD = {
    "signal": pl.String,
    "verdict": pl.String,
    "rank": pl.Int64,
    "identity": pl.Boolean,
    "load": pl.String,
}
_NOTHING = Estimate(None, determined=False)


def score_table(scores: Sequence[SignalScore]) -> pl.DataFrame:
    """One row per score, in their order.

    Args:
        scores: the scores; none gives the columns alone.

    Returns:
        `signal`, `verdict`, `rank`, `identity`, `load`; for each of `MEASURES`, NAME standing for it, `NAME`,
        `NAME_low`, `NAME_high` (float64; null where missing), `NAME_p` for those of `TESTED`, `NAME_determined`
        (False also where a signal lacks the measure) and `NAME_reason`; `reasons` and `conditions`, lists of codes.
    """
    return pl.DataFrame([_row(score) for score in scores], schema=_schema(), orient="row")


def p_value(estimate: Estimate) -> float | None:
    """The p-value of a measure, corrected for the number of signals where that was done; None without a test.

    Args:
        estimate: of one of `TESTED`.

    Returns:
        In [0, 1], or None.
    """
    for name in ("p_adjusted", "p_value"):
        value = estimate.extra.get(name)
        if isinstance(value, int | float):
            return float(value)
    return None


def _schema() -> dict[str, pl.DataType | type[pl.DataType]]:
    schema: dict[str, pl.DataType | type[pl.DataType]] = dict(_HEAD)
    for spec in MEASURES:
        ends = ("", "_low", "_high", "_p") if spec.name in TESTED else ("", "_low", "_high")
        schema |= {f"{spec.name}{end}": pl.Float64() for end in ends}
        schema |= {f"{spec.name}_determined": pl.Boolean(), f"{spec.name}_reason": pl.String()}
    return schema | {"reasons": pl.List(pl.String), "conditions": pl.List(pl.String)}


def _row(score: SignalScore) -> dict[str, object]:
    row: dict[str, object] = {
        "signal": score.signal,
        "verdict": score.verdict,
        "rank": score.rank,
        "identity": score.identity,
        "load": score.load,
    }
    for spec in MEASURES:
        estimate = score.measures.get(spec.name, _NOTHING)
        row[spec.name] = estimate.value
        row[f"{spec.name}_low"] = estimate.low
        row[f"{spec.name}_high"] = estimate.high
        row[f"{spec.name}_determined"] = estimate.determined
        row[f"{spec.name}_reason"] = estimate.reason
        if spec.name in TESTED:
            row[f"{spec.name}_p"] = p_value(estimate)
    row["reasons"] = [remark.code for remark in score.reasons]
    row["conditions"] = [remark.code for remark in score.conditions]
    return row
