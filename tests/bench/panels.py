"""The panel that benches of the study score: signals of every kind under a load that has everything."""

from __future__ import annotations

import numpy as np

from signals.catalog import SIGNALS
from signals.schema import Panel
from signals.series.grid import DAY_S
from signals.series.synthetic import daily_load, scale_noise, stepped_load
from signals.study.specimen import panel_of

__all__ = ["CANDIDATES", "busy_pool"]

CANDIDATES = tuple(s.name for s in SIGNALS if s.role not in {"capacity", "load"})[:20]
_STEPS = 24


def busy_pool(days: float, tick_s: float, names: tuple[str, ...] = CANDIDATES) -> Panel:
    """A decode pool whose load has a daily shape, departs from it, and jumps now and then.

    Args:
        days: span.
        tick_s: grid width, seconds.
        names: signals, of elasticities 0.4 to 1.1, lags of 0 to 4 ticks and noise of 2 to 7 %.

    Returns:
        The load, the instance count (which changes once), and the signals.
    """
    rng = np.random.default_rng(5)
    count = round(days * DAY_S / tick_s)
    at = np.sort(rng.choice(np.arange(60, count - 60), size=_STEPS, replace=False))
    heights = np.where(np.arange(_STEPS + 1) % 2, 1.5, 1.0)
    day = daily_load(count, tick_s, trough=0.25, wander=0.25, phi=0.995, rng=rng)
    load = 50_000 * day * stepped_load(count, at.tolist(), heights.tolist())
    ready = stepped_load(count, [count // 2], [10.0, 14.0])
    scopes = {s.name: s.scope for s in SIGNALS}
    values = {"service:offered_output_tps": load, "decode:ready": ready}
    for place, name in enumerate(names):
        driven = load if scopes[name] == "total" else load / ready
        late = np.concatenate((np.full(place % 5, driven[0]), driven))[:count]
        clean = (late / late.mean()) ** (0.4 + 0.1 * (place % 8))
        values[f"decode:{name}"] = scale_noise(clean, 0.02 + 0.01 * (place % 6), rng)
    return panel_of(values, tick_s)
