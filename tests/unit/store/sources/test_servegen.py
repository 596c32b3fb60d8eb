"""ServeGen's rates drawn into requests."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import polars as pl
import pytest

from signals.errors import InputError
from signals.schema import REQUESTS, check_frame
from signals.store.parsed import ReadOptions
from signals.store.sources import servegen as module

START = datetime(2025, 10, 9, tzinfo=UTC)
SCHEMA = ["client", "window_start_s", "rate_rps", "iat_cv", "iat_family", "iat_p1", "iat_p2"]
ROWS = [
    (0, 0, 0.5, 2.0, "Gamma", 0.25, 8.0),
    (1, 0, 0.25, 1.0, "Weibull", 1.0, 4.0),
    (0, 600, 0.0, 0.0, None, 0.0, 0.0),
    (1, 600, 0.0, 0.0, None, 0.0, 0.0),
    (0, 1200, 0.1, 1.0, "Gamma", 1.0, 10.0),
]


@pytest.fixture
def rates(tmp_path):
    """Write a table of rates."""

    def write(rows=ROWS, schema=SCHEMA, name="m.rates.parquet"):
        path = tmp_path / name
        pl.DataFrame(rows, schema=schema, orient="row", strict=False).write_parquet(path)
        return path

    return write


@pytest.fixture
def lengths(tmp_path):
    """Write lengths beside: client 0 has its own, client 1 none."""
    fields = ("input_tokens", "output_tokens")
    bins = [(0, f, lo, lo + 10, 1.0) for f in fields for lo in (10, 100)]
    pl.DataFrame(
        bins, schema=["window_start_s", "field", "bin_lo", "bin_hi", "est_requests"], orient="row"
    ).write_parquet(tmp_path / "m.length_hist.parquet")
    quantiles = {f"{f}_{q}": [20.0] for f in fields for q in ("p50", "p90", "p99")}
    pl.DataFrame(
        {"client": [0], "window_start_s": [0], "est_requests": [300.0], **quantiles}
    ).write_parquet(tmp_path / "m.length_stats.parquet")


def test_counts_are_the_logs_own(whole, rates, lengths):
    found = whole(rates(), ReadOptions(start=START))
    check_frame(found.log, REQUESTS)
    assert found.format == "servegen"
    seconds = (found.log["arrived_at"] - START).dt.total_seconds()
    assert found.log.group_by((seconds // 600).alias("w"), "session").len().sort(
        "w", "session"
    ).rows() == [(0, "0", 300), (0, "1", 150), (2, "0", 60)]
    assert found.log["arrived_at"].is_sorted()
    assert found.log["prompt_tokens"].null_count() == 0
    assert found.codes == {"zero_windows": 1, "drawn_requests": 510, "pooled_lengths": 150}


def test_the_seed_decides_and_a_stretch_is_the_same_alone(whole, rates, lengths):
    path = rates()
    every, again = (whole(path, ReadOptions(start=START)).log for _ in range(2))
    assert every.equals(again)
    assert not every.equals(whole(path, ReadOptions(start=START, seed=1)).log)
    late = whole(path, ReadOptions(start=START, skip_s=1200.0, span_s=600.0)).log
    assert late.equals(every.filter(pl.col("arrived_at") >= START + timedelta(seconds=1200)))


def test_a_share_thins_the_requests(whole, rates):
    rows = [(0, 0, 100.0, 1.0, "Gamma", 1.0, 1.0)]
    found = whole(rates(rows), ReadOptions(start=START, share=0.1))
    assert found.log.height == pytest.approx(6000, rel=0.05)
    assert "0.1 of them kept" in next(f.text for f in found.findings if f.code == "drawn_requests")


def test_without_a_start_or_lengths_that_is_said(whole, rates):
    found = whole(rates())
    assert found.log["prompt_tokens"].null_count() == found.log.height
    assert {"start_assumed", "no_lengths"} <= found.codes.keys()


def test_too_many_requests_are_refused_with_the_number_and_a_way_out(whole, rates):
    rows = [(0, w * 600, 100_000.0, 1.0, "Gamma", 1.0, 1.0) for w in range(10)]
    with pytest.raises(InputError, match="600,000,000 requests") as caught:
        whole(rates(rows))
    assert "--span" in caught.value.hint
    assert "--share 0.03" in caught.value.hint


@pytest.mark.parametrize("cut", [{"skip_s": 1e6}, {"skip_s": 600.0, "span_s": 600.0}])
def test_nothing_left_to_draw(whole, rates, cut):
    with pytest.raises(InputError, match="no request is left"):
        whole(rates(), ReadOptions(**cut))


def test_rows_that_are_none(whole, rates):
    bad = [
        (0.5, 0, 0.5, 1.0, "Gamma", 1.0, 1.0),
        (3, 0, -1.0, 1.0, "Gamma", 1.0, 1.0),
        (3, 0, float("nan"), 1.0, "Gamma", 1.0, 1.0),
        (3, None, 1.0, 1.0, "Gamma", 1.0, 1.0),
        (3, 0, float("inf"), 1.0, "Gamma", 1.0, 1.0),
        (3, 1e300, 1.0, 1.0, "Gamma", 1.0, 1.0),
    ]
    schema = dict.fromkeys(SCHEMA, pl.Float64) | {"iat_family": pl.String}
    found = whole(rates([*ROWS, *bad], schema), ReadOptions(start=START))
    assert found.rejected == [(n, "bad_number") for n in range(6, 12)]
    assert found.rows_read == 11
    assert found.log.height == 510


@pytest.mark.parametrize("family", ["Pareto", None])
def test_a_family_that_is_not_known_is_said(whole, rates, family):
    rows = [(0, 0, 1.0, 1.0, family, 1.0, 1.0)]
    found = whole(rates(rows), ReadOptions(start=START))
    assert found.log.height == 600
    assert found.codes["unknown_family"] == 1


def test_shapes_that_are_none_are_drawn_as_poisson(whole, rates):
    rows = [
        (c, 0, 0.1, 1.0, "Gamma", p, 1.0) for c, p in enumerate([0.0, -1.0, None, float("nan")])
    ]
    assert whole(rates(rows), ReadOptions(start=START)).log.height == 240


def test_rates_that_are_no_counts_round_by_chance(whole, rates):
    rows = [(c, 0, 0.5 / 600, 1.0, "Gamma", 1.0, 1.0) for c in range(1000)]
    assert whole(rates(rows), ReadOptions(start=START)).log.height == pytest.approx(500, abs=80)


@pytest.mark.parametrize("kind", ["length_hist", "length_stats"])
def test_lengths_by_themselves_are_left_to_their_rates(whole, tmp_path, lengths, kind):
    found = whole(tmp_path / f"m.{kind}.parquet")
    assert found.format == "servegen"
    assert found.codes == {"lengths_only": 1}
    assert found.requests == []


def test_a_missing_column_is_named(whole, rates):
    path = rates([row[:5] for row in ROWS], SCHEMA[:5])
    with pytest.raises(InputError, match="'iat_p1' is missing"):
        whole(path, form="servegen")


def test_a_cut_file(whole, rates):
    path = rates()
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(InputError, match="cut short"):
        whole(path, form="servegen")


def test_chunks_are_bounded(rates, monkeypatch):
    monkeypatch.setattr(module, "_CHUNK_ROWS", 100)
    chunks = module.SERVEGEN.read(rates(), ReadOptions(start=START))
    heights = [chunk.requests.height for chunk in chunks if chunk.requests is not None]
    assert max(heights) == 100
    assert sum(heights) == 510


def test_no_request_falls_into_the_next_window(whole, rates):
    # gaps so uneven that many requests stand at the window's very end
    rows = [(c, 85_800, 1.0, 9.0, "Gamma", 0.01, 1.0) for c in range(50)]
    log = whole(rates(rows), ReadOptions(start=START)).log
    assert log["arrived_at"].min() >= START + timedelta(seconds=85_800)
    assert log["arrived_at"].max() < START + timedelta(seconds=86_400)
