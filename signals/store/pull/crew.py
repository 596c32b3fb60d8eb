"""A few workers that fetch side by side, and one consumer that takes what they bring."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Generic, TypeVar

from signals.store.pull.faults import Stopped

__all__ = ["gather"]

_T = TypeVar("_T")
_WAITING = 8
_LOOK_S = 0.2
_JOIN_S = 2.0


def gather(
    jobs: Sequence[Callable[[], Iterator[_T]]],
    *,
    workers: int,
    stop: threading.Event,
    leave: threading.Event | None = None,
) -> Generator[_T, None, None]:
    """Run jobs side by side and hand on what they yield, as it comes.

    Args:
        jobs: each makes an iterator that is walked in one thread.
        workers: threads.
        stop: set here when a job fails or the consumer ends early, so that jobs end too.
        leave: set from outside to end now; a job that waits for a server is then left to itself.

    Raises:
        BaseException: what the first failing job raised, after everything before it was handed on.
        Stopped: `stop` was set from outside.
    """
    crew = _Crew(jobs, stop)
    threads = [threading.Thread(target=crew.work, daemon=True) for _ in range(workers)]
    for thread in threads:
        thread.start()
    try:
        while any(thread.is_alive() for thread in threads) or not crew.ready.empty():
            yield from crew.brought()
            if leave is not None and leave.is_set() and crew.ready.empty():
                for thread in threads:
                    thread.join(_JOIN_S)
                break
        yield from crew.rest()
    except BaseException:
        stop.set()
        for thread in threads:
            thread.join(_JOIN_S)
        raise
    crew.raise_failure()


class _Crew(Generic[_T]):
    """What the workers share."""

    def __init__(self, jobs: Sequence[Callable[[], Iterator[_T]]], stop: threading.Event) -> None:
        self.ready: queue.Queue[_T] = queue.Queue(_WAITING)
        self._left = queue.SimpleQueue[Callable[[], Iterator[_T]]]()
        self._stop = stop
        self._failures: list[BaseException] = []
        for job in jobs:
            self._left.put(job)

    def work(self) -> None:
        """Do jobs until none is left."""
        try:
            while not self._stop.is_set():
                for item in self._left.get_nowait()():
                    self._hand_over(item)
        except queue.Empty:
            return
        except BaseException as error:  # noqa: BLE001 - raised again in the consumer's thread
            self._failures.append(error)
            self._stop.set()

    def _hand_over(self, item: _T) -> None:
        while True:
            try:
                self.ready.put(item, timeout=_LOOK_S)
            except queue.Full:
                # a full queue whose consumer has gone would never empty
                if self._stop.is_set() and not self._failures:
                    raise Stopped from None
            else:
                return

    def brought(self) -> Iterator[_T]:
        """The next item, if one comes soon."""
        try:
            item = self.ready.get(timeout=_LOOK_S)
        except queue.Empty:
            return
        yield item

    def rest(self) -> Iterator[_T]:
        """What is ready now."""
        while not self.ready.empty():
            yield self.ready.get()

    def raise_failure(self) -> None:
        """Raise what ended the work early, if anything did."""
        # a job that was told to stop only follows the one that failed
        causes = [e for e in self._failures if not isinstance(e, Stopped)] or self._failures
        if causes:
            raise causes[0]
        if self._stop.is_set():
            raise Stopped
