"""What a load is asked and tells."""

from __future__ import annotations

from signals.store import LoadOptions
from signals.store.parsed import ReadOptions, Series
from tests.sql.hand import Hand, chunk_of


def test_options_detect_everything_by_themselves() -> None:
    assert LoadOptions() == LoadOptions(ReadOptions(), "", (), 0.05)


def test_what_was_read_is_kept_or_accounted_for(hand: Hand) -> None:
    nan = float("nan")
    series = Series("vllm:num_requests_running", {"pod": "a"})
    points = [(0, 1), (0, 1), (15, 2), (15, 3), (30, nan), (45, 4)]
    source = hand.load(chunk_of((series, points))).sources[0]
    lost = sum(source.findings[code] for code in ("duplicate", "conflict", "not_a_number"))
    assert source.rows_read == source.rows_kept + lost + source.rows_rejected
