"""Hardware counters of a serving instance: a model from busy time and batch, not a measurement.

Utilisation is the share of the exporter's interval in which steps ran, times the share of a step in which
kernels run. The levels of SM, tensor core and DRAM activity and of power are those of the profile while a
step of a kind runs, and zero (or idle power) between steps; a decode step's SM and tensor levels follow its
batch.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from signals.fleet.steptime import SATURATION_UNIT
from signals.profiles.spec import CounterModel

__all__ = ["HARDWARE", "NoiseSource", "hardware_counter"]

HARDWARE = ("gpu_util", "sm_active", "tensor_active", "dram_active", "power_w")
"""Modelled counters, in the order of the noise columns."""


class NoiseSource:
    """Standard normal numbers by row of the sample table, the same however often and late they are asked for."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._drawn = np.zeros((0, len(HARDWARE)))

    def rows(self, count: int) -> npt.NDArray[np.float64]:
        """The first `count` rows, [count, len(HARDWARE)]."""
        missing = count - len(self._drawn)
        if missing > 0:
            # the stream is drawn in blocks of fixed size, so that a block's numbers do not depend on
            # who asked first
            blocks = -(-missing // _BLOCK_ROWS)
            fresh = self._rng.standard_normal((blocks * _BLOCK_ROWS, len(HARDWARE)))
            self._drawn = np.concatenate([self._drawn, fresh])
        return self._drawn[:count]


_BLOCK_ROWS = 4096


def _levels(model: CounterModel, counter: str) -> tuple[float, float, float, float]:
    """Level when idle, in a prefill step, in a decode step of batch 1, in one at the full batch."""
    tensor_floor = model.tensor_decode_full_ratio / max(model.sm_decode_full_batch, 1.0)
    levels = {
        "gpu_util": (
            0.0,
            model.kernel_prefill_ratio,
            model.kernel_decode_ratio,
            model.kernel_decode_ratio,
        ),
        "sm_active": (
            0.0,
            model.sm_prefill_ratio,
            model.sm_decode_floor_ratio,
            model.sm_decode_full_ratio,
        ),
        # one sequence gives the tensor cores one row of work
        "tensor_active": (
            0.0,
            model.tensor_prefill_ratio,
            tensor_floor,
            model.tensor_decode_full_ratio,
        ),
        "dram_active": (
            0.0,
            model.dram_prefill_ratio,
            model.dram_decode_ratio,
            model.dram_decode_ratio,
        ),
        "power_w": (
            model.power_idle_w,
            model.power_prefill_w,
            model.power_decode_w,
            model.power_decode_w,
        ),
    }
    return levels[counter]


def hardware_counter(
    counter: str,
    samples: npt.NDArray[np.void],
    model: CounterModel,
    noise: npt.NDArray[np.float64],
) -> npt.NDArray[np.float64]:
    """What the exporter shows of one counter.

    Args:
        counter: one of HARDWARE.
        samples: SAMPLE [n].
        model: levels and noise.
        noise: standard normal, [n, len(HARDWARE)].

    Returns:
        [n], a ratio 0..1 or watts per GPU; NaN before the exporter's first interval.
    """
    idle, prefill, floor, full = _levels(model, counter)
    width = samples["width_ps"].astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        in_prefill = samples["prefill_ps"] / width
        in_decode = samples["decode_ps"] / width
        saturated = samples["saturation_ps"] / (SATURATION_UNIT * width)
    level = (
        idle
        + (prefill - idle) * in_prefill
        + (floor - idle) * in_decode
        + (full - floor) * saturated
    )
    shown = level * (1.0 + model.noise_ratio * noise[:, HARDWARE.index(counter)])
    highest = np.inf if counter == "power_w" else 1.0
    return np.where(width > 0, np.clip(shown, 0.0, highest), np.nan)
