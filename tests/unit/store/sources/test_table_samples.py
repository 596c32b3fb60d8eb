"""Rows to samples: which series a cell belongs to, in parts of bounded size."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from signals.errors import InputError
from signals.store.parsed import ReadOptions, Reject, Series
from signals.store.sources import sample_chunks, table_samples
from signals.store.sources.stamps import StampReader
from signals.store.sources.table import TablePart
from signals.store.sources.table_samples import SeriesBook, TableForm, samples_of

PATH = Path("t.csv")


def make(cells, column):
    return Series(column, {name: value for name, value in cells.items() if value is not None})


def form_of(keys=("pod",), values=("gpu_util", "power_w"), **more):
    return TableForm(path=PATH, time="ts", keys=keys, values=values, series=make, **more)


def read(form, *frames, rejects=()):
    book, reader = SeriesBook(form), StampReader("t.csv, column 'ts'", ReadOptions(), unit="s")
    line, chunks = 2, []
    for frame in frames:
        lines = pl.Series("line", range(line, line + frame.height), dtype=pl.Int64)
        line += frame.height
        chunks += samples_of(TablePart(frame, lines, tuple(rejects)), form, book, reader)
    return book, chunks


def rows(chunks):
    frames = [
        (chunk, frame)
        for chunk in chunks
        for frame in (
            [chunk.samples]
            if chunk.rows is None
            else [chunk.column(number) for number in range(chunk.rows.width - 2)]
        )
    ]
    return [
        (chunk.series[index].metric, chunk.series[index].labels.get("pod"), value)
        for chunk, frame in frames
        for index, _, value in frame.rows()
    ]


def test_each_cell_goes_to_the_series_of_its_row_and_column():
    frame = pl.DataFrame(
        {"ts": [1, 1, 2], "pod": ["a", "b", "a"], "gpu_util": [1, 2, 3], "power_w": [4, None, 6]}
    )
    _, chunks = read(form_of(), frame)
    assert rows(chunks) == [
        ("gpu_util", "a", 1.0),
        ("gpu_util", "a", 3.0),
        ("gpu_util", "b", 2.0),
        ("power_w", "a", 4.0),
        ("power_w", "a", 6.0),
    ]
    assert sum(chunk.rows_read for chunk in chunks) == 5


def test_series_are_the_same_in_later_parts():
    frame = pl.DataFrame({"ts": [1], "pod": ["b"], "gpu_util": [1], "power_w": [2]})
    book, chunks = read(form_of(), frame, frame.with_columns(pod=pl.lit("a")), frame)
    assert rows(chunks)[::2] == [("gpu_util", pod, 1.0) for pod in "bab"]
    assert chunks[0].series[0] is chunks[2].series[0]
    assert book.findings() == []


def test_a_missing_label_is_a_series_of_its_own():
    frame = pl.DataFrame({"ts": [1, 2], "pod": ["a", None], "gpu_util": [1, 2], "power_w": [3, 4]})
    _, chunks = read(form_of(), frame)
    assert [pod for _, pod, _ in rows(chunks)] == ["a", None, "a", None]


def test_whole_numbers_of_a_data_frame_name_things():
    frame = pl.DataFrame({"ts": [1, 2], "pod": [0.0, None], "gpu_util": [1, 2], "power_w": [3, 4]})
    _, chunks = read(form_of(), frame)
    assert [pod for _, pod, _ in rows(chunks)] == ["0", None, "0", None]
    _, chunks = read(form_of(), frame.with_columns(pod=pl.lit(0.5)))
    assert {pod for _, pod, _ in rows(chunks)} == {"0.5"}


def test_bad_cells_are_rejects_once_each():
    frame = pl.DataFrame(
        {"ts": ["1", "x", "3"], "pod": ["a"] * 3, "gpu_util": ["1", "2", "q"], "power_w": ["4"] * 3}
    )
    _, chunks = read(form_of(), frame, rejects=[Reject(9, "open_quote", "")])
    found = [(one.line, one.reason) for chunk in chunks for one in chunk.rejects]
    assert found == [(3, "bad_time"), (4, "bad_number"), (9, "open_quote")]
    assert rows(chunks) == [("gpu_util", "a", 1.0), ("power_w", "a", 4.0), ("power_w", "a", 4.0)]


def test_chunks_are_bounded(monkeypatch):
    monkeypatch.setattr(table_samples, "_CHUNK_SAMPLES", 4)
    frame = pl.DataFrame(
        {"ts": range(5), "pod": list("ababa"), "gpu_util": range(5), "power_w": range(5)}
    )
    _, chunks = read(form_of(keys=()), frame)
    assert [chunk.samples.height for chunk in chunks] == [4, 4, 2]


def test_names_that_change_with_every_row(monkeypatch):
    monkeypatch.setattr(sample_chunks, "_MAX_SERIES", 5)
    frame = pl.DataFrame(
        {"ts": [1] * 3, "pod": list("abc"), "gpu_util": [1] * 3, "power_w": [1] * 3}
    )
    with pytest.raises(InputError, match="more than 5 series"):
        read(form_of(), frame)


def test_unknown_names_are_counted_by_series():
    frame = pl.DataFrame({"ts": [1, 1], "pod": ["a", "b"], "gpu_util": [1, 2], "speed": [1, 2]})
    book, _ = read(form_of(values=("gpu_util", "speed")), frame)
    assert [(one.code, one.subject, one.count) for one in book.findings()] == [
        ("unknown_name", "speed", 2)
    ]
    book, _ = read(form_of(values=("speed",)), frame)
    with pytest.raises(InputError, match="no metric of the file"):
        book.findings()
    book, _ = read(form_of(values=("speed",), subject="column", named=True), frame)
    assert "--map" in book.findings()[0].action


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["a", "b", None]), st.none() | st.floats(-10, 10, allow_nan=False)
        ),
        max_size=30,
    )
)
def test_samples_are_what_a_loop_over_the_rows_gives(table):
    frame = pl.DataFrame(
        {"ts": range(len(table)), "pod": [p for p, _ in table], "gpu_util": [v for _, v in table]},
        schema={"ts": pl.Int64, "pod": pl.String, "gpu_util": pl.Float64},
    )
    _, chunks = read(form_of(values=("gpu_util",)), frame)
    assert rows(chunks) == [("gpu_util", pod, value) for pod, value in table if value is not None]
