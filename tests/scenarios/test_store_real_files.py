"""Every telemetry file of the shared data: loaded with the words a user would give, or refused with the reason."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from signals.errors import InputError
from signals.store import LoadReport, Store, create_store
from signals.store.sources import find_source
from signals.usecases.load import options
from tests.builders_real import AKAMAS, GENTD, GPU_LOG, H100, REAL, SNAPSHOT, START, Real


def load(path: Path, tmp_path: Path, words: Mapping[str, Any]) -> tuple[Store, LoadReport]:
    store = create_store(tmp_path / "fleet.duckdb")
    return store, store.load([path], options(service="svc", **words))


def samples(path: Path, form: str, **words: Any) -> pl.DataFrame:
    """Metric, labels and value of everything that a file holds, as written."""
    frames = []
    for chunk in find_source(form).read(path, options(**words).read):
        long = [chunk.samples] if chunk.samples is not None else []
        if chunk.rows is not None:
            long = [chunk.column(number) for number in range(chunk.rows.width - 2)]
        about = pl.DataFrame(
            {
                "series": pl.Series(range(len(chunk.series)), dtype=pl.UInt32),
                "metric": [one.metric for one in chunk.series],
                "host": [one.labels.get("Hostname", "") for one in chunk.series],
                "phase": [one.labels.get("phase", "") for one in chunk.series],
                "uuid": [one.labels.get("UUID", "") for one in chunk.series],
            }
        )
        frames += [one.join(about, on="series", maintain_order="left") for one in long]
    return pl.concat(frames)


def values(frame: pl.DataFrame, metric: str) -> pl.Series:
    return frame.filter(pl.col("metric") == metric)["value"]


@pytest.mark.parametrize("real", REAL, ids=lambda real: real.file.rpartition("/")[2])
def test_a_real_file_loads(shared: Path, tmp_path: Path, real: Real) -> None:
    store, report = load(shared / "data" / real.file, tmp_path, real.words)
    (source,) = report.sources
    assert source.format == real.form
    assert source.rows_kept == real.kept
    assert source.rows_rejected == 0
    assert (source.last - source.first).total_seconds() == pytest.approx(real.span_s, abs=0.01)
    assert source.findings.items() >= real.findings.items()
    assert {"conflict", "duplicate", "out_of_range"}.isdisjoint(source.findings)
    if real.signals:
        assert {column.signal for column in store.panel("svc").columns} >= set(real.signals)


REFUSED = (
    # no times: distributions and settings are no telemetry
    ("acme_gpu_cdfs/gpu_power_kalos.csv.gz", {}, "'ts' is missing", "distribution"),
    ("acme_gpu_cdfs/util_gpu_kalos_full.csv.gz", {}, "'ts' is missing", "distribution"),
    ("acme_gpu_cdfs/util_gpu_philly.csv.gz", {}, "'ts' is missing", "distribution"),
    ("llmservingsim_vllm/RTX4090_Llama-3.1-8B_meta.json", {}, "not recognised", "--format"),
    # the time has another name, and only the user knows the units
    ("alibaba_gentd26/qps.A_0h-5h.csv.gz", {}, "'ts' is missing", "--map 'timestamp_anon=ts'"),
    (
        "nolicence/h100x8_dcgm_10hz/t2_telemetry.csv.gz",
        {},
        "'ts' is missing",
        "--map 'timestamp=ts'",
    ),
    # a zone is nobody's to guess
    (
        "nolicence/vllm022_a10g_akamas_study/telemetry_30s.exp1-56.csv.gz",
        {"columns": AKAMAS, "source_format": "own-wide"},
        "no zone",
        "--tz",
    ),
    # a table of one row per metric and GPU
    (
        "nolicence/dcgm_fleet_snapshot_20250718.share.csv.gz",
        {"columns": SNAPSHOT[:1], "source_format": "own-long"},
        "'metric' is missing",
        "",
    ),
    # images, no tokens
    (
        "alibaba_gentd26/lora_request_trace.to_2024-12-01.csv.gz",
        {"columns": ("gmt_create=arrived_at",), "source_format": "own-requests", "zone": "UTC"},
        "'prompt_tokens', 'output_tokens' is missing",
        "",
    ),
)


@pytest.mark.parametrize(("file", "words", "what", "hint"), REFUSED)
def test_what_cannot_be_loaded_says_why(
    shared: Path, tmp_path: Path, file: str, words: Mapping[str, Any], what: str, hint: str
) -> None:
    with pytest.raises(InputError, match=what) as caught:
        load(shared / "data" / file, tmp_path, words)
    assert file.rpartition("/")[2] in caught.value.where
    assert hint in caught.value.hint


def test_percent_is_read_as_percent(shared: Path, tmp_path: Path) -> None:
    file = shared / "data/vllm_burstgpt_scales/vllm_log_scale1500_prompt500.csv.gz"
    store, _ = load(file, tmp_path, {"start": START})
    usage = store.panel("svc").frame["unified:kv_usage"].max()
    assert isinstance(usage, float)
    assert 0.4 < usage < 0.48


def test_queues_grow_while_utilisation_does_not(shared: Path) -> None:
    folder = shared / "data" / "vllm_burstgpt_scales"
    means, queues = [], []
    for scale in (100, 300, 400, 500, 700, 800, 900, 1500):
        log = samples(folder / f"vllm_log_scale{scale}_prompt500.csv.gz", "vllm-log", start=START)
        gpu = samples(
            folder / f"gpu_log_scale{scale}_prompt500.json.gz",
            "own-wide",
            columns=GPU_LOG,
            start=START,
        )
        queues.append(values(log, "queue_depth").max())
        means.append(values(gpu, "gpu_util").mean())
    assert queues == [4, 49, 83, 110, 155, 169, 181, 268]
    assert 32.5 < min(means) < max(means) < 39


def test_clocks_without_a_zero_begin_at_the_start(shared: Path) -> None:
    folder = shared / "data" / "vllm_burstgpt_scales"
    log = samples(folder / "vllm_log_scale500_prompt500.csv.gz", "vllm-log", start=START)
    gpu = samples(
        folder / "gpu_log_scale500_prompt500.json.gz", "own-wide", columns=GPU_LOG, start=START
    )
    assert log["ts"].min() == gpu["ts"].min() == START


def test_a_hole_between_two_files_stays_one(shared: Path, tmp_path: Path) -> None:
    folder = shared / "data" / "alibaba_gentd26"
    store = create_store(tmp_path / "fleet.duckdb")
    files = [folder / f"queue_size.{part}.csv.gz" for part in ("A_0h-5h", "C_11h-end")]
    words = options(service="svc", columns=(*GENTD, "value=queue_depth"))
    report = store.load(files, words)
    assert [source.rows_kept for source in report.sources] == [314, 743]
    panel = store.panel("svc").frame
    hours = panel.group_by(pl.col("tick").dt.hour()).agg(
        pl.col("unified:queue_depth").count().alias("known")
    )
    known = {hour for hour, count in hours.iter_rows() if count}
    assert known.isdisjoint(range(7, 12))


def test_a_request_log_of_images_loads_if_the_user_says_what_stands_for_tokens(
    shared: Path, tmp_path: Path
) -> None:
    words = {
        "source_format": "own-requests",
        "zone": "UTC",
        "columns": (
            "gmt_create=arrived_at",
            "exec_time_seconds=e2e_s",
            "predict_status=status",
            "prompt_length=prompt_tokens",
            "num_inference_steps=output_tokens",
        ),
    }
    file = shared / "data/alibaba_gentd26/lora_request_trace.to_2024-12-01.csv.gz"
    store, report = load(file, tmp_path, words)
    (source,) = report.sources
    assert source.rows_kept == 15630
    assert source.findings["unknown_status"] == 15630
    assert (source.last - source.first).days == 16
    assert "request_rate" in {column.signal for column in store.panel("svc", tick_s=3600).columns}


def test_a_cache_that_was_not_measured_is_zero_throughout(shared: Path) -> None:
    folder = shared / "data" / "llmservingsim_vllm"
    usage = {
        name: values(
            samples(folder / f"{name}_timeseries.csv", "llmservingsim-timeseries"), "kv_usage"
        ).max()
        for name in ("RTX4090_Llama-3.1-8B", "RTXPRO6000_Llama-3.1-8B", "RTXPRO6000_Qwen3-32B")
    }
    assert usage["RTX4090_Llama-3.1-8B"] > 90
    assert usage["RTXPRO6000_Llama-3.1-8B"] == usage["RTXPRO6000_Qwen3-32B"] == 0


def test_phases_of_a_benchmark_become_labels(shared: Path) -> None:
    path = shared / "data/nolicence/h100x8_dcgm_10hz/i4_telemetry.first215s.csv.gz"
    found = samples(path, "own-wide", columns=(*H100, "phase=label:phase"))
    steady = found.filter(pl.col("phase") == "steady")
    assert values(steady, "gpu_util").mean() == pytest.approx(69.14, abs=0.01)
    assert values(steady, "sm_active").mean() == pytest.approx(0.239, abs=0.001)
    assert values(steady, "tensor_active").mean() == pytest.approx(0.037, abs=0.001)


def test_labels_come_out_of_raw_label_sets(shared: Path) -> None:
    path = shared / "data/nolicence/dcgm_fleet_snapshot_20250718.share.csv.gz"
    found = samples(path, "own-long", columns=SNAPSHOT)
    assert found["host"].n_unique() == 20
    assert found["uuid"].n_unique() == 159
    assert found["ts"].n_unique() == 4


def test_duty_cycles_are_mostly_zero(shared: Path) -> None:
    folder = shared / "data" / "alibaba_gentd26"
    duty = pl.concat(
        values(
            samples(
                folder / f"pod_gpu_duty_cycle.{part}.csv.gz",
                "own-wide",
                columns=(*GENTD, "value=gpu_util[%]"),
            ),
            "gpu_util",
        )
        for part in ("A_0h-5h", "C_11h-end")
    )
    assert (duty == 0).mean() == pytest.approx(0.78, abs=0.01)


def test_a_busy_gpu_says_little(shared: Path, tmp_path: Path) -> None:
    real = next(one for one in REAL if "akamas" in one.file)
    store, _ = load(shared / "data" / real.file, tmp_path, real.words)
    frame = store.panel("svc").frame
    busy = frame.filter(pl.col("unified:decode_tps") > 0)
    full = (busy["unified:gpu_util"] >= 0.95).mean()
    assert full == pytest.approx(0.88, abs=0.02)
    # milliseconds came as milliseconds
    assert 1 < busy["unified:ttft_mean"].median() < 100
