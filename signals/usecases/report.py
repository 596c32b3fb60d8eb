"""Write the report of a service: its scorecard, the evidence, and its backtests."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["Written", "sentence", "write", "write_tear_sheets"]

Progress = Callable[[str, float], None]
