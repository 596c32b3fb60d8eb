"""Policies on a simulated fleet: visibility, the tick loop, accounting."""

from __future__ import annotations

from signals.replay.compare import run_backtest
from signals.replay.pressure import Pressure, pressure_test
from signals.replay.settings import ReplaySettings

__all__ = ["Pressure", "ReplaySettings", "pressure_test", "run_backtest"]
