"""Findings told of a fleet, or a pool of it, that is silent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl
import pytest

from signals.store.quality import Scrapes, scrapes_of, series_findings
from tests.unit.store.quality.figures_of import Points, every, figures_of

WAVE = [float(i % 7) for i in range(60)]
WHOLE = every(15, WAVE * 4)
"""An hour."""
PAUSED = [point for point in WHOLE if not 1000 < point[0] < 2000]
SHORT = [point for point in WHOLE if not 1000 < point[0] < 1050]
CODES = {"scale_to_zero_gap", "sampling_gap"}


def told(
    *targets: Points, pools: Sequence[str] = (), family: str = "engine", outside: Sequence[int] = ()
) -> list[tuple[str, str, int, str]]:
    numbers = range(1, len(targets) + 1)
    stats = figures_of(*(("m", points) for points in targets), target=numbers, family=family)
    rows = [
        (n, round(t * 1e6)) for n, points in zip(numbers, targets, strict=True) for t, _ in points
    ]
    schema = {"target_id": pl.Int32, "ts_us": pl.Int64}
    found = scrapes_of(pl.DataFrame(rows, schema=schema, orient="row"))
    known = zip(numbers, pools or ["unified"] * len(targets), strict=True)
    placed = pl.DataFrame(
        [(number, pool, number in outside) for number, pool in known],
        schema=Scrapes.even().pools.schema,
        orient="row",
    )
    findings = series_findings(stats, replace(found, pools=placed))
    return [(f.code, f.subject, f.count, f.text) for f in findings if f.code in CODES]


@pytest.mark.parametrize("same_pods", [True, False])
def test_a_fleet_at_zero_leaves_a_hole(same_pods: bool) -> None:
    before, after = every(15, WAVE), every(15, WAVE, 5000)
    targets = (before + after, before + after) if same_pods else (before, after)
    assert told(*targets)[0] == (
        "scale_to_zero_gap", "", 1, "no instance reports once, for up to 68.6 min"
    )  # fmt: skip


def test_one_pod_that_stays_fills_the_hole() -> None:
    assert [code for code, *_ in told(PAUSED, WHOLE)] == ["sampling_gap"]


def test_what_is_no_instance_does_not_count() -> None:
    assert [code for code, *_ in told(PAUSED, family="gateway")] == ["sampling_gap"]


def test_a_pool_at_zero_is_named_instead_of_each_of_its_targets() -> None:
    assert told(PAUSED, PAUSED, WHOLE, pools=("prefill", "prefill", "decode")) == [
        (
            "scale_to_zero_gap",
            "prefill",
            1,
            "no prefill instance reports while others do, once, for up to 17 min",
        )
    ]


def test_instances_of_a_pool_that_follow_each_other_with_a_pause() -> None:
    old, new = ([p for p in PAUSED if (p[0] < 1500) == side] for side in (True, False))
    found = told(old, new, WHOLE, pools=("prefill", "prefill", "decode"))
    assert [(code, subject, count) for code, subject, count, _ in found] == [
        ("scale_to_zero_gap", "prefill", 1)
    ]


@pytest.mark.parametrize(
    ("targets", "pools", "codes"),
    [
        pytest.param((WHOLE, WHOLE), ("prefill", "decode"), [], id="clean"),
        pytest.param((PAUSED, WHOLE, WHOLE), ("prefill", "prefill", "decode"), ["sampling_gap"], id="one is left"),
        pytest.param((SHORT, WHOLE), ("prefill", "decode"), ["sampling_gap"], id="short"),
        pytest.param((WHOLE[:60], WHOLE), ("prefill", "decode"), [], id="ends early"),
        pytest.param((PAUSED, PAUSED), ("prefill", "decode"), ["scale_to_zero_gap", "sampling_gap"], id="whole fleet"),
    ],
)  # fmt: skip
def test_what_is_no_pool_at_zero(
    targets: Sequence[Points], pools: Sequence[str], codes: Sequence[str]
) -> None:
    found = told(*targets, pools=pools)
    assert [code for code, *_ in found] == codes
    assert {subject for _, subject, *_ in found} <= {""}


def test_what_speaks_for_a_pool_from_outside_does_not_fill_its_hole() -> None:
    found = told(PAUSED, WHOLE, WHOLE, pools=("prefill", "prefill", "decode"), outside=(2,))
    assert [(code, subject) for code, subject, *_ in found] == [("scale_to_zero_gap", "prefill")]


def test_a_longer_gap_of_one_target_is_told_beside() -> None:
    long = [point for point in WHOLE if not 400 < point[0] < 2600]
    found = told(PAUSED, long, WHOLE, pools=("prefill", "prefill", "decode"))
    assert [(code, count) for code, _, count, _ in found] == [
        ("scale_to_zero_gap", 1),
        ("sampling_gap", 1),
    ]
