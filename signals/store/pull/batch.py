"""Answers on their way from the spool into the store."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from pathlib import Path

from signals.store.parsed import NameChoice, ReadOptions
from signals.store.pull.fetch import Fetched
from signals.store.pull.reports import PullReport
from signals.store.pull.selection import Selection
from signals.store.pull.spool import Spool
from signals.store.reports import LoadOptions
from signals.store.store import Store

__all__ = ["Batch"]

_MOST_BYTES = 64 << 20
_MOST_FILES = 200
_LONGEST_S = 20.0
_FORMAT = "prometheus-matrix"


class Batch:
    """Files on their way into the store: many go with one load, none waits for long."""

    def __init__(
        self,
        store: Store,
        spool: Spool,
        report: PullReport,
        *,
        pool_rules: tuple[str, ...] = (),
        keep_files: bool = False,
    ) -> None:
        """Begin with nothing.

        Args:
            store: where files go.
            spool: where they wait.
            report: counts what was loaded; its service names the rows.
            pool_rules: as for a load.
            keep_files: True to leave the files where they are.
        """
        self._store = store
        self._pool_rules = pool_rules
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
        loaded = {Path(uri).parts[-2:] for uri in uris}
        taken = self._files.setdefault(selection, [])
        for path in self._spool.waiting(selection):
            if path.parts[-2:] not in loaded:
                taken += [path] if path not in taken else []
            elif not self._keep_files:
                path.unlink(missing_ok=True)

    def take(self, item: Fetched, now: datetime) -> None:
        """Take an answer, and load when it is worth it."""
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
        """Load everything that waits."""
        by_name: dict[NameChoice | None, list[Path]] = {}
        for selection, files in self._files.items():
            if files:
                by_name.setdefault(selection.as_name, []).extend(files)
        self._files, self._bytes, self._since = {}, 0, None
        for as_name, files in by_name.items():
            options = LoadOptions(
                read=ReadOptions(service=self._report.service, as_name=as_name),
                source_format=_FORMAT,
                pool_rules=self._pool_rules,
            )
            self._report.add(self._store.load(files, options))
            if not self._keep_files:
                for file in files:
                    file.unlink(missing_ok=True)
