"""Instances to counts: open beginnings and ends, orders, groups, what makes no sense."""

from __future__ import annotations

from datetime import UTC, datetime

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from signals.errors import InputError
from signals.store.parsed import NameChoice, ReadOptions
from signals.store.sources import find_source, own_lifetimes

START = datetime(2025, 10, 9, 8, 53, 20, tzinfo=UTC)
BY_TEN = ReadOptions(start=START, interval_s=10.0)


def curves(found, key="pool"):
    counts: dict[tuple[str, str], list[float]] = {}
    for metric, labels, _, value in found.rows:
        counts.setdefault((labels.get(key, ""), metric), []).append(value)
    return counts


def test_counts_of_each_group(whole, write):
    text = """pool,pod,ready_s,ended_s
decode,a,,20
decode,b,10,
decode,c,10,30
prefill,d,0,30
prefill,e,,
"""
    found = whole(write("x.csv", text), BY_TEN)
    assert found.format == "own-lifetimes"
    assert curves(found) == {
        ("decode", "ready"): [1.0, 3.0, 2.0, 1.0],
        ("prefill", "ready"): [2.0, 2.0, 2.0, 1.0],
    }
    assert {one.pool for one in found.series.values()} == {"decode", "prefill"}
    assert found.seconds[:4] == [0.0, 10.0, 20.0, 30.0]
    assert found.codes == {"unused_column": 1}
    assert found.rows_read == len(found.rows)


def test_orders_make_desired_and_starting(whole, write):
    text = """ordered_s,ready_s,ended_s
0,10,40
10,30,
20,,40
,,40
,0,40
"""
    assert curves(whole(write("x.csv", text), BY_TEN)) == {
        ("", "ready"): [2.0, 3.0, 3.0, 4.0, 1.0],
        ("", "desired"): [3.0, 4.0, 5.0, 5.0, 1.0],
        ("", "starting"): [1.0, 1.0, 2.0, 1.0, 0.0],
    }


def test_times_of_the_calendar_and_names_of_the_users(whole, write):
    text = "born,died,tier\n2025-10-09T08:53:20Z,2025-10-09T08:54:20Z,gold\n"
    columns = {
        "born": NameChoice("ready_at", ""),
        "died": NameChoice("ended_at", ""),
        "tier": NameChoice("label:tier", ""),
    }
    found = whole(write("x.csv", text), ReadOptions(columns=columns), form="own-lifetimes")
    assert found.rows == [
        ("ready", {"tier": "gold", "group": "gold"}, -20.0, 0.0),
        ("ready", {"tier": "gold", "group": "gold"}, 40.0, 1.0),
    ]


def test_epochs_in_parquet(whole, tmp_path):
    path = tmp_path / "x.parquet"
    pl.DataFrame(
        {"ready_at [s]": [1760000000, None], "ended_at [s]": [1760000060.0, None]}
    ).write_parquet(path)
    found = whole(path, ReadOptions(interval_s=60))
    assert curves(found) == {("", "ready"): [1.0, 2.0]}


def test_rows_that_make_no_sense(whole, write):
    text = "ordered_s,ready_s,ended_s\n0,5,3\n9,5,20\n5,,3\nx,5,6\n0,y,z\n1,2,NaN\n1,2,3,4\n"
    found = whole(write("x.csv", text), BY_TEN)
    assert sorted(found.rejected) == [
        (2, "wrong_order"),
        (3, "wrong_order"),
        (4, "wrong_order"),
        (5, "bad_time"),
        (6, "bad_time"),
        (8, "wrong_column_count"),
    ]
    assert found.rows_read == 6 + len(found.rows)


def test_lives_between_two_counts_are_told(whole, write):
    found = whole(write("x.csv", "ready_s,ended_s\n1,9\n0,10\n11,19\n"), BY_TEN)
    assert found.codes["between_counts"] == 2


def test_without_a_start(whole, write):
    found = whole(write("x.csv", "ready_s,ended_s\n1,9\n"))
    assert found.codes["start_assumed"] >= 1


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("ready_s,gone\n1,2\n", "ended_at is missing"),
        ("a,b\n1,2\n", "ready_at, ended_at is missing"),
        ("ready_s,ended_s\n", "no instance"),
        ("ready_s,ended_s,pool\n,,decode\n", "no instance has a time"),
        ("ready_s,ended_s\n0,4000000000\n", "be 400000001 times"),
        ("ready_at,ended_at\n2025-10-09 08:53:20,\n", "no zone"),
    ],
)
def test_what_is_wrong_with_the_whole_table(whole, write, text, what):
    with pytest.raises(InputError, match=what) as caught:
        whole(write("x.csv", text), BY_TEN, form="own-lifetimes")
    assert "x.csv" in caught.value.where


def test_one_far_off_moment_is_told(whole, write):
    text = "ready_at,ended_at\n1989-05-01T00:00:00Z,2026-06-01T08:00:00Z\n,2026-06-01T09:00:00Z\n"
    with pytest.raises(InputError, match="times") as caught:
        whole(write("x.csv", text), ReadOptions(interval_s=0.1), form="own-lifetimes")
    assert "moments from 1989-05-01 to 2026-06-01" in caught.value.where
    assert "far-off moment" in caught.value.hint


def test_labels_that_tell_every_row_apart(whole, write, monkeypatch):
    monkeypatch.setattr(own_lifetimes, "_MAX_SAMPLES", 10)
    text = "label:id,ready_s,ended_s\n" + "".join(f"{n},0,20\n" for n in range(5))
    with pytest.raises(InputError, match="5 groups"):
        whole(write("x.csv", text), BY_TEN)
    monkeypatch.setattr(own_lifetimes, "_MAX_ROWS", 3)
    with pytest.raises(InputError, match="more than 3 rows"):
        whole(write("x.csv", text), BY_TEN)


@given(
    st.lists(
        st.tuples(st.none() | st.integers(0, 100), st.none() | st.integers(0, 100)).filter(
            lambda life: None in life or life[0] <= life[1]
        ),
        min_size=1,
        max_size=20,
    ).filter(lambda lives: any(one is not None for life in lives for one in life))
)
def test_counts_are_what_counting_gives(tmp_path_factory, lives):
    path = tmp_path_factory.mktemp("lives") / "x.csv"
    cells = ["ready_s,ended_s,x"]
    cells += [",".join("" if one is None else str(one) for one in life) + ",1" for life in lives]
    path.write_text("\n".join(cells) + "\n", encoding="utf-8")
    options = ReadOptions(start=datetime(1970, 1, 1, tzinfo=UTC), interval_s=7.0)
    for chunk in find_source("own-lifetimes").read(path, options):
        if chunk.samples is None:
            continue
        for _, ts, value in chunk.samples.rows():
            now = ts.timestamp()
            there = [
                (begin is None or begin <= now) and (end is None or now < end)
                for begin, end in lives
            ]
            assert value == sum(there)


def test_a_months_instances(whole, shared):
    path = shared / "data" / "alibaba_dlrm2025" / "disaggregated_DLRM_trace.share_apps.csv.gz"
    columns = {
        "creation_time": NameChoice("ordered_s", ""),
        "scheduled_time": NameChoice("ready_s", ""),
        "deletion_time": NameChoice("ended_s", ""),
        "role": NameChoice("label:role", ""),
    }
    found = whole(
        path, ReadOptions(columns=columns, start=START, interval_s=3600.0), "own-lifetimes"
    )
    assert found.rejects == []
    first = {key: values[0] for key, values in curves(found, "role").items() if key[1] == "ready"}
    assert sum(first.values()) == 1743 + 3298
    assert {role for role, _ in first} == {"HN", "CN"}
