"""The curves of a made signal that a closer look shows beside series, lag and response."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from signals.study.score import SignalScore

__all__ = ["closer_curves"]

_DAYS = 9
_ODD_DAY = 3


def closer_curves(
    peak: float, loads: Sequence[float], means: Sequence[float], score: SignalScore
) -> dict[str, Any]:
    """Windows, events, parts, branches and further figures; the third day and the low loads are odd.

    Args:
        peak: largest load per instance.
        loads: of the bins of the response.
        means: of the signal in these bins.
        score: of the signal.

    Returns:
        Fields of `SignalDetail` by name.
    """
    error = score.measures["capacity_error"].value if "capacity_error" in score.measures else None
    return {
        "extra": {
            "per_instance": 1.0,
            "least_correlation": 0.21,
            "upper_plateau": 0.9 * float(peak),
        },
        "windows": _windows(error),
        "events": _events(),
        "parts": _parts(error, score),
        "branches": _branches(loads, means),
    }


def _windows(error: float | None) -> pl.DataFrame:
    width = np.arange(1, 16) * 60.0
    least = 0.05 if error is None else error
    return pl.DataFrame(
        {
            "window_s": width,
            "noise_ratio": 0.04 * np.sqrt(60 / width),
            "lag_s": 9.8 + (width - 60) / 2,
            "capacity_error": least * (0.8 + 0.2 * np.abs(width - 180) / 180),
        }
    )


def _events() -> pl.DataFrame:
    offset = np.arange(-10, 16) * 60.0
    load = np.clip((offset + 30) / 60, 0.0, 1.0)
    signal = 1 - np.exp(-np.maximum(offset, 0.0) / 120)
    spread = {25: -0.1, 50: 0.0, 75: 0.1}
    return pl.DataFrame(
        {
            "offset_s": offset,
            **{f"load_q{share}": load + by for share, by in spread.items()},
            **{f"signal_q{share}": signal + by for share, by in spread.items()},
        }
    )


def _parts(error: float | None, score: SignalScore) -> pl.DataFrame:
    names = [
        *(("day", str(day + 1)) for day in range(_DAYS)),
        *(("hours", f"{h:02d}-{h + 6:02d}") for h in (0, 6, 12, 18)),
        *(("load", name) for name in ("low", "middle", "high")),
    ]
    rows = [
        (
            kind,
            name,
            _verdict(kind, name, score.verdict),
            None if error is None or name == "low" else error * (3.0 if _odd(kind, name) else 1.0),
            None if name == "low" else 0.98,
            160,
        )
        for kind, name in names
    ]
    schema = {
        "kind": pl.String,
        "part": pl.String,
        "verdict": pl.String,
        "capacity_error": pl.Float64,
        "elasticity": pl.Float64,
        "ticks": pl.Int64,
    }
    return pl.DataFrame(rows, schema=schema, orient="row")


def _odd(kind: str, name: str) -> bool:
    return kind == "day" and name == str(_ODD_DAY)


def _verdict(kind: str, name: str, whole: str) -> str:
    if name == "low":
        return "insufficient_data"
    return "feedback" if _odd(kind, name) and whole == "proportional" else whole


def _branches(loads: Sequence[float], means: Sequence[float]) -> pl.DataFrame:
    frames = [
        pl.DataFrame(
            {
                "trend": [trend] * len(loads),
                "load_per_instance": list(loads),
                "signal": (np.maximum.accumulate(means) * by).tolist(),
            }
        )
        for trend, by in (("rising", 0.98), ("falling", 1.02))
    ]
    return pl.concat(frames)
