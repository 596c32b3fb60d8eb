"""What a policy sees: signals computed from the samples that a query would have found at that time.

The same definitions as the store's queries, on line: rates per series before any sum, quantiles from merged
buckets, averages over a trailing window. Nothing newer than now less the query delay is ever looked at, and
what is not there is None.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from signals.catalog import SignalSpec, require_signal
from signals.errors import UsageError
from signals.policies.policy import Reading, SignalRequest
from signals.schema import SERVICE_POOL

if TYPE_CHECKING:
    from signals.fleet import ScrapeLog

__all__ = ["LOOK_BACK_S", "Visibility", "histogram_quantile"]

FloatArray = NDArray[np.float64]

LOOK_BACK_S = 300.0
"""How far back a query looks for the newest sample, as Prometheus does."""

_MISSING = Reading(None)


@dataclass(frozen=True)
class Visibility:
    """Answers requests for signals from a scrape log.

    Attributes:
        scrapes: everything scraped so far.
        query_delay_s: from a scrape to the moment a query sees it.
    """

    scrapes: ScrapeLog
    query_delay_s: float

    def readings(
        self,
        requests: Collection[SignalRequest],
        *,
        now_s: float,
        hidden: Mapping[str, Collection[str]],
    ) -> dict[SignalRequest, Reading]:
        """Answer every request.

        Args:
            requests: what the policy wants to see.
            now_s: time of the decision, seconds.
            hidden: instances by pool that are left out of per-instance values, such as draining ones, which
                an orchestrator no longer counts.

        Returns:
            One reading for each request; value None where nothing was visible.

        Raises:
            UsageError: the simulated fleet does not export what the signal is computed from.
        """
        return {
            request: self._read(request, now_s, hidden.get(request.pool, ()))
            for request in requests
        }

    def _read(self, request: SignalRequest, now_s: float, hidden: Collection[str]) -> Reading:
        spec = require_signal(request.signal)
        last_s = now_s - self.query_delay_s
        if last_s < 0:
            return _MISSING
        if spec.how in {"hist_mean", "hist_quantile", "hist_sum_rate"}:
            return self._histogram(spec, request, now_s, last_s)
        if spec.how in {"rate_sum", "request_log"}:
            return self._rate(spec, request, now_s, last_s, hidden)
        if spec.how in {"gauge_mean", "gauge_sum"}:
            return self._gauge(spec, request, now_s, last_s, hidden)
        raise _not_exported(request)

    def _gauge(
        self,
        spec: SignalSpec,
        request: SignalRequest,
        now_s: float,
        last_s: float,
        hidden: Collection[str],
    ) -> Reading:
        name, pool = spec.needs[0], request.pool
        first_s = last_s - request.window_s
        times, names, window = self.scrapes.gauge(name, pool, first_s, last_s)
        # a window is open at its begin: what was scraped then belongs to the window before
        within = times > first_s
        times, window = times[within], window[within]
        if not times.size:
            times, names, window = self.scrapes.gauge(name, pool, last_s - LOOK_BACK_S, last_s)
            times, window = times[-1:], window[-1:]
        present = ~np.isnan(window)
        if not present.any():
            return _MISSING
        # each instance over its own samples, then over instances, as `sum(avg_over_time(...))` does
        seen = present.any(axis=0)
        means = np.where(present, window, 0.0).sum(axis=0) / np.maximum(present.sum(axis=0), 1)
        value = means[seen].sum() if spec.how == "gauge_sum" else means[seen].mean()
        each = {
            names[index]: float(means[index])
            for index in np.flatnonzero(present[-1])
            if request.per_instance and names[index] not in hidden
        }
        newest_s = times[present.any(axis=1)][-1]
        return Reading(float(value), now_s - float(newest_s), each)

    def _rate(
        self,
        spec: SignalSpec,
        request: SignalRequest,
        now_s: float,
        last_s: float,
        hidden: Collection[str],
    ) -> Reading:
        first_s = last_s - max(request.window_s, LOOK_BACK_S)
        times, names, values = self.scrapes.counter(spec.needs[0], request.pool, first_s, last_s)
        chosen = _rate_window(times, last_s, request.window_s)
        if chosen is None:
            return _MISSING
        steps = _increases(values[chosen])
        spans = np.diff(times[chosen])
        known = ~np.isnan(steps)
        if not known.any():
            return _MISSING
        made = np.where(known, steps, 0.0).sum(axis=0)
        each: dict[str, float] = {}
        if request.per_instance:
            covered = (known * spans[:, None]).sum(axis=0)
            alive = ~np.isnan(values[-1]) & (covered > 0)
            each = {
                names[index]: float(made[index] / covered[index])
                for index in np.flatnonzero(alive)
                if names[index] not in hidden
            }
        return Reading(float(made.sum() / spans.sum()), now_s - float(times[-1]), each)

    def _histogram(
        self, spec: SignalSpec, request: SignalRequest, now_s: float, last_s: float
    ) -> Reading:
        first_s = last_s - max(request.window_s, LOOK_BACK_S)
        times, bounds, counts, sums, totals = self.scrapes.histogram(
            spec.needs[0], request.pool, first_s, last_s
        )
        chosen = _rate_window(times, last_s, request.window_s)
        if chosen is None:
            return _MISSING
        first, last = np.flatnonzero(chosen)[[0, -1]]
        observed = float(totals[last] - totals[first])
        age_s = now_s - float(times[last])
        total_s = float(sums[last] - sums[first])
        if spec.how == "hist_sum_rate":
            return Reading(total_s / float(times[last] - times[first]), age_s)
        if observed <= 0:
            return _MISSING
        if spec.how == "hist_mean":
            return Reading(total_s / observed, age_s)
        increase = np.asarray(counts[last] - counts[first], dtype=np.float64)
        return Reading(histogram_quantile(spec.quantile or 0.5, bounds, increase), age_s)


def histogram_quantile(quantile: float, bounds: FloatArray, cumulative: FloatArray) -> float:
    """A quantile from cumulative buckets, as Prometheus estimates it.

    Args:
        quantile: 0..1.
        bounds: upper bounds of the finite buckets, rising, shape (b,).
        cumulative: observations at or below each bound, and in all, shape (b + 1,).

    Returns:
        Linear between the bounds of the bucket it falls in, from 0 in the first; the highest finite bound
        if it falls beyond.
    """
    rank = quantile * cumulative[-1]
    bucket = int(np.searchsorted(cumulative, rank, side="left"))
    if bucket >= bounds.size:
        return float(bounds[-1])
    low = 0.0 if bucket == 0 else float(bounds[bucket - 1])
    below = 0.0 if bucket == 0 else float(cumulative[bucket - 1])
    inside = float(cumulative[bucket]) - below
    share = (rank - below) / inside if inside > 0 else 0.0
    return low + (float(bounds[bucket]) - low) * share


def _rate_window(times: FloatArray, last_s: float, window_s: float) -> NDArray[np.bool_] | None:
    """The samples of a window; the newest two if it holds fewer, None if there are not two."""
    if times.size < 2:
        return None
    within: NDArray[np.bool_] = times >= last_s - window_s
    within[-2:] = True
    return within


def _increases(values: FloatArray) -> FloatArray:
    """Increase from each sample to the next, per series; after a reset the new value is the increase."""
    steps = np.diff(values, axis=0)
    reset: FloatArray = np.where(steps < 0, values[1:], steps)
    return reset


def _not_exported(request: SignalRequest) -> UsageError:
    pool = request.pool or SERVICE_POOL
    return UsageError(
        f"the simulated fleet does not export '{pool}:{request.signal}'",
        where="--policy",
        hint="signals catalog shows what each signal is computed from",
    )
