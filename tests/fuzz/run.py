"""Load damaged files by the thousand: `make fuzz`."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from tests.fuzz.peak import held_bytes
from tests.fuzz.worker import Outcome

__all__ = ["fuzz", "summary", "table"]

ROOT = Path(__file__).parents[2]
WORKER = (sys.executable, "-X", "faulthandler", "-W", "error", "-m", "tests.fuzz.worker")
KINDS = ("loaded", "rejected", "refused", "broken")
FAULTS = {
    "traceback": "tracebacks",
    "unclear": "errors that say too little",
    "partial": "partial loads",
    "memory": "over the limit of memory",
    "hang": "hangs",
    "death": "deaths",
}
TIMEOUT_S = 120.0
"""Longest that a file may take, on a busy machine."""
MOST_BYTES = 4_000_000_000
"""Memory at which a process is killed, before the machine is out of it."""
_START_S = 300.0
_LOOK_S = 0.25


class _Watch(threading.Thread):
    """Kills a process that takes too long, or more memory than a machine should have to give.

    Attributes:
        fault: `hang` or `memory` once it was killed, else empty.
        text: what it did.
    """

    def __init__(self, process: subprocess.Popen[str], limit_s: float) -> None:
        super().__init__(daemon=True)
        self.fault = self.text = ""
        self._process = process
        self._limit_s = limit_s
        self._ended = threading.Event()

    def run(self) -> None:
        """Look now and then until the file is done."""
        begin = time.monotonic()
        while not self._ended.wait(_LOOK_S):
            held = held_bytes(self._process.pid)
            if held > MOST_BYTES:
                self.fault, self.text = "memory", f"held {held / 1e9:.1f} GB"
            elif time.monotonic() - begin > self._limit_s:
                self.fault, self.text = "hang", f"no end after {self._limit_s:.0f} s"
            if self.fault:
                self._process.kill()
                return

    def end(self) -> None:
        """The file is done."""
        self._ended.set()
        self.join()


class _Worker:
    """A process that loads damaged files, replaced when it hangs or dies."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._process: subprocess.Popen[str] | None = None
        self._fresh = True

    def ask(self, number: int) -> Outcome:
        """Have a file loaded."""
        process = self._running()
        assert process.stdin is not None
        watch = _Watch(process, TIMEOUT_S + (_START_S if self._fresh else 0.0))
        watch.start()
        try:
            with suppress(BrokenPipeError):
                process.stdin.write(f"{number}\n")
                process.stdin.flush()
            assert process.stdout is not None
            line = process.stdout.readline()
        finally:
            watch.end()
        self._fresh = False
        if line:
            values = json.loads(line)
            return Outcome(**{**values, "done": tuple(values["done"])})
        text = self._last_words(watch.text or "died")
        return Outcome(number, "?", (), "broken", watch.fault or "death", text)

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    with suppress(BrokenPipeError):
                        pipe.close()
            self._process.wait()
            self._errors.close()
            self._process = None

    def _running(self) -> subprocess.Popen[str]:
        if self._process is None:
            self._errors = tempfile.TemporaryFile("w+", errors="replace")  # noqa: SIM115 - closed in `close`
            self._process = subprocess.Popen(
                [*WORKER, str(self._seed)],
                cwd=ROOT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                text=True,
                env={**os.environ, "PYTHONPATH": str(ROOT), "POLARS_MAX_THREADS": "2"},
            )
            self._fresh = True
        return self._process

    def _last_words(self, what: str) -> str:
        assert self._process is not None
        code = self._process.wait()
        self._errors.seek(0)
        words = self._errors.read()[-4_000:]
        self.close()
        return f"{what} (exit code {code})\n{words}"


def fuzz(numbers: Sequence[int], *, seed: int, workers: int = 2) -> Iterator[Outcome]:
    """Load damaged files.

    Args:
        numbers: which ones.
        seed: of the damage.
        workers: processes side by side.

    Yields:
        What became of each, in the order of their ends.
    """
    todo: queue.SimpleQueue[int | None] = queue.SimpleQueue()
    done: queue.SimpleQueue[Outcome | None] = queue.SimpleQueue()
    for number in (*numbers, *[None] * workers):
        todo.put(number)
    threads = [
        threading.Thread(target=_work, args=(seed, todo, done), daemon=True) for _ in range(workers)
    ]
    for thread in threads:
        thread.start()
    left = workers
    while left:
        outcome = done.get()
        if outcome is None:
            left -= 1
        else:
            yield outcome
    for thread in threads:
        thread.join()


def _work(
    seed: int,
    todo: queue.SimpleQueue[int | None],
    done: queue.SimpleQueue[Outcome | None],
) -> None:
    worker = _Worker(seed)
    try:
        while (number := todo.get()) is not None:
            done.put(worker.ask(number))
    finally:
        worker.close()
        done.put(None)


def table(outcomes: Sequence[Outcome]) -> str:
    """How many ended in which way, by format, and the most memory that one took, MB."""
    counts = Counter((one.form, one.kind) for one in outcomes)
    rows = [("format", *KINDS, "peak_mb")]
    for form in (*sorted({one.form for one in outcomes}), "all"):
        own = outcomes if form == "all" else [one for one in outcomes if one.form == form]
        kinds = counts if form != "all" else Counter(("all", one.kind) for one in own)
        peak = max((one.peak_bytes for one in own), default=0)
        rows.append((form, *(str(kinds[form, kind]) for kind in KINDS), f"{peak / 1e6:.0f}"))
    return "\n".join(f"{row[0]:<26}" + "".join(f"{cell:>10}" for cell in row[1:]) for row in rows)


def summary(outcomes: Sequence[Outcome]) -> str:
    """The counts of all files in two lines: what became of them, and what was found broken."""
    kinds = Counter(one.kind for one in outcomes)
    faults = Counter(one.fault for one in outcomes)
    rejects = sum(one.rejects for one in outcomes)
    nothing = Outcome(0, "", (), "")
    peak = max(outcomes, key=lambda one: one.peak_bytes, default=nothing)
    slowest = max(outcomes, key=lambda one: one.seconds, default=nothing)
    return (
        f"{len(outcomes)} files: {kinds['loaded']} loaded, {kinds['rejected']} loaded with {rejects} rejects, "
        f"{kinds['refused']} refused, {kinds['broken']} broken; peak memory {peak.peak_bytes / 1e6:.0f} MB "
        f"(file {peak.number}), slowest {slowest.seconds:.1f} s (file {slowest.number})\n"
        + ", ".join(f"{faults[fault]} {words}" for fault, words in FAULTS.items())
    )


def _main() -> int:
    files = int(os.environ.get("FUZZ_FILES", "10000"))
    seed = int(os.environ.get("FUZZ_SEED", str(time.time_ns() % 10**9)))
    first = int(os.environ.get("FUZZ_FIRST", "0"))
    say = sys.stdout.write
    say(f"{files} damaged files from number {first}, FUZZ_SEED={seed}\n")
    outcomes: list[Outcome] = []
    for outcome in fuzz(range(first, first + files), seed=seed, workers=os.cpu_count() or 1):
        outcomes.append(outcome)
        if outcome.kind == "broken":
            say(
                f"\n{outcome.fault}: file {outcome.number} ({outcome.form}: {', '.join(outcome.done)})\n"
            )
            say(f"{outcome.text}\n")
        if len(outcomes) % 500 == 0:
            say(f"{len(outcomes)} files\n")
        sys.stdout.flush()
    say(f"\n{table(outcomes)}\n\n{summary(outcomes)}\n")
    broken = sum(one.kind == "broken" for one in outcomes)
    if broken:
        say(f"{broken} broken; again with FUZZ_SEED={seed} FUZZ_FIRST=NUMBER FUZZ_FILES=1\n")
    return int(broken > 0 or len(outcomes) != files)


if __name__ == "__main__":
    sys.exit(_main())
