"""Gathering samples: series numbered as they come, everything handed out once."""

from __future__ import annotations

from datetime import UTC, datetime

from signals.schema import TIMESTAMP, Finding
from signals.store.parsed import Reject, Series
from signals.store.sources.sample_buffer import SampleBuffer

AT = datetime(2025, 10, 9, 8, 53, 20, tzinfo=UTC)
US = 1_760_000_000_000_000


def test_samples_keep_their_order_and_series():
    buffer = SampleBuffer()
    first, second = Series("a", {}), Series("a", {"pod": "x"})
    for series, value in ((second, 1.0), (first, 2.0), (second, 3.0)):
        buffer.add(series, US, value)
    buffer.reject(Reject(4, "bad_line", "?"))
    assert len(buffer) == 4
    chunk = buffer.flush([Finding("x", "info", "y")])
    assert chunk.series == (second, first)
    assert chunk.samples.rows() == [(0, AT, 1.0), (1, AT, 2.0), (0, AT, 3.0)]
    assert chunk.samples.schema["ts"] == TIMESTAMP
    assert (chunk.rows_read, len(chunk.rejects), chunk.findings[0].code) == (4, 1, "x")


def test_what_is_flushed_is_gone():
    buffer = SampleBuffer()
    series = Series("a", {})
    buffer.add(series, US, 1.0)
    buffer.flush()
    assert len(buffer) == 0
    assert buffer.flush().samples.is_empty()
    buffer.add(series, US, 2.0)
    assert buffer.flush().series == (series,)
