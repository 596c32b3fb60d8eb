"""The most memory that this process held since a moment."""

from __future__ import annotations

import re
import resource
import sys
from contextlib import suppress
from pathlib import Path

__all__ = ["forget_peak", "peak_bytes"]

_FORGET = Path("/proc/self/clear_refs")
_STATUS = Path("/proc/self/status")
_PEAK = re.compile(r"VmHWM:\s+(\d+) kB")


def forget_peak() -> None:
    """Begin anew, where the system can; elsewhere the peak is that of the whole process."""
    with suppress(OSError):
        _FORGET.write_text("5")


def peak_bytes() -> int:
    """Most memory held since `forget_peak`, bytes."""
    with suppress(OSError):
        found = _PEAK.search(_STATUS.read_text())
        if found is not None:
            return int(found[1]) * 1024
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
