"""Findings told of times that jump by whole hours."""

from __future__ import annotations

from datetime import UTC, datetime

import polars as pl
import pytest

from signals.store.quality import Scrapes, returned_clock, scrapes_of, series_findings
from tests.unit.store.quality.figures_of import Points, every, figures_of

WAVE = [float(i % 7) for i in range(60)]
SUNDAY = datetime(2026, 3, 29, tzinfo=UTC).timestamp()


def found(stats: pl.DataFrame, code: str, scrapes: Scrapes | None = None) -> list[tuple[int, str]]:
    return [(f.count, f.text) for f in series_findings(stats, scrapes) if f.code == code]


@pytest.mark.parametrize(("pause_s", "is_clock"), [(3600, True), (7200, True), (3000, False)])
def test_a_pause_of_whole_hours_everywhere_is_a_clock(pause_s: float, is_clock: bool) -> None:
    points = every(15, WAVE) + every(15, WAVE, 15 * 60 + pause_s)
    stats = figures_of(("m", points), ("n", points), target=(1, 2))
    assert bool(found(stats, "clock_change")) == is_clock
    other = figures_of(("m", points), ("n", every(15, WAVE * 5)), target=(1, 2))
    assert found(other, "clock_change") == []


def one_series(points: Points) -> list[str]:
    rows = [(1, round(second * 1e6)) for second, _ in points]
    schema = {"target_id": pl.Int32, "ts_us": pl.Int64}
    scrapes = scrapes_of(pl.DataFrame(rows, schema=schema, orient="row"))
    return [text for _, text in found(figures_of(("m", points)), "clock_change", scrapes)]


def jump(start_s: float, pause_s: float = 3600.0) -> Points:
    """An hour of samples every minute on both sides of a pause."""
    return every(60, WAVE, start_s) + every(60, WAVE, start_s + 3600 + pause_s)


def test_one_series_possibly_shows_a_clock() -> None:
    assert one_series(jump(SUNDAY + 3600)) == [
        "the only pause is one hour and one interval, from 2026-03-29 02:00:00 on, a Sunday: possibly clocks that"
        " go forward, if times are local"
    ]


@pytest.mark.parametrize(
    "points",
    [
        pytest.param(every(60, WAVE * 4, SUNDAY), id="clean"),
        pytest.param(jump(SUNDAY + 3600, 3000), id="no hour"),
        pytest.param(jump(SUNDAY + 3600, 7200), id="two hours"),
        pytest.param(jump(SUNDAY + 3600 + 86400), id="Monday"),
        pytest.param(jump(SUNDAY + 36000), id="by day"),
        pytest.param(jump(SUNDAY + 3600 + 13 * 7 * 86400), id="June"),
        pytest.param([*jump(SUNDAY + 3600), *every(60, WAVE, SUNDAY + 18000)], id="two pauses"),
    ],
)
def test_other_pauses_of_one_series_are_no_clock(points: Points) -> None:
    assert one_series(points) == []


RETURN = (round((SUNDAY + 10740) * 1e6), 1)


def test_an_hour_that_comes_again_is_a_clock() -> None:
    (finding,) = returned_clock([RETURN, RETURN], {"out_of_order": 2, "conflict": 60})
    assert (finding.code, finding.count) == ("clock_change", 2)
    assert finding.text == (
        "times go back by 1 h after 2026-03-29 02:59:00 UTC and through that time again, 2 times over all series,"
        " as when clocks go back"
    )
    assert "--tz" in finding.action


@pytest.mark.parametrize(
    ("returns", "counts"),
    [
        ([], {"out_of_order": 5}),
        ([RETURN], {"out_of_order": 5, "conflict": 60}),
        ([RETURN], {"out_of_order": 1, "duplicate": 60}),
        ([RETURN], {"out_of_order": 1, "duplicate": 60, "conflict": 1}),
    ],
)
def test_other_disorder_is_no_clock(returns: list[tuple[int, int]], counts: dict[str, int]) -> None:
    assert list(returned_clock(returns, counts)) == []


def test_values_that_rest_do_not_hide_a_clock() -> None:
    counts = {"out_of_order": 2, "duplicate": 60, "conflict": 20}
    assert len(list(returned_clock([RETURN, RETURN], counts))) == 1
