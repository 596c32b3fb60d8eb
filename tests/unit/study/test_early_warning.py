"""Signals that reach their limit before latency rises."""

from __future__ import annotations

import numpy as np

from signals.schema import Panel, PanelColumn
from signals.series.synthetic import ar1
from signals.study.early_warning import early_warning, early_warning_note
from signals.study.specimen import panel_of

TICKS, TICK_S = 720, 15.0


def _day(rng: np.random.Generator, lead: int | None, rises: int = 6) -> tuple[Panel, PanelColumn]:
    """Latency rises for five minutes at a time; KV usage fills `lead` ticks before, or whenever it likes."""
    grid = np.linspace(60, TICKS - 60, rises).astype(int) + rng.integers(-15, 16, rises)
    starts = grid if lead is not None else rng.integers(60, TICKS - 60, rises)
    ttft, usage = np.full(TICKS, 0.3), np.full(TICKS, 0.5)
    for at in grid:
        ttft[at : at + 20] = 4.0
    for at in starts - (lead or 0):
        usage[at : at + 24] = 0.97
    ttft *= np.exp(0.1 * rng.standard_normal(TICKS))
    usage = np.clip(usage + 0.01 * ar1(TICKS, 0.5, rng), 0, 1)
    panel = panel_of({"decode:kv_usage": usage, "decode:ttft_p50": ttft}, TICK_S)
    return panel, panel.columns[0]


def _warns(panel: Panel, column: PanelColumn) -> bool:
    return early_warning_note(column, early_warning(panel, column)) is not None


def test_a_cache_that_fills_two_minutes_before_warns(rng: np.random.Generator) -> None:
    """All six times, by the minutes it was made with; the note says so."""
    panel, column = _day(rng, lead=8)
    found = early_warning(panel, column)
    assert found is not None
    assert (found.rises, found.warned, found.alarms) == (6, 6, 6)
    assert all(90 <= lead <= 135 for lead in found.leads_s)
    note = early_warning_note(column, found)
    assert note is not None
    assert "6 of 6 rises" in note.text
    assert "prove little" not in note.text


def test_three_rises_are_told_with_a_warning(rng: np.random.Generator) -> None:
    """They suffice to say what happened, not that it will again."""
    panel, column = _day(rng, lead=8, rises=3)
    note = early_warning_note(column, early_warning(panel, column))
    assert note is not None
    assert "prove little" in note.text
    assert early_warning(*_day(rng, lead=8, rises=2)) is None


def test_a_cache_that_fills_afterwards_does_not_warn(rng: np.random.Generator) -> None:
    """It is as high as one that fills before, for as long."""
    assert not any(_warns(*_day(rng, lead=-6)) for _ in range(20))


def test_unrelated_fillings_seldom_pass_for_a_warning(rng: np.random.Generator) -> None:
    """At most 4 of 60 by chance, where 5 % are allowed."""
    assert sum(_warns(*_day(rng, lead=None)) for _ in range(60)) <= 4


def test_other_signals_and_fleets_without_latency_are_not_looked_at(
    rng: np.random.Generator,
) -> None:
    """A latency does not warn of itself; a constant reaches nothing."""
    panel, column = _day(rng, lead=8)
    assert early_warning(panel, panel.columns[1]) is None
    assert early_warning(panel_of({"decode:kv_usage": np.ones(TICKS)}, TICK_S), column) is None
    flat = panel_of(
        {
            "decode:queue_depth": np.zeros(TICKS),
            "decode:ttft_p50": panel.frame["decode:ttft_p50"].to_numpy(),
        },
        TICK_S,
    )
    assert early_warning(flat, flat.columns[0]) is None
