"""The main job on generated data: a day of telemetry, loaded, evaluated, backtested, reported."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import polars as pl

from signals.errors import UsageError
from signals.fleet import Fleet, FleetSpec, Workload
from signals.profiles import load_profile
from signals.replay.result import Comparison
from signals.scenario import Scenario
from signals.schema import REQUESTS
from signals.store import LoadOptions, create_store
from signals.store.parsed import ReadOptions
from signals.study.score import Scorecard
from signals.usecases import backtest, evaluate, report
from signals.usecases.demo_day import DemoDay, demo_workload

__all__ = ["DemoResult", "run_demo"]

SERVICE = "demo"
START = datetime(2026, 11, 23, tzinfo=UTC)
"""The made-up date of the generated day."""
MOST_INSTANCES = 20
"""What a pool of the demo may grow to: about twice its need, as a cluster's quota would be."""
FILES = (
    "fleet.duckdb",
    "fleet.runs.duckdb",
    "telemetry.parquet",
    "requests.parquet",
    "report.html",
)

Progress = Callable[[str, float], None]


@dataclass(frozen=True)
class DemoResult:
    """What the demo made.

    Attributes:
        store: path of the store.
        report: path of the HTML report.
        scorecard: the evaluation.
        comparison: the backtest.
        sentence: what was found, in one sentence.
    """

    store: Path
    report: Path
    scorecard: Scorecard
    comparison: Comparison
    sentence: str


def run_demo(
    folder: Path, *, hours: float = 24.0, seed: int = 0, progress: Progress | None = None
) -> DemoResult:
    """Generate, load, evaluate, backtest and report.

    Args:
        folder: made if absent; files of an earlier demo are replaced.
        hours: length of the generated day, 1 to 24.
        seed: of every random draw.
        progress: told what is being done and the share done.

    Raises:
        UsageError: hours out of range.
    """
    if not 1 <= hours <= 24:
        raise UsageError(f"{hours} hours are not a demo", where="--hours", expected="1 to 24")
    say = progress or _silent
    folder.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        (folder / name).unlink(missing_ok=True)
    say("simulating a day of a prefill/decode fleet", 0.02)
    files = _generate(DemoDay(hours=hours), seed, folder)
    say("loading its telemetry", 0.3)
    store = create_store(folder / FILES[0])
    store.load(files, LoadOptions(read=ReadOptions(service=SERVICE)))
    say("evaluating signals", 0.45)
    panel = evaluate.read_panel(store, SERVICE)
    card = evaluate.score(store, panel)
    say("backtesting policies", 0.55)
    comparison, _ = backtest.run(
        store,
        SERVICE,
        Scenario(seed=seed, max_instances=MOST_INSTANCES),
        progress=lambda text, share: say(text, 0.55 + 0.35 * share),
    )
    say("writing the report", 0.92)
    page = folder / "report.html"
    report.write(store, SERVICE, page, panel=panel, card=card, comparisons=(comparison,))
    say("", 1.0)
    return DemoResult(
        store=folder / FILES[0],
        report=page,
        scorecard=card,
        comparison=comparison,
        sentence=report.sentence(card, comparison),
    )


def _silent(_text: str, _share: float) -> None:
    return


def _generate(day: DemoDay, seed: int, folder: Path) -> list[Path]:
    workload = demo_workload(day, np.random.default_rng(seed))
    spec = FleetSpec(
        profile=load_profile("llama2-70b-h100"), prefill=day.prefill, decode=day.decode
    )
    fleet = Fleet(spec, workload, seed)
    fleet.advance(day.hours * 3600.0)
    telemetry, requests = folder / FILES[2], folder / FILES[3]
    fleet.scrapes.frame(START).write_parquet(telemetry)
    _request_log(fleet.request_log(), workload).write_parquet(requests)
    return [telemetry, requests]


def _request_log(log: pl.DataFrame, workload: Workload) -> pl.DataFrame:
    arrived = START + pl.duration(microseconds=(pl.col("arrival_s") * 1e6).round().cast(pl.Int64))
    done = pl.col("status") == "ok"
    frame = log.select(
        arrived.cast(pl.Datetime("us", "UTC")).alias("arrived_at"),
        "prompt_tokens",
        pl.when(done).then("output_tokens").alias("output_tokens"),
        pl.col("output_tokens").alias("asked_output_tokens"),
        "cached_tokens",
        "ttft_s",
        "e2e_s",
        pl.when(done).then(pl.lit("ok")).otherwise(pl.lit("cancelled")).alias("status"),
    )
    names = [c.name for c in REQUESTS.columns if c.name in frame.columns]
    return frame.select(names).filter(
        pl.col("arrived_at") < START + timedelta(seconds=float(workload.arrival_s[-1]) + 1)
    )
