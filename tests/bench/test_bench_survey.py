"""How the evaluation of many services scales with processes: the ratio is that of the cores that are free."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from signals.series.synthetic import daily_load, scale_noise
from signals.store import LoadOptions, Store, create_store
from signals.store.parsed import ReadOptions
from signals.usecases.survey import Question, chosen_services, survey
from tests.bench.ratios import Ways

SERVICES, FEW = 40, 2
MINUTES = 1440
NAMES = ("running", "kv_usage", "gpu_util", "decode_tps")
WAYS = Ways(f"{SERVICES} services of a day of minutes and four signals", ours="2")


@pytest.fixture(scope="module")
def store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Many small services; a few where nothing is timed."""
    folder = tmp_path_factory.mktemp("survey")
    count = FEW if request.config.getoption("benchmark_disable") else SERVICES
    made = create_store(folder / "fleet.duckdb")
    for number in range(count):
        file = export(folder / f"s{number:03d}.csv", number)
        made.load([file], LoadOptions(read=ReadOptions(service=file.stem)))
    return made


def export(path: Path, seed: int) -> Path:
    """A day of one instance."""
    rng = np.random.default_rng(seed)
    load = daily_load(MINUTES, 60.0, wander=0.2, phi=0.99, rng=rng)
    rows = ["ts_s,metric,instance,value"]
    for name in NAMES:
        values = scale_noise(0.4 * load / load.max(), 0.03, rng)
        rows += [f"{60 * tick},{name},i0,{value:.5f}" for tick, value in enumerate(values)]
    path.write_text("\n".join(rows) + "\n")
    return path


@pytest.mark.benchmark(group="survey")
@pytest.mark.parametrize("way", ["1", "2"])
def test_bench_survey(benchmark, request, store: Store, way: str) -> None:
    """Two processes against one; starting them is part of it."""
    if way == "2" and benchmark.disabled:
        pytest.skip(
            "the answers of two processes are tested elsewhere, and there is nothing to time"
        )
    questions = [Question(name) for name in chosen_services(store)]
    answers = WAYS.time(
        benchmark, request, way, lambda: survey(store, questions, workers=int(way)), rounds=1
    )
    assert all(answer.card is not None for answer in answers)
    benchmark.extra_info["services"] = len(answers)
    benchmark.extra_info["load_of_the_machine"] = round(os.getloadavg()[0], 1)
