"""Is a count of requests in flight moved by the other pool's backlog rather than by its own load?

In a fleet of two pools a request is held by one while it waits for the other, so a pool that has nothing to
do can look full. Load alone would make both move together; what counts is what they share beyond it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from signals.schema import Finding, Panel, pooled_name
from signals.series.grid import ticks_in
from signals.series.smooth import trailing_mean
from signals.study.panel import DECISION_S, Observed
from signals.study.significance import independent_pairs, pearson_p_value

__all__ = ["OtherPool", "moved_by_other_pool", "other_pool_note"]

Array = npt.NDArray[np.float64]

_IN_FLIGHT = "running"
_BACKLOG = "queue_depth"
_OWN_BACKLOGS = ("queue_depth", "prefill_backlog_tokens")
_OTHER = {"prefill": "decode", "decode": "prefill"}
_WINDOWS_S = (60.0, 300.0, 900.0)
_FEWEST = 120
_LEVEL = 0.01


@dataclass(frozen=True, slots=True)
class OtherPool:
    """What a pool's signal shares with another pool's backlog.

    Attributes:
        column: the backlog, `pool:queue_depth`.
        partial: rank correlation of signal and backlog beyond load and the pool's own backlog.
        p_value: of it, by the number of independent pairs.
    """

    column: str
    partial: float
    p_value: float


def moved_by_other_pool(panel: Panel, observed: Observed) -> OtherPool | None:
    """Rank correlation with the other pool's queue, beyond load and the own backlog.

    Args:
        panel: the panel, for the backlogs.
        observed: the signal beside its load.

    Returns:
        None for signals that are no count in flight of a prefill or decode pool, where there is no backlog of
        the other pool that comes and goes, with fewer than 120 ticks, or where the correlation is not
        positive and significant at 1 %.

    Signal and backlog are ranked and each regressed on ranks, their squares and cubes, of load averaged over
    1, 5 and 15 minutes and of the pool's own backlog; the residuals are correlated.
    """
    column = observed.column
    other = _OTHER.get(column.pool)
    if other is None or column.signal != _IN_FLIGHT:
        return None
    backlog = _decision_values(panel, pooled_name(other, _BACKLOG), observed.tick_s)
    if backlog is None:
        return None
    given = [trailing_mean(observed.load, ticks_in(w, observed.tick_s)) for w in _WINDOWS_S]
    owns = (
        _decision_values(panel, pooled_name(column.pool, name), observed.tick_s)
        for name in _OWN_BACKLOGS
    )
    given += [own for own in owns if own is not None]
    signal = observed.signal
    known = np.isfinite(np.column_stack([signal, backlog, *given])).all(axis=1)
    if known.sum() < _FEWEST or not np.ptp(backlog[known]) or not np.ptp(signal[known]):
        return None
    design = _design([one[known] for one in given])
    rest_of_signal = _rest(_ranks(signal[known]), design)
    rest_of_backlog = _rest(_ranks(backlog[known]), design)
    scale = float(np.sqrt((rest_of_signal**2).sum() * (rest_of_backlog**2).sum()))
    partial = 0.0 if scale == 0 else float(rest_of_signal @ rest_of_backlog) / scale
    p_value = pearson_p_value(partial, independent_pairs(rest_of_signal, rest_of_backlog))
    if partial <= 0 or p_value >= _LEVEL:
        return None
    return OtherPool(pooled_name(other, _BACKLOG), partial, p_value)


def other_pool_note(observed: Observed, found: OtherPool | None) -> Finding | None:
    """A note that names the backlog.

    Args:
        observed: the signal.
        found: from `moved_by_other_pool`.

    Returns:
        A finding, or None if nothing was found.
    """
    if found is None:
        return None
    name = observed.column.name
    return Finding(
        "other_pool_moves_it",
        "warning",
        f"{name} follows {found.column} beyond what load explains (rank correlation "
        f"{found.partial:.2f}): requests stay in flight here while they wait there",
        subject=name,
        action=f"look at {found.column} before scaling {observed.column.pool} on it",
    )


def _decision_values(panel: Panel, name: str, tick_s: float) -> Array | None:
    if panel.column(name) is None:
        return None
    values = panel.frame[name].cast(float).to_numpy().astype(np.float64, copy=True)
    return trailing_mean(values, ticks_in(DECISION_S, tick_s))


def _ranks(values: Array) -> Array:
    """Ranks from -1 to 1; equal values have the mean of their ranks."""
    from scipy.stats import rankdata

    return np.asarray(2 * (rankdata(values) - 0.5) / len(values) - 1)


def _design(columns: list[Array]) -> Array:
    ranks = [_ranks(column) for column in columns]
    return np.column_stack([np.ones(len(ranks[0])), *(r**k for r in ranks for k in (1, 2, 3))])


def _rest(values: Array, design: Array) -> Array:
    # columns of nearly the same content are told apart no further than 1e-10 of the largest
    weights = np.linalg.lstsq(design.T @ design, design.T @ values, rcond=1e-10)[0]
    fitted: Array = design @ weights
    return values - fitted
