"""Which windows of time are asked, how wide, and in which words: integers in, integers out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

__all__ = [
    "FIRST_WIDTH_MS",
    "LEAST_WIDTH_MS",
    "Window",
    "aligned",
    "gaps",
    "halved",
    "next_width",
    "range_selector",
    "seconds_text",
    "union",
    "widest",
]

FIRST_WIDTH_MS = 300_000
"""Width of the first question, while nothing is known about the size of answers, milliseconds."""
LEAST_WIDTH_MS = 1_000
_MOST_WIDTH_MS = 30 * 86_400_000
_MOST_POINTS = 10_000  # servers refuse range queries of more than 11,000 per series
_GROWTH = 4
_MARGIN = 0.8


@dataclass(frozen=True, slots=True, order=True)
class Window:
    """A half-open stretch of time [start, end), milliseconds since 1970."""

    start_ms: int
    end_ms: int

    @property
    def width_ms(self) -> int:
        """Milliseconds from start to end."""
        return self.end_ms - self.start_ms


def union(windows: Iterable[Window]) -> list[Window]:
    """The same time as sorted windows that neither touch nor overlap; empty ones vanish."""
    merged: list[Window] = []
    for window in sorted(one for one in windows if one.width_ms > 0):
        if merged and window.start_ms <= merged[-1].end_ms:
            last = merged[-1]
            merged[-1] = Window(last.start_ms, max(last.end_ms, window.end_ms))
        else:
            merged.append(window)
    return merged


def gaps(asked: Window, covered: Iterable[Window]) -> list[Window]:
    """What of a window is not covered yet, sorted."""
    left: list[Window] = []
    at = asked.start_ms
    for window in union(covered):
        if window.end_ms <= at:
            continue
        if window.start_ms >= asked.end_ms:
            break
        if window.start_ms > at:
            left.append(Window(at, window.start_ms))
        at = window.end_ms
    if at < asked.end_ms:
        left.append(Window(at, asked.end_ms))
    return left


def widest(step_ms: int) -> int:
    """The widest window that may be asked at once, milliseconds.

    Args:
        step_ms: step of a range query, whose points per series servers limit; 0 for raw samples.
    """
    return min(_MOST_WIDTH_MS, _MOST_POINTS * step_ms) if step_ms else _MOST_WIDTH_MS


def next_width(width_ms: int, answer_bytes: int, aim_bytes: int, *, step_ms: int = 0) -> int:
    """The width whose answer should come close to the aim, at most four times the last one.

    Args:
        width_ms: width of the last window.
        answer_bytes: size of its answer.
        aim_bytes: wanted size.
        step_ms: step of a range query; 0 for raw samples.
    """
    fitting = _MARGIN * width_ms * aim_bytes / max(answer_bytes, 1)
    grown = int(min(fitting, _GROWTH * width_ms, widest(step_ms)))
    return max(grown, step_ms or LEAST_WIDTH_MS)


def halved(width_ms: int, *, step_ms: int = 0) -> int:
    """Half of a width; 0 if it is the least already."""
    least = step_ms or LEAST_WIDTH_MS
    return 0 if width_ms <= least else max(width_ms // 2, least)


def aligned(window: Window, step_ms: int) -> Iterator[int]:
    """First and last multiple of a step inside a window; nothing if there is none.

    The grid hangs on 1970, so that windows of separate pulls fall on the same points.
    """
    first = -(-window.start_ms // step_ms) * step_ms
    last = (window.end_ms - 1) // step_ms * step_ms
    if first <= last:
        yield from (first, last)


def range_selector(selector: str, window: Window) -> tuple[str, str]:
    """The instant query that returns the raw samples of a window.

    Asked at the window's last millisecond over its whole width, it covers exactly the window where the
    server's ranges are open to the left (Prometheus 3, VictoriaMetrics), and one millisecond more, which the
    reader of the answer cuts off, where they are closed (Prometheus 2).

    Returns:
        Query, and time in seconds.
    """
    return f"{selector.strip()}[{window.width_ms}ms]", seconds_text(window.end_ms - 1)


def seconds_text(moment_ms: int) -> str:
    """Seconds with three decimals, exact."""
    return f"{moment_ms // 1000}.{moment_ms % 1000:03d}"
