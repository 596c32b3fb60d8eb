"""Merging what was read with what is stored."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import duckdb
import polars as pl
import pytest

from signals.store.connect import empty
from signals.store.deposit import ask_with
from signals.store.parsed import Chunk, Series
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


RUNNING = Series("vllm:num_requests_running", {"pod": "a"})
TOKENS = Series("vllm:generation_tokens_total", {"pod": "a"})
TABLES = ("engine", "gateway", "gpu", "replicas", "other")


def stored(hand: Hand, sql: str) -> list[tuple[object, ...]]:
    with duckdb.connect(str(hand.path), read_only=True) as connection:
        return connection.execute(sql).fetchall()


def contents(hand: Hand) -> dict[str, list[tuple[object, ...]]]:
    """All that a store holds of series, without the numbers of sources."""
    found = {
        f"sample_{table}": stored(
            hand, f"select * exclude (source_id) from sample_{table} order by all"
        )
        for table in TABLES
    }
    found["histogram"] = stored(
        hand,
        "select series_id, ts, le, counts from histogram join bounds using (bounds_id) order by all",
    )
    for table in ("series", "target", "target_pool"):
        found[table] = stored(hand, f"select * from {table} order by all")
    return found


def test_a_file_in_two_halves_is_the_whole(hand: Hand, tmp_path: Path) -> None:
    counter = Series("vllm:generation_tokens_total", {"pod": "a"})
    power = Series("DCGM_FI_DEV_POWER_USAGE", {"gpu": "0", "UUID": "GPU-1"})
    own = Series("someones_own_gauge", {"pod": "b"})

    def part(first: int, last: int) -> list[Chunk]:
        steps = range(first, last)
        return [
            chunk_of(
                (RUNNING, [(15.0 * n, n % 4) for n in steps]),
                (counter, [(15.0 * n, 7 * (n % 5)) for n in steps]),
                (power, [(15.0 * n, 300 + n) for n in steps if n % 3]),
                (own, [(15.0 * n, -n) for n in steps if n != 7]),
            ),
            *(chunk_of(*buckets({"0.5": n % 5, "+Inf": 2 * (n % 5)}, 15.0 * n)) for n in steps),
        ]

    whole = Hand(tmp_path / "whole")
    whole.folder.mkdir()
    whole.load(*part(0, 20))
    hand.load(*part(0, 10))
    hand.load(*part(10, 20))
    assert contents(hand) == contents(whole)
    resets = stored(hand, "select stored_in, resets from series order by series_id")
    # counters and histograms fall at 5, 10 and 15: once in each half, and at the seam
    assert resets[1] == ("sample_engine", 3)
    assert resets[-1] == ("histogram", 3)


def test_a_fall_between_two_loads_is_a_reset(hand: Hand) -> None:
    for start, values in ((0, [5, 6]), (30, [2, 3]), (60, [3]), (75, [1])):
        hand.load(chunk_of((TOKENS, [(start + 15 * n, v) for n, v in enumerate(values)])))
    assert stored(hand, "select samples, resets, resolution_s from series") == [(6, 2, 15.0)]


def test_an_earlier_load_that_comes_later_is_as_if_it_had_come_first(hand: Hand) -> None:
    hand.load(chunk_of((TOKENS, [(60, 5), (75, 6)])))
    hand.load(chunk_of((TOKENS, [(0, 9), (30, 7)])))
    assert stored(hand, "select samples, resets, resolution_s, last_at from series") == [
        (4, 2, 30.0, at(75))
    ]


def told(hand: Hand) -> list[tuple[str, str, int]]:
    """Code, metric and count of what the sources tell of values, in the order of loading."""
    found = hand.store.inventory().findings.filter(pl.col("source") != "")
    return [(one["code"], one["subject"], one["count"]) for one in found.iter_rows(named=True)]


def test_a_reset_is_told_by_the_load_in_which_it_is_seen(hand: Hand) -> None:
    for start, values in ((0, [5, 2]), (30, [3, 4]), (60, [1, 2]), (90, [3])):
        hand.load(chunk_of((TOKENS, [(start + 15 * n, v) for n, v in enumerate(values)])))
        # the first has one inside, the third one at its seam
        wanted = 1 if start < 60 else 2
        assert told(hand) == [("counter_reset", TOKENS.metric, 1)] * wanted


def test_a_few_later_samples_are_not_judged_by_the_number_of_the_stored_ones(hand: Hand) -> None:
    waiting, usage = (
        Series(name, {"pod": "a"})
        for name in ("vllm:num_requests_waiting", "vllm:kv_cache_usage_perc")
    )
    moves = [(15.0 * n, float(n % 7)) for n in range(60)]
    part = [(second, value / 10) for second, value in moves]
    hand.load(chunk_of((RUNNING, moves), (waiting, moves), (usage, part)))
    for start, value in ((900.0, 0.0), (945.0, 0.2)):
        rises = [(start + 15 * n, 2.0 + n) for n in range(3)]
        still = [(second, value) for second, _ in rises]
        hand.load(chunk_of((RUNNING, rises), (waiting, still), (usage, still)))
    assert told(hand) == []


def test_a_later_load_tells_of_its_own_samples(hand: Hand) -> None:
    waiting = Series("vllm:num_requests_waiting", {"pod": "a"})
    hand.load(chunk_of((waiting, [(15.0 * n, float(n % 7)) for n in range(60)])))
    hand.load(chunk_of((waiting, [(15.0 * n, 0.0) for n in range(56, 90)])))
    found = hand.store.inventory().findings.filter(code="always_zero")
    # four moments were there before
    assert found["text"].to_list() == [
        "vllm:num_requests_waiting is 0 in all 30 samples of this load"
    ]


def test_gauges_fall_without_a_reset(hand: Hand) -> None:
    own = Series("someones_own_gauge", {"pod": "b"})
    for start in (0, 30, 15):
        points = [(start + 15.0 * n, 9.0 - n) for n in range(2)]
        hand.load(chunk_of((RUNNING, points), (own, points)))
    assert stored(hand, "select distinct resets from series") == [(0,)]


def test_single_samples_of_another_pace_change_the_resolution(hand: Hand) -> None:
    for second in (0, 15, 30, 90, 150, 210):
        hand.load(chunk_of((RUNNING, [(second, 1)])))
    assert stored(hand, "select samples, resolution_s from series") == [(6, 60.0)]


def test_a_series_without_values_is_no_series_with_samples(hand: Hand) -> None:
    nan = float("nan")
    source = hand.load(chunk_of((RUNNING, [(0, nan), (15, nan)]))).sources[0]
    assert (source.rows_read, source.rows_kept, source.series) == (2, 0, 0)
    assert source.findings["not_a_number"] == 2
    assert stored(hand, "select samples, resets, first_at from series") == [(0, 0, None)]
    assert hand.load(chunk_of((RUNNING, [(0, 3)]))).sources[0].rows_kept == 1
    assert stored(hand, "select samples, resets, first_at from series") == [(1, 0, at(0))]


def test_where_a_series_goes_is_remembered(hand: Hand) -> None:
    # the first reason that is met has the column, the other one not while it does
    names = ("vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc")
    parts = [
        Series("vllm:request_success_total", {"pod": "a", "finished_reason": reason})
        for reason in ("stop", "length")
    ]
    for second in (0, 15):
        hand.load(
            chunk_of(
                *(
                    (Series(name, {"pod": "a"}), [(second + n, 0.5)])
                    for n, name in enumerate(names)
                ),
                *((one, [(second, 1)]) for one in parts),
                (RUNNING, [(second, 1)]),
            )
        )
    places = stored(hand, "select measurement, split, stored_in, samples from series order by all")
    assert places == [
        ("completions_total", "finished_reason=length", "sample_other", 2),
        ("completions_total", "finished_reason=stop", "sample_engine", 2),
        ("kv_usage", "", "sample_engine", 4),
        ("running", "", "sample_engine", 2),
    ]
    assert stored(hand, "select count(kv_usage), count(running) from sample_engine") == [(4, 2)]


def test_relative_values_are_marked_and_a_later_unit_is_told(hand: Hand) -> None:
    hand.load(chunk_of((Series("decode_tps", {}, unit="rel"), [(0, 0.5), (15, 1)])))
    assert stored(hand, "select relative, unit_stored, stored_in from series") == [
        (True, "rel", "sample_other")
    ]
    later = hand.load(chunk_of((Series("decode_tps", {}, unit="tokens/s"), [(30, 900)])))
    assert later.sources[0].findings["unit_changed"] == 1


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


def test_requests_of_an_earlier_log_overlap(hand: Hand) -> None:
    log = [{"arrived_s": second} for second in range(4)]
    hand.load(chunk_of(requests=log))
    again = hand.load(chunk_of(requests=[*log, {"arrived_s": 9}])).sources[0]
    assert (again.rows_kept, again.findings["overlap"]) == (1, 4)
    twice = hand.load(chunk_of(requests=[{"arrived_s": 20}] * 2), service="twin").sources[0]
    assert (twice.rows_kept, "duplicate" in twice.findings) == (2, False)


def test_the_values_at_a_seam_are_told_by_time_wherever_they_lie() -> None:
    points = [(5, 45, 4.0), (5, 30, 3.0), (5, 0, 1.0), (5, 60, 9.0), (5, 15, 2.0), (6, 30, 7.0)]
    seams = pl.DataFrame(
        {"series_id": [5, 6], "ts": [at(15), at(30)]}, schema_overrides={"series_id": pl.Int32}
    )
    for order in (points, points[::-1], sorted(points)):
        with empty("schema") as connection:
            for series, second, value in order:
                row = [at(second), series, value]
                connection.execute("insert into sample_other values (?, ?, ?, 1)", row).fetchall()
            found = ask_with(connection, "load/last_values", seams).sort("series_id")
        assert found.rows() == [(5, 2.0, 3.0), (6, 7.0, None)]
