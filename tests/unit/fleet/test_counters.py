"""Hardware counters from busy time and batch."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from signals.fleet import Fleet, FleetSpec
from signals.fleet.counters import HARDWARE, NoiseSource, hardware_counter
from signals.fleet.state import SAMPLE
from signals.fleet.steptime import SATURATION_UNIT
from tests.builders_fleet import COUNTERS, PROFILE, ROUND, poisson, workload

SECOND = 10**12


def sample(prefill_s: float, decode_s: float, saturation: float, width_s: float) -> np.ndarray:
    row = np.zeros(1, SAMPLE)
    row["prefill_ps"] = int(prefill_s * SECOND)
    row["decode_ps"] = int(decode_s * SECOND)
    row["saturation_ps"] = int(decode_s * saturation * SATURATION_UNIT * SECOND)
    row["width_ps"] = int(width_s * SECOND)
    return row


def read(counter: str, row: np.ndarray) -> float:
    return round(
        float(hardware_counter(counter, row, COUNTERS, np.zeros((1, len(HARDWARE))))[0]), 9
    )


def test_idle_instance_shows_zero_and_idle_power() -> None:
    """Nothing ran for 10 s."""
    row = sample(0, 0, 0, 10)
    assert [read(c, row) for c in HARDWARE] == [0.0, 0.0, 0.0, 0.0, 80.0]


def test_prefill_shows_in_proportion_to_its_time() -> None:
    """Half of the interval: half of every prefill level."""
    row = sample(5, 0, 0, 10)
    assert [read(c, row) for c in HARDWARE] == [0.5, 0.4, 0.25, 0.2, 340.0]


def test_decode_of_one_request_looks_busy() -> None:
    """Utilisation is full at batch 1; SM activity is at its floor, at a saturated batch full."""
    assert tuple(read(c, sample(0, 10, 0, 10)) for c in ("gpu_util", "sm_active")) == (1.0, 0.3)
    assert tuple(read(c, sample(0, 10, 1, 10)) for c in ("gpu_util", "sm_active")) == (1.0, 0.6)
    assert read("sm_active", sample(0, 10, 0.5, 10)) == 0.45


def test_utilisation_counts_only_the_share_with_kernels() -> None:
    """A decode step with kernels in 86 % of its time."""
    model = replace(COUNTERS, kernel_decode_ratio=0.86)
    shown = hardware_counter("gpu_util", sample(0, 10, 0, 10), model, np.zeros((1, len(HARDWARE))))
    assert shown[0] == 0.86


def test_instance_without_an_interval_shows_nothing() -> None:
    """Ready at the very scrape: no interval to speak of."""
    assert np.isnan(read("gpu_util", sample(0, 0, 0, 0)))


def test_noise_is_relative_and_ratios_stay_ratios() -> None:
    """Deviation 10 % of the level; utilisation never passes 1."""
    model = replace(COUNTERS, noise_ratio=0.1)
    rows = np.repeat(sample(10, 0, 0, 10), 5000)
    noise = NoiseSource(np.random.default_rng(1)).rows(5000)
    sm = hardware_counter("dram_active", rows, model, noise)
    assert np.isclose(0.04, sm.std(), rtol=0.05)
    assert hardware_counter("gpu_util", rows, model, noise).max() == 1.0


def test_noise_does_not_depend_on_who_asks_when() -> None:
    """Rows asked for one by one or all at once are the same."""
    at_once, in_pieces = (NoiseSource(np.random.default_rng(7)) for _ in range(2))
    for rows in (1, 5, 4096, 5000, 20_000):
        in_pieces.rows(rows)
    assert (at_once.rows(20_000) == in_pieces.rows(20_000)).all()


def test_prefill_utilisation_is_busy_time() -> None:
    """110 ms of each second are prefill of 100 tokens."""
    requests = workload([float(n) for n in range(60)], [100] * 60, [1] * 60)
    fleet = Fleet(FleetSpec(ROUND, 1, 1), requests, 1)
    fleet.advance(60.0)
    _, _, shown = fleet.scrapes.gauge("gpu_util", "prefill", 15.0, 60.0)
    assert shown[:, 0].round(6).tolist() == [0.11] * 4
    assert round(0.11 * 60, 6) == round(fleet.busy_seconds("prefill"), 6)


def test_exporter_delay_shifts_hardware_counters_only() -> None:
    """Busy in [0, 10]: at the scrape of 15 s an exporter 7 s late saw [0, 8], engine counters all."""
    requests = workload([0.0], [10], [999])
    fleets = [
        Fleet(FleetSpec(ROUND, 1, 1, exporter_delay_s=delay), requests, 1) for delay in (0.0, 7.0)
    ]
    utilisation, tokens = [], []
    for fleet in fleets:
        fleet.advance(31.0)
        utilisation.append(fleet.scrapes.gauge("gpu_util", "decode", 15, 30)[2][:, 0].round(4))
        tokens.append(fleet.scrapes.counter("decode_tokens_total", "decode", 15, 15)[2][0, 0])
    end = 0.031 + 998 * 0.010
    assert [round((end - 0.031) / 15, 4), 0.0] == utilisation[0].tolist()
    assert [round((8 - 0.031) / 8, 4), round((end - 8) / 15, 4)] == utilisation[1].tolist()
    assert tokens == [998.0, 998.0]


@pytest.mark.parametrize("counter", HARDWARE)
def test_counters_stay_in_their_range(counter: str) -> None:
    """Ratios within 0..1, power between idle and the highest level, in a busy fleet."""
    fleet = Fleet(FleetSpec(PROFILE, 2, 2), poisson(1000, 8.0, 1), 1)
    fleet.advance(150.0)
    for pool in ("prefill", "decode"):
        _, _, shown = fleet.scrapes.gauge(counter, pool, 15.0, 150.0)
        low, high = (80.0, 600.0) if counter == "power_w" else (0.0, 1.0)
        assert low <= shown.min() <= shown.max() <= high
