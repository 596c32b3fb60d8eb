"""How long a load and a panel take."""

import itertools

import pytest

from signals.store import LoadOptions, create_store, open_store
from signals.store.parsed import ReadOptions
from tests.bench.inputs import write_wide_day

SIZES = [
    pytest.param({"days": 1.0, "step_s": 60.0, "instances": 4}, id="1d-60s-4"),
    pytest.param({"days": 1.0, "step_s": 15.0, "instances": 8}, id="1d-15s-8"),
]
OPTIONS = LoadOptions(read=ReadOptions(service="bench"))


@pytest.mark.benchmark(group="load")
@pytest.mark.parametrize("size", SIZES)
def test_bench_load_a_wide_table(benchmark, tmp_path, size):
    """From a CSV file to a closed store, every sample kept."""
    path = tmp_path / "day.csv"
    samples = write_wide_day(path, **size)
    numbers = itertools.count()

    def load():
        return create_store(tmp_path / f"{next(numbers)}.duckdb").load([path], OPTIONS)

    report = benchmark.pedantic(load, rounds=3)
    assert report.sources[0].rows_kept == samples


@pytest.mark.benchmark(group="panel")
@pytest.mark.parametrize("size", SIZES)
def test_bench_panel(benchmark, tmp_path, size):
    """From a store on disk to the panel of a service."""
    path = tmp_path / "day.csv"
    write_wide_day(path, **size)
    create_store(tmp_path / "s.duckdb").load([path], OPTIONS)
    panel = benchmark(lambda: open_store(tmp_path / "s.duckdb").panel("bench"))
    assert panel.frame.height == pytest.approx(86400.0 / size["step_s"], abs=2)
    assert panel.column("decode:decode_tps") is not None
