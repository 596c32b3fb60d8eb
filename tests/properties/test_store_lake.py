"""Whatever comes in whatever parts, overlaps or goes again, a lake holds what one file would."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from signals.store import intake
from signals.store.connect import reading
from tests.properties.test_store_samples import SOURCES, chunk_in_order
from tests.sql.hand import Hand
from tests.unit.store.test_lake import LakeHand

SETTINGS = settings(max_examples=4, suppress_health_check=[HealthCheck.function_scoped_fixture])


def rows(hand: Hand) -> list[tuple[object, ...]]:
    with reading(hand.path) as connection:
        return connection.execute(
            "select metric, labels['pod'], ts, value, source_id, samples, first_at, resets"
            " from sample join series using (series_id) order by all"
        ).fetchall()


@SETTINGS
@given(
    sources=SOURCES,
    batch=st.sampled_from([1, 4, 1000]),
    cut=st.integers(1, 9),
    stretch=st.sampled_from([1, 4000]),
    gone=st.integers(1, 3),
)
def test_a_lake_holds_what_a_file_does(
    sources: list[list[tuple[int, int, int]]],
    batch: int,
    cut: int,
    stretch: int,
    gone: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(intake, "_BATCH", batch)
    with tempfile.TemporaryDirectory() as folder:
        hands: list[Hand] = []
        for kind in (Hand, LakeHand):
            place = Path(folder) / kind.__name__
            place.mkdir()
            hands.append(kind(place))
        for points in sources:
            far = [(number, step * stretch, value) for number, step, value in points]
            pieces = [far[first : first + cut] for first in range(0, len(far), cut)]
            reports = [hand.load(*map(chunk_in_order, pieces)).sources[0] for hand in hands]
            assert reports[0].findings == reports[1].findings
            assert reports[0].rows_kept == reports[1].rows_kept
        assert rows(hands[0]) == rows(hands[1])
        name = f"source{min(gone, len(sources))}"
        removed = [hand.store.forget(name) for hand in hands]
        assert removed[0].samples == removed[1].samples
        assert rows(hands[0]) == rows(hands[1])
        for check in ("lost_samples", "repeated_samples", "wrong_extents"):
            assert hands[1].store.query(f"checks/{check}").is_empty(), check
