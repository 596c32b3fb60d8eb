"""Gauges: the mean in the window, carried forward a little, then over instances."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import duckdb
import pytest

from signals.store.sql import run
from tests.sql.hand import at, grid, put_series, ticks


def gauge(
    connection: duckdb.DuckDBPyConnection,
    last_s: float,
    value: str,
    *,
    tick_s: float = 15.0,
    first_s: float = 0.0,
) -> dict[float, float | None]:
    asked = grid(last_s, tick_s=tick_s, first_s=first_s)
    return ticks(run(connection, "gauge_per_tick", asked), value, tick_s=tick_s)


def test_each_instance_gives_one_mean_whatever_its_spacing(
    memory: duckdb.DuckDBPyConnection,
) -> None:
    put_series(memory, 1, "kv_usage", [(5, 0.1), (10, 0.2), (15, 0.3)], resolution_s=5.0)
    put_series(memory, 2, "kv_usage", [(15, 0.6)], resolution_s=15.0)
    found = gauge(memory, 15, "mean_value")
    assert {tick: round(value or 0, 9) for tick, value in found.items()} == {15: 0.4}
    assert gauge(memory, 15, "total_value") == {15: pytest.approx(0.8)}


def test_a_sample_at_the_tick_belongs_to_it(memory: duckdb.DuckDBPyConnection) -> None:
    put_series(memory, 1, "running", [(0, 1.0), (15, 2.0), (30, 3.0)])
    assert gauge(memory, 30, "mean_value") == {15: 2.0, 30: 3.0}


def test_a_value_is_carried_for_twice_its_resolution(memory: duckdb.DuckDBPyConnection) -> None:
    put_series(memory, 1, "running", [(10, 4.0), (70, 8.0)])
    # the sample of 10 s is 35 s old at 45 s, and the next one is seen at 75 s
    assert gauge(memory, 120, "total_value") == {15: 4.0, 30: 4.0, 75: 8.0, 90: 8.0}


def test_slow_series_reach_every_tick(memory: duckdb.DuckDBPyConnection) -> None:
    put_series(memory, 1, "gpu_util", [(0, 0.2), (60, 0.4), (120, 0.6)], resolution_s=60.0)
    found = gauge(memory, 120, "mean_value", tick_s=30.0)
    assert found == {30: 0.2, 60: 0.4, 90: 0.4, 120: 0.6}


def test_a_window_sees_what_came_before_it(memory: duckdb.DuckDBPyConnection) -> None:
    put_series(memory, 1, "running", [(10, 4.0), (40, 6.0)], resolution_s=30.0)
    assert gauge(memory, 30, "mean_value", first_s=15.0) == {30: 4.0}


def test_signals_and_measurements_of_one_name_stay_apart(memory: duckdb.DuckDBPyConnection) -> None:
    put_series(memory, 1, "decode_tps", [(15, 100.0)], part="signal", family="other")
    rows = run(memory, "gauge_per_tick", grid(15))
    assert rows.select("measurement", "part", "total_value", "series_count").rows() == [
        ("decode_tps", "signal", 100.0, 1)
    ]


def put_gpu(
    connection: duckdb.DuckDBPyConnection,
    number: int,
    pod: str,
    uuid: str,
    points: Sequence[tuple[float, float]],
    *,
    mig: str = "",
    place: tuple[str, str] = ("", ""),
    resolution_s: float = 15.0,
) -> None:
    """Put the utilisation of a GPU as one pod's exporter tells it."""
    put_series(
        connection,
        number,
        "gpu_util",
        points,
        instance=pod,
        family="gpu",
        resolution_s=resolution_s,
    )
    connection.execute(
        "update target set gpu_uuid = ?, mig = ?, host = ?, gpu_index = ? where target_id = ?",
        [uuid, mig, *place, number],
    )


def put_row(
    connection: duckdb.DuckDBPyConnection,
    target_id: int,
    second: float,
    running: float | None,
    queue_depth: float | None,
    source_id: int = 1,
) -> None:
    """Put a row of the engine's family."""
    connection.execute(
        "insert into sample_engine (ts, target_id, source_id, running, queue_depth)"
        " values (?, ?, ?, ?, ?)",
        [at(second), target_id, source_id, running, queue_depth],
    )


def put_engine(
    connection: duckdb.DuckDBPyConnection, first_series: int, target_id: int, resolution_s: float
) -> None:
    """Put two series of one target whose samples are columns of its family."""
    for number, name in enumerate(("running", "queue_depth")):
        series_id = first_series + number
        put_series(connection, series_id, name, [(0, 0.0)], resolution_s=resolution_s)
        connection.execute("delete from sample_other where series_id = ?", [series_id])
        connection.execute(
            "update series set stored_in = 'sample_engine', target_id = ? where series_id = ?",
            [target_id, series_id],
        )


def test_pods_that_share_a_gpu_count_it_once(memory: duckdb.DuckDBPyConnection) -> None:
    put_gpu(memory, 1, "a", "GPU-1", [(15, 0.2), (30, 0.4)])
    put_gpu(memory, 2, "b", "GPU-1", [(15, 0.4), (30, 0.4)])
    put_gpu(memory, 3, "c", "GPU-2", [(15, 0.9), (30, 0.8)])
    rows = run(memory, "gauge_per_tick", grid(30))
    assert rows["series_count"].to_list() == [2, 2]
    assert rows["total_value"].to_list() == pytest.approx([0.3 + 0.9, 0.4 + 0.8])
    assert rows["mean_value"].to_list() == pytest.approx([0.6, 0.6])


def test_pods_that_follow_each_other_on_a_gpu_are_one(memory: duckdb.DuckDBPyConnection) -> None:
    put_gpu(memory, 1, "a", "GPU-1", [(15, 0.2), (30, 0.4)])
    put_gpu(memory, 2, "b", "GPU-1", [(45, 0.6), (60, 0.8)])
    # the first pod's last value is not carried beside the second one's
    assert gauge(memory, 120, "total_value") == {
        15: 0.2,
        30: 0.4,
        45: 0.6,
        60: 0.8,
        75: 0.8,
        90: 0.8,
    }


def test_a_gpu_without_uuid_is_its_host_and_index(memory: duckdb.DuckDBPyConnection) -> None:
    put_gpu(memory, 1, "a", "", [(15, 0.2)], place=("n0", "0"))
    put_gpu(memory, 2, "b", "", [(15, 0.2)], place=("n0", "0"))
    put_gpu(memory, 3, "c", "", [(15, 0.8)], place=("n0", "1"))
    put_gpu(memory, 4, "d", "", [(15, 0.5)], place=("n1", "0"))
    put_gpu(memory, 5, "e", "", [(15, 0.1)], place=("n1", "1"), mig="1")
    put_gpu(memory, 6, "f", "", [(15, 0.3)], place=("n1", "1"), mig="2")
    rows = run(memory, "gauge_per_tick", grid(15))
    assert rows["series_count"].to_list() == [5]
    assert rows["total_value"].to_list() == pytest.approx([0.2 + 0.8 + 0.5 + 0.1 + 0.3])


def test_gpus_that_name_no_host_are_as_many_as_pods(memory: duckdb.DuckDBPyConnection) -> None:
    put_gpu(memory, 1, "a", "", [(15, 0.2)], place=("", "0"))
    put_gpu(memory, 2, "b", "", [(15, 0.4)], place=("", "0"))
    rows = run(memory, "gauge_per_tick", grid(15))
    assert rows["series_count"].to_list() == [2]


def test_slices_of_a_gpu_are_units_of_their_own(memory: duckdb.DuckDBPyConnection) -> None:
    put_gpu(memory, 1, "a", "GPU-1", [(15, 0.2)], mig="1g.10gb/1")
    put_gpu(memory, 2, "b", "GPU-1", [(15, 0.4)], mig="1g.10gb/2")
    rows = run(memory, "gauge_per_tick", grid(15))
    assert rows.select("series_count").rows() == [(2,)]
    assert rows["total_value"].to_list() == pytest.approx([0.6])


def test_a_shared_gpu_is_carried_as_its_slowest_copy(memory: duckdb.DuckDBPyConnection) -> None:
    put_gpu(memory, 1, "a", "GPU-1", [(15, 0.2)], resolution_s=5.0)
    put_gpu(memory, 2, "b", "GPU-1", [(15, 0.4)], resolution_s=30.0)
    found = gauge(memory, 120, "mean_value")
    assert list(found) == [15, 30, 45, 60, 75]
    assert list(found.values()) == pytest.approx([0.3] * 5)


def test_each_series_is_carried_by_its_own_resolution(memory: duckdb.DuckDBPyConnection) -> None:
    put_series(memory, 1, "running", [(15, 1.0)], resolution_s=5.0)  # 10 s: less than a tick
    put_series(memory, 2, "running", [(15, 10.0)], resolution_s=15.0)
    put_series(memory, 3, "running", [(15, 100.0)], resolution_s=30.0)
    put_series(memory, 4, "running", [(15, 1000.0)], resolution_s=None)
    assert gauge(memory, 120, "total_value") == {
        15: 1111.0,
        30: 110.0,
        45: 110.0,
        60: 100.0,
        75: 100.0,
    }


def test_columns_of_a_row_may_be_missing(memory: duckdb.DuckDBPyConnection) -> None:
    put_engine(memory, 1, 1, 15.0)
    put_row(memory, 1, 15, 4.0, None)
    put_row(memory, 1, 20, None, 9.0)
    put_row(memory, 1, 30, 6.0, 7.0)
    rows = run(memory, "gauge_per_tick", grid(30)).filter(series_count=1)
    found = {
        name: rows.filter(measurement=name)["total_value"].to_list()
        for name in ("running", "queue_depth")
    }
    # the second tick has one value of running and two of the queue
    assert found == {"running": [4.0, 6.0], "queue_depth": [8.0]}


def test_columns_of_two_sources_are_put_together(memory: duckdb.DuckDBPyConnection) -> None:
    put_engine(memory, 1, 1, 15.0)
    for second in (15, 30):
        put_row(memory, 1, second, 2.0, None, source_id=1)
        put_row(memory, 1, second, None, 5.0, source_id=2)
    rows = run(memory, "gauge_per_tick", grid(30))
    assert rows.select("measurement", "total_value", "series_count").rows() == [
        ("queue_depth", 5.0, 1),
        ("queue_depth", 5.0, 1),
        ("running", 2.0, 1),
        ("running", 2.0, 1),
    ]


def test_pods_that_share_a_gpu_may_be_scraped_one_after_the_other(
    memory: duckdb.DuckDBPyConnection,
) -> None:
    put_gpu(memory, 1, "a", "GPU-1", [(14, 0.2)])
    put_gpu(memory, 2, "b", "GPU-1", [(15, 0.4)])
    rows = run(memory, "gauge_per_tick", grid(30))
    assert rows["series_count"].to_list() == [1, 1]
    assert rows["total_value"].to_list() == pytest.approx([0.3, 0.3])


@pytest.mark.parametrize("turn", range(4))
def test_a_sum_does_not_depend_on_the_order_of_series(
    memory: duckdb.DuckDBPyConnection, turn: int
) -> None:
    # added as floats, the small ones are lost beside the large ones
    values = [1.0, 1e16, 0.5, -1e16]
    for number, value in enumerate(values[turn:] + values[:turn], start=1):
        put_series(memory, number, "running", [(15, value)])
    assert gauge(memory, 15, "total_value") == {15: 1.5}
    assert gauge(memory, 15, "mean_value") == {15: 1.5 / 4}


def test_the_last_digit_does_not_depend_on_what_was_loaded_first(
    memory: duckdb.DuckDBPyConnection,
) -> None:
    answers = set()
    for turn, order in enumerate(permutations(((3, 0.1), (6, 0.2), (9, 0.3), (12, 1e6)))):
        service = f"svc{turn}"
        put_series(memory, turn, "running", order, resolution_s=3.0, service=service)
        rows = run(memory, "gauge_per_tick", grid(15) | {"service": service})
        answers.update(rows["mean_value"].to_list())
    assert len(answers) == 1
