"""Profiles, workloads and fleets for tests of the simulated fleet."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from signals.fleet import Workload
from signals.profiles.spec import CounterModel, Knots, Profile

COUNTERS = CounterModel(
    sm_prefill_ratio=0.8,
    sm_decode_floor_ratio=0.3,
    sm_decode_full_ratio=0.6,
    sm_decode_full_batch=32,
    tensor_prefill_ratio=0.5,
    tensor_decode_full_ratio=0.2,
    dram_prefill_ratio=0.4,
    dram_decode_ratio=0.7,
    power_idle_w=80.0,
    power_prefill_w=600.0,
    power_decode_w=450.0,
    noise_ratio=0.0,
    source="made by hand",
)

PROFILE = Profile(
    name="hand",
    title="made by hand",
    model="none",
    gpu="none",
    gpus_per_instance=8,
    prefill=Knots((0, 512, 8192), (0.010, 0.060, 0.900)),
    decode=Knots((1, 32, 64), (0.026, 0.034, 0.045)),
    context_s_per_token=2e-8,
    max_batched_tokens=4096,
    max_num_seqs=128,
    kv_block_tokens=16,
    kv_capacity_tokens=400_000,
    kv_bytes_per_token=320_000,
    link_bytes_per_s=25e9,
    link_latency_s=0.002,
    price_per_gpu_hour=None,
    valid_prompt_tokens=(1, 8192),
    valid_batch=(1, 64),
    counters=COUNTERS,
    source="made by hand",
    fit_errors=(),
)

# Every time is a whole number of milliseconds, so that events meet at one time.
ROUND = replace(
    PROFILE,
    prefill=Knots((0, 100), (0.010, 0.110)),
    decode=Knots((1, 2), (0.010, 0.011)),
    context_s_per_token=0.0,
    kv_bytes_per_token=1,
    link_bytes_per_s=1000.0,
    link_latency_s=0.001,
)


def workload(
    arrival_s: list[float], prompt: list[int], output: list[int], cached: list[int] | None = None
) -> Workload:
    return Workload(
        np.array(arrival_s, np.float64),
        np.array(prompt, np.int64),
        np.array(output, np.int64),
        np.array(cached or [0] * len(prompt), np.int64),
    )


def poisson(
    requests: int, rate: float, seed: int, *, prompt: int = 3000, output: int = 400
) -> Workload:
    rng = np.random.default_rng(seed)
    return Workload(
        np.cumsum(rng.exponential(1 / rate, requests)),
        rng.integers(1, prompt, requests),
        rng.integers(1, output, requests),
        np.zeros(requests, np.int64),
    )
