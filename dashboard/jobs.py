"""Long work beside the server: Dash's job manager, and a way to run work in a fresh interpreter.

Dash forks its jobs from a process whose threads may hold locks of polars, DuckDB and numba; what such a fork
inherits can wait for ever. So a job does nothing itself but start a clean interpreter and pass on its progress.
"""

from __future__ import annotations

import atexit
import contextlib
import multiprocessing
import shutil
import tempfile
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, cast

from signals.errors import SignalsError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from dash import DiskcacheManager

__all__ = ["Progress", "background_jobs", "end_jobs", "run_apart"]

Progress = Callable[[str, float], None]
"""Takes what is being done and the share done, 0..1."""

R = TypeVar("R")


def background_jobs() -> DiskcacheManager:
    """Dash's job manager over a private folder that goes when the process ends."""
    import diskcache  # type: ignore[import-untyped]
    from dash import DiskcacheManager

    folder = tempfile.mkdtemp(prefix="signals-dashboard-")
    cache = diskcache.Cache(folder)

    def clear() -> None:
        cache.close()
        shutil.rmtree(folder, ignore_errors=True)

    atexit.register(clear)
    return DiskcacheManager(cache)  # type: ignore[no-untyped-call]


def end_jobs() -> None:
    """End the jobs that this process started and still run, with the interpreters that they started."""
    import psutil  # type: ignore[import-untyped]
    from multiprocess import active_children  # type: ignore[import-untyped]

    for job in active_children():
        try:
            family = psutil.Process(job.pid).children(recursive=True)
        except psutil.NoSuchProcess:
            continue
        for process in family:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        job.kill()
        job.join()


def run_apart(work: Callable[..., R], arguments: tuple[Any, ...], progress: Progress) -> R:
    """Run a function in a fresh interpreter and wait for it.

    Args:
        work: a module-level function that also takes `progress=`.
        arguments: its positional arguments, picklable.
        progress: told what the work reports.

    Returns:
        What the work returned.

    Raises:
        SignalsError: raised by the work.
        RuntimeError: the work failed otherwise, or its process ended early.
    """
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_work_apart, args=(there, work, arguments))
    process.start()
    there.close()
    try:
        return cast("R", _listen(here, progress))
    finally:
        here.close()
        process.join()
        process.close()


def _listen(here: Connection, progress: Progress) -> object:
    while True:
        try:
            kind, value = here.recv()
        except EOFError:
            raise RuntimeError("the job's process ended without a result") from None
        if kind == "progress":
            progress(*value)
        elif kind == "result":
            return value
        else:
            raise value


def _work_apart(there: Connection, work: Callable[..., object], arguments: tuple[Any, ...]) -> None:
    def progress(text: str, share: float) -> None:
        there.send(("progress", (text, share)))

    try:
        there.send(("result", work(*arguments, progress=progress)))
    except SignalsError as error:
        there.send(("error", error))
    except Exception as error:  # noqa: BLE001 - told to the process that waits, which logs it
        import traceback

        there.send(("error", RuntimeError(f"{error}\n{traceback.format_exc()}")))
    finally:
        there.close()
