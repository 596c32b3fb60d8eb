"""Evaluate many services at once: each in a process of its own turn, none stopped by what ails another."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from signals.errors import AnalysisError, SignalsError, UsageError
from signals.store import Store
from signals.study.score import Scorecard
from signals.study.scorecard import evaluate_panel
from signals.usecases.evaluate import choose_service, read_panel

__all__ = ["Question", "Surveyed", "chosen_services", "survey", "worker_count"]

_ONE_THREAD = (
    "OPENBLAS_NUM_THREADS",
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "POLARS_MAX_THREADS",
)
"""A worker is one thread: many at once would wait for each other instead of sharing the work."""


@dataclass(frozen=True)
class Question:
    """What is asked about one service; as in `evaluate`.

    Attributes:
        service: its name.
        load: the signal taken as load; None for what clients asked for.
        tick_s: grid width, seconds; None for the default.
        first: begin, UTC; None for the data's.
        last: end, UTC; None for the data's.
        signals: only these; empty for all.
    """

    service: str
    load: str | None = None
    tick_s: float | None = None
    first: datetime | None = None
    last: datetime | None = None
    signals: tuple[str, ...] = ()


@dataclass(frozen=True)
class Surveyed:
    """The answer about one service.

    Attributes:
        service: its name.
        card: the scorecard; None if there is none.
        error: why there is none; None if there is one.
    """

    service: str
    card: Scorecard | None
    error: SignalsError | None


def chosen_services(store: Store, names: Sequence[str] = ()) -> tuple[str, ...]:
    """The services that are asked for, each once.

    Args:
        store: the store.
        names: services; empty for all.

    Raises:
        UsageError: a name is not in the store.
        AnalysisError: the store is empty.
    """
    if not names:
        known = store.services()
        return tuple(known) if known else (choose_service(store, None),)
    return tuple(choose_service(store, name) for name in dict.fromkeys(names))


def worker_count(asked: int | None, services: int) -> int:
    """How many processes work: as many as asked, else one per core; never more than there are services.

    Raises:
        UsageError: fewer than one is asked for.
    """
    if asked is not None and asked < 1:
        raise UsageError(f"{asked} workers do no work", where="--workers", expected="1 or more")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, min(asked or cores or 1, services))


def survey(
    store: Store,
    questions: Sequence[Question],
    *,
    workers: int | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> tuple[Surveyed, ...]:
    """Score the signals of several services.

    Args:
        store: the store; every process opens it to read.
        questions: one per service.
        workers: processes; None for one per core. The answers are the same whatever their number.
        progress: told which service was last finished, and the share done, 0..1.

    Returns:
        One answer per question, in their order. Scorecards are also kept beside the store.

    Raises:
        UsageError: the number of workers is not possible.
        KeyboardInterrupt: Ctrl-C; no process is left behind.
    """
    count = worker_count(workers, len(questions))
    answers = _in_turn(store, questions) if count == 1 else _at_once(store, questions, count)
    found: list[Surveyed] = []
    for answer in answers:
        if answer.card is not None:
            store.runs.save_scorecard(answer.card)
        found.append(answer)
        if progress is not None:
            progress(answer.service, len(found) / len(questions))
    return tuple(found)


def _in_turn(store: Store, questions: Sequence[Question]) -> Iterator[Surveyed]:
    for question in questions:
        yield _answer(store.path, question)


def _at_once(store: Store, questions: Sequence[Question], count: int) -> Iterator[Surveyed]:
    before = set(multiprocessing.active_children())
    # a fresh interpreter each: a fork would copy locks of threads that it does not have
    pool = ProcessPoolExecutor(count, mp_context=multiprocessing.get_context("spawn"))
    try:
        with _prepared_for_workers():
            running = [pool.submit(_answer, store.path, question) for question in questions]
        for question, future in zip(questions, running, strict=True):
            yield _received(question, future)
    except BaseException:
        # what is under way would keep Ctrl-C waiting for as long as it takes
        for child in set(multiprocessing.active_children()) - before:
            child.terminate()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _received(question: Question, future: Future[Surveyed]) -> Surveyed:
    try:
        return future.result()
    except BrokenProcessPool:
        error = AnalysisError(
            "a process that evaluated services was ended from outside",
            hint="it may have taken more memory than there is: try fewer --workers",
        )
        return Surveyed(question.service, None, error)


@contextmanager
def _prepared_for_workers() -> Iterator[None]:
    """Processes that start in here have one thread, and leave Ctrl-C to the one that started them."""
    settings = {name: os.environ.get(name) for name in _ONE_THREAD}
    os.environ.update(dict.fromkeys(_ONE_THREAD, "1"))
    main = threading.current_thread() is threading.main_thread()
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN) if main else None
    try:
        yield
    finally:
        if main:
            signal.signal(signal.SIGINT, handler)
        for name, value in settings.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _answer(path: Path, question: Question) -> Surveyed:
    try:
        panel = read_panel(
            Store(path),
            question.service,
            tick_s=question.tick_s,
            first=question.first,
            last=question.last,
        )
        card = evaluate_panel(panel, load=question.load, signals=question.signals)
    except SignalsError as error:
        return Surveyed(question.service, None, error)
    return Surveyed(question.service, card, None)
