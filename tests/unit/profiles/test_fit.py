"""Fitting service-time curves."""

import gzip

import numpy as np
import polars as pl
import pytest

from signals.errors import AnalysisError
from signals.profiles import Knots, load_profile
from signals.profiles.fit import curve_seconds, fit_decode, fit_monotone_curve, relative_errors


def test_curve_reads_knots_between_and_beyond():
    """Linear between knots, flat before the first, the last slope after the last."""
    knots = Knots((10.0, 20.0, 40.0), (1.0, 2.0, 6.0))
    x = np.array([0.0, 10.0, 15.0, 30.0, 50.0])
    assert curve_seconds(knots, x).tolist() == [1.0, 1.0, 1.5, 4.0, 8.0]


def test_medians_ignore_one_stray_repeat():
    """Three repeats of which one is far off: the knot is the middle one."""
    x = np.array([1.0, 1.0, 1.0, 2.0])
    assert fit_monotone_curve(x, np.array([1.0, 1.1, 9.0, 2.0])) == Knots((1.0, 2.0), (1.1, 2.0))


def test_falling_neighbours_are_pooled_by_their_weight():
    """Medians 3 (one repeat) and 1 (three repeats) become 1.5 both."""
    x = np.array([1.0, 2.0, 2.0, 2.0, 4.0])
    fitted = fit_monotone_curve(x, np.array([3.0, 1.0, 1.0, 1.0, 5.0]))
    assert fitted.seconds == (1.5, 1.5, 5.0)


def test_decode_fit_finds_a_planted_slope_and_curve():
    """Points made from a curve and a slope give both back."""
    batch = np.array([1.0, 1.0, 1.0, 2.0, 4.0])
    context = np.array([100.0, 1000.0, 4000.0, 1000.0, 2000.0])
    seconds = 0.02 + 0.001 * batch + 1e-6 * context
    fit = fit_decode(batch, context, seconds)
    assert fit.context_s_per_token == pytest.approx(1e-6)
    assert fit.decode.seconds == pytest.approx((0.021, 0.022, 0.024))
    assert fit.error.max_ratio == 0.0


def test_decode_slope_is_never_negative():
    """Faster with more context is noise, not a law."""
    fit = fit_decode(
        np.array([1.0, 1.0, 2.0]), np.array([1.0, 9.0, 9.0]), np.array([0.03, 0.02, 0.03])
    )
    assert fit.context_s_per_token == 0.0


def test_errors_are_relative_to_the_measured_value():
    """10 % off and exact: median 5 %, largest 10 %."""
    error = relative_errors("prefill", np.array([1.1, 2.0]), np.array([1.0, 2.0]))
    assert (error.median_ratio, error.max_ratio, error.points) == (0.05, 0.1, 2)


@pytest.mark.parametrize(
    ("x", "seconds"),
    [
        ([1.0, 1.0], [1.0, 1.0]),
        ([1.0, 2.0], [1.0, float("nan")]),
        ([], []),
        ([0.0, 1.0], [1.0, 1.0]),
    ],
)
def test_unusable_points_are_an_analysis_error(x, seconds):
    """One size, NaN, nothing, or a step of size 0."""
    with pytest.raises(AnalysisError):
        fit_monotone_curve(np.array(x), np.array(seconds))


def test_shipped_profile_is_the_fit_of_its_source(shared):
    """Refitting the published measurements gives the coefficients and errors that are shipped."""
    path = shared / "data" / "profiles" / "splitwise_perf_model.csv.gz"
    rows = pl.read_csv(gzip.decompress(path.read_bytes())).filter(
        model="llama2-70b", hardware="h100-80gb", tensor_parallel=8
    )
    tokens = (rows["prompt_size"] * rows["batch_size"]).to_numpy().astype(float)
    prompt_s = rows["prompt_time"].to_numpy() / 1e3
    prefill = fit_monotone_curve(tokens, prompt_s)
    # longer outputs than 128 ended early in these runs, so their context is not known
    short = rows.filter(token_size=128)
    batch = short["batch_size"].to_numpy().astype(float)
    context = batch * (short["prompt_size"].to_numpy() + 64)
    decode = fit_decode(batch, context, short["token_time"].to_numpy() / 1e3)

    shipped = load_profile("llama2-70b-h100")
    assert prefill == shipped.prefill
    assert decode.decode == shipped.decode
    assert decode.context_s_per_token == pytest.approx(shipped.context_s_per_token, rel=1e-3)
    errors = (
        relative_errors("prefill", curve_seconds(prefill, tokens), prompt_s),
        decode.error,
    )
    assert errors == shipped.fit_errors
