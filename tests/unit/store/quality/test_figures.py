"""Words for figures."""

from __future__ import annotations

import polars as pl
import pytest

from signals.store.quality.figures import by_metric, some, span, times
from tests.unit.store.quality.figures_of import every, figures_of


def test_metrics_come_in_order_of_their_names_with_all_their_rows() -> None:
    stats = figures_of(("b", every(1, [1])), ("a", every(1, [1])), ("b", every(1, [2])))
    found = [(metric, rows["series_id"].to_list()) for metric, rows in by_metric(stats)]
    assert found == [("a", [1]), ("b", [0, 2])]


@pytest.mark.parametrize(
    ("count", "word", "text"),
    [(1, "counter", "1 counter"), (3, "counter", "3 counters"), (3, "series", "3 series")],
)
def test_numbers_of_things(count: int, word: str, text: str) -> None:
    assert some(pl.DataFrame({"x": [0] * count}), word) == text


def test_times_and_spans() -> None:
    assert (times(1), times(2)) == ("once", "2 times")
    assert (span(500_000), span(15_000_000), span(600_000_000)) == ("500 ms", "15 s", "10 min")
