"""Findings told from the moments of scrapes."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
import pytest

from signals.store.quality import Scrapes, scrapes_of, series_findings, uneven_targets
from tests.unit.store.quality.figures_of import every, figures_of

WAVE = [float(i % 7) for i in range(60)]


def moments(*targets: Sequence[float]) -> pl.DataFrame:
    rows = [
        (number, round(second * 1e6))
        for number, seconds in enumerate(targets, 1)
        for second in sorted(seconds)
    ]
    return pl.DataFrame(rows, schema={"target_id": pl.Int32, "ts_us": pl.Int64}, orient="row")


def grid(step_s: float, count: int, start_s: float = 0.0) -> list[float]:
    return [start_s + step_s * number for number in range(count)]


def told(*targets: Sequence[float]) -> list[tuple[str, int, str]]:
    stats = figures_of(
        *(("m", [(t, 1.0) for t in seconds]) for seconds in targets),
        target=range(1, len(targets) + 1),
    )
    found = series_findings(stats, scrapes_of(moments(*targets)))
    return [
        (f.code, f.count, f.text) for f in found if f.code in {"sampling_gap", "mixed_intervals"}
    ]


def gaps(*targets: Sequence[float]) -> list[tuple[int, float, float]]:
    found = scrapes_of(moments(*targets)).gaps
    return [(t, begin / 1e6, end / 1e6) for t, begin, end in found.iter_rows()]


def test_gaps_are_counted_with_the_longest() -> None:
    holed = grid(15, 60) + grid(15, 60, 15 * 60 + 600) + grid(15, 60, 15 * 120 + 700)
    assert told(holed, grid(15, 180)) == [
        ("sampling_gap", 2, "1 of 2 targets have no samples 2 times, for up to 10.2 min")
    ]


def test_a_gap_lies_between_the_samples_around_it() -> None:
    assert gaps(grid(15, 180), grid(15, 20) + grid(15, 20, 400)) == [(2, 285.0, 400.0)]


@pytest.mark.parametrize("lost", [1, 2])
def test_up_to_two_and_a_half_spacings_are_no_gap(lost: int) -> None:
    times = [t for t in grid(15, 40) if not 300 <= t < 300 + 15 * lost]
    assert len(gaps(times)) == (lost > 1)


@pytest.mark.parametrize("offset_s", [0.4, 1.0, 2.5, 4.2, 7.4, 7.5])
@pytest.mark.parametrize("last", [0, 1])
def test_two_replicas_leave_no_gap(offset_s: float, last: int) -> None:
    """Short and long spacings take turns, so that their median is either."""
    second = [t + offset_s for t in grid(15, 200 - last)]
    assert told(grid(15, 200) + second) == []
    holed = [t for t in grid(15, 200) + second if not 1000 < t < 1100]
    assert len(gaps(holed)) == 1


def test_late_scrapes_are_no_gap() -> None:
    assert told([t + 3 * (number % 5) for number, t in enumerate(grid(15, 200))]) == []


@pytest.mark.parametrize(("first_s", "then_s"), [(15, 60), (60, 15), (15, 30)])
def test_an_interval_that_changes_is_no_gap(first_s: float, then_s: float) -> None:
    change_s = first_s * 79
    times = grid(first_s, 80) + grid(then_s, 80, change_s + then_s)
    minutes, seconds = divmod(change_s, 60)
    since = f"1970-01-01 {minutes // 60:02}:{minutes % 60:02}:{seconds:02} UTC"
    assert told(times) == [
        (
            "mixed_intervals",
            1,
            f"1 of 1 targets are sampled every {first_s} s, and every {then_s} s since {since}",
        )
    ]


def test_gaps_are_found_beside_a_change() -> None:
    times = grid(15, 80) + grid(60, 80, 15 * 79 + 60)
    holed = [t for t in times if not (300 < t < 400 or 3000 < t < 3400)]
    assert [code for code, _, _ in told(holed)] == ["sampling_gap", "mixed_intervals"]
    assert len(gaps(holed)) == 2


def test_what_happened_before_a_load_is_not_told_again() -> None:
    times = grid(15, 40) + grid(15, 40, 1000) + grid(60, 40, 1645)
    whole = scrapes_of(moments(times))
    assert (whole.gaps.height, whole.changes.height) == (1, 1)
    late = scrapes_of(moments(times), since_us=1_645_000_000)
    assert (late.gaps.height, late.changes.height) == (0, 1)
    later = scrapes_of(moments(times), since_us=2_500_000_000)
    assert (later.gaps.height, later.changes.height) == (0, 0)


def test_targets_are_looked_at_where_a_series_is_uneven() -> None:
    holed = every(15, WAVE) + every(15, WAVE, 15 * 60 + 600)
    doubled = sorted(every(15, WAVE) + every(15, WAVE, 4.2))
    faster = every(60, WAVE) + every(15, WAVE[:30], 3600)
    stats = figures_of(
        ("m", every(15, WAVE)), ("m", holed), ("n", every(15, WAVE)), ("m", doubled), ("m", faster),
        target=(1, 2, 2, 3, 4),
    )  # fmt: skip
    assert uneven_targets(stats)["target_id"].to_list() == [2, 3, 4]


def test_few_samples_say_nothing() -> None:
    assert told([0.0], [0.0, 15.0], [0.0, 15.0, 900.0]) == []


def test_targets_are_joined() -> None:
    one = scrapes_of(moments(grid(15, 20) + grid(15, 20, 400)))
    both = Scrapes.even().joined(one).joined(one)
    assert (both.gaps.height, both.changes.height) == (2, 0)
