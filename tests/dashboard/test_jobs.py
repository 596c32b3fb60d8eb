"""Work in a fresh interpreter: results, progress and errors come back; a killed one is noticed."""

from __future__ import annotations

import os
import signal

import pytest

from dashboard.jobs import Progress, run_apart
from signals.errors import UsageError


def _add(left: int, right: int, *, progress: Progress) -> tuple[int, int]:
    progress("adding", 0.5)
    return left + right, os.getpid()


def _refuse(*, progress: Progress) -> None:
    raise UsageError("no", where="here", expected="yes", hint="say yes")


def _break(*, progress: Progress) -> None:
    raise KeyError("a bug")


def _die(*, progress: Progress) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_result_and_progress_come_back_from_another_process() -> None:
    """2 + 3 is 5 there as well."""
    told: list[tuple[str, float]] = []
    total, pid = run_apart(_add, (2, 3), lambda text, share: told.append((text, share)))
    assert total == 5
    assert pid != os.getpid()
    assert told == [("adding", 0.5)]


def test_known_error_keeps_its_four_parts() -> None:
    """What the page shows is what the work raised."""
    with pytest.raises(UsageError) as caught:
        run_apart(_refuse, (), lambda _text, _share: None)
    error = caught.value
    assert (error.what, error.where, error.expected, error.hint) == ("no", "here", "yes", "say yes")


def test_bug_is_told_with_its_traceback() -> None:
    """The log can then say where it happened."""
    with pytest.raises(RuntimeError, match="in _break"):
        run_apart(_break, (), lambda _text, _share: None)


def test_killed_process_is_an_error_not_a_hang() -> None:
    """A process that ends without an answer is noticed."""
    with pytest.raises(RuntimeError, match="ended without a result"):
        run_apart(_die, (), lambda _text, _share: None)
