"""Findings told from when samples were taken."""

from __future__ import annotations

import polars as pl

from signals.store.quality import series_findings
from tests.unit.store.quality.figures_of import every, figures_of

WAVE = [float(i % 7) for i in range(60)]


def found(stats: pl.DataFrame, code: str) -> list[tuple[int, str]]:
    return [(f.count, f.text) for f in series_findings(stats) if f.code == code]


def test_intervals_that_differ_between_series() -> None:
    stats = figures_of(("m", every(15, WAVE)), ("m", every(30, WAVE)), target=(1, 2))
    assert found(stats, "mixed_intervals") == [(2, "series of m are sampled every 15 s to 30 s")]
    jitter = figures_of(("m", every(15, WAVE)), ("m", every(15.2, WAVE)), target=(1, 2))
    assert found(jitter, "mixed_intervals") == []


def test_short_lives_are_churn() -> None:
    lives = [("m", every(15, WAVE[:8], 150.0 * number)) for number in range(12)]
    ((count, text),) = found(figures_of(*lives, target=range(12)), "label_churn")
    assert count == 12
    assert text.startswith("m has 12 series")
    stay = [("m", every(15, WAVE)) for _ in range(12)]
    assert found(figures_of(*stay, target=range(12)), "label_churn") == []
