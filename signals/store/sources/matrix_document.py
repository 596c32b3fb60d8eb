"""The envelope of a Prometheus-compatible server's answer, and its series in parts of bounded size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from signals.errors import InputError
from signals.schema import Finding, Severity
from signals.store.sources.part import clip
from signals.store.sources.pull_json import JsonPuller

__all__ = ["MatrixDocument", "SeriesPart"]

_MAX_EARLY = 2_000_000
_MAX_REMARKS = 100
_ABOUT_ERRORS = {"status", "error", "errorType"}


@dataclass(frozen=True, slots=True)
class SeriesPart:
    """Some samples of one series.

    Attributes:
        number: the series' place in the file, from 1.
        labels: the metric, as the JSON has it.
        pairs: the samples, as the JSON has them, of any shape; None if there is none to tell about.
        native: whether the series has native histograms; told in its last part.
    """

    number: int
    labels: Mapping[str, object]
    pairs: list[object] | None
    native: bool = False


class MatrixDocument:
    """Reads one answer.

    Attributes:
        findings: what the server remarked; whole once all parts were read.
    """

    def __init__(self, path: Path) -> None:
        """Open the file; nothing is read before the first part."""
        self.findings: list[Finding] = []
        self._path = path
        self._json = JsonPuller(path)
        self._error: dict[str, object] = {}
        self._found = False

    def parts(self) -> Iterator[SeriesPart]:
        """All series, one after the other, each in parts of bounded size.

        Raises:
            InputError: the file is no JSON, an error answer, or holds no matrix.
        """
        first = self._json.peek()
        if first == "[":
            self._found = True
            yield from self._result()
        elif first == "{":
            yield from self._members()
        elif first == "":
            raise InputError("the file is empty", where=str(self._path), expected="JSON")
        self._json.finish()
        if self._error.get("status") == "error":
            raise InputError(
                f"the server answered with an error: {clip(str(self._error.get('error', 'no text')))}",
                where=f"{self._path} (errorType {clip(str(self._error.get('errorType', 'unknown')))})",
                expected="an answer with status success",
                hint="repeat the query",
            )
        if not self._found:
            raise InputError(
                "the answer holds no result",
                where=str(self._path),
                expected="data.result of a range query or range vector",
            )

    def _members(self) -> Iterator[SeriesPart]:
        for name in self._json.members():
            if name == "data" and self._json.peek() == "{":
                yield from self._data()
            elif name in {"warnings", "infos"}:
                self._note(name, self._json.value())
            elif name == "result" and self._json.peek() == "[":
                self._found = True
                yield from self._result()
            elif name in _ABOUT_ERRORS:
                self._error[name] = self._json.value()
            else:
                self._json.skip()

    def _data(self) -> Iterator[SeriesPart]:
        for name in self._json.members():
            if name == "result" and self._json.peek() == "[":
                self._found = True
                yield from self._result()
                continue
            if name != "resultType":
                self._json.skip()
                continue
            value = self._json.value()
            if value != "matrix":
                raise InputError(
                    f"the result is a {clip(str(value))}, one moment instead of a stretch of time",
                    where=str(self._path),
                    expected="resultType matrix",
                    hint="use query_range, or a range selector such as metric[6h]",
                )

    def _result(self) -> Iterator[SeriesPart]:
        for number in self._json.items():
            whole = self._json.short_object()
            if whole is not None:
                labels = self._labels(whole.get("metric"), number)
                pairs = whole.get("values")
                native = "histograms" in whole
                yield SeriesPart(number, labels, pairs if isinstance(pairs, list) else None, native)
            elif self._json.peek() == "{":
                yield from self._series(number)
            else:
                raise self._no_series(number, repr(self._json.value()))

    def _series(self, number: int) -> Iterator[SeriesPart]:
        labels: Mapping[str, object] | None = None
        native = False
        early: list[list[object]] = []
        for name in self._json.members():
            if name == "metric":
                labels = self._labels(self._json.value(), number)
            elif name == "values" and self._json.peek() == "[":
                for pairs in self._pairs():
                    if labels is None:
                        self._hold(early, pairs, number)
                    else:
                        yield SeriesPart(number, labels, pairs)
            else:
                native = native or name == "histograms"
                self._json.skip()
        if labels is None:
            raise self._no_series(number, "it has no labels under `metric`")
        for pairs in early:
            yield SeriesPart(number, labels, pairs)
        yield SeriesPart(number, labels, None, native)

    def _pairs(self) -> Iterator[list[object]]:
        """Samples as they are read; one empty list if there is none."""
        filled = False
        for pairs in self._json.batches():
            filled = True
            yield pairs
        if not filled:
            yield []

    def _labels(self, value: object, number: int) -> Mapping[str, object]:
        if not isinstance(value, dict):
            raise self._no_series(number, repr(value))
        return value

    def _hold(self, early: list[list[object]], pairs: list[object], number: int) -> None:
        early.append(pairs)
        if sum(map(len, early)) > _MAX_EARLY:
            raise InputError(
                f"more than {_MAX_EARLY} samples come before their labels",
                where=f"{self._path}, series {number}",
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
            self.findings.append(
                Finding(f"server_{severity}", severity, f"the server said: {clip(str(text))}")
            )
