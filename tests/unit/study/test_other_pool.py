"""Counts in flight that follow the other pool's backlog."""

from __future__ import annotations

import numpy as np
import pytest

from signals.schema import Panel
from signals.series.synthetic import ar1, scale_noise, smeared, wandering_load
from signals.study.other_pool import moved_by_other_pool, other_pool_note
from signals.study.panel import Observed, choose_loads
from signals.study.scorecard import observe_signal
from signals.study.specimen import panel_of

TICKS, TICK_S = 360, 15.0


def _fleet(rng: np.random.Generator, held: float, own: float = 0.0) -> Panel:
    """Prefill holds `held` of the requests that wait for decode, and `own` of its own kind of surplus.

    The backlogs come and go by their own causes and by load above what the pool can do.
    """
    load = 100 * wandering_load(TICKS, phi=0.98, spread=0.4, rng=rng)
    over = np.maximum(load / np.quantile(load, 0.6) - 1, 0)
    waits = np.maximum(100 * over + 25 * ar1(TICKS, 0.9, rng), 0)
    waits_here = np.maximum(100 * over + 25 * ar1(TICKS, 0.9, rng), 0)
    base = smeared(scale_noise(0.2 * load, 0.2, rng), 2.0)
    running = base + held * waits + own * waits_here
    return panel_of(
        {
            "service:offered_prompt_tps": load,
            "prefill:running": running,
            "prefill:queue_depth": waits_here,
            "decode:queue_depth": waits,
            "decode:running": smeared(scale_noise(0.5 * load, 0.2, rng), 8.0),
        },
        TICK_S,
    )


def _observed(panel: Panel, name: str) -> Observed:
    column = panel.column(name)
    assert column is not None
    return observe_signal(panel, column, choose_loads(panel)[0])[0]


def _found(panel: Panel, name: str = "prefill:running") -> bool:
    found = moved_by_other_pool(panel, _observed(panel, name))
    return found is not None and found.partial > 0.5


def test_prefill_that_holds_what_waits_for_decode_is_found(rng: np.random.Generator) -> None:
    """In 38 of 40 fleets at least, and the note names whose backlog it is."""
    panels = [_fleet(rng, held=0.7) for _ in range(40)]
    assert sum(map(_found, panels)) >= 38
    observed = _observed(panels[0], "prefill:running")
    note = other_pool_note(observed, moved_by_other_pool(panels[0], observed))
    assert note is not None
    assert note.code == "other_pool_moves_it"
    assert "decode:queue_depth" in note.text


@pytest.mark.parametrize("own", [0.0, 0.7])
def test_pools_that_share_only_load_are_not_accused(rng: np.random.Generator, own: float) -> None:
    """Both backlogs come with load above capacity; at most 4 of 60 fleets are named wrongly."""
    assert sum(_found(_fleet(rng, held=0.0, own=own)) for _ in range(60)) <= 4


def test_only_counts_in_flight_of_two_pools_with_a_backlog_are_looked_at(
    rng: np.random.Generator,
) -> None:
    """No queue that moves, too few ticks, another kind of signal: nothing is said."""
    panel = _fleet(rng, held=0.7)
    assert moved_by_other_pool(panel, _observed(panel, "prefill:queue_depth")) is None
    still = Panel(panel.service, TICK_S, panel.frame, panel.columns)
    still = Panel(
        still.service,
        TICK_S,
        still.frame.with_columns(
            (0 * still.frame["decode:queue_depth"]).alias("decode:queue_depth")
        ),
        still.columns,
    )
    assert moved_by_other_pool(still, _observed(still, "prefill:running")) is None
    short = Panel(panel.service, TICK_S, panel.frame.head(119), panel.columns)
    assert moved_by_other_pool(short, _observed(short, "prefill:running")) is None
    assert other_pool_note(_observed(panel, "prefill:running"), None) is None
