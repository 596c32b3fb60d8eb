"""What a store tells about itself, made up, for tests; see `tests/builders.py`."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta

import polars as pl

from signals.schema import TIMESTAMP
from tests.builders_replay import START

__all__ = ["MadeStock", "make_stock"]


@dataclass(frozen=True)
class MadeStock:
    """Frames with the columns of `signals.store.Inventory`."""

    services: pl.DataFrame = field(default_factory=pl.DataFrame)
    pools: pl.DataFrame = field(default_factory=pl.DataFrame)
    signals: pl.DataFrame = field(default_factory=pl.DataFrame)
    findings: pl.DataFrame = field(default_factory=pl.DataFrame)
    sources: pl.DataFrame = field(default_factory=pl.DataFrame)
    targets: pl.DataFrame = field(default_factory=pl.DataFrame)


def make_stock(service: str = "chat") -> MadeStock:
    """One service with two pools, three signals, one source and one finding."""
    last = START + timedelta(hours=24)
    span = {"first_at": [START], "last_at": [last]}
    times = {"first_at": TIMESTAMP, "last_at": TIMESTAMP}
    return MadeStock(
        services=pl.DataFrame(
            {"service": [service], **span, "targets": [18], "series": [412], "samples": [2_373_120], "requests": [182_204]},
            schema_overrides=times,
        ),
        pools=pl.DataFrame(
            {"service": [service] * 2, "pool": ["prefill", "decode"], "instances": [6, 12],
             "rule": ["label role", "label role"], "gpus": [6, 48]}
        ),
        targets=pl.DataFrame(
            {"service": [service] * 2, "target": ["llm/decode-0", "llm/prefill-0"], "pool": ["decode", "prefill"],
             "rule": ["label role", "joined instance"], "decided_by": ["role=decode", "instance=prefill-0"],
             "series": [40, 4], "samples": [23_000, 5_760]}
        ),
        signals=pl.DataFrame(
            {"service": [service] * 3, "pool": ["decode", "decode", "service"],
             "signal": ["decode_tps", "gpu_util", "request_rate"], "unit": ["tokens/s", "ratio", "req/s"],
             "resolution_s": [15.0, 15.0, 1.0], "first_at": [START] * 3, "last_at": [last] * 3,
             "coverage_ratio": [0.998, 0.991, 1.0]},
            schema_overrides=times,
        ),
        findings=pl.DataFrame(
            {"service": [service], "source": ["telemetry.parquet"], "code": ["counter_reset"], "severity": ["info"],
             "subject": ["decode-1"], "count": [1], "text": ["1 counter started again"], "action": ["no spike"]}
        ),
        sources=pl.DataFrame(
            {"uri": ["telemetry.parquet"], "format": ["own-long"], "service": [service], "rows_read": [2_373_120],
             "rows_kept": [2_373_120], "rows_rejected": [0], **span, "loaded_at": [last]},
            schema_overrides={**times, "loaded_at": TIMESTAMP},
        ),
    )  # fmt: skip
