"""Series numbered once, samples handed out in chunks that know only their own series."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest

from signals.errors import InputError
from signals.store.parsed import NameChoice, ReadOptions, Reject, Series
from signals.store.sources import sample_chunks
from signals.store.sources.sample_chunks import SampleChunks, nameless_series

PATH = Path("x.txt")
AT = datetime(2025, 10, 9, tzinfo=UTC)


def describe(key: str) -> Series | None:
    return None if key.startswith("?") else Series(key, {})


def samples(numbers: pl.Series) -> pl.DataFrame:
    values = [float(row) for row in range(len(numbers))]
    return pl.DataFrame({"series": numbers, "ts": [AT] * len(numbers), "value": values})


def test_each_text_is_described_once():
    asked = []

    def note(key: str) -> Series | None:
        asked.append(key)
        return describe(key)

    chunks = SampleChunks(PATH)
    assert chunks.number(pl.Series(["b", "a", None, "?", "b"]), note).to_list() == [
        0,
        1,
        None,
        None,
        0,
    ]
    assert chunks.number(pl.Series(["?", "c", "a"]), note).to_list() == [None, 2, 1]
    assert asked == ["b", "a", "?", "c"]


def test_scopes_keep_targets_apart():
    chunks = SampleChunks(PATH)
    keys = pl.Series(["a"])
    assert chunks.number(keys, describe, scope="pod-0").to_list() == [0]
    assert chunks.number(keys, describe, scope="pod-1").to_list() == [1]


def test_a_chunk_holds_the_series_of_its_own_samples():
    chunks = SampleChunks(PATH)
    chunks.add(samples(chunks.number(pl.Series(["a", "b"]), describe)), rows_read=2)
    assert [one.metric for chunk in chunks.rest() for one in chunk.series] == ["a", "b"]
    chunks.add(samples(chunks.number(pl.Series(["c", "b", "c"]), describe)), rows_read=3)
    (chunk,) = chunks.rest()
    assert [one.metric for one in chunk.series] == ["c", "b"]
    assert chunk.samples["series"].to_list() == [0, 1, 0]
    assert chunk.samples["value"].to_list() == [0.0, 1.0, 2.0]
    assert (chunk.rows_read, chunks.rows_read) == (3, 5)
    assert list(chunks.rest()) == []


def test_chunks_come_when_they_are_full(monkeypatch):
    monkeypatch.setattr(sample_chunks, "_CHUNK_SAMPLES", 3)
    chunks = SampleChunks(PATH)
    numbers = chunks.number(pl.Series(["a", "a"]), describe)
    chunks.add(samples(numbers), rows_read=2)
    assert list(chunks.full()) == []
    chunks.add(samples(numbers), rows_read=2)
    assert [chunk.samples.height for chunk in chunks.full()] == [4]


def test_rejects_weigh_and_come_in_order(monkeypatch):
    monkeypatch.setattr(sample_chunks, "_CHUNK_SAMPLES", 20)
    chunks = SampleChunks(PATH)
    rejects = [Reject(9, "bad_time", "x"), Reject(2, "bad_line", "y")]
    chunks.add(samples(pl.Series([], dtype=pl.UInt32)), rows_read=2, rejects=rejects)
    (chunk,) = chunks.full()
    assert [one.line for one in chunk.rejects] == [2, 9]


def test_endless_labels_are_refused(monkeypatch):
    monkeypatch.setattr(sample_chunks, "_MAX_SERIES", 2)
    with pytest.raises(InputError, match="more than 2 series"):
        SampleChunks(PATH).number(pl.Series(["a", "b", "c"]), describe)


def test_a_nameless_series_is_named_by_the_user():
    options = ReadOptions(as_name=NameChoice("decode:decode_tps", "tokens/s"))
    found = nameless_series({"pod": "a"}, options, "x.txt")
    assert found == Series("decode_tps", {"pod": "a"}, unit="tokens/s", pool="decode")
    with pytest.raises(InputError, match="no name") as caught:
        nameless_series({"pod": "a"}, ReadOptions(), "x.txt")
    assert "--as" in caught.value.hint


def test_a_few_nameless_series_have_no_number_and_more_are_refused():
    def name(key: str) -> Series:
        return nameless_series({}, ReadOptions(), "x") if key.startswith("{") else Series(key, {})

    chunks = SampleChunks(PATH)
    assert chunks.number(pl.Series(["a", "{}", "b"]), name).to_list() == [0, None, 1]
    # known by now, it counts once
    assert chunks.number(pl.Series(["{}"] * 9), name).to_list() == [None] * 9
    with pytest.raises(InputError, match="no name"):
        chunks.number(pl.Series(["{x}", "{y}"]), name)


def test_buckets_without_a_bound_have_no_number():
    def bucket(key: str) -> Series:
        return Series("vllm:time_to_first_token_seconds_bucket", {"le": key})

    keys = pl.Series(["0.5", "abc", "+Inf"])
    assert SampleChunks(PATH).number(keys, bucket).to_list() == [0, None, 1]
