"""From stored requests to the workload that a fleet is fed with."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import numpy as np
import polars as pl

from signals.errors import AnalysisError
from signals.fleet import Workload
from signals.schema import Finding
from signals.store import Store

__all__ = ["Recorded", "recorded"]


@dataclass(frozen=True)
class Recorded:
    """A workload taken from a request log.

    Attributes:
        workload: arrivals in seconds since `start`.
        start: time of the first arrival, UTC.
        findings: what was filled in or left out.
    """

    workload: Workload
    start: datetime
    findings: tuple[Finding, ...]


def recorded(
    store: Store, service: str, *, first: datetime | None = None, last: datetime | None = None
) -> Recorded:
    """The requests that clients of a service sent.

    Every row is an arrival, whatever became of it: a request that the recorded fleet refused or cut was
    still asked for. Output tokens are the asked ones where the log has them, else the produced ones.

    Args:
        store: the store.
        service: name of the service.
        first: begin, UTC; None for the log's.
        last: end, UTC; None for the log's.

    Raises:
        AnalysisError: the service has no request log, or none of its requests has a prompt length.
    """
    rows = store.requests(service, first=first, last=last)
    if rows.is_empty():
        raise AnalysisError(
            f"service '{service}' has no requests to replay",
            where=str(store.path),
            expected="a request log: arrival time, prompt tokens and output tokens of each request",
            hint=f"signals load REQUESTS.csv --service {service}",
        )
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
    return Recorded(workload, start, tuple(findings))
