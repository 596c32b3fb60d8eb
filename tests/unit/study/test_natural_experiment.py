"""Elasticity from changes of the instance count."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from signals.schema import Panel
from signals.series.synthetic import hold_load, scale_noise, wandering_load
from signals.study.natural_experiment import natural_elasticity, natural_experiment_note
from signals.study.panel import Observed, choose_loads
from signals.study.scorecard import evaluate_panel, observe_signal
from signals.study.specimen import panel_of

TICK_S = 60.0


def _loop(
    rng: np.random.Generator, exponent: float, *, ticks: int = 2880, lag: int = 0, size: float = 6.0
) -> Observed:
    """A fleet of about six instances whose scaler looks every ten minutes, and a signal of known elasticity."""
    load = 1000 * wandering_load(ticks, phi=0.998, spread=0.5, rng=rng)
    fleet = hold_load(load, float(load.mean()) / size, every=10)
    signal = 0.5 * (fleet.per_instance / fleet.per_instance.mean()) ** exponent
    late = np.concatenate([np.full(lag, signal[0]), signal[: ticks - lag]])
    panel = panel_of(
        {
            "service:offered_output_tps": load,
            "decode:ready": fleet.count,
            "decode:own": scale_noise(late, 0.03, rng),
        },
        TICK_S,
    )
    column = panel.column("decode:own")
    assert column is not None
    return observe_signal(panel, column, choose_loads(panel)[0])[0]


@pytest.mark.parametrize("exponent", [0.0, 0.5, 1.0, 2.0])
def test_interval_holds_the_truth(exponent: float) -> None:
    """In 88 to 100 % of 60 fleets, and the middle of the estimates is right within 0.05."""
    rng = np.random.default_rng(5)
    found = [natural_elasticity(_loop(rng, exponent), lag_s=0.0, rng=rng) for _ in range(60)]
    values = [e.value for e in found if e.value is not None]
    assert len(values) >= 55
    held = [e.low <= exponent <= e.high for e in found if e.low is not None and e.high is not None]
    assert np.mean(held) >= 0.88
    assert np.median(values) == pytest.approx(exponent, abs=0.05)


def test_a_late_signal_is_looked_at_later(rng: np.random.Generator) -> None:
    """Three ticks late: right with the lag known, far too small without."""
    observed = _loop(rng, 1.0, lag=3)
    right = natural_elasticity(observed, lag_s=180.0, rng=rng).value
    early = natural_elasticity(observed, lag_s=0.0, rng=rng).value
    assert right == pytest.approx(1.0, abs=0.15)
    assert early is not None
    assert early < 0.6


def test_too_few_changes_say_so(rng: np.random.Generator) -> None:
    """Half an hour has no five separate changes; a fixed or unknown fleet has none."""
    observed = _loop(rng, 1.0, ticks=30)
    found = natural_elasticity(observed, lag_s=0.0, rng=rng)
    assert (found.value, found.determined) == (None, False)
    assert "5 are needed" in found.reason
    note = natural_experiment_note(observed, found)
    assert found.reason in note.text
    assert note.action == ""


def test_changes_close_together_do_not_count(
    make_panel: Callable[..., Panel], rng: np.random.Generator
) -> None:
    """Every second minute another count: no change has three quiet minutes on both sides."""
    ticks = 240
    panel = make_panel(
        TICK_S,
        {
            "service:offered_output_tps": np.full(ticks, 100.0),
            "decode:ready": 4.0 + (np.arange(ticks) // 2) % 2,
            "decode:gpu_util": np.full(ticks, 0.5),
        },
    )
    column = next(column for column in panel.columns if column.signal == "gpu_util")
    observed, _ = observe_signal(panel, column, choose_loads(panel)[0])
    assert natural_elasticity(observed, lag_s=0.0, rng=rng).extra["changes"] == 0


def test_closed_loop_gets_the_note_on_its_scorecard(rng: np.random.Generator) -> None:
    """The scaler is named, and what its changes say stands beside it."""
    load = 1000 * wandering_load(2880, phi=0.998, spread=0.5, rng=rng)
    fleet = hold_load(load, float(load.mean()) / 6, every=10)
    util = 0.5 * fleet.per_instance / fleet.per_instance.mean()
    values = {
        "service:offered_output_tps": load,
        "decode:ready": fleet.count,
        "decode:sm_active": np.clip(scale_noise(util, 0.03, rng), 0, 1),
    }
    score = evaluate_panel(panel_of(values, TICK_S), signals=("sm_active",)).signals[0]
    assert "closed_loop" in {condition.code for condition in score.conditions}
    notes = {finding.code: finding.text for finding in score.findings}
    assert "changes of the instance count" in notes["natural_experiment"]
