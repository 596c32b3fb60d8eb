"""From what a store holds to the workload that a fleet is fed with."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import numpy as np
import polars as pl
from numpy.typing import NDArray

from signals.errors import AnalysisError
from signals.fleet import Workload
from signals.fleet.arrivals import LENGTH_SIGMA, draw_requests
from signals.schema import Finding
from signals.store import Store

__all__ = ["Recorded", "find_workload"]

RATES = (
    ("arrivals", ("service:request_rate",)),
    (
        "prompt tokens",
        (
            "service:offered_prompt_tps",
            "prefill:prompt_tps",
            "prefill:prefill_tps",
            "unified:prompt_tps",
            "unified:prefill_tps",
        ),
    ),
    ("output tokens", ("service:offered_output_tps", "decode:decode_tps", "unified:decode_tps")),
)
"""Panel columns that a workload can be drawn from, best first."""


@dataclass(frozen=True)
class Recorded:
    """A workload taken from a request log.

    Attributes:
        workload: arrivals in seconds since `start`.
        start: time zero of the arrivals, UTC.
        source: where it comes from: `request log` or `rates`.
        findings: what was filled in or left out.
    """

    workload: Workload
    start: datetime
    source: str
    findings: tuple[Finding, ...]


def find_workload(
    store: Store,
    service: str,
    *,
    first: datetime | None = None,
    last: datetime | None = None,
    seed: int = 0,
) -> Recorded:
    """The requests of a service: its log, or requests drawn from its recorded rates.

    Args:
        store: the store.
        service: name of the service.
        first: begin, UTC; None for the data's.
        last: end, UTC; None for the data's.
        seed: of the draw, if there is no log.

    Raises:
        AnalysisError: there is neither a log nor rates.
    """
    rows = store.requests(service, first=first, last=last)
    if rows.is_empty():
        return _drawn(store, service, first, last, seed)
    return _logged(rows, service)


def _drawn(
    store: Store, service: str, first: datetime | None, last: datetime | None, seed: int
) -> Recorded:
    panel = store.panel(service, first=first, last=last)
    chosen = {
        what: next((c for c in names if (found := panel.column(c)) and found.unit != "rel"), None)
        for what, names in RATES
    }
    missing = [what for what, name in chosen.items() if name is None]
    if missing or panel.frame.is_empty():
        raise AnalysisError(
            f"service '{service}' has nothing to replay: no request log, and no rate of {', '.join(missing)}",
            where=str(store.path),
            expected="a request log, or rates of arrivals, prompt tokens and output tokens in absolute units",
            hint=f"signals load REQUESTS.csv --service {service}",
        )
    arrivals, prompts, outputs = (panel.frame[name or ""].to_numpy() for name in chosen.values())
    steady = np.where(np.nan_to_num(arrivals) > 0, arrivals, np.nan)
    overall = np.nansum(steady)
    workload = draw_requests(
        arrivals,
        _mean_length(prompts, steady, float(np.nansum(prompts) / overall)),
        _mean_length(outputs, steady, float(np.nansum(outputs) / overall)),
        tick_s=panel.tick_s,
        rng=np.random.default_rng(seed),
    )
    names = ", ".join(str(name) for name in chosen.values())
    finding = Finding(
        "workload_from_rates",
        "warning",
        f"there is no request log: arrivals and lengths are drawn from {names}",
        action=f"Poisson arrivals in each tick, log-normal lengths with sigma {LENGTH_SIGMA}",
    )
    return Recorded(workload, panel.span.first, "rates", (finding,))


def _mean_length(
    tokens: NDArray[np.float64], arrivals: NDArray[np.float64], overall: float
) -> NDArray[np.float64]:
    """Mean length in each tick; tokens trail arrivals, so it is kept within a factor of 4 of the overall mean."""
    return np.clip(np.nan_to_num(tokens / arrivals, nan=overall), overall / 4.0, overall * 4.0)


def _logged(rows: pl.DataFrame, service: str) -> Recorded:
    """The requests that clients sent.

    Every row is an arrival, whatever became of it: a request that the recorded fleet refused or cut was
    still asked for. Output tokens are the asked ones where the log has them, else the produced ones.
    """
    rows = rows.sort("arrived_at", maintain_order=True).with_columns(
        pl.coalesce("asked_output_tokens", "output_tokens").alias("offered_output")
    )
    usable = rows.filter(pl.col("prompt_tokens").is_not_null() & (pl.col("prompt_tokens") > 0))
    if usable.is_empty():
        raise AnalysisError(
            f"no request of service '{service}' has a prompt length",
            expected="a column prompt_tokens with values above 0",
        )
    findings = []
    if left := rows.height - usable.height:
        findings.append(
            Finding(
                "request_without_prompt",
                "warning",
                f"{left} of {rows.height} requests have no prompt length",
                left,
                action="left out of the replay",
            )
        )
    known = usable.filter(pl.col("offered_output") > 0)["offered_output"]
    fill = int(np.median(known.to_numpy())) if known.len() else 1
    missing = usable.height - known.len()
    if missing:
        findings.append(
            Finding(
                "request_without_output",
                "warning",
                f"{missing} of {rows.height} requests have no output length",
                missing,
                action=f"replayed with the median of the others, {fill} tokens",
            )
        )
    usable = usable.with_columns(
        pl.when(pl.col("offered_output") > 0)
        .then("offered_output")
        .otherwise(fill)
        .alias("offered_output"),
        pl.min_horizontal(pl.col("cached_tokens").fill_null(0), pl.col("prompt_tokens")).alias(
            "cached_tokens"
        ),
    )
    start: datetime = usable["arrived_at"][0]
    offsets = (usable["arrived_at"] - start).dt.total_microseconds().to_numpy() / 1e6
    workload = Workload(
        arrival_s=offsets.astype(np.float64),
        prompt_tokens=usable["prompt_tokens"].to_numpy().astype(np.int64),
        output_tokens=usable["offered_output"].to_numpy().astype(np.int64),
        cached_tokens=usable["cached_tokens"].to_numpy().astype(np.int64),
    )
    return Recorded(workload, start, "request log", tuple(findings))
