"""Series whose truth is known: loads of a chosen character, and signals with a chosen lag, response and noise.

Everything is a pure function of its arguments and the generator that is passed in. Positions are ticks, and
nothing here knows what a signal is.
"""

from __future__ import annotations

from signals.series.synthetic.delays import completion_counter, delayed, smeared
from signals.series.synthetic.gaps import drop_runs, drop_stretch, drop_ticks, stale
from signals.series.synthetic.loads import (
    bursty_load,
    daily_load,
    stepped_load,
    wandering_load,
    weekly_load,
)
from signals.series.synthetic.noise import add_ar_noise, add_noise, ar1, noise_sigma, scale_noise
from signals.series.synthetic.responses import (
    clipped,
    hysteretic,
    idle_offset,
    plateau,
    power_response,
    saturating,
    two_segments,
)
from signals.series.synthetic.scaler import HeldFleet, hold_load

__all__ = [
    "HeldFleet",
    "add_ar_noise",
    "add_noise",
    "ar1",
    "bursty_load",
    "clipped",
    "completion_counter",
    "daily_load",
    "delayed",
    "drop_runs",
    "drop_stretch",
    "drop_ticks",
    "hold_load",
    "hysteretic",
    "idle_offset",
    "noise_sigma",
    "plateau",
    "power_response",
    "saturating",
    "scale_noise",
    "smeared",
    "stale",
    "stepped_load",
    "two_segments",
    "wandering_load",
    "weekly_load",
]
