"""Lengths from pooled histograms and clients' quantiles."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from signals.errors import InputError
from signals.store.sources.servegen_lengths import length_laws, open_lengths

BINS = [(10, 20, 50.0), (20, 40, 30.0), (40, 400, 20.0)]


def histogram(window=0, field="input_tokens"):
    return pl.DataFrame(
        [(window, field, *one) for one in BINS],
        schema=["window_start_s", "field", "bin_lo", "bin_hi", "est_requests"],
        orient="row",
    )


def stats(*clients, window=0):
    """Rows of client, p50, p90, p99; each with the same number of requests."""
    names = [f"{f}_{q}" for f in ("input_tokens", "output_tokens") for q in ("p50", "p90", "p99")]
    rows = [(client, window, 100.0, *three, *three) for client, *three in clients]
    schema = ["client", "window_start_s", "est_requests", *names]
    return pl.DataFrame(rows, schema=schema, orient="row")


def law(statistics=None):
    return length_laws(histogram(), statistics, "input_tokens")[0]


def test_lengths_have_the_histograms_distribution():
    drawn = law().draw(np.zeros(100_000, dtype=np.int64), np.random.default_rng(0))
    assert (drawn.min(), drawn.max()) == (10, 399)
    assert (drawn < 20).mean() == pytest.approx(0.5, abs=0.01)
    assert (drawn < 40).mean() == pytest.approx(0.8, abs=0.01)


def test_clients_with_long_prompts_have_them_and_all_together_the_histogram():
    one = law(stats((1, 12.0, 18.0, 30.0), (2, 60.0, 300.0, 390.0)))
    clients = np.repeat(np.array([1, 2]), 50_000)
    drawn = one.draw(clients, np.random.default_rng(0))
    assert np.median(drawn[clients == 1]) < 20 < np.median(drawn[clients == 2])
    assert (drawn < 20).mean() == pytest.approx(0.5, abs=0.02)
    assert (drawn < 40).mean() == pytest.approx(0.8, abs=0.02)


def test_an_unknown_client_gets_the_pooled_distribution():
    one = law(stats((1, 12.0, 18.0, 30.0)))
    clients = np.array([1, 7, 0])
    assert one.has(clients).tolist() == [True, False, False]
    drawn = one.draw(np.full(50_000, 7), np.random.default_rng(0))
    assert (drawn < 20).mean() == pytest.approx(0.5, abs=0.01)


def test_empty_and_missing_quantiles_are_no_client():
    nothing = stats((1, None, None, None))
    assert not law(nothing).has(np.array([1])).any()


def write(tmp_path, name, frame):
    frame.write_parquet(tmp_path / name)


def test_tables_beside_the_rates_are_found_by_name(tmp_path):
    both = pl.concat([histogram(), histogram(3600), histogram(0, "output_tokens")])
    write(tmp_path, "m.length_hist.d0-9.parquet", both)
    write(tmp_path, "m.length_stats.d0-9.parquet", stats((1, 1.0, 2.0, 3.0)))
    lengths, findings = open_lengths(tmp_path / "m.rates.d0-9.parquet")
    assert findings == []
    assert lengths is not None
    assert lengths.spacing_s == 3600
    assert lengths.at("prompt_tokens", 3599.0) is lengths.laws["prompt_tokens"][0]
    # beyond the last window the nearest one stands in
    assert lengths.at("prompt_tokens", 9e9) is lengths.laws["prompt_tokens"][3600]
    assert lengths.at("output_tokens", 9e9) is lengths.laws["output_tokens"][0]


@pytest.mark.parametrize("name", ["m.rates.parquet", "other.parquet"])
def test_without_a_histogram_lengths_are_missing_and_that_is_said(tmp_path, name):
    lengths, findings = open_lengths(tmp_path / name)
    assert lengths is None
    assert [one.code for one in findings] == ["no_lengths"]


def test_a_broken_table_beside_is_named(tmp_path):
    (tmp_path / "m.length_hist.parquet").write_bytes(b"PAR1 and nothing else")
    with pytest.raises(InputError) as caught:
        open_lengths(tmp_path / "m.rates.parquet")
    assert "m.length_hist.parquet" in caught.value.where
    write(tmp_path, "m.length_hist.parquet", histogram().drop("bin_lo"))
    with pytest.raises(InputError, match="'bin_lo' is missing"):
        open_lengths(tmp_path / "m.rates.parquet")
