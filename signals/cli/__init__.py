"""The command line: argv in, one use case, text or JSON out, an exit code."""

from __future__ import annotations

from signals.cli.app import main

__all__ = ["main"]
