"""The telemetry files of the shared data: what a user would say about each, and what must come of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

__all__ = ["AKAMAS", "GENTD", "GPU_LOG", "H100", "REAL", "SNAPSHOT", "START", "Real"]

START = datetime(2025, 10, 9, tzinfo=UTC)
GENTD = ("timestamp_anon=ts[s]", "container_ip=label:pod")
H100 = (
    "timestamp=ts[s]",
    "gpu_util_pct=gpu_util[%]",
    "mem_used_mib=fb_used[MiB]",
    "energy_mj=energy_j_total[mJ]",
)
AKAMAS = (
    "timestamp=ts",
    "experiment=label:job",
    "gpu.gpu_dram_active=dram_active",
    "gpu.gpu_fb_used=fb_used[MiB]",
    "gpu.gpu_power_usage=power_w",
    "gpu.gpu_sm_active=sm_active",
    "gpu.gpu_sm_occupancy=sm_occupancy",
    "gpu.gpu_tensor_core_active=tensor_active",
    "gpu.gpu_util=gpu_util[%]",
    "vLLM.decode_token_throughput=decode_tps[tokens/s]",
    "vLLM.e2e_request_latency_avg=e2e_mean[ms]",
    "vLLM.inter_token_latency_avg=itl_mean[ms]",
    "vLLM.kv_cache_usage_avg=kv_usage",
    "vLLM.num_requests_running=running",
    "vLLM.num_requests_waiting=queue_depth",
    "vLLM.preemption_rate=preemption_rate",
    "vLLM.prefill_token_throughput=prompt_tps[tokens/s]",
    "vLLM.prefix_cache_hit_rate=prefix_hit_ratio",
    "vLLM.request_success_rate=completion_rate",
    "vLLM.time_to_first_token_avg=ttft_mean[ms]",
)
GPU_LOG = ("record_time=clock_s", "GPU_used_mem=fb_used[MiB]", "GPU_utilization=gpu_util[%]")
SNAPSHOT = ("timestamp=ts", "metric_name=metric", "gpu_id=gpu", "labels_raw=labels")
LIVES = (
    "creation_time=ordered_s",
    "scheduled_time=ready_s",
    "deletion_time=ended_s",
    "role=label:role",
)
ENGINE = ("decode_tps", "kv_usage", "prompt_tps", "queue_depth", "running")


@dataclass(frozen=True)
class Real:
    """A file, what to say about it, and what must come of it.

    Attributes:
        file: below the folder of data.
        form: format that is detected, or named.
        kept: samples, counted by another program.
        span_s: seconds from the first to the last.
        signals: columns that the panel must have, by signal.
        words: options of the load.
        findings: codes of the reader with their counts.
    """

    file: str
    form: str
    kept: int
    span_s: float
    signals: tuple[str, ...]
    words: Mapping[str, Any] = field(default_factory=dict)
    findings: Mapping[str, int] = field(default_factory=dict)


def gentd(name: str, kept: int, span_s: float, value: str, signal: str, *more: str) -> Real:
    """A file of the image service: a value per container."""
    words = {"columns": (*GENTD, f"value={value}", *more)}
    return Real(f"alibaba_gentd26/{name}.csv.gz", "own-wide", kept, span_s, (signal,), words)


def own_name(name: str, kept: int, span_s: float, series: int) -> Real:
    """A file of the image service that is no signal of ours; the user names it."""
    words = {"columns": (*GENTD, f"value={name.partition('.')[0]}[ms]")}
    found = {"unknown_name": series}
    return Real(f"alibaba_gentd26/{name}.csv.gz", "own-wide", kept, span_s, (), words, found)


REAL = (
    *(
        Real(
            f"vllm_burstgpt_scales/vllm_log_scale{scale}_prompt500.csv.gz",
            "vllm-log",
            7 * rows,
            span_s,
            ENGINE,
            {"start": START},
            {"unknown_name": 2},
        )
        for scale, rows, span_s in (
            (100, 538, 420.495),
            (300, 323, 205.778),
            (400, 306, 184.579),
            (500, 290, 168.441),
            (700, 274, 153.166),
            (800, 265, 146.323),
            (900, 266, 145.032),
            (1500, 246, 137.086),
        )
    ),
    *(
        Real(
            f"vllm_burstgpt_scales/gpu_log_scale{scale}_prompt500.json.gz",
            "own-wide",
            5 * rows,
            span_s,
            ("fb_used", "gpu_util"),
            {"source_format": "own-wide", "columns": GPU_LOG, "start": START},
            {"unknown_name": 3},
        )
        for scale, rows, span_s in (
            (100, 839, 420.062),
            (300, 411, 205.515),
            (400, 368, 183.958),
            (500, 337, 168.441),
            (700, 306, 152.894),
            (800, 292, 145.897),
            (900, 290, 144.876),
            (1500, 273, 136.353),
        )
    ),
    *(
        Real(
            f"llmservingsim_vllm/{name}_timeseries.csv",
            "llmservingsim-timeseries",
            5 * rows,
            rows - 1,
            ENGINE,
            findings={"start_from_meta": 1, **odd},
        )
        # the cache of the second machine was not measured
        for name, rows, odd in (
            ("RTX4090_Llama-3.1-8B", 184, {}),
            ("RTXPRO6000_Llama-3.1-8B", 67, {"always_zero": 1}),
            ("RTXPRO6000_Qwen3-32B", 160, {"always_zero": 1}),
        )
    ),
    *(
        Real(
            f"nolicence/h100x8_dcgm_10hz/{name}.csv.gz",
            "own-wide",
            kept,
            span_s,
            ("dram_active", "fb_used", "gpu_util", "power_w", "sm_active", "tensor_active"),
            {"columns": H100},
            {"text_column": 1},
        )
        # 20 columns: a time, three of text or labels, 16 of numbers
        for name, kept, span_s in (
            ("b1_telemetry", 499161 - 3 * 26272, 333.978),
            ("i4_telemetry.first215s", 317611 - 3 * 16720, 214.996),
            ("t13_node0_telemetry", 483232 - 3 * 25440, 319.730),
            ("t2_telemetry", 469206 - 3 * 24696, 311.550),
            ("t6_telemetry", 513448 - 3 * 27024, 341.877),
        )
    ),
    Real(
        "nolicence/vllm022_a10g_akamas_study/telemetry_30s.exp1-56.csv.gz",
        "own-wide",
        70816 - 1890,
        60000.88,
        (
            "completion_rate",
            "decode_tps",
            "gpu_util",
            "itl_mean",
            "kv_usage",
            "sm_active",
            "ttft_mean",
        ),
        {"source_format": "own-wide", "columns": AKAMAS, "zone": "UTC"},
        {"zone_assumed": 1890},
    ),
    Real(
        "nolicence/dcgm_fleet_snapshot_20250718.share.csv.gz",
        "own-long",
        1590,
        3.0,
        ("fb_used", "gpu_util", "power_w"),
        {"source_format": "own-long", "columns": SNAPSHOT},
    ),
    gentd("pod_gpu_duty_cycle.A_0h-5h", 35355, 17955, "gpu_util[%]", "gpu_util"),
    gentd("pod_gpu_duty_cycle.C_11h-end", 80882, 42465, "gpu_util[%]", "gpu_util"),
    gentd("pod_gpu_memory_used_bytes.A_0h-5h", 36023, 17955, "fb_used[B]", "fb_used"),
    gentd("pod_gpu_memory_used_bytes.C_11h-end", 83621, 42465, "fb_used[B]", "fb_used"),
    gentd(
        "qps.A_0h-5h",
        8148,
        17499,
        "request_rate[req/s]",
        "request_rate",
        "request_type=label:request_type",
    ),
    gentd(
        "qps.C_11h-end",
        2108,
        41154,
        "request_rate[req/s]",
        "request_rate",
        "request_type=label:request_type",
    ),
    gentd("queue_rt.A_0h-5h", 7854, 17328, "queue_wait_mean[ms]", "queue_wait_mean"),
    gentd("queue_rt.C_11h-end", 1672, 40356, "queue_wait_mean[ms]", "queue_wait_mean"),
    gentd("queue_size.A_0h-5h", 314, 17955, "queue_depth", "queue_depth"),
    gentd("queue_size.C_11h-end", 743, 42465, "queue_depth", "queue_depth"),
    gentd("pipeline_inference_data.A_0h-5h", 11505, 17955, "e2e_mean[ms]", "e2e_mean"),
    gentd("pipeline_inference_data.C_11h-end", 3339, 42465, "e2e_mean[ms]", "e2e_mean"),
    own_name("basemodel_update_latency.A_0h-5h", 2292, 17385, 111),
    own_name("basemodel_update_latency.C_11h-end", 602, 40869, 109),
    own_name("lora_update_latency.A_0h-5h", 9463, 17499, 111),
    own_name("lora_update_latency.C_11h-end", 2391, 41154, 116),
    own_name("model_predict_data.A_0h-5h", 1864, 17385, 111),
    own_name("model_predict_data.C_11h-end", 990, 41154, 110),
    own_name("pipeline_update_latency.A_0h-5h", 12090, 17898, 111),
    own_name("pipeline_update_latency.C_11h-end", 3584, 41154, 121),
    Real(
        "alibaba_gentd26/pod_memory_util.A_0h-5h.csv.gz",
        "own-wide",
        47736,
        17955,
        (),
        {"columns": (*GENTD, "value=memory_util[ratio]")},
    ),
    Real(
        "alibaba_dlrm2025/disaggregated_DLRM_trace.share_apps.csv.gz",
        "own-lifetimes",
        6 * 44625,
        44624 * 60,
        ("desired", "ready", "starting"),
        {"source_format": "own-lifetimes", "columns": LIVES, "start": START},
        {"unused_column": 13, "between_counts": 67},
    ),
)
