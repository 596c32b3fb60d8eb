"""Rates of counters: resets, births, deaths, holes, spacing other than the tick."""

from __future__ import annotations

from itertools import permutations

import duckdb
import pytest

from signals.store.sql import run
from tests.sql.hand import grid, put_series, ticks

GAP = 300_000_000


def rates(
    connection: duckdb.DuckDBPyConnection, last_s: float, **more: float
) -> dict[float, float]:
    params = grid(last_s, **more) | {"gap_us": GAP}
    found = ticks(
        run(connection, "rate_per_tick", params), "rate_per_s", tick_s=more.get("tick_s", 15.0)
    )
    return {tick: round(value, 6) for tick, value in found.items() if value is not None}


def counter(
    connection: duckdb.DuckDBPyConnection, number: int, *points: tuple[float, float], **more: object
) -> None:
    put_series(connection, number, "decode_tokens_total", points, kind="counter", **more)  # type: ignore[arg-type]


def test_a_reset_counts_the_new_value(memory: duckdb.DuckDBPyConnection) -> None:
    counter(memory, 1, (0, 1000), (15, 1060), (30, 1120), (45, 20), (60, 80))
    assert rates(memory, 60) == {15: 4.0, 30: 4.0, 45: pytest.approx(20 / 15, abs=1e-6), 60: 4.0}


def test_rates_come_before_the_sum(memory: duckdb.DuckDBPyConnection) -> None:
    counter(memory, 1, (0, 50000), (30, 50100), (60, 50200), (90, 50300), resolution_s=30.0)
    counter(memory, 2, (0, 20000), (30, 20050), resolution_s=30.0)
    counter(memory, 3, (60, 8), (90, 38), resolution_s=30.0)
    found = rates(memory, 90, tick_s=30.0)
    assert found == {
        30: 5.0,
        60: pytest.approx(100 / 30, abs=1e-6),
        90: pytest.approx(130 / 30, abs=1e-6),
    }
    assert sum(found.values()) * 30 == pytest.approx(380)


def test_no_tick_looks_ahead_of_samples_at_an_offset(memory: duckdb.DuckDBPyConnection) -> None:
    # samples at 3, 18, 33: the tick at 15 has seen nothing but the first one
    counter(memory, 1, (3, 0), (18, 150), (33, 150), (48, 150))
    assert rates(memory, 60) == {30: 10.0, 45: 0.0, 60: 0.0}


def test_several_samples_in_a_tick_add_up(memory: duckdb.DuckDBPyConnection) -> None:
    points = [(float(s), float(s * 2)) for s in range(0, 65, 5)]
    counter(memory, 1, *points, resolution_s=5.0)
    assert rates(memory, 60) == {15: 2.0, 30: 2.0, 45: 2.0, 60: 2.0}


def test_a_missed_scrape_leaves_no_hole_and_keeps_the_total(
    memory: duckdb.DuckDBPyConnection,
) -> None:
    counter(memory, 1, (0, 0), (15, 30), (30, 60), (75, 150), (90, 300))
    found = rates(memory, 90)
    assert found == {15: 2.0, 30: 2.0, 45: 2.0, 60: 2.0, 75: 2.0, 90: 10.0}
    assert sum(found.values()) * 15 == 300


def test_a_long_hole_is_missing_not_a_ramp(memory: duckdb.DuckDBPyConnection) -> None:
    counter(memory, 1, (0, 0), (15, 15), (30, 30), (45, 45), (360, 9000), (375, 9015), (390, 9030))
    found = rates(memory, 390)
    assert sorted(found) == [15, 30, 45, 375, 390]
    assert set(found.values()) == {1.0}


def test_the_last_pair_before_the_window_counts(memory: duckdb.DuckDBPyConnection) -> None:
    counter(memory, 1, (0, 0), (15, 15), (30, 30), (45, 45), (60, 60))
    assert rates(memory, 60, first_s=30.0) == {45: 1.0, 60: 1.0}


def test_a_window_gives_the_values_of_the_whole(memory: duckdb.DuckDBPyConnection) -> None:
    counter(memory, 1, *((s, s * s % 97 + 3.0 * s) for s in range(4, 600, 15)))
    whole = rates(memory, 600)
    part = rates(memory, 450, first_s=300.0)
    assert part == {tick: value for tick, value in whole.items() if 300 < tick <= 450}


def test_the_best_export_of_a_measurement_counts_alone(memory: duckdb.DuckDBPyConnection) -> None:
    counter(memory, 1, (0, 0), (15, 150), priority=0)
    counter(memory, 2, (0, 0), (15, 75), priority=10)
    assert rates(memory, 15) == {15: 10.0}


def test_pools_and_services_stay_apart(memory: duckdb.DuckDBPyConnection) -> None:
    counter(memory, 1, (0, 0), (15, 150))
    counter(memory, 2, (0, 0), (15, 15), pool="prefill")
    counter(memory, 3, (0, 0), (15, 1500), service="other")
    rows = run(memory, "rate_per_tick", grid(15) | {"gap_us": GAP})
    assert rows.select("pool", "rate_per_s").rows() == [("decode", 10.0), ("prefill", 1.0)]


def ticking(pod: int, *seconds: float, per_s: float = 10.0) -> list[tuple[float, float]]:
    """A counter that runs all the time and is scraped at these seconds."""
    return [(s, 1000.0 * pod + per_s * s) for s in seconds]


def every(step: int, last: int) -> list[float]:
    return [float(s) for s in range(0, last + 1, step)]


def test_a_missed_last_scrape_is_missing_not_a_fall(memory: duckdb.DuckDBPyConnection) -> None:
    for pod in (1, 2, 3):
        counter(memory, pod, *ticking(pod, *every(15, 600)))
    counter(memory, 4, *ticking(4, *every(15, 585)))
    found = rates(memory, 600)
    assert sorted(found) == [15.0 * i for i in range(1, 40)]
    assert set(found.values()) == {40.0}


def test_a_pod_that_left_lowers_its_pool_and_leaves_no_hole(
    memory: duckdb.DuckDBPyConnection,
) -> None:
    for pod in (1, 2, 3):
        counter(memory, pod, *ticking(pod, *every(15, 600)))
    counter(memory, 4, *ticking(4, *every(15, 300)))
    found = rates(memory, 600)
    assert found == {15.0 * i: 40.0 if i <= 20 else 30.0 for i in range(1, 41)}


def test_a_window_that_ends_in_a_hole_is_missing_there(memory: duckdb.DuckDBPyConnection) -> None:
    # four scrapes are missed, and the window ends amid them
    for pod in (1, 2, 3):
        counter(memory, pod, *ticking(pod, *every(15, 600)))
    counter(memory, 4, *ticking(4, *every(15, 285), *(s + 360.0 for s in every(15, 240))))
    assert set(rates(memory, 600).values()) == {40.0}
    assert rates(memory, 345, first_s=240.0) == {255: 40.0, 270: 40.0, 285: 40.0}


def test_a_long_hole_of_one_pod_is_missing_in_its_pool(memory: duckdb.DuckDBPyConnection) -> None:
    counter(memory, 1, *ticking(1, *every(15, 900)))
    counter(memory, 2, *ticking(2, *every(15, 300), *(s + 720.0 for s in every(15, 180))))
    found = rates(memory, 900)
    assert sorted(found) == [*(15.0 * i for i in range(1, 21)), *(15.0 * i for i in range(49, 61))]
    assert set(found.values()) == {20.0}


def test_a_pod_that_comes_back_from_zero_was_gone(memory: duckdb.DuckDBPyConnection) -> None:
    counter(memory, 1, *ticking(1, *every(15, 900)))
    back = [(s + 720.0, 10.0 * s) for s in every(15, 180)]
    counter(memory, 2, *ticking(2, *every(15, 300)), *back)
    found = rates(memory, 900)
    assert found == {15.0 * i: 20.0 if i <= 20 or i >= 49 else 10.0 for i in range(1, 61)}


def test_a_pod_with_its_first_scrape_later_than_others_is_missing_before(
    memory: duckdb.DuckDBPyConnection,
) -> None:
    # every minute, at the begin and in the middle of it: both run from the start
    counter(memory, 1, *ticking(1, *every(60, 600)), resolution_s=60.0)
    counter(memory, 2, *ticking(2, *(s + 31.0 for s in every(60, 540))), resolution_s=60.0)
    found = rates(memory, 600)
    assert set(found.values()) == {20.0}


def test_the_last_digit_does_not_depend_on_what_was_loaded_first(
    memory: duckdb.DuckDBPyConnection,
) -> None:
    amounts = (0.1, 0.2, 0.3, 1e6)
    answers = set()
    for turn, order in enumerate(permutations(amounts)):
        for number, one in enumerate(order):
            counter(memory, 10 * turn + number, (0, 0), (15, one), service=f"svc{turn}")
        rows = run(memory, "rate_per_tick", grid(15, gap_us=GAP) | {"service": f"svc{turn}"})
        answers.update(rows["rate_per_s"].to_list())
    assert len(answers) == 1


def energy(
    connection: duckdb.DuckDBPyConnection, number: int, gpu: str, *points: tuple[float, float]
) -> None:
    put_series(connection, number, "energy_j_total", points, kind="counter", family="gpu")
    connection.execute(
        "update target set host = 'n0', gpu_index = ? where target_id = ?", [gpu, number]
    )


def test_pods_that_share_a_gpu_count_its_energy_once(memory: duckdb.DuckDBPyConnection) -> None:
    energy(memory, 1, "0", (0, 0), (15, 1500), (30, 3000))
    energy(memory, 2, "0", (0, 0), (15, 1500), (30, 3000))
    energy(memory, 3, "1", (0, 50), (15, 3050), (30, 6050))
    rows = run(memory, "rate_per_tick", grid(30) | {"gap_us": GAP})
    assert rows.select("rate_per_s", "series_count").rows() == [(300.0, 2), (300.0, 2)]


def test_pods_that_follow_each_other_on_a_gpu_are_one_counter(
    memory: duckdb.DuckDBPyConnection,
) -> None:
    energy(memory, 1, "0", *((15.0 * i, 1500.0 * i) for i in range(5)))
    energy(memory, 2, "0", *((15.0 * i, 1500.0 * i) for i in range(4, 9)))
    energy(memory, 3, "1", *((15.0 * i, 3000.0 * i) for i in range(9)))
    assert rates(memory, 120) == {15.0 * i: 300.0 for i in range(1, 9)}
