"""From a reader's chunks to the tables of a running load."""

from __future__ import annotations

from dataclasses import dataclass, field
from operator import is_

import numpy as np
import polars as pl
from numpy.typing import NDArray

from signals.errors import InputError
from signals.schema import REQUESTS, Finding, check_frame
from signals.store.batch import Batch, distinct
from signals.store.cleaning import TIMES_US, Runs, clean
from signals.store.deposit import Deposit, hand_over
from signals.store.direct import Owners, owners_of, take_directly
from signals.store.parsed import Chunk, Series
from signals.store.quality import returned_clock
from signals.store.registry import Registry, Resolved
from signals.store.tally import SourceTally

__all__ = ["Intake"]

Int = NDArray[np.int64]
# samples that are brought into order at once: 128 MB of them, and as much again while that is done
_BATCH = 8_000_000
SeriesName = tuple[str, frozenset[tuple[str, str]]]


@dataclass(frozen=True)
class _KnownRows:
    """The series of rows.

    Attributes:
        series: as the reader gave them.
        keys: where their samples go.
        inputs: int64[groups, columns], their numbers.
        owners: what the columns are.
    """

    series: tuple[Series, ...]
    keys: frozenset[int]
    inputs: Int
    owners: Owners


@dataclass
class Intake:
    """Takes chunks, source by source.

    Attributes:
        registry: numbers targets and series.
        deposit: where samples go.
    """

    registry: Registry
    deposit: Deposit
    _batch: Batch = field(default_factory=Batch)
    _inputs: dict[SeriesName, tuple[int, int]] = field(default_factory=dict)
    _rows: _KnownRows | None = None
    _objects: dict[int, tuple[Series, tuple[int, int]]] = field(default_factory=dict)
    _keys: dict[tuple[int, float | None], int] = field(default_factory=dict)
    _meanings: list[Resolved] = field(default_factory=list)
    _destinations: list[Resolved] = field(default_factory=list)
    _newest_us: Int = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    def take(self, tally: SourceTally, chunk: Chunk) -> None:
        """Take a chunk of a source.

        Raises:
            InputError: a series makes no sense.
            SchemaError: the reader broke its contract.
        """
        tally.rows_read += chunk.rows_read
        tally.reject(chunk.rejects)
        for finding in chunk.findings:
            tally.remark(finding)
        if chunk.samples is not None and not chunk.samples.is_empty():
            self._take_samples(tally, chunk.series, chunk.samples)
        if chunk.rows is not None and not chunk.rows.is_empty():
            self._take_rows(tally, chunk, chunk.rows)
        if self._batch.size >= _BATCH:
            self._empty_batch(tally)
        if chunk.requests is not None and not chunk.requests.is_empty():
            self._take_requests(tally, chunk.requests)

    def close(self, tally: SourceTally) -> None:
        """Store what is left of a source; the next one has its own order of reading."""
        self._empty_batch(tally)
        self.deposit.close(tally)
        for finding in returned_clock(tally.returns, tally.finding_counts()):
            tally.remark(finding)
        self._rows = None
        self._inputs.clear()
        self._objects.clear()
        self._keys.clear()
        self._meanings.clear()
        self._destinations.clear()
        self._newest_us = np.zeros(0, dtype=np.int64)

    def _take_rows(self, tally: SourceTally, chunk: Chunk, rows: pl.DataFrame) -> None:
        """Rows go as they are where they can; the columns that cannot become runs of samples."""
        known = self._known_rows(tally, chunk.series, rows.width - 2)
        if self._batch.holds(known.keys):
            # what was read before comes first
            self._empty_batch(tally)
        grouped = rows.with_columns(pl.col("series") // (rows.width - 2)).rename(
            {"series": "group"}
        )
        self._know_inputs()
        newest_us = self._newest_us[known.inputs]
        left = take_directly(self.deposit, tally, grouped, known.owners, newest_us)
        self._newest_us[known.inputs] = newest_us
        for number in left:
            samples = chunk.column(number)
            if not samples.is_empty():
                self._take_samples(tally, chunk.series, samples)

    def _known_rows(self, tally: SourceTally, series: tuple[Series, ...], width: int) -> _KnownRows:
        """What the columns of rows are; parts of one table mostly have the same series in the same order."""
        before = self._rows
        if (
            before is not None
            and len(before.series) == len(series)
            and before.inputs.shape[1] == width
            and all(map(is_, before.series, series))
        ):
            return before
        known = [self._resolve(tally, one) for one in series]
        meanings = [self._meanings[number] for number, _ in known]
        groups = [meanings[first : first + width] for first in range(0, len(meanings), width)]
        self._rows = _KnownRows(
            series=series,
            keys=frozenset(key for _, key in known),
            inputs=np.array([number for number, _ in known]).reshape(-1, width),
            owners=owners_of(groups),
        )
        return self._rows

    def _take_samples(
        self, tally: SourceTally, series: tuple[Series, ...], samples: pl.DataFrame
    ) -> None:
        known = [self._resolve(tally, one) for one in series]
        index = samples["series"].to_numpy()
        if int(index.max()) >= len(series):
            raise InputError("a reader gave samples without a series", where=tally.uri)
        begins = np.flatnonzero(np.concatenate(([True], index[1:] != index[:-1])))
        runs = Runs(
            series=index[begins].astype(np.int64),
            lengths=np.diff(np.concatenate((begins, [index.size]))),
            ts_us=samples["ts"].to_physical().to_numpy(),
            values=samples["value"].to_numpy(),
        )
        runs = clean(tally, runs, [self._meanings[number] for number, _ in known])
        if runs.series.size:
            numbers = np.array(known, dtype=np.int64)
            self._batch.add(
                keys=numbers[runs.series, 1],
                inputs=numbers[runs.series, 0],
                lengths=runs.lengths,
                ts_us=runs.ts_us,
                values=runs.values,
            )

    def _empty_batch(self, tally: SourceTally) -> None:
        if not self._batch.size:
            return
        self._know_inputs()
        batch, self._batch = self._batch, Batch()
        self.deposit.add(tally, distinct(batch, self._newest_us), self._destinations)

    def _know_inputs(self) -> None:
        """Make room for the times of exported series that are new."""
        missing = len(self._inputs) - self._newest_us.size
        longest_ago = np.full(missing, np.iinfo(np.int64).min)
        self._newest_us = np.concatenate((self._newest_us, longest_ago))

    def _resolve(self, tally: SourceTally, series: Series) -> tuple[int, int]:
        """Numbers of an exported series and of the key that its samples go to."""
        same = self._objects.get(id(series))
        if same is not None:
            return same[1]
        known = self._resolve_name(tally, series)
        # the object is kept, so that its identity stays its own
        self._objects[id(series)] = (series, known)
        return known

    def _resolve_name(self, tally: SourceTally, series: Series) -> tuple[int, int]:
        name = (series.metric, frozenset(series.labels.items()))
        known = self._inputs.get(name)
        if known is None:
            resolved, findings = self.registry.resolve(tally.service, series, tally.uri)
            for finding in findings:
                tally.remark(finding)
            known = self._inputs[name] = (len(self._meanings), self._key(resolved))
            self._meanings.append(resolved)
        return known

    def _key(self, resolved: Resolved) -> int:
        name = (resolved.series_id, resolved.le)
        known = self._keys.get(name)
        if known is None:
            # series with one destination may differ in name, factor and range
            known = self._keys[name] = len(self._destinations)
            self._destinations.append(resolved)
        return known

    def _take_requests(self, tally: SourceTally, requests: pl.DataFrame) -> None:
        requests = _without_far_arrivals(tally, check_frame(requests, REQUESTS))
        params = {"source_id": tally.source_id, "service": tally.service}
        hand_over(self.deposit.connection, "load/stage_requests", requests, params)


def _without_far_arrivals(tally: SourceTally, frame: pl.DataFrame) -> pl.DataFrame:
    """Drop times with which no moment can be computed, and say so."""
    near = frame.filter(pl.col("arrived_at").dt.timestamp("us").is_between(*TIMES_US))
    if near.height < frame.height:
        tally.remark(
            Finding(
                "far_time",
                "warning",
                "times lie before 1900 or after 2500",
                frame.height - near.height,
                action="dropped; check the unit of the times",
            )
        )
    return near
