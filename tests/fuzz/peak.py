"""What memory a process holds, and the most that this one held since a moment."""

from __future__ import annotations

import re
import resource
import sys
from contextlib import suppress
from pathlib import Path

__all__ = ["forget_peak", "held_bytes", "peak_bytes"]

_FORGET = Path("/proc/self/clear_refs")
_STATUS = Path("/proc/self/status")
_HELD = re.compile(r"VmRSS:\s+(\d+) kB")
_PEAK = re.compile(r"VmHWM:\s+(\d+) kB")


def forget_peak() -> None:
    """Begin anew, where the system can; elsewhere the peak is that of the whole process."""
    with suppress(OSError):
        _FORGET.write_text("5")


def held_bytes(process: int) -> int:
    """What a process holds now, bytes; 0 if it has ended, or the system does not say."""
    with suppress(OSError):
        found = _HELD.search(Path(f"/proc/{process}/status").read_text())
        return int(found[1]) * 1024 if found else 0
    return 0


def peak_bytes() -> int:
    """Most memory held since `forget_peak`, bytes."""
    with suppress(OSError):
        found = _PEAK.search(_STATUS.read_text())
        if found is not None:
            return int(found[1]) * 1024
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
