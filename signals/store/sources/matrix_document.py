"""The envelope of a Prometheus-compatible server's answer, and its series in parts of bounded size."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from signals.errors import InputError
from signals.schema import Finding, Severity
from signals.store.sources.part import clip
from signals.store.sources.pull_json import JsonPuller

if TYPE_CHECKING:
    from signals.store.sources.matrix_scan import ScannedPairs

__all__ = ["MatrixDocument", "SeriesPart"]

_MAX_EARLY = 2_000_000
_MAX_REMARKS = 100
_ABOUT_ERRORS = {"status", "error", "errorType"}
_INSTANTS = ("vector", "scalar")
_LISTS = {"values", "histograms"}
# from about here on, reading with compiled code makes up for the second that its import takes
_LARGE_BYTES = 8 << 20
_LARGE_PACKED_BYTES = 768 << 10
_HISTOGRAMS = 500
_UNLABELLED = "it has no labels under `metric`"
# what servers put in front of samples; labels with braces in their text are read the other way
_HEAD = re.compile(
    r'\{_"metric"_:_(\{[^{}]{0,8000}\})_,_"values"_:_(?=\[)'.replace("_", r"[ \t\r\n]*")
)
_BARE_SCALAR = re.compile(r'\[[ \t\r\n]*-?\d[\d.eE+-]*[ \t\r\n]*,[ \t\r\n]*"[^"\\]*"[ \t\r\n]*\]')
_PARTIAL = re.compile(r"partial|no StoreAPIs matched|(fetch|receive) series", re.IGNORECASE)

_Scan = Callable[[bytes, int], "tuple[int, ScannedPairs | None]"]


@dataclass(frozen=True, slots=True)
class SeriesPart:
    """Some samples of one series.

    Attributes:
        number: the series' place in the file, from 1.
        labels: the metric, as the JSON has it.
        pairs: the samples, of any shape as the JSON has them or of the right shape; None if there is none to tell
            about.
        histograms: native histograms, as the JSON has them.
    """

    number: int
    labels: Mapping[str, object]
    pairs: list[object] | ScannedPairs | None
    histograms: list[object] | None = None


class MatrixDocument:
    """Reads one answer.

    Attributes:
        findings: what the server remarked, and what there is to say about the answer; whole once all parts were read.
    """

    def __init__(self, path: Path) -> None:
        """Open the file; nothing is read before the first part."""
        self.findings: list[Finding] = []
        self._path = path
        self._json = JsonPuller(path)
        self._scan = _scanner(path)
        self._error: dict[str, object] = {}
        self._type = ""
        self._found = False
        self._instants = 0
        self._partial = 0

    def parts(self) -> Iterator[SeriesPart]:
        """All series, one after the other, each in parts of bounded size.

        Raises:
            InputError: the file is no JSON, an error answer, or holds no samples.
        """
        first = self._json.peek()
        if first == "[":
            self._found = True
            yield from self._scalar() or self._result()
        elif first == "{":
            yield from self._members()
        elif first == "":
            raise InputError("the file is empty", where=str(self._path), expected="JSON")
        self._json.finish()
        self._refuse_error()
        if not self._found:
            raise InputError(
                "the answer holds no result",
                where=str(self._path),
                expected="data.result of a range query or range vector",
            )
        self._remark()

    def _refuse_error(self) -> None:
        if self._error.get("status") != "error":
            return
        kind = self._error.get("errorType")
        raise InputError(
            f"the server answered with an error: {clip(str(self._error.get('error', 'no text')))}",
            where=f"{self._path} (errorType {clip(str(kind))})" if kind else str(self._path),
            expected="an answer with status success",
            hint="repeat the query",
        )

    def _scalar(self) -> list[SeriesPart]:
        """A bare `[time, "value"]`, as promtool prints a scalar."""
        found = self._json.match(_BARE_SCALAR)
        if found is None:
            return []
        try:
            pair = json.loads(found[0])
        except ValueError as error:
            raise InputError(
                "the file is no valid JSON", where=str(self._path), expected='[time, "value"]'
            ) from error
        self._instants += 1
        return [SeriesPart(1, {}, [pair])]

    def _members(self) -> Iterator[SeriesPart]:
        for name in self._json.members():
            if name == "data" and self._json.peek() == "{" and self._error.get("status") != "error":
                yield from self._data()
            elif name in {"warnings", "infos"}:
                self._note(name, self._json.value())
            elif name == "isPartial":
                self._partial += self._json.value() is True
            elif name == "result" and self._json.peek() == "[":
                yield from self._of_type()
            elif name in _ABOUT_ERRORS:
                self._error[name] = self._json.value()
            else:
                self._json.skip()

    def _data(self) -> Iterator[SeriesPart]:
        for name in self._json.members():
            if name == "result" and self._json.peek() == "[":
                yield from self._of_type()
                continue
            if name != "resultType":
                self._json.skip()
                continue
            value = self._json.value()
            if value != "matrix" and value not in _INSTANTS:
                raise InputError(
                    f"the result is a {clip(str(value))}, which holds no samples",
                    where=str(self._path),
                    expected="resultType matrix",
                    hint="use query_range, or a range selector such as metric[6h]",
                )
            self._type = str(value)

    def _of_type(self) -> Iterator[SeriesPart]:
        self._found = True
        if self._type != "scalar":
            yield from self._result()
            return
        self._instants += 1
        yield SeriesPart(1, {}, [self._json.value()])

    def _result(self) -> Iterator[SeriesPart]:
        for number in self._json.items():
            if self._scan is not None and (labels := self._head()) is not None:
                yield from self._rest(number, labels)
                continue
            whole = self._json.short_object() if self._scan is None else None
            if whole is not None:
                yield self._short(number, whole)
            elif self._json.peek() == "{":
                yield from self._series(number, self._json.members())
            else:
                raise self._no_series(number, repr(self._json.value()))

    def _short(self, number: int, whole: dict[str, object]) -> SeriesPart:
        if "metric" not in whole:
            raise self._no_series(number, _UNLABELLED)
        labels = self._labels(whole["metric"], number)
        samples = {name: found for name in _LISTS if isinstance(found := whole.get(name), list)}
        for list_name, name in (("values", "value"), ("histograms", "histogram")):
            if name in whole:
                self._instants += 1
                samples[list_name] = [whole[name]]
        return SeriesPart(number, labels, samples.get("values"), samples.get("histograms"))

    def _head(self) -> Mapping[str, object] | None:
        """The labels of a series whose samples are next; None, nothing read, if it is written otherwise."""
        found = self._json.match(_HEAD)
        if found is None:
            return None
        try:
            labels: Mapping[str, object] = json.loads(found[1])
        except ValueError:
            self._json.unmatch(found)
            return None
        return labels

    def _rest(self, number: int, labels: Mapping[str, object]) -> Iterator[SeriesPart]:
        for pairs in self._pairs():
            yield SeriesPart(number, labels, pairs)
        yield from self._series(number, self._json.more_members(), labels)

    def _series(
        self,
        number: int,
        names: Iterator[str],
        labels: Mapping[str, object] | None = None,
    ) -> Iterator[SeriesPart]:
        early: list[SeriesPart] = []
        for name in names:
            if name == "metric":
                labels = self._labels(self._json.value(), number)
                continue
            for pairs, histograms in self._samples(name):
                part = SeriesPart(number, labels or {}, pairs, histograms)
                if labels is None:
                    self._hold(early, part)
                else:
                    yield part
        if labels is None:
            raise self._no_series(number, _UNLABELLED)
        for part in early:
            yield SeriesPart(number, labels, part.pairs, part.histograms)
        yield SeriesPart(number, labels, None)

    def _samples(
        self, name: str
    ) -> Iterator[tuple[list[object] | ScannedPairs | None, list[object] | None]]:
        """Samples and histograms of a series' member; nothing, the member skipped, if it holds none."""
        if name in {"value", "histogram"}:
            self._instants += 1
            one = [self._json.value()]
            yield (one, None) if name == "value" else (None, one)
        elif name not in _LISTS or self._json.peek() != "[":
            self._json.skip()
        elif name == "values":
            for pairs in self._pairs():
                yield pairs, None
        else:
            for histograms in self._histograms():
                yield None, histograms

    def _pairs(self) -> Iterator[list[object] | ScannedPairs]:
        """Samples as they are read; one empty list if there is none."""
        filled = False
        runs = self._json.batches() if self._scan is None else self._json.runs(self._scan)
        for pairs in runs:
            filled = True
            yield pairs
        if not filled:
            yield []

    def _histograms(self) -> Iterator[list[object]]:
        held: list[object] = []
        for histogram in self._json.elements():
            held.append(histogram)
            if len(held) == _HISTOGRAMS:
                yield held
                held = []
        yield held

    def _labels(self, value: object, number: int) -> Mapping[str, object]:
        if not isinstance(value, dict):
            raise self._no_series(number, repr(value))
        return value

    def _hold(self, early: list[SeriesPart], part: SeriesPart) -> None:
        early.append(part)
        if sum(_size(held) for held in early) > _MAX_EARLY:
            raise InputError(
                f"more than {_MAX_EARLY} samples come before their labels",
                where=f"{self._path}, series {part.number}",
                expected="`metric` before `values`, as servers write them",
            )

    def _no_series(self, number: int, seen: str) -> InputError:
        return InputError(
            "an element of the result is no series",
            where=f"{self._path}, series {number}: {clip(seen)}",
            expected='{"metric": {...}, "values": [[time, "value"], ...]}',
        )

    def _note(self, name: str, texts: object) -> None:
        severity: Severity = "warning" if name == "warnings" else "info"
        for text in texts[:_MAX_REMARKS] if isinstance(texts, list) else []:
            said = str(text)
            self._partial += severity == "warning" and _PARTIAL.search(said) is not None
            self.findings.append(
                Finding(f"server_{severity}", severity, f"the server said: {clip(said)}")
            )

    def _remark(self) -> None:
        if self._partial:
            self.findings.append(
                Finding(
                    "partial_response",
                    "warning",
                    "the server says that it could not ask all of its stores",
                    action="kept; series or stretches of time may be missing, repeat the query to compare",
                )
            )
        if self._instants:
            self.findings.append(
                Finding(
                    "instant_result",
                    "warning",
                    "results hold one moment, not a stretch of time",
                    self._instants,
                    action="kept; use query_range, or a range selector such as metric[6h]",
                )
            )


def _size(part: SeriesPart) -> int:
    pairs = part.pairs
    samples = 0 if pairs is None else len(pairs) if isinstance(pairs, list) else len(pairs.times)
    return samples + len(part.histograms or ())


def _scanner(path: Path) -> _Scan | None:
    """Compiled code for files that are worth loading it."""
    try:
        size = path.stat().st_size
    except OSError:  # reading it tells what is wrong
        return None
    if size < (_LARGE_PACKED_BYTES if path.suffix == ".gz" else _LARGE_BYTES):
        return None
    from signals.store.sources.matrix_scan import PairScanner

    return PairScanner()
