"""What to ask a server for, by engine and exporter: names of metrics as patterns over every spelling in use."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from signals.catalog.aibrix import AIBRIX
from signals.catalog.dcgm import DCGM
from signals.catalog.dynamo import DYNAMO
from signals.catalog.epp import EPP
from signals.catalog.kubernetes import KUBERNETES
from signals.catalog.ray import RAY
from signals.catalog.sglang import SGLANG
from signals.catalog.spec import EngineSpec
from signals.catalog.tgi import TGI
from signals.catalog.trtllm import TRTLLM
from signals.catalog.vllm import VLLM
from signals.errors import UsageError

__all__ = ["ARRIVALS", "PRESETS", "REPLICAS", "TARGETS", "Preset", "find_presets", "preset_names"]

_AHEAD = "(?="
_PARTS = "(_total|_bucket|_sum|_count)?"


@dataclass(frozen=True)
class Preset:
    """Metrics that belong together: what the catalog knows of an engine, and what is worth having beside it.

    Attributes:
        name: as in `--preset`.
        title: for people.
        prefix: regular expression of what stands before the names.
        names: further names after the prefix, without `_total`, `_bucket`, `_sum`, `_count`.
        engine: the engine in the catalog; None if it has none.
    """

    name: str
    title: str
    prefix: str
    names: tuple[str, ...]
    engine: EngineSpec | None = None

    @property
    def pattern(self) -> str:
        """Regular expression over whole names of series."""
        parts = [f"({self.prefix})({'|'.join(self.names)})"] if self.names else []
        if self.engine is not None:
            known = sorted({rule.metric for rule in self.engine.rules})
            if self.engine is DCGM:
                # the catalog compares without regard to case, servers do not
                parts.append(f"DCGM_FI_({'|'.join(known).upper()})")
            parts += _spellings(self.engine.prefixes, known)
        return f"({'|'.join(parts)}){_PARTS}"

    @property
    def selector(self) -> str:
        """The same as a series selector."""
        return f'{{__name__=~"{self.pattern}"}}'

    def fits(self, metric: str) -> bool:
        """Whether a metric is of this preset."""
        return re.fullmatch(self.pattern, metric) is not None


def _spellings(prefixes: Sequence[str], known: Sequence[str]) -> Iterator[str]:
    """Patterns without looking ahead, which no server can: such a prefix is one of the names behind it alone."""
    whole = [prefix for prefix in prefixes if _AHEAD not in prefix]
    yield f"({'|'.join(whole)})({'|'.join(known)})"
    for prefix in prefixes:
        head, ahead, tail = prefix.partition(_AHEAD)
        if ahead:
            yield f"({head})({tail.removesuffix(')').removesuffix('$')})"


_LATENCIES = ("e2e_request_latency_seconds", "time_to_first_token_seconds")
_VLLM = (
    *_LATENCIES,
    "cache_config_info",
    "cpu_cache_usage_perc",
    "num_requests_swapped",
    "external_prefix_cache_hits",
    "external_prefix_cache_queries",
    "generation_tokens",
    "gpu_cache_usage_perc",
    "gpu_prefix_cache_hits",
    "gpu_prefix_cache_queries",
    "inter_token_latency_seconds",
    "iteration_tokens",
    "kv_cache_usage_perc",
    "nixl_bytes_transferred",
    "nixl_num_failed_transfers",
    "nixl_xfer_time_seconds",
    "num_preemptions",
    "num_requests_running",
    "num_requests_waiting",
    "num_requests_waiting_by_reason",
    "prefix_cache_hits",
    "prefix_cache_queries",
    "prompt_tokens",
    "prompt_tokens_by_source",
    "prompt_tokens_cached",
    "request_decode_time_seconds",
    "request_generation_tokens",
    "request_inference_time_seconds",
    "request_prefill_kv_computed_tokens",
    "request_prefill_time_seconds",
    "request_prompt_tokens",
    "request_queue_time_seconds",
    "request_success",
    "request_time_per_output_token_seconds",
    "time_per_output_token_seconds",
)

PRESETS: tuple[Preset, ...] = (
    Preset(
        "aibrix",
        "AIBrix gateway",
        "(aibrix_)?",
        (
            "gateway_in_flight_requests",
            "gateway_input_tokens",
            "gateway_kv_transfer_time_bucket",
            "gateway_output_tokens",
            "gateway_prefill_outstanding_requests",
            "gateway_request",
            "gateway_tpot_bucket",
            "gateway_ttft_bucket",
            "model_replicas",
        ),
        AIBRIX,
    ),
    Preset(
        "dcgm",
        "NVIDIA dcgm-exporter",
        "(DCGM_FI_|dcgm_fi_|dcgm_)",
        (
            "DEV_FB_(USED|FREE|RESERVED)",
            "DEV_(GPU|MEM_COPY|ENC|DEC)_UTIL",
            "DEV_(GPU|MEMORY)_TEMP",
            "DEV_NVLINK_BANDWIDTH_TOTAL",
            "DEV_POWER_USAGE",
            "DEV_(SM|MEM)_CLOCK",
            "DEV_TOTAL_ENERGY_CONSUMPTION",
            "DEV_XID_ERRORS",
            "PROF_DRAM_ACTIVE",
            "PROF_GR_ENGINE_ACTIVE",
            "PROF_NVLINK_(TX|RX)_BYTES",
            "PROF_PCIE_(TX|RX)_BYTES",
            "PROF_PIPE_(TENSOR|FP64|FP32|FP16)_ACTIVE",
            "PROF_SM_(ACTIVE|OCCUPANCY)",
            "fb_used",
            "gpu_utilization",
            "power_usage",
            "prof_dram_active",
            "prof_pipe_tensor_active",
            "prof_sm_active",
            "total_energy_consumption",
        ),
        DCGM,
    ),
    Preset(
        "dynamo",
        "NVIDIA Dynamo: frontend, workers, planner",
        "dynamo_",
        (
            "component_(kvstats_)?gpu_cache_usage_percent",
            "component_(router_)?requests(_started)?",
            "component_errors",
            "component_inflight_requests",
            "component_request_duration_seconds",
            "component_router_(input|output)_sequence_tokens",
            "component_router_(inter_token_latency|time_to_first_token)_seconds",
            "component_router_kv_hit_rate",
            "component_total_blocks",
            "component_uptime_seconds",
            "frontend_active_requests",
            "frontend_cached_tokens",
            "frontend_inflight_requests",
            "frontend_input_sequence_tokens",
            "frontend_inter_token_latency_seconds",
            "frontend_model_total_kv_blocks",
            "frontend_output_sequence_tokens",
            "frontend_output_tokens",
            "frontend_queued_requests",
            "frontend_request_duration_seconds",
            "frontend_requests(_started)?",
            "frontend_router_queue_pending_(requests|isl_tokens|cached_tokens)",
            "frontend_time_to_first_token_seconds",
            "frontend_worker_active_(prefill_tokens|decode_blocks)",
            "frontend_worker_last_(time_to_first_token|inter_token_latency)_seconds",
            "planner_(observed|estimated)_(ttft|itl)_ms",
            "planner_(observed|predicted)_(requests_per_second|(input|output)_sequence_tokens)",
            "planner_(predicted_)?num_(prefill|decode)_replicas",
            "planner_engine_queued_prefill_tokens",
            "planner_gpu_hours",
            "planner_load_scaling_decision",
        ),
        DYNAMO,
    ),
    Preset(
        "epp",
        "llm-d and inference gateway: endpoint picker",
        "",
        (
            "inference_extension_flow_control_(queue_size|pool_saturation)",
            "inference_(objective|model)_(input_tokens|output_tokens|request|request_duration_seconds"
            "|request_error|request_tpot_seconds|request_ttft_seconds|running_requests"
            "|normalized_time_per_output_token_seconds)",
            "inference_pool_(average_kv_cache_utilization|average_queue_size"
            "|average_running_requests|ready_pods)",
            "llm_d_inference_scheduler_(pd_decision|disagg_decision)",
        ),
        EPP,
    ),
    Preset(
        "ray",
        "Ray Serve",
        "ray_serve_",
        (
            "autoscaling_(desired_replicas|target_replicas|total_requests)",
            "deployment_processing_latency_ms",
            "deployment_queued_queries",
            "deployment_replica_healthy",
            "deployment_request_counter",
            "num_ongoing_requests_at_replicas",
            "replica_processing_queries",
            "replica_startup_latency_ms",
        ),
        RAY,
    ),
    Preset(
        "sglang",
        "SGLang",
        "(ray_)?sglang[:_]",
        (
            *_LATENCIES,
            "cache_hit_rate",
            "cached_tokens",
            "gen_throughput",
            "generation_tokens",
            "gpu_execution_seconds",
            "inter_token_latency_seconds",
            "kv_transfer_(speed_gb_s|latency_ms)",
            "max_total_num_tokens",
            "num_aborted_requests",
            "num_(prefill|decode)_(prealloc|inflight|transfer)_queue_reqs",
            "num_queue_reqs",
            "num_requests",
            "num_running_reqs",
            "num_used_tokens",
            "per_stage_req_latency_seconds",
            "prompt_tokens",
            "queue_time_seconds",
            "realtime_tokens",
            "time_per_output_token_seconds",
            "token_usage",
            "utilization",
        ),
        SGLANG,
    ),
    Preset(
        "tgi",
        "Text Generation Inference",
        "tgi_",
        (
            "batch_current_max_tokens",
            "batch_current_size",
            "batch_inference_(count|duration)",
            "queue_size",
            "request_count",
            "request_duration",
            "request_generated_tokens",
            "request_inference_duration",
            "request_input_length",
            "request_mean_time_per_token_duration",
            "request_queue_duration",
            "request_success",
        ),
        TGI,
    ),
    Preset(
        "trtllm",
        "TensorRT-LLM",
        "(ray_)?trtllm[:_]",
        (
            *_LATENCIES,
            "generation_tokens",
            "iteration_latency_seconds",
            "kv_cache_utilization",
            "num_context_requests",
            "num_generation_requests",
            "num_requests_running",
            "num_requests_waiting",
            "prompt_tokens",
            "request_decode_time_seconds",
            "request_prefill_time_seconds",
            "request_queue_time_seconds",
            "request_success",
            "time_per_output_token_seconds",
        ),
        TRTLLM,
    ),
    Preset("vllm", "vLLM, also under Ray", "(ray_)?vllm[:_]", _VLLM, VLLM),
)
"""Alphabetical."""

TARGETS = Preset("up", "whether targets answer", "", ("up",))
ARRIVALS = Preset("arrivals", "requests at the engines' HTTP servers", "", ("http_requests",))
REPLICAS = Preset(
    "replicas",
    "kube-state-metrics: replicas",
    "kube_",
    (
        "deployment_spec_replicas",
        "deployment_status_replicas_ready",
        "horizontalpodautoscaler_status_(current|desired)_replicas",
        "statefulset_replicas",
        "statefulset_status_replicas_ready",
    ),
    KUBERNETES,
)


def preset_names() -> tuple[str, ...]:
    """Names that `--preset` takes."""
    return tuple(preset.name for preset in PRESETS)


def find_presets(names: tuple[str, ...]) -> tuple[Preset, ...]:
    """Presets by name, all of them if none is named.

    Raises:
        UsageError: there is no such preset.
    """
    unknown = sorted(set(names) - set(preset_names()))
    if unknown:
        raise UsageError(
            f"there is no preset '{unknown[0]}'",
            where="--preset",
            expected=f"one of {', '.join(preset_names())}",
        )
    return tuple(preset for preset in PRESETS if not names or preset.name in names)
