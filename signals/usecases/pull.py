"""From a Prometheus-compatible server into the store: what is missing, window by window, once or for good."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial

from signals.errors import UsageError
from signals.schema import Finding
from signals.store import Store
from signals.store.pull.batch import Batch
from signals.store.pull.client import AT_ONCE, Client
from signals.store.pull.cost import Cost, count_cost
from signals.store.pull.crew import gather
from signals.store.pull.endpoint import Access, Endpoint
from signals.store.pull.faults import ServerError, Stopped
from signals.store.pull.fetch import Fetched, fetch
from signals.store.pull.plan import Window, gaps, union
from signals.store.pull.reports import Pulled, PullReport
from signals.store.pull.selection import Selection, Wanted, find_selections, own_selections
from signals.store.pull.spool import Spool

__all__ = ["Pull", "PullRequest"]

Progress = Callable[[str, float], None]
Clock = Callable[[], datetime]
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DEFAULT_SINCE = timedelta(days=1)
_POLL_S = 15.0
_MOST_BYTES = 64 << 20  # read as JSON, an answer takes about eight times its size
_LEAST_POLL_S, _MOST_POLL_S = 5.0, 60.0  # each round writes the store


@dataclass(frozen=True)
class PullRequest:
    """What to pull, and how.

    Attributes:
        endpoint: the server.
        access: how to get in.
        wanted: presets and queries.
        service: name for the rows; empty for the server's host.
        pool_rules: as for a load.
        first: begin, UTC; None to go on after what is stored, or a day back.
        last: end, UTC; None for as late as samples have settled.
        settle: how long after its time a sample may still arrive at the server.
        aim_bytes: wanted size of an answer.
        keep: True to keep the answers' files after they were loaded.
    """

    endpoint: Endpoint
    access: Access = field(default_factory=Access)
    wanted: Wanted = field(default_factory=Wanted)
    service: str = ""
    pool_rules: tuple[str, ...] = ()
    first: datetime | None = None
    last: datetime | None = None
    settle: timedelta = timedelta(seconds=30)
    aim_bytes: int = 16 << 20
    keep: bool = False

    @property
    def name(self) -> str:
        """The service's name."""
        return self.service or self.endpoint.host


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

    def run(self, progress: Progress) -> PullReport:
        """Pull what is missing, and load it.

        Args:
            progress: told what is being done and the share done, 0..1.

        Raises:
            ServerError: the server cannot be asked or has nothing of it; what arrived before is stored.
            StoreError: the store or the folder beside it cannot be written, or another pull is running.
        """
        with self._spool.locked():
            return self._pass(progress)

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
            report = self._pass(_silent)
            tell(_line(report))
            try:
                while not report.stopped:
                    self._wait(every_s)
                    self._round(report, tell)
            except (KeyboardInterrupt, Stopped):
                report.stopped = True
        return report

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
        except ServerError as error:
            tell(f"{error.what}; trying again")
            report.remarks[:] = [r for r in report.remarks if r.code != "server_lost"]
            report.remarks.append(Finding("server_lost", "warning", error.what))
            return
        report.merge(more)
        if more.rows_read or more.stopped:
            tell(_line(more))

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

    def _key(self, selection: Selection) -> str:
        return selection.key(self.request.endpoint, self.request.name)

    def _uris(self) -> list[str]:
        if not self._store.path.exists():
            return []
        rows = self._store.query("mart/sources", {})
        return rows.filter(rows["service"] == self.request.name)["uri"].to_list()

    def _gaps(self, selection: Selection, end_ms: int, stored: Sequence[str]) -> list[Window]:
        """What of a selection is neither stored, nor waiting to be, nor known to be empty."""
        known = self._answered.get(self._key(selection), ())
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
                    self._note(item, pulled[item.selection], report)
                    told = f"{item.selection.name}, {report.rows_kept:,} rows stored"
                    progress(told, done / total)
                    batch.take(item, self._clock())
        except (KeyboardInterrupt, Stopped):
            report.stopped = True
            self._sweep(batch, self._uris())
        except ServerError:
            self._sweep(batch, self._uris())
            raise
        finally:
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

    def _note(self, item: Fetched, pulled: Pulled, report: PullReport) -> None:
        pulled.questions += 1
        pulled.samples += item.samples
        pulled.answer_bytes += item.answer_bytes
        pulled.asked_ms += item.window.width_ms
        if item.interval_s:
            self.interval_s = min(self.interval_s or item.interval_s, item.interval_s)
        if item.native:
            report.findings["native_histogram_skipped"] += item.native
        key = self._key(item.selection)
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
        report = PullReport(
            self.request.endpoint.base, self.request.name, first, _moment(end_ms), pulled
        )
        if self.request.endpoint.in_clear and self.request.access.authorization():
            text = "the secret travels unencrypted: the address begins with http://"
            report.remarks.append(Finding("secret_in_clear", "warning", text))
        if self.request.access.insecure:
            text = "the server's certificate was not checked (--insecure)"
            report.remarks.append(Finding("certificate_unchecked", "warning", text))
        return report


def _silent(_text: str, _share: float) -> None:
    return None


def _line(report: PullReport) -> str:
    return f"{report.last:%H:%M:%S}: {report.rows_kept:,} rows stored"


def _ms(moment: datetime) -> int:
    return (moment - _EPOCH) // timedelta(milliseconds=1)


def _moment(moment_ms: int) -> datetime:
    return _EPOCH + timedelta(milliseconds=moment_ms)
