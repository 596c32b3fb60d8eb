"""Invariants of the whole study.

1. Whatever the series hold (missing, constant, zero, negative, infinite, spikes), every signal gets a score
   with every measure, and nothing is raised or warned of.
2. An interval holds its value; a measure without a value says why.
3. Ranks inside a class are 1, 2, 3, ...; too little data and the load itself have none.
4. Scoring a signal beside others, or in another order, changes nothing about it.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from signals.schema import TIMESTAMP, Estimate, Panel, PanelColumn
from signals.series.synthetic import daily_load
from signals.study.score import MEASURES, Scorecard
from signals.study.scorecard import evaluate_panel

LOAD = "service:request_rate"
NAMES = ("gpu_util", "ttft_p99", "queue_depth", "decode_tps", "unheard_of")
OF_THE_COMPANY = {"pearson", "spearman", "distance_corr", "partial", "granger", "redundancy"}
"""Measures whose p-values are corrected for the number of signals, and the one that compares signals."""
SHAPES = (
    "follows", "missing", "holes", "constant", "zero", "negative", "infinite", "spike", "late", "white"
)  # fmt: skip


def _series(shape: str, load: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    count = len(load)
    tricks = {
        "follows": load,
        "missing": np.full(count, np.nan),
        "holes": np.where(rng.random(count) < 0.3, np.nan, load),
        "constant": np.full(count, 0.7),
        "zero": np.zeros(count),
        "negative": -load,
        "infinite": np.where(rng.random(count) < 0.05, np.inf, load),
        "spike": np.where(np.arange(count) == count // 2, 1e6, load),
        "late": np.roll(load, 5),
        "white": rng.standard_normal(count),
    }
    return tricks[shape]


@st.composite
def panels(draw: st.DrawFn) -> Panel:
    """A service of one pool with odd signals, an odd load and perhaps instance counts."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    count = draw(st.sampled_from([1, 2, 7, 30, 119, 121, 300, 700]))
    tick_s = draw(st.sampled_from([15.0, 60.0, 700.0]))
    load = 100 * daily_load(count, tick_s, wander=0.2, rng=rng)
    values = {LOAD: _series(draw(st.sampled_from(SHAPES)), load, rng)}
    for name in NAMES:
        values[f"decode:{name}"] = _series(draw(st.sampled_from(SHAPES)), load, rng)
    if draw(st.booleans()):
        values["decode:ready"] = rng.integers(0, 4, count).astype(float)
    # a load without a single value cannot be chosen: that is an error of its own
    if not np.isfinite(values[LOAD]).any():
        values[LOAD] = load
    return _panel(tick_s, values)


def _panel(tick_s: float, values: dict[str, np.ndarray]) -> Panel:
    first = datetime(2025, 1, 1, tzinfo=UTC)
    count = len(values[LOAD])
    ticks = [first + timedelta(seconds=tick_s * (i + 1)) for i in range(count)]
    columns = []
    for name in values:
        pool, signal = name.split(":")
        total = signal in {"request_rate", "queue_depth", "decode_tps", "ready"}
        scope = "total" if total else "average"
        columns.append(PanelColumn(name, pool, signal, "count", scope, (f"{signal}@{pool}",)))
    series = [pl.Series(name, column, nan_to_null=True) for name, column in values.items()]
    frame = pl.DataFrame([pl.Series("tick", ticks).cast(TIMESTAMP), *series])
    return Panel("svc", tick_s, frame, tuple(columns))


def _holds(estimate: Estimate) -> bool:
    extra = [value for value in estimate.extra.values() if isinstance(value, float)]
    if not np.isfinite(extra).all():
        return False
    if estimate.value is None:
        return bool(estimate.reason)
    if estimate.low is None or estimate.high is None:
        return np.isfinite(estimate.value)
    return np.isfinite([estimate.low, estimate.value, estimate.high]).all() and (
        estimate.low <= estimate.high
    )


def _check_ranks(card: Scorecard) -> None:
    for verdict in {score.verdict for score in card.signals}:
        members = [score for score in card.signals if score.verdict == verdict]
        ranks = [score.rank for score in members if score.rank is not None]
        assert ranks == list(range(1, len(ranks) + 1))
        assert all(score.rank is None for score in members if score.identity)
        if verdict == "insufficient_data":
            assert not ranks


@settings(max_examples=25, deadline=None)
@given(panel=panels())
def test_odd_series_get_scores(panel: Panel) -> None:
    """Invariants 1 to 3."""
    card = evaluate_panel(panel)
    assert len(card.signals) == len(NAMES) + 1
    declared = {spec.name for spec in MEASURES}
    for score in card.signals:
        assert set(score.measures) == declared
        for name, estimate in score.measures.items():
            assert _holds(estimate), (score.signal, name, estimate)
        assert score.reasons
    _check_ranks(card)
    assert card.headline.endswith(".")


@settings(max_examples=5, deadline=None)
@given(panel=panels(), order=st.permutations(range(len(NAMES))))
def test_company_and_order_change_no_score(panel: Panel, order: list[int]) -> None:
    """Invariant 4."""
    load, *signals = panel.columns
    ready = [c for c in signals if c.signal == "ready"]
    shuffled = (load, *(signals[i] for i in order), *ready)
    frame = panel.frame.select("tick", *(c.name for c in shuffled))
    there = evaluate_panel(Panel("svc", panel.tick_s, frame, shuffled))
    alone = evaluate_panel(panel, signals=("decode:gpu_util",)).signals[0]
    beside = next(s for s in there.signals if s.signal == "decode:gpu_util")
    assert beside.verdict == alone.verdict
    for name in {spec.name for spec in MEASURES} - OF_THE_COMPANY:
        assert beside.measures[name] == alone.measures[name]
