"""Merging what was read with what is stored."""

from __future__ import annotations

from dataclasses import replace

import duckdb
import polars as pl
import pytest

from signals.store.parsed import Series
from tests.sql.hand import Hand, at, chunk_of

NAME = "vllm:time_to_first_token_seconds"


def buckets(counts: dict[str, int], seconds: float = 0.0):  # type: ignore[no-untyped-def]
    return [
        (Series(f"{NAME}_bucket", {"pod": "p", "le": le}), [(seconds, count)])
        for le, count in counts.items()
    ]


def histograms(hand: Hand) -> list[tuple[list[float], list[int]]]:
    with duckdb.connect(str(hand.path), read_only=True) as connection:
        return connection.execute(
            "select le, counts from histogram join bounds using (bounds_id) order by ts, source_id"
        ).fetchall()


def test_buckets_become_lists_in_the_order_of_their_bounds(hand: Hand) -> None:
    hand.load(chunk_of(*buckets({"+Inf": 9, "0.5": 4, "0.1": 1})))
    assert histograms(hand) == [([0.1, 0.5, float("inf")], [1, 4, 9])]


def test_equal_bounds_are_stored_once(hand: Hand) -> None:
    for seconds in (0, 15):
        hand.load(chunk_of(*buckets({"0.5": 4, "+Inf": 9}, seconds)))
    hand.load(chunk_of(*buckets({"0.7": 4, "+Inf": 9}, 30)))
    with duckdb.connect(str(hand.path), read_only=True) as connection:
        assert connection.execute("select count(*) from bounds").fetchall() == [(2,)]
    assert len(histograms(hand)) == 3


def test_known_histograms_overlap_and_others_conflict(hand: Hand) -> None:
    hand.load(chunk_of(*buckets({"0.5": 4, "+Inf": 9})))
    same = hand.load(chunk_of(*buckets({"0.5": 4, "+Inf": 9}))).sources[0]
    other = hand.load(chunk_of(*buckets({"0.5": 5, "+Inf": 9}))).sources[0]
    assert (same.rows_kept, same.findings) == (0, {"overlap": 2})
    assert (other.rows_kept, other.findings) == (0, {"conflict": 2})
    assert histograms(hand) == [([0.5, float("inf")], [4, 9])]


def test_parts_of_a_histogram_may_come_in_files_of_their_own(hand: Hand) -> None:
    hand.load(chunk_of(*buckets({"0.5": 0, "+Inf": 0}), *buckets({"0.5": 4, "+Inf": 10}, 15)))
    for part, total in (("sum", 3.0), ("count", 10)):
        series = Series(f"{NAME}_{part}", {"pod": "p"})
        hand.load(chunk_of((series, [(0, 0), (15, total)])))
    panel = hand.store.panel("svc")
    assert panel.frame["unified:ttft_mean"].drop_nulls().to_list() == [0.3]
    assert panel.column("unified:ttft_p50") is None  # 6 of 10 lie above the only bound


def test_a_users_rule_moves_known_targets(hand: Hand) -> None:
    chunk = chunk_of((Series("vllm:num_requests_running", {"pod": "a"}), [(0, 1), (15, 1)]))
    hand.load(chunk)
    assert [c.pool for c in hand.store.panel("svc").columns] == ["unified", "unified"]
    hand.load(chunk, pool_rules=("decode=pod:a",))
    assert [c.pool for c in hand.store.panel("svc").columns] == ["decode", "decode"]
    assert hand.store.inventory().pools["rule"].to_list() == ["decode=pod:a"]


def test_series_without_an_instance_speak_for_the_service_beside_split_pools(hand: Hand) -> None:
    hand.load(chunk_of((Series("queue_depth", {}), [(0, 1)])))
    assert hand.store.inventory().pools["pool"].to_list() == ["unified"]
    hand.load(chunk_of((Series("vllm:num_requests_running", {"pod": "x-decode-0"}), [(0, 1)])))
    assert hand.store.inventory().pools["pool"].to_list() == ["decode", "service"]


def test_conflicts_inside_and_across_files_of_one_load_are_told_by_source(hand: Hand) -> None:
    series = Series("vllm:num_requests_running", {"pod": "a"})
    report = hand.load(
        chunk_of((series, [(0, 1), (15, 2)])), chunk_of((series, [(15, 2), (15, 3)]))
    )
    assert report.sources[0].findings == {"conflict": 1, "duplicate": 1}


@pytest.mark.parametrize("years", [-2025.5, 7973.5, -200_000, 290_000])
def test_times_at_the_ends_of_the_calendar_are_left_out(hand: Hand, years: float) -> None:
    running = Series("vllm:num_requests_running", {"pod": "a"})
    chunk = chunk_of((running, [(0, 1), (15, 2)]), requests=[{"arrived_s": 0}, {"arrived_s": 1}])
    assert chunk.samples is not None
    assert chunk.requests is not None
    far = pl.duration(days=int(years * 365.25))
    first = pl.int_range(pl.len()) == 0
    source = hand.load(
        replace(
            chunk,
            samples=chunk.samples.with_columns(
                ts=pl.when(first).then(pl.col("ts") + far).otherwise(pl.col("ts"))
            ),
            requests=chunk.requests.with_columns(
                arrived_at=pl.when(first)
                .then(pl.col("arrived_at") + far)
                .otherwise(pl.col("arrived_at"))
            ),
        )
    ).sources[0]
    assert source.findings["far_time"] == 2
    assert (source.rows_read, source.rows_kept) == (4, 2)
    assert source.last == at(15)
    assert hand.store.panel("svc").frame.height == 1
