"""Reading a small file in one call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest

from signals.schema import Finding
from signals.store.parsed import ReadOptions, Reject, Series
from signals.store.sources import detect, find_source

BASE = 1_760_000_000  # 2025-10-09T08:53:20Z


@dataclass
class Whole:
    """All chunks of a file put together; `rows` are (metric, labels, UTC seconds after BASE, value)."""

    format: str
    rows: list[tuple[str, dict[str, str], float, float]] = field(default_factory=list)
    series: dict[tuple[str, frozenset[tuple[str, str]]], Series] = field(default_factory=dict)
    requests: list[pl.DataFrame] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    rejects: list[Reject] = field(default_factory=list)
    rows_read: int = 0

    @property
    def values(self) -> list[float]:
        return [value for *_, value in self.rows]

    @property
    def seconds(self) -> list[float]:
        return [seconds for *_, seconds, _ in self.rows]

    @property
    def codes(self) -> dict[str, int]:
        counts: Counter[str] = Counter()
        for finding in self.findings:
            counts[finding.code] += finding.count
        return dict(counts)

    @property
    def rejected(self) -> list[tuple[int, str]]:
        return [(reject.line, reject.reason) for reject in self.rejects]

    @property
    def log(self) -> pl.DataFrame:
        return pl.concat(self.requests)


@pytest.fixture
def whole() -> Callable[..., Whole]:
    """Read a file of a detected or named format to its end."""

    def read(path: Path, options: ReadOptions | None = None, form: str = "") -> Whole:
        source = find_source(form) if form else detect(path)
        result = Whole(source.name)
        base = datetime.fromtimestamp(BASE, UTC)
        for chunk in source.read(path, options or ReadOptions()):
            result.rows_read += chunk.rows_read
            result.findings += chunk.findings
            result.rejects += chunk.rejects
            for one in chunk.series:
                result.series[one.metric, frozenset(one.labels.items())] = one
            if chunk.requests is not None:
                result.requests.append(chunk.requests)
            frames = [] if chunk.samples is None else [chunk.samples]
            if chunk.rows is not None:
                frames += [chunk.column(number) for number in range(chunk.rows.width - 2)]
            for frame in frames:
                for index, ts, value in frame.rows():
                    one = chunk.series[index]
                    seconds = (ts - base).total_seconds()
                    result.rows.append((one.metric, dict(one.labels), seconds, value))
        return result

    return read


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str | bytes], Path]:
    """Write a small input file."""

    def write_file(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write_file
