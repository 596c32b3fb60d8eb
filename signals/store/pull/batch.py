"""Answers on their way from the spool into the store."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from signals.errors import InputError
from signals.store.inputs import Input, plan_inputs
from signals.store.load import load_inputs
from signals.store.parsed import NameChoice, ReadOptions
from signals.store.pull.fetch import Fetched
from signals.store.pull.reports import PullReport
from signals.store.pull.selection import Selection
from signals.store.pull.spool import Spool, question_of, window_of
from signals.store.reports import LoadOptions
from signals.store.store import Store

__all__ = ["Batch"]

_MOST_BYTES = 64 << 20
_MOST_FILES = 200
_LONGEST_S = 20.0
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FORMAT = "prometheus-matrix"
# what spoils so many answers spoils all of them
_MOST_REFUSED = 10


class Batch:
    """Files on their way into the store: many go with one load, none waits for long."""

    def __init__(
        self,
        store: Store,
        spool: Spool,
        report: PullReport,
        *,
        pool_rules: tuple[str, ...] = (),
        max_reject: float = 0.05,
        keep_files: bool = False,
    ) -> None:
        """Begin with nothing.

        Args:
            store: where files go.
            spool: where they wait.
            report: counts what was loaded; its service names the rows.
            pool_rules: as for a load.
            max_reject: as for a load; share of an answer.
            keep_files: True to leave the files where they are.
        """
        self._store = store
        self._pool_rules = pool_rules
        self._max_reject = max_reject
        self._keep_files = keep_files
        self._spool = spool
        self._report = report
        self._files: dict[Selection, list[Path]] = {}
        self._bytes = 0
        self._since: datetime | None = None

    def take_waiting(self, selection: Selection, uris: Collection[str]) -> None:
        """Take files that were fetched and not loaded, by an earlier pull or one that was interrupted.

        Args:
            selection: whose files.
            uris: sources of the store; a file among them only was not taken away in time.
        """
        key = self._spool.key(selection)
        loaded = {question_of(uri) for uri in uris}
        taken = self._files.setdefault(selection, [])
        for path in self._spool.waiting(selection):
            window = window_of(path.name)
            if window is not None and (key, window) not in loaded:
                taken += [path] if path not in taken else []
            elif not self._keep_files:
                path.unlink(missing_ok=True)

    def take(self, item: Fetched, now: datetime) -> None:
        """Take an answer, and load when it is worth it.

        Raises:
            RefusedError: see `flush`.
        """
        if item.path is None:
            return
        self._since = self._since or now
        self._files.setdefault(item.selection, []).append(item.path)
        self._bytes += item.answer_bytes
        waited = (now - self._since).total_seconds()
        many = sum(map(len, self._files.values())) >= _MOST_FILES
        if self._bytes >= _MOST_BYTES or many or waited >= _LONGEST_S:
            self.flush()

    def flush(self) -> None:
        """Load everything that waits; what cannot be stored is left out, and the report says so.

        Raises:
            RefusedError: so many answers cannot be stored that the next will not be either.
            StoreError: the store cannot be written.
        """
        by_name: dict[NameChoice | None, dict[Path, Selection]] = {}
        for selection, files in self._files.items():
            by_name.setdefault(selection.as_name, {}).update(dict.fromkeys(files, selection))
        self._files, self._bytes, self._since = {}, 0, None
        for as_name, files_of in by_name.items():
            options = LoadOptions(
                read=ReadOptions(service=self._report.service, as_name=as_name),
                source_format=_FORMAT,
                pool_rules=self._pool_rules,
                max_reject=self._max_reject,
            )
            inputs = [
                replace(item, origin=self._origin(files_of[item.path], item.path))
                for item in plan_inputs(list(files_of), options)
            ]
            self._load(inputs, options, files_of)

    def _origin(self, selection: Selection, path: Path) -> str:
        window = window_of(path.name)
        return self._spool.uri(selection, window) if window is not None else ""

    def _load(
        self, inputs: Sequence[Input], options: LoadOptions, files_of: dict[Path, Selection]
    ) -> None:
        """Load files together; one that cannot be stored is left out, so that it does not keep the others out."""
        rest = inputs
        while rest:
            try:
                loaded = load_inputs(self._store.path, rest, options)
            except InputError as error:
                guilty = _guilty(rest, error)
                if guilty is None:
                    half = len(rest) // 2
                    self._load(rest[:half], options, files_of)
                    rest = rest[half:]
                    continue
                self._load(rest[:guilty], options, files_of)
                self._refuse(rest[guilty], files_of[rest[guilty].path], error)
                rest = rest[guilty + 1 :]
            else:
                self._report.add(loaded)
                self._take_away(rest)
                return

    def _take_away(self, inputs: Sequence[Input]) -> None:
        if not self._keep_files:
            for item in inputs:
                item.path.unlink(missing_ok=True)

    def _refuse(self, item: Input, selection: Selection, error: InputError) -> None:
        """Leave an answer out and its file away, so that the next pull asks anew instead of meeting it again."""
        if self._keep_files:
            item.path.replace(item.path.with_name(f"{item.path.name}.refused"))
        else:
            item.path.unlink(missing_ok=True)
        where = error.where.replace(str(item.path), item.uri)
        self._report.refuse(
            selection,
            InputError(
                f"an answer of the server cannot be stored: {error.what}",
                where=where if item.uri in where else f"{item.uri}, {where}".rstrip(", "),
                expected=error.expected,
                hint=f"ask again{_times(item.path)} with --max-reject SHARE, which stores it without its "
                "unreadable samples, or leave series out with --match 'LABEL!=\"VALUE\"'",
            ),
        )
        if len(self._report.refused) >= _MOST_REFUSED:
            raise self._report.refusal()


def _guilty(inputs: Sequence[Input], error: InputError) -> int | None:
    """The place of the file that an error names; None if it names none of several."""
    named = [
        number
        for number, item in enumerate(inputs)
        if item.uri in error.where or str(item.path) in error.where
    ]
    if named:
        return named[0]
    return 0 if len(inputs) == 1 else None


def _times(path: Path) -> str:
    """The options that ask for an answer's window alone."""
    window = window_of(path.name)
    if window is None:
        return ""
    first, last = (
        f"{_EPOCH + timedelta(milliseconds=at):%Y-%m-%dT%H:%M:%S}.{at % 1000:03d}Z"
        for at in (window.start_ms, window.end_ms)
    )
    return f" (--from {first} --to {last})"
