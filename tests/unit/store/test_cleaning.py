"""What stands for no value is dropped, units are converted, and what is odd is told."""

from __future__ import annotations

import math

import numpy as np
import pytest

from signals.store.cleaning import TIMES_US, Runs, clean, is_plain
from signals.store.parsed import Series
from signals.store.registry import Registry, Resolved
from signals.store.tally import SourceTally

NAN = math.nan
RUNNING = Series("vllm:num_requests_running", {"pod": "a"})
KV = Series("vllm:kv_cache_usage_perc", {"pod": "a"})
POWER = Series("DCGM_FI_DEV_POWER_USAGE", {"gpu": "0"})
GPU_UTIL = Series("DCGM_FI_DEV_GPU_UTIL", {"gpu": "0"})
UNKNOWN = Series("someones_own_gauge", {"pod": "a"})


def resolved(*series: Series) -> list[Resolved]:
    registry = Registry()
    return [registry.resolve("svc", one, "file")[0] for one in series]


def runs_of(*runs: tuple[int, list[float]], times: list[int] | None = None) -> Runs:
    values = np.array([value for _, run in runs for value in run])
    return Runs(
        series=np.array([number for number, _ in runs], dtype=np.int64),
        lengths=np.array([len(run) for _, run in runs], dtype=np.int64),
        ts_us=np.array(times or range(values.size), dtype=np.int64),
        values=values,
    )


def cleaned(
    *runs: tuple[Series, list[float]], times: list[int] | None = None
) -> tuple[SourceTally, Runs, list[Resolved]]:
    tally = SourceTally(1, "svc", "file")
    series = resolved(*(one for one, _ in runs))
    given = runs_of(*((number, run) for number, (_, run) in enumerate(runs)), times=times)
    return tally, clean(tally, given, series), series


def values_of(runs: Runs) -> list[tuple[int, list[float]]]:
    ends = np.cumsum(runs.lengths)
    return [
        (int(number), runs.values[end - length : end].tolist())
        for number, length, end in zip(runs.series, runs.lengths, ends, strict=True)
    ]


def test_runs_that_lose_all_samples_go() -> None:
    runs = runs_of((0, [1.0, 2.0]), (1, [3.0]), (0, [4.0]))
    left = runs.without(np.array([True, False, True, False]))
    assert values_of(left) == [(0, [2.0]), (0, [4.0])]
    assert left.ts_us.tolist() == [1, 3]
    assert runs.without(np.zeros(4, dtype=bool)) is runs


def test_plain_samples_pass_untouched() -> None:
    tally, left, _ = cleaned((RUNNING, [0.0, 3.0]), (UNKNOWN, [-1e300, 1e300]))
    assert values_of(left) == [(0, [0.0, 3.0]), (1, [-1e300, 1e300])]
    assert tally.remarks == {}


def test_nan_is_dropped_and_counted_by_series() -> None:
    tally, left, series = cleaned((RUNNING, [NAN, 3.0, NAN]), (KV, [0.5]), (UNKNOWN, [NAN]))
    assert values_of(left) == [(0, [3.0]), (1, [0.5])]
    assert left.ts_us.tolist() == [1, 3]
    assert tally.blanks == {series[0].series_id: 2, series[2].series_id: 1}
    assert {one.subject: one.count for one in tally.remarks.values()} == {
        RUNNING.metric: 2,
        UNKNOWN.metric: 1,
    }
    assert tally.finding_counts() == {"not_a_number": 3}


def test_nothing_may_be_left() -> None:
    tally, left, _ = cleaned((RUNNING, [NAN, NAN]))
    assert values_of(left) == []
    assert tally.finding_counts() == {"not_a_number": 2}


@pytest.mark.parametrize("value", [math.inf, -math.inf])
@pytest.mark.parametrize("series", [RUNNING, UNKNOWN, POWER])
def test_infinity_stands_for_no_value_in_any_series(series: Series, value: float) -> None:
    tally, left, _ = cleaned((series, [1.0, value]))
    assert values_of(left) == [(0, [1.0])]
    assert tally.finding_counts() == {"sentinel": 1}
    assert not tally.blanks


@pytest.mark.parametrize(
    "value", [4_294_967_295.0, 140_737_488_355_328.0, 9_223_372_036_854_775_794.0]
)
def test_blanks_of_gpu_drivers_are_no_values_of_gpus_but_of_engines(value: float) -> None:
    tally, left, _ = cleaned((POWER, [300.0, value]), (UNKNOWN, [value]))
    assert values_of(left) == [(0, [300.0]), (1, [value])]
    assert tally.finding_counts() == {"sentinel": 1}


def test_a_large_amount_of_memory_is_no_blank() -> None:
    bytes_used = Series("DCGM_FI_DEV_FB_USED", {"gpu": "0"})  # MiB
    _, left, series = cleaned((bytes_used, [80_000.0]))
    assert values_of(left) == [(0, [80_000.0 * 2**20])]
    assert series[0].factor == 2**20


def test_utilisation_far_beyond_its_range_is_corrupt_but_percent_for_ratio_is_told() -> None:
    # 0..100 by the exporter, stored as 0..1: 100_000 is 1000 times too large, 5000 only 50 times
    tally, left, _ = cleaned((GPU_UTIL, [50.0, 5_000.0, 100_001.0]))
    assert values_of(left) == [(0, [0.5, 50.0])]
    assert tally.finding_counts() == {"out_of_range": 1, "sentinel": 1}


@pytest.mark.parametrize(
    ("value", "stays"), [(9.9e14, True), (1e15, False), (-1e15, False), (1e30, False)]
)
def test_known_series_stay_below_what_sums_can_hold(value: float, *, stays: bool) -> None:
    tokens = Series("vllm:generation_tokens_total", {"pod": "a"})
    tally, left, _ = cleaned((tokens, [1.0, value]))
    assert values_of(left) == [(0, [1.0, value] if stays else [1.0])]
    assert tally.finding_counts() == ({} if stays else {"sentinel": 1})


def test_the_bound_is_one_of_stored_values() -> None:
    in_kilowatt = Series("power_w", {"instance": "a"}, unit="kW")
    _, left, series = cleaned((in_kilowatt, [2.0, 1.1e15]))
    assert series[0].factor == 1000.0
    assert values_of(left) == [(0, [2000.0])]


def test_units_are_converted_by_series() -> None:
    percent = Series("power_w", {"instance": "b"}, unit="kW")
    _, left, _ = cleaned((RUNNING, [7.0]), (percent, [1.5, 2.0]), (KV, [0.25]))
    assert values_of(left) == [(0, [7.0]), (1, [1500.0, 2000.0]), (2, [0.25])]


def test_values_outside_of_their_range_are_kept_and_told_with_their_extent() -> None:
    tally, left, _ = cleaned((KV, [0.5, 55.0, 99.0]), (RUNNING, [-1.0]))
    assert values_of(left) == [(0, [0.5, 55.0, 99.0]), (1, [-1.0])]
    told = {one.subject: (one.count, one.text) for one in tally.remarks.values()}
    assert told[KV.metric] == (2, f"values of {KV.metric} from 55 to 99 lie outside of 0 to 1")
    assert told[RUNNING.metric] == (
        1,
        f"values of {RUNNING.metric} from -1 to -1 lie outside of 0 and above",
    )


@pytest.mark.parametrize(
    "name",
    [
        "generation_tokens_total",
        "time_to_first_token_seconds_sum",
        "e2e_request_latency_seconds_count",
    ],
)
def test_a_counter_below_zero_is_no_count(name: str) -> None:
    counter = Series(f"vllm:{name}", {"pod": "a"})
    tally, left, _ = cleaned((counter, [90.0, -5.0, 0.0]), (RUNNING, [-1.0]), (UNKNOWN, [-5.0]))
    assert values_of(left) == [(0, [90.0, 0.0]), (1, [-1.0]), (2, [-5.0])]
    told = {
        one.subject: (one.code, one.count, one.text, one.action) for one in tally.remarks.values()
    }
    assert told[counter.metric] == (
        "out_of_range",
        1,
        f"values of {counter.metric} from -5 to -5 lie outside of 0 and above",
        "dropped, left missing",
    )
    assert told[RUNNING.metric][3].startswith("kept")


def test_a_bucket_below_zero_is_no_count() -> None:
    bucket = Series("vllm:time_to_first_token_seconds_bucket", {"pod": "a", "le": "1"})
    tally, left, _ = cleaned((bucket, [-5.0]))
    assert values_of(left) == []
    assert tally.finding_counts() == {"out_of_range": 1}


def test_series_of_one_metric_are_told_together() -> None:
    other = Series(KV.metric, {"pod": "b"})
    tally, _, _ = cleaned((KV, [2.0]), (other, [0.5, 9.0]))
    (finding,) = tally.remarks.values()
    assert (finding.count, finding.text) == (
        2,
        f"values of {KV.metric} from 2 to 9 lie outside of 0 to 1",
    )


def test_times_out_of_any_calendar_are_dropped() -> None:
    first, last = TIMES_US
    times = [first - 1, first, 0, last, last + 1]
    tally, left, _ = cleaned((RUNNING, [1.0, 2.0, 3.0]), (KV, [0.4, 0.5]), times=times)
    assert values_of(left) == [(0, [2.0, 3.0]), (1, [0.4])]
    assert left.ts_us.tolist() == [first, 0, last]
    assert tally.finding_counts() == {"far_time": 2}


def test_only_far_times_leave_nothing() -> None:
    tally, left, _ = cleaned((RUNNING, [1.0]), times=[TIMES_US[1] + 1])
    assert values_of(left) == []
    assert tally.finding_counts() == {"far_time": 1}


@pytest.mark.parametrize(
    ("series", "lowest", "highest", "plain"),
    [
        (RUNNING, 0.0, 5.0, True),
        (RUNNING, -1.0, 5.0, False),
        (RUNNING, NAN, NAN, False),
        (RUNNING, 0.0, math.inf, False),
        (KV, 0.0, 1.0, True),
        (KV, 0.0, 1.01, False),
        (UNKNOWN, -1e14, 1e14, True),
        (UNKNOWN, 0.0, 1e15, False),
        (GPU_UTIL, 0.0, 1.0, True),
        (GPU_UTIL, 0.0, 4.3e7, False),
        (POWER, 0.0, 2_147_483_631.0, True),
        (POWER, 0.0, 2_147_483_632.0, False),
    ],
)
def test_what_needs_no_cleaning(
    series: Series, lowest: float, highest: float, *, plain: bool
) -> None:
    assert is_plain(resolved(series)[0], lowest, highest) is plain


@pytest.mark.parametrize("name", ["DCGM_FI_DEV_XID_ERRORS", "dcgm_ecc_errors"])
def test_blanks_of_metrics_of_drivers_that_are_not_known_are_missing_too(name: str) -> None:
    odd = Series(name, {"gpu": "0", "UUID": "GPU-1"})
    blanks = [9223372036854775794.0, 9223372036854775792.0, 140737488355330.0, 4294967295.0]
    tally, left, _ = cleaned((odd, [1.0, *blanks, 2.0]))
    assert values_of(left) == [(0, [1.0, 2.0])]
    assert [(f.code, f.count, f.subject) for f in tally.remarks.values()] == [("sentinel", 4, name)]


@pytest.mark.parametrize("code", range(16))
def test_blanks_of_32_bits_are_missing_whatever_the_unit(code: int) -> None:
    blank = 2_147_483_632.0 + code
    tally, left, _ = cleaned((POWER, [300.0, blank, 2_147_483_631.0, 2_147_483_648.0, 500.0]))
    assert values_of(left) == [(0, [300.0, 2_147_483_631.0, 2_147_483_648.0, 500.0])]
    assert sum(f.count for f in tally.remarks.values() if f.code == "sentinel") == 1


def test_bytes_of_an_unknown_counter_are_no_blanks() -> None:
    sent = Series("DCGM_FI_PROF_NVLINK_TX_BYTES", {"gpu": "0"}, kind="counter")
    _, left, _ = cleaned((sent, [2e14, 3e15]))
    assert values_of(left) == [(0, [2e14, 3e15])]
