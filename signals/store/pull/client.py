"""Questions over HTTP: at most two at once, repeated with growing pauses, answers bounded in size."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeVar

import httpx

from signals.errors import SignalsError
from signals.store.pull.answer import (
    Answer,
    Garbled,
    Partial,
    data_of,
    read_counts,
    read_matrix,
    read_names,
)
from signals.store.pull.endpoint import Access, Endpoint
from signals.store.pull.faults import (
    Fault,
    ServerError,
    Stopped,
    TooMuch,
    of_answer,
    of_error,
    one_line,
    retry_after_s,
)
from signals.store.pull.plan import Window, aligned, range_selector, seconds_text

__all__ = ["Client"]

_T = TypeVar("_T")

AT_ONCE = 2
"""Most questions under way at one time."""
_ATTEMPTS = 7
_FIRST_PAUSE_S = 0.5
_LONGEST_PAUSE_S = 60.0
_CONNECT_S, _READ_S = 10.0, 120.0
# an answer that comes byte by byte would never run into the bound of a single read
_ANSWER_S = 300.0
_MOST_LISTING = 64 << 20
_HEAD = 64 << 10
_YEARS = range(1971, 2200)  # in which the clock of a server may be
# what grows a thousand times at most when it is unpacked; two at once, or newer ones, know no such bound
_PACKED = {"", "identity", "gzip", "deflate"}
# Thanos and VictoriaMetrics answer with what they have when a part of them is down, unless told not to;
# other servers ignore these words
_WHOLE = {"partial_response": "false", "deny_partial_response": "1"}


class _Door(httpx.Auth):
    """Adds the secret at the last moment, read from its file each time."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        header = self._access.authorization()
        if header:
            request.headers["Authorization"] = header
        yield request


def _headers(endpoint: Endpoint) -> dict[str, str]:
    headers = {"User-Agent": "autoscale-signals", "Accept-Encoding": "gzip, deflate"}
    return {**headers, "X-Scope-OrgID": endpoint.org_id} if endpoint.org_id else headers


class Client:
    """Asks one server.

    Attributes:
        endpoint: the server.
        questions: requests sent so far, repeated ones included.
        repeats: those of them that were sent again after a failure.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        access: Access,
        *,
        clock: Callable[[], datetime],
        stop: threading.Event | None = None,
        seed: int | None = None,
        most_bytes: int = 64 << 20,
    ) -> None:
        """Prepare; nothing is sent yet.

        Args:
            endpoint: the server.
            access: how to get in.
            clock: the present, UTC.
            stop: set to end the pull; None if nobody wants to.
            seed: of the jitter of pauses; None for one that differs from client to client.
            most_bytes: largest answer that is taken, bytes after decompression.

        Raises:
            UsageError: the options of `access` contradict each other.
            InputError: a file of `access` cannot be used.
        """
        access.check()
        self.endpoint = endpoint
        self.questions = self.repeats = 0
        self._access = access
        self._clock = clock
        self._stop = stop or threading.Event()
        self._random = random.Random(seed)  # noqa: S311 - spreads clients over time, guards nothing
        self._slots = threading.BoundedSemaphore(AT_ONCE)
        self._counts = threading.Lock()
        self._most_bytes = most_bytes
        self._method = "POST"
        self._met = False
        self._http = httpx.Client(
            auth=_Door(access),
            headers=_headers(endpoint),
            trust_env=not endpoint.is_near,
            verify=access.tls(),
            timeout=httpx.Timeout(_READ_S, connect=_CONNECT_S),
            limits=httpx.Limits(max_connections=AT_ONCE),
        )

    def close(self) -> None:
        """Give the connections back."""
        self._http.close()

    def server_time(self) -> datetime:
        """The server's clock; also the proof that it is one that can be asked.

        Raises:
            ServerError: it cannot be reached, does not let us in, or is no Prometheus.
        """
        heard: list[str] = []
        try:
            body = self._ask("query", {"query": "time()"}, most=_MOST_LISTING, heard=heard)
        except TooMuch as error:
            raise error.error from error
        self._read(data_of, body)
        self._met = True
        try:
            moment = parsedate_to_datetime(heard[0])
        except (TypeError, ValueError, IndexError, OverflowError):
            return self._clock()
        if moment.year not in _YEARS:
            return self._clock()
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)

    def label_values(self, label: str, selector: str, window: Window) -> list[str]:
        """Values of a label over the series of a selector in a window, sorted.

        Raises:
            ServerError: they cannot be had, or the answer makes no sense.
            TooMuch: there are too many.
        """
        form = {
            "match[]": selector,
            "start": seconds_text(window.start_ms),
            "end": seconds_text(window.end_ms),
        }
        body = self._ask(f"label/{label}/values", form, most=_MOST_LISTING, method="GET")
        return sorted(self._read(read_names, body))

    def counts(self, query: str, moment_ms: int) -> list[int]:
        """The values of an instant query that counts, one for each series of its result.

        Raises:
            ServerError: they cannot be had, or are no counts.
            TooMuch: a smaller question may be answered.
        """
        form = {"query": query, "time": seconds_text(moment_ms), **_WHOLE}
        return self._read(read_counts, self._ask("query", form, most=_MOST_LISTING))

    def matrix(self, query: str, window: Window, *, step_ms: int = 0) -> tuple[Answer, int]:
        """The samples of a window.

        Args:
            query: a selector, or with a step any expression.
            window: half-open.
            step_ms: step of a range query over an expression; 0 for a selector's raw samples.

        Returns:
            The answer, and the bytes that arrived for it.

        Raises:
            TooMuch: a smaller window may be answered.
            ServerError: it cannot be had.
            Stopped: the pull was asked to end.
        """
        if step_ms:
            points = list(aligned(window, step_ms))
            if not points:
                return Answer(b"", 0, 0, None), 0
            first, last = map(seconds_text, points)
            step = seconds_text(step_ms)
            path, form = "query_range", {"query": query, "start": first, "end": last, "step": step}
        else:
            text, moment = range_selector(query, window)
            path, form = "query", {"query": text, "time": moment}
        for attempt in range(_ATTEMPTS):
            body = self._access.blank(self._ask(path, {**form, **_WHOLE}, most=self._most_bytes))
            try:
                return read_matrix(body, window), len(body)
            except (Garbled, Partial) as error:
                fault = self._unusable(error)
            self._pause(attempt, 0.0, fault.error)
        raise fault.error

    def _read(self, reader: Callable[[bytes], _T], body: bytes) -> _T:
        try:
            return reader(body)
        except (Garbled, Partial) as error:
            raise self._unusable(error).error from error

    def _unusable(self, error: Garbled | Partial) -> Fault:
        base = self.endpoint.base
        if isinstance(error, Partial):
            what, hint = "the server could not ask all its parts", "try again when it is whole"
        elif self._met:
            what = f"an answer cannot be used: {one_line(str(error))}"
            hint = "run the same command again"
        else:
            what = "this is no Prometheus-compatible server"
            hint = "check the address; behind a login page, ask for the API's own address"
        return Fault("again", ServerError(what, where=base, expected="a JSON answer", hint=hint))

    def _ask(
        self,
        path: str,
        form: Mapping[str, str],
        *,
        most: int,
        method: str = "",
        heard: list[str] | None = None,
    ) -> bytes:
        """One question, repeated until it is answered.

        Args:
            path: after `/api/v1/`.
            form: parameters.
            most: largest answer, bytes.
            method: `GET`; empty for whatever the server takes.
            heard: takes the server's `Date`.
        """
        for attempt in range(_ATTEMPTS):
            if self._stop.is_set():
                raise Stopped
            fault, body, headers = self._once(path, form, most, method or self._method)
            if fault is None:
                if heard is not None:
                    heard.append(headers.get("date", ""))
                return body
            if headers.get(":status") == "405" and not method and self._method == "POST":
                self._method = "GET"
                continue
            if fault.remedy == "less":
                raise TooMuch(self._scrubbed(fault.error), slow=fault.slow)
            if fault.remedy == "none" or (fault.early and not self._met):
                raise self._scrubbed(fault.error)
            self._pause(attempt, retry_after_s(headers, self._clock()), fault.error)
        raise AssertionError("the last pause raises")

    def _once(
        self, path: str, form: Mapping[str, str], most: int, method: str
    ) -> tuple[Fault | None, bytes, Mapping[str, str]]:
        url = f"{self.endpoint.base}/api/v1/{path}"
        words = {"params": form} if method == "GET" else {"data": form}
        with self._counts:
            self.questions += 1
        try:
            with self._slot(), self._http.stream(method, url, **words) as response:  # type: ignore[arg-type]
                headers = {**response.headers, ":status": str(response.status_code)}
                good = response.is_success
                body, whole = self._body(response, most if good else _HEAD)
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
            return of_error(error, self.endpoint), b"", {}
        if good and not whole:
            return Fault("less", self._too_large(most)), b"", headers
        return of_answer(response.status_code, headers, body, self.endpoint), body, headers

    @contextmanager
    def _slot(self) -> Iterator[None]:
        with self._slots:
            yield

    def _body(self, response: httpx.Response, most: int) -> tuple[bytes, bool]:
        """The decompressed body, and whether it is whole."""
        packed = response.headers.get("content-encoding", "").strip().lower()
        if packed not in _PACKED:
            raise httpx.DecodingError(f"packed as {one_line(packed)}, which was not asked for")
        parts, size = [], 0
        deadline = time.monotonic() + _ANSWER_S
        for part in response.iter_bytes():
            if self._stop.is_set():
                raise Stopped
            if time.monotonic() > deadline:
                raise httpx.ReadTimeout(f"no whole answer after {_ANSWER_S:.0f} s")
            parts.append(part)
            size += len(part)
            if size > most:
                return b"".join(parts)[:most], False
        return b"".join(parts), True

    def _too_large(self, most: int) -> SignalsError:
        return ServerError(
            f"an answer is larger than {most >> 20} MiB even for the shortest window",
            where=self.endpoint.base,
            hint="narrow the question with --match or --query",
        )

    def _pause(self, attempt: int, wanted_s: float, error: SignalsError) -> None:
        """Wait before the next attempt, longer each time; after the last one tell why."""
        if attempt + 1 >= _ATTEMPTS:
            raise self._scrubbed(error)
        with self._counts:
            self.repeats += 1
            longest = min(_FIRST_PAUSE_S * 2**attempt, _LONGEST_PAUSE_S)
            pause = max(wanted_s, longest * (0.5 + 0.5 * self._random.random()))
        if self._stop.wait(pause):
            raise Stopped

    def _scrubbed(self, error: SignalsError) -> SignalsError:
        scrub = self._access.scrub
        return type(error)(
            scrub(error.what),
            where=error.where,
            expected=error.expected,
            hint=scrub(error.hint),
        )
