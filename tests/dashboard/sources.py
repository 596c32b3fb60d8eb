"""A source of made results, so that pages are tested without a store."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta

import polars as pl

from dashboard.jobs import Progress
from dashboard.source import BacktestRequest
from signals.errors import AnalysisError
from signals.replay.result import Comparison
from signals.schema import TIMESTAMP
from signals.study.score import Scorecard, SignalDetail
from tests.builders import DAY, TICK_S, make_comparison, make_detail, make_scorecard

RUN_ID = "20261124-120000-ab12"


@dataclass(frozen=True)
class MadeOverview:
    """What would be loaded."""

    services: pl.DataFrame
    pools: pl.DataFrame
    signals: pl.DataFrame
    findings: pl.DataFrame
    sources: pl.DataFrame
    targets: pl.DataFrame = field(default_factory=pl.DataFrame)


@dataclass
class MemorySource:
    """Results of `tests.builders` for the services named; `broken` has too little data."""

    names: list[str] = field(default_factory=lambda: ["broken", "chat"])
    asked: list[tuple[str, ...]] = field(default_factory=list)

    def services(self) -> list[str]:
        return self.names

    def overview(self) -> MadeOverview:
        return make_overview(self.names)

    def scorecard(self, service: str, load: str | None) -> Scorecard:
        self.asked.append(("scorecard", service, load or ""))
        if service == "broken":
            raise AnalysisError(
                "fewer than 120 ticks",
                where="service 'broken'",
                expected="2 h of data",
                hint="load more",
            )
        return make_scorecard(service)

    def detail(self, service: str, signal: str, load: str | None) -> SignalDetail:
        self.asked.append(("detail", service, signal, load or ""))
        return make_detail(signal, ticks=5760)

    def runs(self, service: str) -> pl.DataFrame:
        rows = [] if service == "broken" else [(RUN_ID, DAY.last, "static, heteroscale, hpa")]
        return pl.DataFrame(
            rows,
            schema={"run_id": pl.String, "created_at": TIMESTAMP, "policies": pl.String},
            orient="row",
        )

    def comparison(self, run_id: str) -> Comparison:
        self.asked.append(("comparison", run_id))
        return make_comparison()

    def start_backtest(self, request: BacktestRequest, progress: Progress) -> str:
        if request.load_factor > 100:
            raise AnalysisError("the load factor is too large", where="Load factor")
        progress("replaying static", 0.5)
        return RUN_ID


def make_overview(names: list[str]) -> MadeOverview:
    """Frames as the store's inventory has them."""
    card = make_scorecard()
    return MadeOverview(
        services=pl.DataFrame(
            [(n, DAY.first, DAY.last, 18, 412, 2_373_120, 1_203_411) for n in names],
            schema={
                "service": pl.String,
                "first_at": TIMESTAMP,
                "last_at": TIMESTAMP,
                "targets": pl.Int64,
                "series": pl.Int64,
                "samples": pl.Int64,
                "requests": pl.Int64,
            },
            orient="row",
        ),
        pools=pl.DataFrame(
            [
                (n, pool, count, f"{pool}=dynamo_component:{pool}")
                for n in names
                for pool, count in (("decode", 12), ("prefill", 6))
            ],
            schema={
                "service": pl.String,
                "pool": pl.String,
                "instances": pl.Int64,
                "rule": pl.String,
            },
            orient="row",
        ),
        signals=pl.DataFrame(
            [
                (
                    n,
                    s.column.pool,
                    s.column.signal,
                    s.column.unit,
                    15.0,
                    DAY.first,
                    DAY.last,
                    coverage,
                )
                for n in names
                for s, coverage in zip(card.signals, _coverages(len(card.signals)), strict=True)
            ],
            schema={
                "service": pl.String,
                "pool": pl.String,
                "signal": pl.String,
                "unit": pl.String,
                "resolution_s": pl.Float64,
                "first_at": TIMESTAMP,
                "last_at": TIMESTAMP,
                "coverage_ratio": pl.Float64,
            },
            orient="row",
        ),
        findings=pl.DataFrame(
            [
                (n, "export.json", code, severity, "decode-1", count, text, action)
                for n in names
                for code, severity, count, text, action in _FINDINGS
            ],
            schema={
                "service": pl.String,
                "source": pl.String,
                "code": pl.String,
                "severity": pl.String,
                "subject": pl.String,
                "count": pl.Int64,
                "text": pl.String,
                "action": pl.String,
            },
            orient="row",
        ),
        sources=pl.DataFrame(
            [
                (
                    f"prometheus/prom_15s/raw_range_vector/{n}_generation_tokens_total.json.gz",
                    "prometheus_range_vector",
                    n,
                    2_373_180,
                    2_373_120,
                    60,
                    DAY.first,
                    DAY.last,
                    DAY.last + timedelta(seconds=TICK_S),
                )
                for n in names
            ],
            schema={
                "uri": pl.String,
                "format": pl.String,
                "service": pl.String,
                "rows_read": pl.Int64,
                "rows_kept": pl.Int64,
                "rows_rejected": pl.Int64,
                "first_at": TIMESTAMP,
                "last_at": TIMESTAMP,
                "loaded_at": TIMESTAMP,
            },
            orient="row",
        ),
    )


def _coverages(count: int) -> list[float]:
    return [(0.998, 1.0, 0.91, 0.42)[i % 4] for i in range(count)]


_FINDINGS = (
    ("duplicate_samples", "info", 12, "12 samples came twice with the same value", "kept once"),
    (
        "counter_reset",
        "info",
        1,
        "decode_tokens_total started again at 14:02",
        "rates skip the reset",
    ),
    ("scrape_gap", "warning", 3, "no samples for 4 min after 03:12", "left empty"),
    (
        "unknown_metric",
        "warning",
        40,
        "40 series have names that no catalog row knows",
        "kept as they are",
    ),
    ("bad_number", "error", 60, "60 values are not numbers", "rejected"),
)
