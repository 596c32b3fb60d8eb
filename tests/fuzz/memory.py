"""Load files that outgrow memory, each in a process of its own, and say how much of it they took."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
from pyarrow.parquet import ParquetWriter

from signals.store import LoadOptions, create_store
from signals.store.parsed import ReadOptions

__all__ = ["LIMIT_BYTES", "load_and_measure", "write_day", "write_matrix"]

ROOT = Path(__file__).parents[2]
LIMIT_BYTES = 2_000_000_000
_START_S = 1_760_000_000
_GPUS, _TICKS, _SIGNALS = 1_000, 5_760, 10
_COLUMNS = (
    *("gpu_util [%]", "sm_active", "tensor_active", "dram_active", "power_w [W]"),
    *("fb_used [MiB]", "gpu_temp_c", "mem_copy_util [%]", "sm_clock_hz [MHz]", "pcie_rx_bps"),
)


def write_matrix(path: Path, size: int) -> int:
    """Write the JSON of a range query of a given size; returns its samples."""
    rng = np.random.default_rng(1)
    samples, number = 0, 0
    with path.open("w") as out:
        out.write('{"status":"success","data":{"resultType":"matrix","result":[')
        while out.tell() < size:
            values = rng.integers(0, 1000, 50_000)
            points = ",".join(
                f'[{_START_S + 5 * k}.781,"{v}.5"]' for k, v in enumerate(values.tolist())
            )
            labels = f'"__name__":"vllm:num_requests_waiting","pod":"decode-{number}"'
            out.write(f'{"," * (number > 0)}{{"metric":{{{labels}}},"values":[{points}]}}')
            samples, number = samples + values.size, number + 1
        out.write("]}}")
    return samples


def write_day(path: Path, size: int) -> int:
    """Write a day of a fleet of 1,000 GPUs as long Parquet, a row group of ten minutes; returns its samples."""
    rng = np.random.default_rng(2)
    ticks = max(1, min(_TICKS, size // (_GPUS * _SIGNALS)))
    gpus = np.arange(_GPUS)
    schema = pa.schema(
        [("ts", pa.int64()), ("instance", pa.string()), ("pool", pa.string())]
        + [(name, pa.float64()) for name in _COLUMNS]
    )
    pools = np.where(gpus % 3 == 0, "prefill", "decode")
    names = np.array([f"pod-{k}" for k in gpus])
    with ParquetWriter(path, schema) as writer:
        for first in range(0, ticks, 40):
            count = min(40, ticks - first)
            frame = pl.DataFrame(
                {
                    "ts": np.repeat(_START_S + 15 * np.arange(first, first + count), _GPUS),
                    "instance": np.tile(names, count),
                    "pool": np.tile(pools, count),
                    **{name: rng.random(count * _GPUS).round(3) for name in _COLUMNS},
                }
            )
            writer.write_table(frame.to_arrow().cast(schema))
    return ticks * _GPUS * _SIGNALS


def load_and_measure(path: Path, store: Path) -> dict[str, float]:
    """Load a file in a process of its own: samples kept, seconds, and the most memory that was held, bytes."""
    answer = subprocess.run(
        [sys.executable, "-m", "tests.fuzz.memory", str(path), str(store)],
        cwd=ROOT,
        check=True,
        stdout=subprocess.PIPE,
    )
    return dict(json.loads(answer.stdout.splitlines()[-1]))


def _load(path: Path, store: Path) -> None:
    begin = time.monotonic()
    report = create_store(store).load([path], LoadOptions(read=ReadOptions(service="svc")))
    values = {
        "rows_kept": report.sources[0].rows_kept,
        "seconds": time.monotonic() - begin,
        "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        "store_bytes": store.stat().st_size,
    }
    sys.stdout.write(json.dumps(values) + "\n")


def _main() -> int:
    makers: dict[str, tuple[Callable[[Path, int], int], int]] = {
        "day.parquet": (write_day, int(os.environ.get("FUZZ_VALUES", "57600000"))),
        "matrix.json": (write_matrix, int(os.environ.get("FUZZ_BYTES", "2000000000"))),
    }
    failed = False
    for name, (make, size) in makers.items():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, name)
            samples = make(path, size)
            size_mb = path.stat().st_size / 1e6
            found = load_and_measure(path, Path(folder, "store.duckdb"))
        failed |= found["rows_kept"] != samples or found["peak_bytes"] > LIMIT_BYTES
        sys.stdout.write(
            f"{name}: {samples} values, {size_mb:.0f} MB, {found['seconds']:.0f} s, peak memory "
            f"{found['peak_bytes'] / 1e9:.2f} GB, store {found['store_bytes'] / 1e6:.0f} MB\n"
        )
        sys.stdout.flush()
    return int(failed)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        _load(Path(sys.argv[1]), Path(sys.argv[2]))
    else:
        sys.exit(_main())
