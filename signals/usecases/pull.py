"""From a Prometheus-compatible server into the store: what is missing, window by window, once or for good."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import partial

from signals.errors import InputError, UsageError
from signals.schema import Finding
from signals.store import Store
from signals.store.pull.batch import Batch
from signals.store.pull.client import AT_ONCE, Client
from signals.store.pull.cost import Cost, count_cost
from signals.store.pull.crew import gather
from signals.store.pull.faults import RefusedError, ServerError, Stopped
from signals.store.pull.fetch import Fetched, fetch
from signals.store.pull.plan import Window, gaps, union
from signals.store.pull.reports import Pulled, PullReport
from signals.store.pull.selection import Selection, find_selections, own_selections
from signals.store.pull.silence import missing_presets, silence_of, unanswered
from signals.store.pull.spool import Spool, question_of
from signals.usecases.load import check_max_reject
from signals.usecases.pull_request import PullRequest

__all__ = ["Pull", "PullRequest"]

Progress = Callable[[str, float], None]
Clock = Callable[[], datetime]
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DEFAULT_SINCE = timedelta(days=1)
_POLL_S = 15.0
_MOST_BYTES = 64 << 20  # read as JSON, an answer takes about eight times its size
_LEAST_POLL_S, _MOST_POLL_S = 5.0, 60.0  # each round writes the store


class Pull:
    """One server and one store.

    Attributes:
        request: what is asked for.
        interval_s: closest spacing of samples seen so far; None before any.
    """

    def __init__(self, store: Store, request: PullRequest, *, clock: Clock) -> None:
        """Check the request; nothing is asked yet.

        Args:
            store: what to fill.
            request: with what.
            clock: the present, UTC.

        Raises:
            UsageError: options that contradict each other.
            InputError: a file with a secret or certificate cannot be used.
        """
        own_selections(request.wanted)
        check_max_reject(request.max_reject)
        self.request = request
        self.interval_s: float | None = None
        self._store = store
        self._clock = clock
        self._stop = threading.Event()
        self._leave = threading.Event()
        self._client = Client(
            request.endpoint,
            request.access,
            clock=clock,
            stop=self._stop,
            most_bytes=max(_MOST_BYTES, 2 * request.aim_bytes),
        )
        self._spool = Spool(store.path, request.endpoint, request.name)
        self._selections: list[Selection] = []
        self._answered: dict[str, list[Window]] = {}

    def interrupt(self) -> None:
        """End soon, with everything that arrived stored; to be called from a signal handler."""
        self._leave.set()
        self._stop.set()

    def close(self) -> None:
        """Give the connections back."""
        self._client.close()

    def costs(self) -> list[Cost]:
        """What a run would ask for and bring; the store and its folder stay as they are.

        Raises:
            ServerError: the server cannot be asked, or has nothing of it.
        """
        end_ms = self._end_ms()
        stored = self._uris()
        return [
            count_cost(
                self._client,
                selection,
                self._gaps(selection, end_ms, stored),
                aim_bytes=self.request.aim_bytes,
            )
            for selection in self._find(end_ms)
        ]

    def missing(self) -> list[Finding]:
        """Presets of which the server had no metrics when it was asked."""
        wanted = self.request.wanted
        missing = missing_presets(wanted, self._selections)
        return silence_of(wanted, missing, [], self.request.endpoint.base)

    def run(self, progress: Progress) -> PullReport:
        """Pull what is missing, and load it.

        Args:
            progress: told what is being done and the share done, 0..1.

        Returns:
            What came. Answers that could not be stored are left out and stand in `refused`; the next pull asks for
            them again.

        Raises:
            ServerError: the server cannot be asked or has nothing of it; what arrived before is stored.
            RefusedError: answer after answer cannot be stored; what arrived before is stored.
            StoreError: the store or the folder beside it cannot be written, or another pull is running.
            Stopped: the user ended it before anything was pulled.
        """
        with self._spool.locked():
            known = self._known()
            report = self._pass(progress)
        if not report.stopped:
            report.remarks += self._silence(report, known)
        return report

    def follow(self, every_s: float | None, tell: Callable[[str], None]) -> PullReport:
        """Pull again and again, until the user interrupts.

        Args:
            every_s: pause between rounds, seconds; None for the spacing of the samples.
            tell: takes one line per round.

        Returns:
            The sum of all rounds.

        Raises:
            ServerError: the first round failed; later failures are told and tried again.
        """
        with self._spool.locked():
            known = self._known()
            report = self._pass(_silent)
            tell(_line(report))
            for finding in [*self._silence(report, known), *_refusals(report)]:
                tell(finding.text)
            try:
                while not report.stopped:
                    self._wait(every_s)
                    self._round(report, tell)
            except (KeyboardInterrupt, Stopped):
                report.stopped = True
        report.remarks += self._silence(report, known)
        return report

    def _known(self) -> frozenset[str]:
        """Keys of selections of which something is stored."""
        return frozenset(told[0] for told in map(question_of, self._uris()) if told)

    def _silence(self, report: PullReport, known: frozenset[str]) -> list[Finding]:
        wanted = self.request.wanted
        names = frozenset(s.name for s in self._selections if self._spool.key(s) in known)
        missing = missing_presets(wanted, self._selections)
        silent = unanswered(report.selections, known=names)
        return silence_of(wanted, missing, silent, self.request.endpoint.base)

    def _wait(self, every_s: float | None) -> None:
        interval = self.interval_s or _POLL_S
        pause = every_s or min(max(interval, _LEAST_POLL_S), _MOST_POLL_S)
        if self._leave.wait(pause):
            raise Stopped

    def _round(self, report: PullReport, tell: Callable[[str], None]) -> None:
        if not self._leave.is_set():
            self._stop.clear()
        try:
            more = self._pass(_silent)
        except InputError as error:
            code = "window_refused" if isinstance(error, RefusedError) else "server_lost"
            tell(f"{error.what}; trying again")
            report.remarks[:] = [r for r in report.remarks if r.code != code]
            report.remarks.append(Finding(code, "warning", error.what))
            return
        report.merge(more)
        if more.rows_read or more.stopped:
            tell(_line(more))
        for finding in _refusals(more):
            tell(finding.text)

    def _end_ms(self) -> int:
        """The latest time whose samples have settled."""
        settled = self._client.server_time() - self.request.settle
        last = self.request.last
        return _ms(min(last, settled) if last else settled)

    def _find(self, end_ms: int) -> list[Selection]:
        if not self._selections:
            first = self.request.first
            begin = _ms(first) if first else end_ms - _DEFAULT_SINCE // timedelta(milliseconds=1)
            if begin >= end_ms:
                raise UsageError(
                    "the time asked for has not settled on the server yet",
                    where="--from, --since",
                    hint=f"samples of the last {self.request.settle.total_seconds():g} s may still "
                    "arrive there; --settle says how long that takes",
                )
            self._selections = find_selections(
                self._client, self.request.wanted, Window(begin, end_ms)
            )
        return self._selections

    def _uris(self) -> list[str]:
        if not self._store.path.exists():
            return []
        rows = self._store.query("mart/sources", {})
        return rows.filter(rows["service"] == self.request.name)["uri"].to_list()

    def _gaps(self, selection: Selection, end_ms: int, stored: Sequence[str]) -> list[Window]:
        """What of a selection is neither stored, nor waiting to be, nor known to be empty."""
        known = self._answered.get(self._spool.key(selection), ())
        covered = [*self._spool.covered(selection, stored), *known]
        if self.request.first:
            begin = _ms(self.request.first)
        elif covered:
            begin = max(window.end_ms for window in covered)
        else:
            begin = end_ms - _DEFAULT_SINCE // timedelta(milliseconds=1)
        return gaps(Window(begin, end_ms), covered) if begin < end_ms else []

    def _pass(self, progress: Progress) -> PullReport:
        end_ms = self._end_ms()
        pulled = {selection: Pulled(selection) for selection in self._find(end_ms)}
        stored = self._uris()
        windows = {selection: self._gaps(selection, end_ms, stored) for selection in pulled}
        report = self._empty_report(end_ms, windows, list(pulled.values()))
        batch = self._batch(report)
        self._sweep(batch, stored)
        total = sum(w.width_ms for ws in windows.values() for w in ws) or 1
        done = 0
        jobs = [
            partial(self._fetch, selection, missing)
            for selection, missing in windows.items()
            if missing
        ]
        try:
            with closing(self._gather(jobs)) as items:
                for item in items:
                    done += item.window.width_ms
                    self._note(item, pulled[item.selection])
                    if item.path is None:
                        report.hear(item.warnings)
                    told = f"{item.selection.name}, {report.rows_kept:,} rows stored"
                    progress(told, done / total)
                    batch.take(item, self._clock())
        except Stopped:
            report.stopped = True
            self._sweep(batch, self._uris())
        except ServerError:
            self._sweep(batch, self._uris())
            batch.flush()
            raise
        batch.flush()
        report.repeats = self._client.repeats
        progress("", 1.0)
        return report

    def _batch(self, report: PullReport) -> Batch:
        return Batch(
            self._store,
            self._spool,
            report,
            pool_rules=self.request.pool_rules,
            max_reject=self.request.max_reject,
            keep_files=self.request.keep,
        )

    def _gather(
        self, jobs: Sequence[Callable[[], Iterator[Fetched]]]
    ) -> Generator[Fetched, None, None]:
        return gather(jobs, workers=AT_ONCE, stop=self._stop, leave=self._leave)

    def _sweep(self, batch: Batch, stored: Sequence[str]) -> None:
        """Let the batch take every answer that waits."""
        for selection in self._selections:
            batch.take_waiting(selection, stored)

    def _fetch(self, selection: Selection, missing: Sequence[Window]) -> Iterator[Fetched]:
        self._spool.describe(selection)
        return fetch(
            self._client,
            self._spool,
            selection,
            missing,
            aim_bytes=self.request.aim_bytes,
            stop=self._stop,
        )

    def _note(self, item: Fetched, pulled: Pulled) -> None:
        pulled.questions += 1
        pulled.samples += item.samples
        pulled.answer_bytes += item.answer_bytes
        pulled.asked_ms += item.window.width_ms
        if item.interval_s:
            self.interval_s = min(self.interval_s or item.interval_s, item.interval_s)
        key = self._spool.key(item.selection)
        self._answered[key] = union([*self._answered.get(key, ()), item.window])

    def _empty_report(
        self, end_ms: int, windows: Mapping[Selection, Sequence[Window]], pulled: list[Pulled]
    ) -> PullReport:
        begins = [window.start_ms for missing in windows.values() for window in missing]
        first = self.request.first or _moment(min(begins, default=end_ms))
        if self.request.first:
            whole = end_ms - _ms(self.request.first)
            for one in pulled:
                one.stored_ms = max(whole - sum(w.width_ms for w in windows[one.selection]), 0)
        base, last = self.request.endpoint.base, _moment(end_ms)
        remarks = self.request.remarks()
        return PullReport(base, self.request.name, first, last, pulled, remarks=remarks)


def _silent(_text: str, _share: float) -> None:
    return None


def _refusals(report: PullReport) -> list[Finding]:
    return [remark for remark in report.remarks if remark.code == "window_refused"]


def _line(report: PullReport) -> str:
    return f"{report.last:%H:%M:%S}: {report.rows_kept:,} rows stored"


def _ms(moment: datetime) -> int:
    return (moment - _EPOCH) // timedelta(milliseconds=1)


def _moment(moment_ms: int) -> datetime:
    return _EPOCH + timedelta(milliseconds=moment_ms)
