"""What a policy sees, from a scrape log with known numbers."""

import numpy as np
import pytest

from signals.errors import UsageError
from signals.policies.policy import SignalRequest
from signals.replay.visibility import Visibility, histogram_quantile

NAN = float("nan")


class Log:
    """Samples every 15 s from 0 to 60 s; windows are closed on both sides, as the fleet's."""

    times = np.array([0.0, 15.0, 30.0, 45.0, 60.0])
    # a: steady 10/s; b: born before 30 s, restarted before 60 s
    tokens = np.array([[0, NAN], [150, NAN], [300, 30], [450, 180], [600, 75]])
    util = np.array([[0.2, NAN], [0.4, NAN], [0.6, 0.2], [0.8, 0.4], [1.0, NAN]])
    buckets = np.array([[0, 0, 0], [0, 0, 0], [2, 4, 4], [2, 4, 4], [6, 10, 12]])

    def _within(self, first_s, last_s):
        return (self.times >= first_s) & (self.times <= last_s)

    def counter(self, name, pool, first_s, last_s):
        assert name == "decode_tokens_total"
        rows = self._within(first_s, last_s)
        return self.times[rows], ("a", "b"), self.tokens[rows]

    def gauge(self, name, pool, first_s, last_s):
        rows = self._within(first_s, last_s)
        return self.times[rows], ("a", "b"), self.util[rows]

    def histogram(self, name, pool, first_s, last_s):
        rows = self._within(first_s, last_s)
        counts = self.buckets[rows].astype(float)
        return self.times[rows], np.array([0.1, 0.2]), counts, counts[:, 2] * 0.15, counts[:, 2]


def read(signal, *, now_s, window_s=30.0, delay_s=1.0, hidden=(), per_instance=False):
    request = SignalRequest(signal, "decode", window_s, per_instance)
    seen = Visibility(Log(), delay_s)
    return seen.readings([request], now_s=now_s, hidden={"decode": hidden})[request]


def test_rates_are_per_series_before_the_sum():
    """From 30 to 60 s: a made 300; b made 150, and 75 after its restart: 525 in 30 s."""
    got = read("decode_tps", now_s=61.0, per_instance=True)
    assert got.value == 525 / 30
    assert got.instances == {"a": 10.0, "b": 225 / 30}
    assert got.age_s == 1.0


def test_a_new_series_counts_from_its_first_sample():
    """From 15 to 45 s: a made 300; b is known from 30 s on: 150 in 15 s of its own."""
    got = read("decode_tps", now_s=46.0, per_instance=True)
    assert got.value == 450 / 30
    assert got.instances == {"a": 10.0, "b": 10.0}


def test_a_sample_is_invisible_before_the_query_delay():
    """At 60.5 s with a delay of 1 s, the newest sample is that of 45 s."""
    assert read("gpu_util", now_s=60.5, window_s=0.0).age_s == 15.5
    assert read("gpu_util", now_s=61.0, window_s=0.0).value == 1.0


def test_gauges_average_over_time_then_over_instances():
    """Scrapes at 45 and 60 s: 0.9 of a; 0.4 of b, which was gone at 60 s."""
    got = read("gpu_util", now_s=61.0, per_instance=True)
    assert got.value == pytest.approx((0.9 + 0.4) / 2)
    assert got.instances == pytest.approx({"a": 0.9})


def test_sums_add_the_averages_of_instances():
    """The same samples as a sum."""
    assert read("running", now_s=61.0).value == pytest.approx(0.9 + 0.4)


def test_hidden_instances_are_left_out_of_single_values_only():
    """A draining instance still works, but an orchestrator no longer counts it."""
    got = read("gpu_util", now_s=46.0, window_s=0.0, hidden={"b"}, per_instance=True)
    assert got.value == pytest.approx(0.6)
    assert got.instances == {"a": 0.8}


def test_histograms_use_the_increase_in_the_window():
    """From 30 to 60 s: 4, 6 and 8 at or below each bound. The median is the fourth: the first bound."""
    assert read("itl_p50", now_s=61.0).value == pytest.approx(0.1)
    assert read("itl_mean", now_s=61.0).value == pytest.approx(0.15)
    assert read("itl_p99", now_s=61.0).value == 0.2  # beyond the last finite bound


def test_nothing_observed_is_missing_not_zero():
    """No request ended between 30 and 45 s; no sample at all before the first query."""
    assert read("itl_mean", now_s=46.0, window_s=15.0).value is None
    assert read("gpu_util", now_s=0.5).value is None
    assert read("decode_tps", now_s=1.0).value is None
    assert read("gpu_util", now_s=500.0).value is None


def test_short_windows_use_the_newest_two_samples_for_rates():
    """A window of 1 s holds one sample: a made 150 in the last 15 s, b 75."""
    assert read("decode_tps", now_s=61.0, window_s=1.0).value == 225 / 15


def test_a_signal_of_two_counters_is_refused():
    """The fleet exports no prefix cache look-ups."""
    with pytest.raises(UsageError, match="does not export 'decode:prefix_hit_ratio'"):
        read("prefix_hit_ratio", now_s=61.0)


@pytest.mark.parametrize(
    ("quantile", "expected"), [(0.0, 0.0), (0.25, 0.5), (0.5, 1.0), (0.75, 2.0), (1.0, 3.0)]
)
def test_quantiles_are_linear_within_a_bucket(quantile, expected):
    """Eight observations: four up to 1, four more up to 3."""
    assert histogram_quantile(quantile, np.array([1.0, 3.0]), np.array([4.0, 8.0, 8.0])) == expected
