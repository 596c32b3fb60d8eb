"""Thinned series keep their extremes, their ends and their visible gaps, and stay within the limit."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signals.plots.downsample import downsample, downsample_steps

START = datetime(2026, 11, 23, tzinfo=UTC)


def frame(values: np.ndarray) -> pl.DataFrame:
    ticks = pl.datetime_range(
        START, START + timedelta(seconds=len(values) - 1), "1s", time_unit="us", eager=True
    )
    return pl.DataFrame({"t": ticks, "v": values})


def test_short_series_is_returned_as_it_is_with_nan_as_null() -> None:
    """Below the limit nothing is dropped; NaN becomes a gap."""
    out = downsample(frame(np.array([1.0, np.nan, 3.0])), "t", "v")
    assert out["v"].to_list() == [1.0, None, 3.0]


def test_spike_and_ends_survive() -> None:
    """One sample in 100,000 that stands out is kept, and so are the first and the last."""
    values = np.zeros(100_000)
    values[54_321] = 9.0
    out = downsample(frame(values), "t", "v", max_points=500)
    assert out.height <= 500
    assert out["v"].max() == 9.0
    assert (out["t"][0], out["t"][-1]) == (START, START + timedelta(seconds=99_999))


def test_wide_gap_stays_a_gap_and_a_narrow_one_is_closed() -> None:
    """A gap that can be seen keeps a null between its neighbours; a single missing sample does not."""
    values = np.sin(np.arange(50_000) / 900)
    values[20_000:24_000] = np.nan
    values[40_000] = np.nan
    out = downsample(frame(values), "t", "v", max_points=1000)
    assert out["v"].null_count() == 1
    at = int(np.flatnonzero(out["v"].is_null().to_numpy())[0])
    edges = [START + timedelta(seconds=s) for s in (19_999, 20_000, 24_000)]
    assert out["t"][at - 1 : at + 2].to_list() == edges


def test_scattered_missing_samples_do_not_erase_the_line() -> None:
    """With every tenth sample missing the line is still there, at full length."""
    values = np.arange(60_000, dtype=float)
    values[::10] = np.nan
    out = downsample(frame(values), "t", "v", max_points=800)
    assert out["v"].null_count() == 0
    assert out.height >= 700


def test_window_keeps_one_row_beyond_each_end() -> None:
    """A zoomed line reaches the edges of the view."""
    window = (START + timedelta(seconds=10), START + timedelta(seconds=20))
    out = downsample(frame(np.arange(100.0)), "t", "v", window=window)
    assert out["v"].to_list() == [float(x) for x in range(9, 22)]


def test_window_without_rows_is_empty() -> None:
    """A view beyond the data draws nothing."""
    window = (START + timedelta(days=2), START + timedelta(days=3))
    assert downsample(frame(np.arange(5.0)), "t", "v", window=window).is_empty()
    assert downsample_steps(frame(np.arange(5.0)), "t", "v", window=window).is_empty()


def test_steps_keep_changes_both_ends_and_evenly_spaced_rows() -> None:
    """3,600 rows under a limit of 40: every 360th row, the two changes, and the last row."""
    values = np.full(3600, 2.0)
    values[1000:1003] = 5.0
    out = downsample_steps(frame(values), "t", "v", max_points=40)
    seconds = [round((t - START).total_seconds()) for t in out["t"]]
    assert seconds == sorted({*range(0, 3600, 360), 1000, 1003, 3599})
    assert dict(zip(seconds, out["v"], strict=True))[1000] == 5.0


@settings(max_examples=60, deadline=None)
@given(
    n=st.integers(1, 4000),
    max_points=st.integers(16, 300),
    missing=st.floats(0, 1),
    seed=st.integers(0, 2**32 - 1),
)
def test_result_is_an_ordered_subset_within_the_limit(
    n: int, max_points: int, missing: float, seed: int
) -> None:
    """Whatever is missing: no more rows than allowed, in order, each a row of the input."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=n)
    values[rng.random(n) < missing] = np.nan
    whole = frame(values)
    out = downsample(whole, "t", "v", max_points=max_points)
    assert 0 < out.height <= max(max_points, 16)
    assert out["t"].is_sorted()
    assert out.join(whole.fill_nan(None), on=["t", "v"], how="anti", nulls_equal=True).is_empty()


@pytest.mark.parametrize("number", [pl.Float64, pl.Int64])
def test_number_axis_works_like_time(number: pl.DataType) -> None:
    """The horizontal axis may be a number."""
    data = pl.DataFrame({"t": np.arange(5000), "v": np.ones(5000)}).with_columns(
        pl.col("t").cast(number)
    )
    assert downsample(data, "t", "v", max_points=100).height <= 100
