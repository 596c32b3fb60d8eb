"""A server's answer: checked, cut to its window, counted, and written as the loader reads it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from signals.store.pull.plan import Window

__all__ = [
    "Answer",
    "Garbled",
    "Partial",
    "data_of",
    "read_counts",
    "read_matrix",
    "read_names",
]

_LISTS = ("values", "histograms")
_MOST_WARNINGS = 10
_MOST_COUNT = 1e15  # more than any server holds, and less than a float counts exactly


class Garbled(ValueError):  # noqa: N818 - what was received, not what to tell
    """What arrived is no answer of the API: cut short, or another program's."""


class Partial(ValueError):  # noqa: N818 - see above
    """The server says that it could not ask all its parts."""


@dataclass(frozen=True)
class Answer:
    """The samples of one window.

    Attributes:
        text: JSON, as `prometheus-matrix` reads it.
        samples: samples inside the window, native histograms among them.
        series: series that have some.
        interval_s: closest spacing of one series' samples, the smallest over all series; None if unknown.
        warnings: what the server warned of; the text has it, too.
    """

    text: bytes
    samples: int
    series: int
    interval_s: float | None
    warnings: tuple[str, ...] = ()


def data_of(body: bytes) -> tuple[Any, Mapping[str, Any]]:
    """The `data` of a successful answer, and the envelope around it.

    Raises:
        Garbled: it is none.
        Partial: the server says that parts are missing.
    """
    try:
        document = json.loads(body, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise Garbled("no JSON") from error
    if not isinstance(document, dict) or document.get("status") != "success":
        raise Garbled("no answer of a Prometheus API")
    if document.get("isPartial") is True:
        raise Partial("the answer is partial")
    if "data" not in document:
        raise Garbled("no data")
    return document["data"], document


def read_names(body: bytes) -> list[str]:
    """The names or values of a listing, in the order of the answer.

    Raises:
        Garbled: they are no texts that could be asked for.
        Partial: the server says that parts are missing.
    """
    names = data_of(body)[0]
    if names is None:  # how some servers write an empty list
        return []
    if not isinstance(names, list) or not all(map(_is_text, names)):
        raise Garbled("no list of texts")
    return names


def _is_text(value: object) -> bool:
    if not isinstance(value, str):
        return False
    try:
        value.encode()
    except UnicodeEncodeError:  # a half of a surrogate pair
        return False
    return True


def read_counts(body: bytes) -> list[int]:
    """The values of an instant query that counts, one for each of its series.

    Raises:
        Garbled: they are no counts.
        Partial: the server says that parts are missing.
    """
    data, _ = data_of(body)
    try:
        return [_count(row["value"]) for row in data["result"] or ()]
    except (KeyError, TypeError, IndexError, ValueError, OverflowError) as error:
        raise Garbled(f"no counts: {error}") from error


def _count(pair: Any) -> int:  # noqa: ANN401 - JSON
    _time, text = pair
    count = float(text)
    if not 0 <= count <= _MOST_COUNT:
        raise ValueError(f"{text} is none")
    return round(count)


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
    except (AttributeError, KeyError, TypeError, IndexError, ValueError, OverflowError) as error:
        raise Garbled(f"no matrix: {error}") from error
    filled = [series for series in kept if len(series) > 1]
    result = {
        "status": "success",
        "data": {"resultType": "matrix", "result": filled},
        **{name: document[name] for name in ("warnings", "infos") if document.get(name)},
    }
    return Answer(
        text=_written(result),
        samples=sum(len(series.get(name, ())) for series in filled for name in _LISTS),
        series=len(filled),
        interval_s=_interval(series.get("values", ()) for series in filled),
        warnings=_texts(document.get("warnings")),
    )


def _texts(warnings: object) -> tuple[str, ...]:
    found = warnings[:_MOST_WARNINGS] if isinstance(warnings, list) else []
    return tuple(text for text in found if isinstance(text, str))


def _no_number(text: str) -> Any:  # noqa: ANN401 - as the library wants it
    raise ValueError(f"{text} is no JSON")


def _written(result: Mapping[str, Any]) -> bytes:
    try:
        return json.dumps(result, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        # halves of surrogate pairs, which JSON can only hold as escapes
        return json.dumps(result, separators=(",", ":")).encode()


def _cut(series: Mapping[str, Any], window: Window) -> dict[str, Any]:
    """A series with what lies in the window, in the order in which it came: putting it right is the loader's."""
    kept: dict[str, Any] = {"metric": _labels(series["metric"])}
    for name in _LISTS:
        pairs = series.get(name) or []
        times = [_seconds(pair) for pair in pairs]
        # nothing says that they come in order, so the first and the last do not tell
        if times and not (window.start_ms <= _ms(min(times)) and _ms(max(times)) < window.end_ms):
            pairs = [
                pair
                for pair, time in zip(pairs, times, strict=True)
                if window.start_ms <= _ms(time) < window.end_ms
            ]
        if pairs:
            kept[name] = pairs
    return kept


def _labels(metric: Any) -> dict[str, str]:  # noqa: ANN401 - JSON
    if not isinstance(metric, dict) or not all(isinstance(value, str) for value in metric.values()):
        raise TypeError("labels that are no text")
    return metric


def _seconds(pair: Any) -> float:  # noqa: ANN401 - JSON
    time, _value = pair
    if type(time) is not float and type(time) is not int:
        raise TypeError("a time that is no number")
    return time


def _ms(time: float) -> int:
    return round(time * 1000)


def _interval(all_pairs: Iterable[Any]) -> float | None:
    least = None
    for pairs in all_pairs:
        gaps = sorted(b - a for a, b in pairwise(sorted(pair[0] for pair in pairs[:20])))
        if gaps and gaps[len(gaps) // 2] > 0:
            middle = gaps[len(gaps) // 2]
            least = middle if least is None else min(least, middle)
    return round(least, 3) if least else None
