"""Does the verdict hold on every day, at every hour and at every load, or only over all of them?

The class is judged anew on parts of the span. What needs the whole span to be told (lag, what departs from the
daily shape, what the response curve is worth) is carried over; ticks, range of load, coverage, elasticity,
saturation and the held-out errors of the ratio rule are those of the part.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

import numpy as np
import numpy.typing as npt
import polars as pl

from signals.schema import Estimate
from signals.series.grid import DAY_S, whole_days
from signals.series.smooth import DAYS_FOR_SHAPE
from signals.study.capacity import HeldOut, ratio_errors
from signals.study.coverage import coverage
from signals.study.elasticity import following, outer_slope
from signals.study.monotone import fit_monotone
from signals.study.panel import Observed, span_factor
from signals.study.response import BINS, bin_means, smooth_pairs
from signals.study.saturation import flat_against_direction, plateau_ticks
from signals.study.score import Verdict
from signals.study.verdict import judge

__all__ = ["Part", "parts", "parts_frame", "stability"]

Array = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Kind = Literal["day", "hours", "load"]

_KINDS: tuple[Kind, ...] = ("day", "hours", "load")
_QUARTERS = 4
_THIRDS = ("low", "middle", "high")
_WHOLE = 0.9
"""Share of the ticks with values from which on a part is the whole, and agrees with it by necessity."""


@dataclass(frozen=True, slots=True)
class Part:
    """The verdict on one part of the span.

    Attributes:
        kind: what the span was cut by.
        name: `1`, `2`, ... for days from the start, `00-06` for hours of the day in UTC, `low`, `middle` or
            `high` for thirds of load.
        verdict: its class.
        capacity_error: mean held-out error of the ratio rule in log units, its target set on other days or
            blocks of the whole; None without one.
        elasticity: within the part; None if undefined.
        ticks: ticks on which signal and load have values.
    """

    kind: Kind
    name: str
    verdict: Verdict
    capacity_error: float | None
    elasticity: float | None
    ticks: int


def parts(
    observed: Observed, measures: Mapping[str, Estimate], *, first: datetime
) -> tuple[Part, ...]:
    """Judge each day, each quarter of the hours of the day, and each third of load.

    Args:
        observed: the signal beside its load.
        measures: of the whole; what a part cannot tell is taken from them where it is there.
        first: when the first tick begins, UTC.

    Returns:
        Parts in the order of their kinds; no days where fewer than three are whole, and no kind of which one part
        holds nearly all ticks.

    Complexity: a capacity error and a response curve of the whole, then O(n) for each kind.
    """
    x, y, tick_s = observed.reference, observed.signal, observed.tick_s
    carried = _carried(measures)
    lag = carried["lag_s"] or 0.0
    held = ratio_errors(x, y, observed.load, tick_s, lag_ticks=lag / tick_s)
    bins, curve = bin_means(x, y, tick_s), fit_monotone(x, y, observed.direction)
    pinned = None
    if bins is not None and curve is not None:
        ends = plateau_ticks(x, bins, curve, observed.direction)
        pinned = None if ends is None else ends[0] | ends[1]
    both = np.isfinite(x) & np.isfinite(y)
    start_s = (first - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds() % DAY_S
    found = []
    masks = tuple(_masks(x, both, tick_s, start_s))
    whole = {kind for kind, _, mask in masks if (both & mask).sum() > _WHOLE * both.sum()}
    for kind, name, mask in masks:
        if kind in whole:
            continue
        figures = _figures(observed, held, pinned, mask, both & mask)
        verdict = judge({**carried, **figures})[0]
        error, slope = figures["capacity_error"], figures["elasticity"]
        found.append(Part(kind, name, verdict, error, slope, int((both & mask).sum())))
    return tuple(found)


def _carried(measures: Mapping[str, Estimate]) -> dict[str, float | None]:
    nothing = Estimate(None, determined=False)
    lag = measures.get("lag_s", nothing)
    share = measures.get("capacity_error_calibrated", nothing).extra.get("share_of_constant")
    return {
        "lag_s": lag.value if lag.determined else None,
        "lag_low_s": lag.low if lag.determined else None,
        "residual_elasticity": following(
            measures.get("residual_elasticity", nothing), measures.get("elasticity", nothing)
        ),
        "flat_against_direction": flat_against_direction(measures.get("saturation_ratio", nothing)),
        "calibrated_share": share if isinstance(share, float) else None,
    }


def _masks(
    reference: Array, both: Mask, tick_s: float, start_s: float
) -> Iterator[tuple[Kind, str, Mask]]:
    count = len(reference)
    place = np.arange(count)
    days = whole_days(count, tick_s)
    if days >= DAYS_FOR_SHAPE:
        # the ticks beyond the last whole day belong to it, as in the folds
        day = np.minimum(place * tick_s // DAY_S, days - 1)
        for number in range(days):
            yield "day", str(number + 1), day == number
    quarter = (start_s + place * tick_s) % DAY_S // (DAY_S / _QUARTERS)
    width = 24 // _QUARTERS
    for number in range(_QUARTERS):
        yield "hours", f"{number * width:02d}-{(number + 1) * width:02d}", quarter == number
    if both.any():
        edges = np.quantile(reference[both], (1 / 3, 2 / 3))
        third = np.searchsorted(edges, reference, side="right")
        known = np.isfinite(reference)
        for number, name in enumerate(_THIRDS):
            # ticks without the signal stay, or its coverage would be whole
            yield "load", name, known & (third == number)


def _figures(
    observed: Observed, held: HeldOut, pinned: Mask | None, mask: Mask, both: Mask
) -> dict[str, float | None]:
    x, y = observed.reference[both], observed.signal[both]
    errors = held.errors[mask & np.isfinite(held.errors)]
    means = smooth_pairs(x, y, observed.tick_s)
    slope = outer_slope(*means) if len(means[0]) >= BINS else None
    return {
        "ticks": float(both.sum()),
        "load_span": span_factor(x),
        "coverage": coverage(
            observed.raw_signal[mask], None if observed.ready is None else observed.ready[mask]
        ).value,
        "elasticity": slope,
        "elasticity_size": None if slope is None else abs(slope),
        "saturation_ratio": float(pinned[both].mean()) if pinned is not None and len(x) else None,
        "capacity_error": float(np.abs(errors).mean()) if len(errors) else None,
    }


def stability(found: Sequence[Part], verdict: Verdict) -> Estimate:
    """Share of the parts with enough data whose class is that of the whole.

    Args:
        found: from `parts`.
        verdict: the class of the whole.

    Returns:
        In [0, 1], without an interval; None on too little data. `extra`: `parts` (with enough data),
        `day_ratio`, `hours_ratio`, `load_ratio` (the same share by kind), `worst` (the part with the largest
        capacity error) and `worst_capacity_error`. Parts are days, hours and loads of the same ticks, so the
        three shares are no independent witnesses.
    """
    if verdict == "insufficient_data":
        return Estimate(None, determined=False, reason="too little data for a verdict on the whole")
    judged = [part for part in found if part.verdict != "insufficient_data"]
    missing = _missing({part.kind for part in found})
    if not judged:
        reason = "; ".join(("no part has enough data for a verdict", *missing))
        return Estimate(None, determined=False, reason=reason)
    shares = {f"{kind}_ratio": _share(judged, kind, verdict) for kind in _KINDS}
    rated = [part for part in judged if part.capacity_error is not None]
    worst = max(rated, key=lambda part: part.capacity_error or 0.0, default=None)
    return Estimate(
        float(np.mean([part.verdict == verdict for part in judged])),
        reason="; ".join(missing),
        extra={
            "parts": len(judged),
            **shares,
            "worst": None if worst is None else f"{worst.kind} {worst.name}",
            "worst_capacity_error": None if worst is None else worst.capacity_error,
        },
    )


def _missing(kinds: Set[Kind]) -> tuple[str, ...]:
    """Why the span is not cut by time; thirds of load are there wherever the whole has a verdict."""
    why = {
        "day": "not by day: fewer than three whole days",
        "hours": "not by hour: nearly all within one quarter of the day",
    }
    return tuple(reason for kind, reason in why.items() if kind not in kinds)


def _share(judged: Sequence[Part], kind: Kind, verdict: Verdict) -> float | None:
    agree = [part.verdict == verdict for part in judged if part.kind == kind]
    return float(np.mean(agree)) if agree else None


def parts_frame(found: Sequence[Part]) -> pl.DataFrame:
    """One row per part, for plots.

    Args:
        found: from `parts`.

    Returns:
        `kind`, `part`, `verdict`, `capacity_error` (log units), `elasticity`, `ticks`.
    """
    return pl.DataFrame(
        {
            "kind": [part.kind for part in found],
            "part": [part.name for part in found],
            "verdict": [part.verdict for part in found],
            "capacity_error": [part.capacity_error for part in found],
            "elasticity": [part.elasticity for part in found],
            "ticks": [part.ticks for part in found],
        },
        schema={
            "kind": pl.String,
            "part": pl.String,
            "verdict": pl.String,
            "capacity_error": pl.Float64,
            "elasticity": pl.Float64,
            "ticks": pl.Int64,
        },
    )
