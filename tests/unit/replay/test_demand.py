"""How much a workload asks for, and when."""

import numpy as np
import pytest

from signals.replay.demand import busiest_window, token_rates, tokens_of
from tests.builders_load import shaped_load, steady_load


def test_cached_tokens_are_not_asked_of_prefill():
    """1,000 prompt tokens each, none cached; 200 output tokens."""
    load = steady_load(seconds=60.0)
    tokens = tokens_of(load)
    assert set(tokens["prefill"]) == {1000}
    assert set(tokens["decode"]) == {200}


def test_rates_are_tokens_over_time():
    """Ten requests of 1,000 and 200 tokens in 100 s."""
    load = steady_load(seconds=100.0, rps=1.0)
    expected = len(load) * 1000 / 100.0
    assert token_rates(load, 0.0, 100.0) == {"prefill": expected, "decode": expected / 5}


def test_busiest_window_holds_the_burst():
    """Five minutes at ten times the rate, in the middle of an hour."""
    rate = np.full(3600, 1.0)
    rate[1800:2100] = 10.0
    load = shaped_load(rate)
    first_s, last_s = busiest_window(load.arrival_s, load.output_tokens, 300.0)
    assert first_s == pytest.approx(1800.0, abs=15.0)
    assert last_s == first_s + 300.0


def test_short_workload_is_its_own_busiest_window():
    """Three minutes of load, ten asked for."""
    load = steady_load(seconds=180.0)
    window = busiest_window(load.arrival_s, load.output_tokens, 600.0)
    assert window == (0.0, load.duration_s)
