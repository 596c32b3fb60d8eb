"""Damaged files: whatever is done to an input, a reader answers with an InputError or with rejects.

Never another exception, and never more samples than records it says it read.
"""

from __future__ import annotations

import gzip
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow.parquet import write_table as write_parquet

from signals.errors import InputError
from signals.schema import REQUESTS, check_frame
from signals.store.parsed import Chunk, ReadOptions
from signals.store.sources import detect, find_source
from tests.fuzz.corpus import own_samples

PLAIN = [sample for sample in own_samples() if len(sample.files) == 1]
TEXT = [sample for sample in PLAIN if not next(iter(sample.files)).endswith(".parquet")]
OPTIONS = {sample.form: ReadOptions(**sample.options) for sample in PLAIN}
SAMPLES = {sample.form: content for sample in TEXT for content in sample.files.values()}

PARQUET = {
    "own-long": pl.DataFrame(
        {"ts": [1760000000, 1760000015], "metric": ["gpu_util"] * 2, "value": [0.5, None]}
    ),
    "own-requests": pl.DataFrame(
        {
            "arrived_at": [datetime(2026, 1, 1, tzinfo=UTC)],
            "prompt_tokens": [5],
            "output_tokens": [6],
        }
    ),
}


def read(path: Path, form: str) -> None:
    """Read to the end and hold the chunks to their contract; an InputError is an answer too."""
    try:
        _read_all(path, form)
    except InputError as error:
        if not (error.what and error.where):
            raise


def _read_all(path: Path, form: str) -> None:
    source = find_source(form) if form else detect(path)
    for chunk in source.read(path, OPTIONS[source.name]):
        _check(chunk, source.name)


def _check(chunk: Chunk, form: str) -> None:
    held = 0
    if chunk.samples is not None and chunk.samples.height:
        assert chunk.samples.columns == ["series", "ts", "value"]
        assert chunk.samples["series"].max() < len(chunk.series)
        assert chunk.samples.null_count().sum_horizontal().item() == 0
        held += chunk.samples.height
    if chunk.requests is not None:
        check_frame(chunk.requests, REQUESTS)
        held += chunk.requests.height
    # rates are drawn into requests, many from one record
    assert held <= chunk.rows_read or form == "servegen"
    for one in chunk.series:
        "".join((one.metric, *one.labels, *one.labels.values())).encode()
    assert all(reject.reason and len(reject.excerpt) <= 200 for reject in chunk.rejects)


def damage(content: bytes, edits: list[tuple[int, int, bytes]]) -> bytes:
    """Replace stretches of bytes, positions taken modulo the length."""
    for start, length, new in edits:
        at = start % (len(content) + 1)
        content = content[:at] + new + content[at + length :]
    return content


SPLINTERS = [
    *(bytes([byte]) for byte in b'",{}[]:#-%\\\n\r\0\xff'),
    *(
        b"9" * 30,
        b"9" * 5000,
        b"\\ud800",
        b"1e308",
        b"e9",
        b"null",
        b"NaN",
        b"[[[[",
        b"0001-01-01T00:00:00Z",
    ),
]

EDITS = st.lists(
    st.tuples(
        st.integers(0, 1000),
        st.integers(0, 12),
        st.one_of(
            st.binary(max_size=4),
            st.sampled_from(SPLINTERS),
        ),
    ),
    min_size=1,
    max_size=4,
)

RELAXED = settings(
    max_examples=20,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.mark.parametrize("form", sorted(SAMPLES))
@RELAXED
@given(edits=EDITS)
def test_damaged_text(form, tmp_path, edits):
    path = tmp_path / "damaged"
    path.write_bytes(damage(SAMPLES[form], edits))
    read(path, form)
    read(path, "")


@pytest.mark.parametrize("form", sorted(SAMPLES))
@settings(RELAXED, max_examples=10)
@given(edits=EDITS)
def test_damaged_gzip(form, tmp_path, edits):
    path = tmp_path / "damaged.gz"
    path.write_bytes(damage(gzip.compress(SAMPLES[form]), edits))
    read(path, form)


@pytest.mark.parametrize("form", sorted(PARQUET))
@settings(RELAXED, max_examples=10)
@given(edits=EDITS)
def test_damaged_parquet(form, tmp_path, edits):
    path = tmp_path / "damaged.parquet"
    PARQUET[form].write_parquet(path)
    path.write_bytes(damage(path.read_bytes(), edits))
    read(path, form)
    read(path, "")


COUNTS = st.integers(-(2**63), 2**63 - 1)
EXOTIC = st.sampled_from(
    [
        # Parquet knows no seconds
        *(pa.timestamp(unit, zone) for unit in ("ms", "us", "ns") for zone in (None, "+05:30")),
        *(pa.duration(unit) for unit in ("s", "ms", "us", "ns")),
        *(pa.int64(), pa.decimal128(38, 2), pa.decimal256(60, 2)),
    ]
)


@pytest.mark.parametrize("column", ["ts", "gpu_util"])
@RELAXED
@given(kind=EXOTIC, cells=st.lists(st.one_of(st.none(), COUNTS), min_size=1, max_size=4))
def test_any_number_of_any_parquet_type(column, tmp_path, kind, cells):
    whole = pa.array(cells, pa.int64())
    exotic = whole.cast(kind) if pa.types.is_decimal(kind) else whole.view(kind)
    table = {"ts": pa.array([1_760_000_000] * len(cells)), "gpu_util": pa.array(cells, pa.int64())}
    path = tmp_path / "exotic.parquet"
    write_parquet(pa.table({**table, column: exotic}), path)
    read(path, "")


@pytest.mark.parametrize("form", sorted(SAMPLES))
def test_cut_anywhere(form, tmp_path):
    path = tmp_path / "cut"
    for length in range(0, len(SAMPLES[form]), 1 + len(SAMPLES[form]) // 100):
        path.write_bytes(SAMPLES[form][:length])
        read(path, form)


@pytest.mark.parametrize("form", sorted(SAMPLES))
@RELAXED
@given(content=st.text(max_size=200))
def test_any_text(form, tmp_path, content):
    path = tmp_path / "any"
    path.write_bytes(content.encode("utf-8", errors="surrogatepass"))
    read(path, form)
