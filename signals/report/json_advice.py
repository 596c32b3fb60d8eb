"""Recommendations as JSON objects."""

from __future__ import annotations

from dataclasses import asdict

from signals.report.json_values import Json, estimate_json
from signals.study.recommendation import Recommendation

__all__ = ["recommendation_json"]


def recommendation_json(one: Recommendation) -> Json:
    """What to scale one pool on: every key is there whether or not there is a signal."""
    return {
        "pool": one.pool,
        "signal": one.signal,
        "verdict": one.verdict,
        "accepted": [asdict(remark) for remark in one.accepted],
        "control": one.control,
        "metric_type": one.metric_type,
        "window_s": one.window_s,
        "promql": one.promql,
        "target": estimate_json(one.target),
        "unit": one.unit,
        "per": one.per,
        "runner_up": None if one.runner_up is None else asdict(one.runner_up),
        "guard_rails": list(one.guard_rails),
        "limits": [asdict(remark) for remark in one.limits],
        "reason": one.reason,
    }
