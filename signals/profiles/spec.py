"""What a service-time profile declares about one model on one kind of instance."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CounterModel", "FitError", "Knots", "Profile"]


@dataclass(frozen=True, slots=True)
class Knots:
    """A continuous piecewise-linear curve; beyond the last knot its last slope goes on.

    Attributes:
        x: knots, strictly increasing, at least two.
        seconds: the curve's value at each knot, seconds.
    """

    x: tuple[float, ...]
    seconds: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class CounterModel:
    """How hardware counters follow from busy time and batch; a model, not a measurement.

    Attributes:
        sm_prefill_ratio: SM activity while a prefill step runs, 0..1.
        sm_decode_floor_ratio: SM activity while a decode step of batch 1 runs.
        sm_decode_full_ratio: SM activity of a decode step at `sm_decode_full_batch` and above.
        sm_decode_full_batch: batch at which decode SM activity levels off.
        tensor_prefill_ratio, tensor_decode_full_ratio: the same for tensor cores.
        dram_prefill_ratio, dram_decode_ratio: DRAM activity while a step runs.
        power_idle_w, power_prefill_w, power_decode_w: power per GPU, idle and while a step runs.
        noise_ratio: relative standard deviation of one reading.
        source: where the levels come from.
        kernel_prefill_ratio, kernel_decode_ratio: share of a running step during which a kernel runs, the
            rest being the engine's own work between kernels; GPU utilisation is busy time times this.
    """

    sm_prefill_ratio: float
    sm_decode_floor_ratio: float
    sm_decode_full_ratio: float
    sm_decode_full_batch: float
    tensor_prefill_ratio: float
    tensor_decode_full_ratio: float
    dram_prefill_ratio: float
    dram_decode_ratio: float
    power_idle_w: float
    power_prefill_w: float
    power_decode_w: float
    noise_ratio: float
    source: str
    kernel_prefill_ratio: float = 1.0
    kernel_decode_ratio: float = 1.0


@dataclass(frozen=True, slots=True)
class FitError:
    """How far a fitted curve is from the measured points, relative: median and largest, and their count."""

    curve: str
    median_ratio: float
    max_ratio: float
    points: int


@dataclass(frozen=True, slots=True)
class Profile:
    """Service times and sizes of one serving instance.

    A prefill step over n prompt tokens takes `prefill(n)`; a decode step over a batch of b sequences that
    hold c context tokens together takes `decode(b) + context_s_per_token * c`; a mixed step takes
    the decode time of its decoding sequences plus the prefill time of its chunk less one fixed step cost.

    Attributes:
        name: file stem, as in `--profile`.
        title: model and hardware for people.
        model, gpu: names.
        gpus_per_instance: tensor-parallel degree.
        prefill: step time against prompt tokens in the step.
        decode: step time against sequences in the batch.
        context_s_per_token: further seconds per context token in the batch.
        max_batched_tokens: token budget of a prefill step.
        max_num_seqs: largest decode batch.
        kv_block_tokens: tokens per KV block.
        kv_capacity_tokens: tokens that the KV cache of one instance holds.
        kv_bytes_per_token: size of the KV entries of one token, bytes.
        link_bytes_per_s: KV transfer bandwidth out of one prefill instance.
        link_latency_s: fixed cost of one transfer.
        price_per_gpu_hour: money; None if unknown.
        valid_prompt_tokens, valid_batch: range of the measured points.
        counters: the counter model.
        source: where the points come from, with licence.
        fit_errors: one per fitted curve.
    """

    name: str
    title: str
    model: str
    gpu: str
    gpus_per_instance: int
    prefill: Knots
    decode: Knots
    context_s_per_token: float
    max_batched_tokens: int
    max_num_seqs: int
    kv_block_tokens: int
    kv_capacity_tokens: int
    kv_bytes_per_token: int
    link_bytes_per_s: float
    link_latency_s: float
    price_per_gpu_hour: float | None
    valid_prompt_tokens: tuple[int, int]
    valid_batch: tuple[int, int]
    counters: CounterModel
    source: str
    fit_errors: tuple[FitError, ...]
