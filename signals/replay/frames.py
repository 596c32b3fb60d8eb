"""The frames that a backtest leaves behind, one row per tick, reading, event and minute."""

from __future__ import annotations

import polars as pl

from signals.schema import TIMESTAMP, Column, FrameSchema

__all__ = ["RUN_EVENT", "RUN_MINUTE", "RUN_READING", "RUN_TICK"]

RUN_TICK = FrameSchema(
    "run_tick",
    (
        Column("policy", pl.String, "", "label of the policy run", nullable=False),
        Column("ts", TIMESTAMP, "", "decision time", nullable=False),
        Column("pool", pl.String, "", "prefill or decode", nullable=False),
        Column("asked", pl.Int64, "count", "instances the policy asked for"),
        Column("desired", pl.Int64, "count", "instances ordered after limits", nullable=False),
        Column("ready", pl.Int64, "count", "instances that serve", nullable=False),
        Column("starting", pl.Int64, "count", "instances in cold start", nullable=False),
        Column(
            "draining", pl.Int64, "count", "instances that finish their requests", nullable=False
        ),
        Column("queue_depth", pl.Int64, "count", "requests that wait", nullable=False),
        Column("running", pl.Int64, "count", "requests being served", nullable=False),
        Column(
            "load_tps", pl.Float64, "tokens/s", "offered prompt (prefill) or output (decode) tokens"
        ),
        Column(
            "busy_ratio", pl.Float64, "ratio", "busy time of ready instances since the last tick"
        ),
    ),
)

RUN_READING = FrameSchema(
    "run_reading",
    (
        Column("policy", pl.String, "", "label of the policy run", nullable=False),
        Column("ts", TIMESTAMP, "", "decision time", nullable=False),
        Column("signal", pl.String, "", "pool:signal that the policy read", nullable=False),
        Column("value", pl.Float64, "the signal's", "what was visible; null if nothing was"),
        Column("target", pl.Float64, "the signal's", "target value the policy compares with"),
    ),
)

RUN_EVENT = FrameSchema(
    "run_event",
    (
        Column("policy", pl.String, "", "label of the policy run", nullable=False),
        Column("ts", TIMESTAMP, "", "when it happened", nullable=False),
        Column("pool", pl.String, "", "prefill or decode", nullable=False),
        Column(
            "kind",
            pl.String,
            "",
            "scale_up, scale_down, ready, drained, cut, capped",
            nullable=False,
        ),
        Column("before", pl.Int64, "count", "desired before"),
        Column("after", pl.Int64, "count", "desired after"),
        Column("reason", pl.String, "", "the policy's reason code"),
    ),
)

RUN_MINUTE = FrameSchema(
    "run_minute",
    (
        Column("policy", pl.String, "", "label of the policy run", nullable=False),
        Column("ts", TIMESTAMP, "", "start of the minute of arrival", nullable=False),
        Column("arrived", pl.Int64, "count", "requests that arrived", nullable=False),
        Column("ttft_ok", pl.Int64, "count", "of these, within the TTFT objective", nullable=False),
        Column("tpot_ok", pl.Int64, "count", "of these, within the TPOT objective", nullable=False),
        Column("both_ok", pl.Int64, "count", "of these, within both", nullable=False),
        Column("ttft_p90_s", pl.Float64, "s", "90th percentile of TTFT"),
        Column("tpot_p90_s", pl.Float64, "s", "90th percentile of TPOT"),
    ),
)
