"""A server's answer: checked, cut to its window, counted, and written as the loader reads it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from signals.store.pull.plan import Window

__all__ = ["Answer", "Garbled", "Partial", "data_of", "read_matrix"]


class Garbled(ValueError):  # noqa: N818 - what was received, not what to tell
    """What arrived is no answer of the API: cut short, or another program's."""


class Partial(ValueError):  # noqa: N818 - see above
    """The server says that it could not ask all its parts."""


@dataclass(frozen=True)
class Answer:
    """The samples of one window.

    Attributes:
        text: JSON, as `prometheus-matrix` reads it.
        samples: float samples inside the window.
        series: series that have some.
        native: native histograms inside the window.
        interval_s: closest spacing of one series' samples, the smallest over all series; None if unknown.
    """

    text: bytes
    samples: int
    series: int
    native: int
    interval_s: float | None


def data_of(body: bytes) -> tuple[Any, Mapping[str, Any]]:
    """The `data` of a successful answer, and the envelope around it.

    Raises:
        Garbled: it is none.
        Partial: the server says that parts are missing.
    """
    try:
        document = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise Garbled("no JSON") from error
    if not isinstance(document, dict) or document.get("status") != "success":
        raise Garbled("no answer of a Prometheus API")
    if document.get("isPartial") is True:
        raise Partial("the answer is partial")
    if "data" not in document:
        raise Garbled("no data")
    return document["data"], document


def read_matrix(body: bytes, window: Window) -> Answer:
    """Check an answer and keep what lies in the window.

    Args:
        body: JSON with a matrix.
        window: half-open; a server may have sent the millisecond before it.

    Raises:
        Garbled: it is no matrix.
        Partial: the server says that parts are missing.
    """
    data, document = data_of(body)
    try:
        if data["resultType"] != "matrix":
            raise Garbled(f"a {data['resultType']} instead of a matrix")
        kept = [_cut(series, window) for series in data["result"]]
    except (KeyError, TypeError, IndexError, ValueError, OverflowError) as error:
        raise Garbled(f"no matrix: {error}") from error
    filled = [series for series in kept if series["values"]]
    result = {
        "status": "success",
        "data": {"resultType": "matrix", "result": filled},
        **{name: document[name] for name in ("warnings", "infos") if document.get(name)},
    }
    return Answer(
        text=_written(result),
        samples=sum(len(series["values"]) for series in filled),
        series=len(filled),
        native=sum(len(series.get("histograms", ())) for series in kept),
        interval_s=_interval(series["values"] for series in filled),
    )


def _written(result: Mapping[str, Any]) -> bytes:
    try:
        return json.dumps(result, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        # halves of surrogate pairs, which JSON can only hold as escapes
        return json.dumps(result, separators=(",", ":")).encode()


def _cut(series: Mapping[str, Any], window: Window) -> dict[str, Any]:
    kept: dict[str, Any] = {"metric": dict(series["metric"])}
    for name in ("values", "histograms"):
        pairs = series.get(name) or []
        outside = pairs and not (
            window.start_ms <= _ms(pairs[0]) and _ms(pairs[-1]) < window.end_ms
        )
        if outside:
            pairs = [pair for pair in pairs if window.start_ms <= _ms(pair) < window.end_ms]
        if pairs or name == "values":
            kept[name] = pairs
    return kept


def _ms(pair: Any) -> int:  # noqa: ANN401 - JSON
    time, _value = pair
    return int(round(time * 1000))  # noqa: RUF046 - a number, but not yet known to be one


def _interval(all_pairs: Iterable[Any]) -> float | None:
    least = None
    for pairs in all_pairs:
        gaps = sorted(b[0] - a[0] for a, b in pairwise(pairs[:20]))
        if gaps and gaps[len(gaps) // 2] > 0:
            middle = gaps[len(gaps) // 2]
            least = middle if least is None else min(least, middle)
    return round(least, 3) if least else None
