"""Findings told from values."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from signals.store.quality import series_findings
from tests.unit.store.quality.figures_of import every, figures_of

COUNTER = {"kind": "counter", "measurement": "decode_tokens_total", "unit": "tokens"}
RISING = [10.0 * i for i in range(60)]
WAVE = [float(i % 7) for i in range(60)]


def found(stats: pl.DataFrame) -> dict[str, int]:
    """Counts by code."""
    return {finding.code: finding.count for finding in series_findings(stats)}


def test_restarts_are_counted_over_a_metrics_series() -> None:
    once = every(15, [*RISING, *RISING])
    stats = figures_of(("x_total", once), ("x_total", once), target=(1, 2), **COUNTER)
    (finding,) = [f for f in series_findings(stats) if f.code == "counter_reset"]
    assert (finding.count, finding.subject, finding.severity) == (2, "x_total", "info")
    assert "2 counters of x_total fell 2 times" in finding.text


def test_a_counter_that_falls_all_the_time_is_a_gauge() -> None:
    assert found(figures_of(("x_total", every(15, WAVE)), **COUNTER)) == {"counter_as_gauge": 8}


@pytest.mark.parametrize(
    ("values", "is_odd"),
    [
        (RISING, True),
        ([*RISING, 0.0], False),
        ([5.0] * 50 + [6.0], False),  # a step is no counter
        (RISING[:30], False),  # a ramp of a few samples says nothing
    ],
)
def test_a_gauge_that_only_rises(values: list[float], is_odd: bool) -> None:
    codes = found(figures_of(("vllm:num_requests_running", every(15, values))))
    assert ("gauge_as_counter" in codes) == is_odd


@pytest.mark.parametrize(
    ("measurement", "value", "code", "severity"),
    [
        ("kv_usage", 0.0, "always_zero", "warning"),
        ("queue_depth", 0.0, "always_zero", "info"),
        ("kv_usage", 0.4, "constant", "info"),
        ("ready", 2.0, "", ""),
    ],
)
def test_values_that_never_move(measurement: str, value: float, code: str, severity: str) -> None:
    series = ("m", every(15, [value] * 30))
    stats = figures_of(series, series, target=(1, 2), measurement=measurement, unit="ratio")
    findings = [(f.code, f.severity, f.count) for f in series_findings(stats)]
    assert findings == ([(code, severity, 2)] if code else [])


@pytest.mark.parametrize(
    ("value", "unit", "samples", "is_told"),
    [
        (1.0, "ratio", 10, True),
        (1.0, "ratio", 9, False),
        (0.9, "ratio", 19, False),
        (1.0, "count", 19, False),  # one request may well run for so long
        (0.0, "ratio", 19, False),
        (0.9, "ratio", 20, True),
    ],
)
def test_a_share_that_is_always_full_is_told_sooner(
    value: float, unit: str, samples: int, is_told: bool
) -> None:
    # many series of few samples each are no better
    series = ("m", every(15, [value] * samples))
    stats = figures_of(*[series] * 3, target=(1, 2, 3), measurement="gpu_util", unit=unit)
    assert found(stats) == ({"constant": 3} if is_told else {})


def test_the_text_says_which_samples_and_that_no_more_is_possible() -> None:
    full, half = (
        series_findings(figures_of(("m", every(15, [v] * 20)), measurement="x", unit="ratio"))
        for v in (1.0, 0.5)
    )
    assert full[0].text == "m is 1 in all 20 samples of this load, the most it can be"
    assert half[0].text == "m is 0.5 in all 20 samples of this load"


def test_one_live_series_is_enough_to_say_nothing() -> None:
    stats = figures_of(
        ("m", every(15, [0.0] * 30)), ("m", every(15, WAVE)), target=(1, 2), measurement="kv_usage"
    )
    assert found(stats) == {}


@pytest.mark.parametrize(
    ("metric", "top", "is_odd"),
    [
        ("dynamo_tokio_worker_busy_ratio", 467.0, True),
        ("x_busy_ratio_mean", 1.2, False),
        ("x_cpu_percent", 99.0, False),
        ("x_cpu_percent", 467.0, True),
        ("operations", 467.0, False),
        ("ratios_read", 467.0, False),
    ],
)
def test_names_that_promise_a_share(metric: str, top: float, is_odd: bool) -> None:
    stats = figures_of((metric, every(15, [0.5, top])), measurement="", part="unmapped", unit="")
    assert found(stats) == ({"no_ratio": 1} if is_odd else {})


@pytest.mark.parametrize(
    ("unit", "values", "is_odd"),
    [
        ("ratio", [0.0, 0.01, 0.0, 0.01], True),  # 0 and 1 of "%": nearly idle, or a share
        ("ratio", [0.0, 0.5], False),
        ("ratio", [0.0, 0.0], False),
        ("s", [200.0, 5000.0], True),
        ("W", [300_000.0], True),
        ("W", [300.0], False),
    ],
)
def test_ranges_that_do_not_suit_the_unit(unit: str, values: list[float], is_odd: bool) -> None:
    stats = figures_of(("DCGM_FI_DEV_GPU_UTIL", every(15, values)), family="gpu", unit=unit)
    assert found(stats) == ({"unit_doubtful": 1} if is_odd else {})


def test_an_old_name_that_repeats_the_new_one() -> None:
    pair = [(f"vllm:{name}_cache_usage_perc", every(15, WAVE)) for name in ("gpu", "kv")]
    stats = figures_of(*pair, *pair, target=(1, 1, 2, 2), measurement="kv_usage", unit="ratio")
    (finding,) = series_findings(stats)
    assert (finding.code, finding.count) == ("metric_copy", 2)
    assert finding.subject == "vllm:gpu_cache_usage_perc, vllm:kv_cache_usage_perc"


def test_parts_that_move_alike_may_be_copies() -> None:
    same = ("vllm:num_requests_running", every(15, WAVE))
    other = ("vllm:num_requests_running", every(15, WAVE[::-1]))
    assert found(figures_of(same, same, other)) == {"equal_series": 1}
    assert found(figures_of(same, same, target=(1, 2))) == {}
    still = ("vllm:request_success_total", every(15, [3.0] * 5))
    assert found(figures_of(still, still)) == {}


def test_counters_that_wait_for_the_end_of_a_request() -> None:
    late = ("sglang:generation_tokens_total", every(15, RISING))
    assert found(figures_of(late, **COUNTER)) == {"moves_at_request_end": 1}
    better = ("sglang:realtime_tokens_total", every(15, [1.1 * v for v in RISING]))
    (finding,) = series_findings(figures_of(late, better, **COUNTER))
    assert finding.action == "the real-time counter is used where it says the same"
    assert found(figures_of(("vllm:generation_tokens_total", every(15, RISING)), **COUNTER)) == {}


def test_nothing_loaded_is_nothing_odd() -> None:
    assert series_findings(figures_of()) == []


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["a_ratio", "b_total", "c"]),
            st.lists(st.floats(-1e12, 1e12), min_size=1, max_size=30),
            st.sampled_from([1.0, 15.0, 3600.0]),
        ),
        max_size=6,
    )
)
def test_any_figures_give_sentences_with_counts(
    series: list[tuple[str, list[float], float]],
) -> None:
    stats = figures_of(*((metric, every(step, values)) for metric, values, step in series))
    findings = series_findings(stats)
    assert len({(f.code, f.subject) for f in findings}) == len(findings)
    for finding in findings:
        assert finding.count >= 1
        assert finding.text
        assert "nan" not in finding.text.split()
    assert findings == series_findings(stats.sample(fraction=1.0, shuffle=True, seed=1))
