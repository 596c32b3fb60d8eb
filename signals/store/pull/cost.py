"""What a pull would cost, asked before it is done: series and samples, counted by the server."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil

from signals.store.pull.client import Client
from signals.store.pull.faults import TooMuch
from signals.store.pull.plan import Window, range_selector, widest
from signals.store.pull.selection import Selection
from signals.store.pull.selector import quoted, with_matchers

__all__ = ["Cost", "count_cost"]

_PROBES = 4
_PROBE_MS = 3_600_000
_METRICS_AT_ONCE = 20
_SAMPLE_BYTES = 26  # [1760000000.123,"12345.6"] and its comma
_SERIES_BYTES = 400


@dataclass(frozen=True)
class Cost:
    """What one selection would cost.

    Attributes:
        selection: what would be asked.
        example: the query as it would be sent first.
        windows: time still to be asked, half-open windows.
        series: most series seen at one of the probes; None if the server could not count.
        samples: samples in all; None if the server could not count.
        exact: True if the whole time was counted rather than probed.
        answer_bytes: about the size of all answers; None if unknown.
        questions: about the number of questions; None if unknown.
    """

    selection: Selection
    example: str
    windows: tuple[Window, ...]
    series: int | None = None
    samples: int | None = None
    exact: bool = False
    answer_bytes: int | None = None
    questions: int | None = None


def count_cost(
    client: Client, selection: Selection, windows: Sequence[Window], *, aim_bytes: int
) -> Cost:
    """Count what a pull of some windows would bring.

    Short times are counted whole; of longer ones four probes of an hour, spread evenly, are counted and the rest
    is taken to be like them. Where all four miss what there is, it is little enough to be counted whole.

    Args:
        client: asks the server.
        selection: what would be pulled.
        windows: sorted, without overlap.
        aim_bytes: wanted size of an answer.
    """
    spent = sum(window.width_ms for window in windows)
    example = range_selector(selection.query, windows[0])[0] if windows else ""
    if selection.step_ms:
        return _of_expression(selection, windows, spent)
    probes = list(_probes(windows, spent))
    probed = sum(probe.width_ms for probe in probes)
    try:
        counts = [_count(client, selection, probe) for probe in probes]
        if probed < spent and not any(samples for _, samples in counts):
            counts = [_count(client, selection, window) for window in windows]
            probed = spent
    except TooMuch:
        return Cost(selection, example, tuple(windows))
    series = max((one for one, _ in counts), default=0)
    samples = sum(two for _, two in counts)
    if probed < spent:
        samples = round(samples * spent / max(probed, 1))
    size = samples * _SAMPLE_BYTES
    questions = max(ceil(size / aim_bytes), len(windows), ceil(spent / widest(0)))
    return Cost(
        selection,
        example,
        tuple(windows),
        series,
        samples,
        probed >= spent,
        size + questions * series * _SERIES_BYTES,
        questions,
    )


def _of_expression(selection: Selection, windows: Sequence[Window], spent: int) -> Cost:
    questions = sum(ceil(window.width_ms / widest(selection.step_ms)) for window in windows)
    points = spent // selection.step_ms
    return Cost(
        selection,
        selection.query,
        tuple(windows),
        questions=max(questions, 1 if points else 0),
    )


def _probes(windows: Sequence[Window], spent: int) -> Iterable[Window]:
    """Windows to count: everything if it is short, else an hour out of each quarter."""
    if spent <= _PROBES * _PROBE_MS:
        yield from windows
        return
    for number in range(_PROBES):
        # the middle of each quarter, measured along the time that is asked
        at = spent * (2 * number + 1) // (2 * _PROBES) - _PROBE_MS // 2
        for window in windows:
            if at < window.width_ms:
                begin = window.start_ms + at
                yield Window(begin, min(begin + _PROBE_MS, window.end_ms))
                break
            at -= window.width_ms


def _count(client: Client, selection: Selection, window: Window) -> tuple[int, int]:
    """Series and samples of a window."""
    series = _total(client, selection, window, "count")
    return series, _total(client, selection, window, "sum")


def _total(client: Client, selection: Selection, window: Window, gather: str) -> int:
    """Counts per metric, added up: a count over several metrics at once would mix their series."""
    metrics = selection.metrics or client.label_values("__name__", selection.query, window)
    selectors = [
        with_matchers(selection.query, [f"__name__={quoted(metric)}"]) for metric in metrics
    ]
    total = 0
    for first in range(0, len(selectors), _METRICS_AT_ONCE):
        terms = [
            f"label_replace({gather}(count_over_time({range_selector(one, window)[0]})),"
            f'"part","{number}","","")'
            for number, one in enumerate(selectors[first : first + _METRICS_AT_ONCE])
        ]
        total += sum(client.counts(" or ".join(terms), window.end_ms - 1))
    return total
