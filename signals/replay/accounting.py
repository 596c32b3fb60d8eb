"""What a run did to its requests: attainment, percentiles, minutes, counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import polars as pl

from signals.replay.frames import RUN_MINUTE
from signals.replay.result import Percentiles
from signals.schema import Slo

__all__ = ["RequestAccount", "account_requests", "minute_rows", "percentiles"]

_STATUS = {"ok": "completed", "dropped": "dropped", "cut": "cut", "running": "running"}


@dataclass(frozen=True)
class RequestAccount:
    """What became of the requests of a run.

    Attributes:
        attainment: shares of arrived requests under `ttft`, `tpot`, `both`; None if none arrived.
        ttft_s, tpot_s, e2e_s: percentiles over the requests that have the value.
        requests: counts under `arrived`, `completed`, `dropped`, `cut`, `running`.
    """

    attainment: Mapping[str, float | None]
    ttft_s: Percentiles
    tpot_s: Percentiles
    e2e_s: Percentiles
    requests: Mapping[str, int]


def account_requests(log: pl.DataFrame, slo: Slo) -> RequestAccount:
    """Count and judge the requests of a run.

    Args:
        log: one row per arrived request, as `Fleet.request_log`.
        slo: the objectives.

    Returns:
        The account.
    """
    judged = _judged(log, slo)
    counts = {"arrived": log.height}
    for status, name in _STATUS.items():
        counts[name] = int((log["status"] == status).sum())
    shares = {
        name: None
        if log.is_empty()
        else float(judged[f"{name}_ok"].cast(pl.Float64).sum()) / log.height
        for name in ("ttft", "tpot", "both")
    }
    return RequestAccount(
        shares,
        percentiles(log["ttft_s"]),
        percentiles(log["tpot_s"]),
        percentiles(log["e2e_s"]),
        counts,
    )


def percentiles(values_s: pl.Series) -> Percentiles:
    """Percentiles over all values that exist, by linear interpolation.

    Args:
        values_s: seconds; null where a request has no value.
    """
    known = values_s.drop_nulls().drop_nans()
    if known.is_empty():
        return Percentiles(None, None, None)
    p50, p90, p99 = (float(known.quantile(q, "linear") or 0.0) for q in (0.5, 0.9, 0.99))
    return Percentiles(p50, p90, p99)


def minute_rows(log: pl.DataFrame, slo: Slo, *, policy: str, start: datetime) -> pl.DataFrame:
    """Attainment and tails per minute of arrival.

    Args:
        log: one row per arrived request.
        slo: the objectives.
        policy: label of the run.
        start: time zero of the run, UTC.

    Returns:
        RUN_MINUTE, sorted; minutes without arrivals are absent.
    """
    zero = pl.lit(start).dt.cast_time_unit("us")
    minute = (pl.col("arrival_s") // 60.0).cast(pl.Int64)
    return (
        _judged(log, slo)
        .group_by(minute.alias("minute"))
        .agg(
            pl.len().cast(pl.Int64).alias("arrived"),
            *(pl.col(f"{n}_ok").cast(pl.Int64).sum() for n in ("ttft", "tpot", "both")),
            *(
                pl.col(f"{n}_s").fill_nan(None).quantile(0.9, "linear").alias(f"{n}_p90_s")
                for n in ("ttft", "tpot")
            ),
        )
        .sort("minute")
        .with_columns(
            pl.lit(policy).alias("policy"),
            (zero + pl.duration(minutes=pl.col("minute"))).alias("ts"),
        )
        .select(list(RUN_MINUTE.polars()))
        .cast(pl.Schema(RUN_MINUTE.polars()))
    )


def _judged(log: pl.DataFrame, slo: Slo) -> pl.DataFrame:
    ttft, tpot = pl.col("ttft_s").fill_nan(None), pl.col("tpot_s").fill_nan(None)
    ttft_ok = (ttft <= slo.ttft_s).fill_null(value=False)
    # a request that ended with its first token has no pace to miss; one that never got there missed it
    done_at_once = (pl.col("status") == "ok") & tpot.is_null()
    tpot_ok = (tpot <= slo.tpot_s).fill_null(value=False) | done_at_once
    return log.with_columns(
        ttft_ok.alias("ttft_ok"), tpot_ok.alias("tpot_ok"), (ttft_ok & tpot_ok).alias("both_ok")
    )
