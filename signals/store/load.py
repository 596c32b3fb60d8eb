"""Files into the store: detect, read, merge, in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import duckdb
import polars as pl

from signals.catalog.naming import TargetKey
from signals.errors import InputError
from signals.schema import Finding
from signals.store.ahead import ahead
from signals.store.connect import reading, writing
from signals.store.deposit import Deposit
from signals.store.extents import Extents
from signals.store.forget import take_out_reopened
from signals.store.inputs import Input, identity, options_text, plan_load, size_of, whole_or_nothing
from signals.store.intake import Intake
from signals.store.place import locate
from signals.store.pools import parse_rules
from signals.store.registry import Registry
from signals.store.reports import LoadOptions, LoadReport, SourceReport
from signals.store.settle import keep_requests, settle, write_registry, write_rows
from signals.store.sql import run
from signals.store.tally import SourceTally

__all__ = ["load_inputs", "load_paths"]

Progress = Callable[[str, float], None]
_SHOWN = 5
# of a file that is read with another one
_BESIDE = "lengths_only"
_BESIDE_HINT = (
    "a table of lengths is read with the rates of the same name: load those, or the folder of both"
)
# by the reason that most rejects have
_HINTS: Mapping[str, str] = {
    "bad_time": "times are read as ISO 8601 (2026-06-01T08:00:00Z) or as epochs, from 1970 to 2199: write them so, "
    "since 01/06/2026 may be one day or another",
    "mixed_units": "these cells show another kind of quantity than the unit that was named, or than most of their "
    "column: correct the unit in --map or --as, or give each quantity a column of its own",
    "no_unit": "name the unit of bare numbers with --map 'COLUMN=NAME[unit]', or --as 'NAME[unit]' for one column",
    "unknown_unit": "switch formatted data off and name the unit with --map 'COLUMN=NAME[unit]'",
}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def load_paths(
    store: Path,
    paths: Sequence[Path],
    options: LoadOptions,
    progress: Progress | None = None,
) -> LoadReport:
    """Load files and folders; see `Store.load`."""
    parse_rules(options.pool_rules)
    plan = plan_load(paths, options)
    return replace(load_inputs(store, plan.inputs, options, progress), skipped=plan.skipped)


def load_inputs(
    store: Path,
    inputs: Sequence[Input],
    options: LoadOptions,
    progress: Progress | None = None,
) -> LoadReport:
    """Load sources in one transaction: all of them or nothing.

    Args:
        store: the DuckDB file; made if it does not exist.
        inputs: what to read.
        options: how.
        progress: told what is being done and the share done, 0..1.

    Raises:
        InputError: a file is broken, empty, or too many of its records are.
        StoreError: the store cannot be written.
    """
    tell = progress or _silent
    keys = [identity(item, options) for item in inputs]
    known = _known(store)
    if inputs and all(key in known for key in keys) and not _has_log(store):
        return LoadReport(
            tuple(_seen(item, known[key]) for item, key in zip(inputs, keys, strict=True))
        )
    with writing(store) as connection:
        take_out_reopened(connection, locate(store), keys)
        reports = _load(connection, inputs, keys, options, tell)
    tell("", 1.0)
    return LoadReport(tuple(reports))


def _has_log(store: Path) -> bool:
    """Whether a writer was killed behind its commit: the next one puts what it logged into the file."""
    file = locate(store)
    return file.with_name(f"{file.name}.wal").exists()


def _load(
    connection: duckdb.DuckDBPyConnection,
    inputs: Sequence[Input],
    keys: Sequence[tuple[str, str]],
    options: LoadOptions,
    tell: Progress,
) -> list[SourceReport]:
    known, last_source = _stored_sources(connection)
    registry, extents = _stored_registry(connection, options)
    deposit = Deposit(connection, extents, partial(write_registry, connection, registry))
    deposit.start()
    intake = Intake(registry, deposit)
    tallies: dict[int, SourceTally] = {}
    sizes = [size_of(item.path) for item in inputs]
    done = 0
    for number, (item, key) in enumerate(zip(inputs, keys, strict=True)):
        tell(item.path.name, 0.9 * done / max(sum(sizes), 1))
        done += sizes[number]
        if key in known:
            continue
        last_source += 1
        known[key] = {"source_id": last_source}
        try:
            tallies[number] = _read(intake, item, last_source, options)
        except InputError as error:
            # an error that is its own cause would send whoever follows causes round in circles
            if len(inputs) == 1:
                raise
            raise whole_or_nothing(error) from error
    _check_content(inputs, tallies)
    tell("merging", 0.9)
    settle(connection, registry, extents, list(tallies.values()))
    return _finish(connection, inputs, keys, tallies, known, options)


def _read(intake: Intake, item: Input, source_id: int, options: LoadOptions) -> SourceTally:
    tally = SourceTally(source_id, item.service, item.uri)
    chunks = item.source.read(item.path, replace(options.read, service=item.service))
    with closing(ahead(chunks)) as parts:
        for chunk in parts:
            intake.take(tally, chunk)
    _remark_open_end(tally, item)
    if tally.rows_rejected > options.max_reject * max(tally.rows_read, 1):
        raise _too_many_rejects(tally, options.max_reject)
    intake.close(tally)
    keep_requests(intake.deposit.connection, tally)
    return tally


def _remark_open_end(tally: SourceTally, item: Input) -> None:
    from signals.store.sources.last_line import open_end_findings

    if item.source.open_end is not None and item.path.is_file():
        for finding in open_end_findings(item.path, item.source.open_end):
            tally.remark(finding)


def _check_content(inputs: Sequence[Input], tallies: Mapping[int, SourceTally]) -> None:
    """Every path that the user gave must hold something; a file of a folder, or one beside others, may be empty."""
    rows: dict[Path, int] = {}
    beside: set[Path] = set()
    for number, tally in tallies.items():
        asked = inputs[number].asked
        rows[asked] = rows.get(asked, 0) + tally.rows_read
        if _BESIDE in tally.finding_counts():
            beside.add(asked)
        elif tally.rows_read == 0:
            tally.remark(Finding("empty_source", "info", "the file holds no sample or request"))
    empty = [path for path, count in rows.items() if count == 0]
    if any(rows.values()):
        empty = [path for path in empty if path not in beside]
    if empty:
        raise InputError(
            "the input holds no sample and no request",
            where=", ".join(str(path) for path in empty),
            expected="at least one",
            hint=_BESIDE_HINT if beside.intersection(empty) else "",
        )


def _finish(
    connection: duckdb.DuckDBPyConnection,
    inputs: Sequence[Input],
    keys: Sequence[tuple[str, str]],
    tallies: Mapping[int, SourceTally],
    known: Mapping[tuple[str, str], Mapping[str, object]],
    options: LoadOptions,
) -> list[SourceReport]:
    reports = []
    rows = []
    for number, (item, key) in enumerate(zip(inputs, keys, strict=True)):
        tally = tallies.get(number)
        if tally is None:
            reports.append(_seen(item, known[key]))
            continue
        reports.append(_report(item, tally))
        rows.append(_source_row(item, key, tally, options))
    write_rows(connection, "load/insert_sources", rows)
    return reports


def _source_row(
    item: Input, key: tuple[str, str], tally: SourceTally, options: LoadOptions
) -> dict[str, object]:
    return {
        "source_id": tally.source_id,
        "uri": item.uri,
        "format": item.source.name,
        "service": item.service,
        "sha256": key[0],
        "options_hash": key[1],
        "options": options_text(item, options),
        "rows_read": tally.rows_read,
        "rows_kept": tally.rows_kept,
        "rows_rejected": tally.rows_rejected,
        "series": len(tally.series),
        "overlapping": tally.overlapping,
        "first_at": _moment(tally.first_us),
        "last_at": _moment(tally.last_us),
    }


def _report(item: Input, tally: SourceTally) -> SourceReport:
    return SourceReport(
        uri=item.uri,
        format=item.source.name,
        service=item.service,
        rows_read=tally.rows_read,
        rows_kept=tally.rows_kept,
        rows_rejected=tally.rows_rejected,
        rejects=dict(sorted(tally.rejects.items())),
        findings=tally.finding_counts(),
        series=len(tally.series),
        first=_moment(tally.first_us),
        last=_moment(tally.last_us),
        already_loaded=False,
        details=tuple(tally.remarks.values()),
    )


def _moment(micros: int | None) -> datetime | None:
    return None if micros is None else _EPOCH + timedelta(microseconds=micros)


def _seen(item: Input, row: Mapping[str, object]) -> SourceReport:
    """The report of a source that was loaded before; equal files of one load count once."""

    def number(name: str) -> int:
        value = row.get(name, 0)
        return value if isinstance(value, int) else 0

    def moment(name: str) -> datetime | None:
        value = row.get(name)
        return value.astimezone(UTC) if isinstance(value, datetime) else None

    return SourceReport(
        uri=item.uri,
        format=item.source.name,
        service=item.service,
        rows_read=number("rows_read"),
        rows_kept=0,
        rows_rejected=number("rows_rejected"),
        rejects={},
        findings={"already_loaded": 1},
        series=number("series"),
        first=moment("first_at"),
        last=moment("last_at"),
        already_loaded=True,
    )


def _known(store: Path) -> dict[tuple[str, str], Mapping[str, object]]:
    if not locate(store).exists():
        return {}
    with reading(store, views=()) as connection:
        return _stored_sources(connection)[0]


def _stored_sources(
    connection: duckdb.DuckDBPyConnection,
) -> tuple[dict[tuple[str, str], Mapping[str, object]], int]:
    frame = run(connection, "load/known_sources")
    rows = frame.iter_rows(named=True)
    known: dict[tuple[str, str], Mapping[str, object]] = {
        (row["sha256"], row["options_hash"]): row for row in rows
    }
    return known, _largest(frame, "source_id")


def _stored_registry(
    connection: duckdb.DuckDBPyConnection, options: LoadOptions
) -> tuple[Registry, Extents]:
    registry = Registry(rules=parse_rules(options.pool_rules))
    targets = run(connection, "load/known_targets")
    for target_id, service, *key in targets.iter_rows():
        registry.targets[service, TargetKey(*key)] = target_id
    series = run(connection, "load/known_series")
    for row in series.iter_rows(named=True):
        registry.know_series(row)
    registry.start_after(_largest(targets, "target_id"), _largest(series, "series_id"))
    extents = Extents()
    extents.know(series.filter(pl.col("stored_in") != "histogram"))
    return registry, extents


def _largest(frame: pl.DataFrame, column: str) -> int:
    largest = frame[column].max()
    return largest if isinstance(largest, int) else 0


def _silent(_text: str, _share: float) -> None:
    return None


def _too_many_rejects(tally: SourceTally, max_reject: float) -> InputError:
    first = "; ".join(
        f"line {reject.line}: {reject.reason}: {reject.excerpt}"
        for reject in tally.excerpts[:_SHOWN]
    )
    share = tally.rows_rejected / max(tally.rows_read, 1)
    return InputError(
        f"{tally.rows_rejected} of {tally.rows_read} records ({share:.1%}) cannot be read",
        where=f"{tally.uri}: {first}",
        expected=f"at most {max_reject:.1%}",
        hint=_HINTS.get(
            tally.rejects.most_common(1)[0][0],
            "check the format (--format), or allow more with --max-reject",
        ),
    )
