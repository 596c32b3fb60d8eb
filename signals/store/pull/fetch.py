"""Windows of a selection, one question after the other, as wide as the size of answers allows."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from signals.store.pull.answer import Answer
from signals.store.pull.client import Client
from signals.store.pull.faults import Stopped, TooMuch
from signals.store.pull.plan import FIRST_WIDTH_MS, Window, halved, next_width, widest
from signals.store.pull.selection import Selection
from signals.store.pull.spool import Spool

__all__ = ["Fetched", "fetch"]

_MOST_SLOW = 6


@dataclass(frozen=True)
class Fetched:
    """One window that was answered.

    Attributes:
        selection: what was asked.
        window: for which time.
        path: the answer's file; None if it held no sample.
        answer_bytes: bytes that arrived.
        samples: samples in it.
        interval_s: closest spacing of samples; None if unknown.
        warnings: what the server warned of.
    """

    selection: Selection
    window: Window
    path: Path | None
    answer_bytes: int
    samples: int
    interval_s: float | None
    warnings: tuple[str, ...] = ()


def fetch(
    client: Client,
    spool: Spool,
    selection: Selection,
    windows: Sequence[Window],
    *,
    aim_bytes: int,
    stop: threading.Event,
) -> Iterator[Fetched]:
    """Ask for windows and keep the answers.

    Args:
        client: asks the server.
        spool: keeps answers.
        selection: what is asked.
        windows: sorted, without overlap.
        aim_bytes: wanted size of an answer; windows grow and shrink towards it.
        stop: set to end after the window under way.

    Yields:
        One `Fetched` per window, when its file is complete.

    Raises:
        InputError: the server cannot be asked, or not even for the shortest window.
        Stopped: `stop` was set.
    """
    step_ms = selection.step_ms
    width = min(max(FIRST_WIDTH_MS, step_ms), widest(step_ms))
    for window in windows:
        at = window.start_ms
        while at < window.end_ms:
            if stop.is_set():
                raise Stopped
            part, answer, size = _narrowing(client, selection, Window(at, window.end_ms), width)
            path = spool.write(selection, part, answer.text) if answer.samples else None
            yield Fetched(
                selection, part, path, size, answer.samples, answer.interval_s, answer.warnings
            )
            at = part.end_ms
            # the last part of a window may be short, which says nothing against a wide one
            asked = min(width, part.width_ms) if at < window.end_ms else width
            width = next_width(asked, size * asked // part.width_ms, aim_bytes, step_ms=step_ms)


def _narrowing(
    client: Client, selection: Selection, rest: Window, width_ms: int
) -> tuple[Window, Answer, int]:
    """The first part of a window, halved until the server answers."""
    slow = 0
    while True:
        part = Window(rest.start_ms, min(rest.start_ms + width_ms, rest.end_ms))
        try:
            answer, size = client.matrix(selection.query, part, step_ms=selection.step_ms)
        except TooMuch as error:
            slow += error.slow
            width_ms = halved(part.width_ms, step_ms=selection.step_ms)
            if not width_ms or slow >= _MOST_SLOW:
                raise error.error from error
        else:
            return part, answer, size
