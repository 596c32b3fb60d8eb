"""Loads damaged files into a real store, one after the other, and holds each to what is promised.

A process of its own: it reads numbers of files from stdin and answers each with a line of JSON, so that whoever
asks sees when it hangs or dies.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
import tempfile
import time
import traceback
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from signals.errors import InputError, QueryError, SchemaError, SignalsError
from signals.store import LoadOptions, Store, create_store
from signals.store.connect import reading
from signals.store.parsed import ReadOptions
from signals.store.sql import run
from tests.fuzz.corpus import Sample, own_samples, shared_samples
from tests.fuzz.mutate import mutate
from tests.fuzz.peak import forget_peak, peak_bytes

__all__ = ["LIMIT_BYTES", "Bench", "Outcome", "damaged_input"]

LIMIT_BYTES = 1_500_000_000
"""Most memory that a process may hold while it loads a damaged file; none is larger than 30 MB unpacked."""

CHECKS = (
    "lost_samples",
    "repeated_samples",
    "targets_without_one_pool",
    "wrong_extents",
)
GOOD = "ts,decode:running [count]\n2026-06-01T08:00:00Z,1\n2026-06-01T08:00:15Z,2\n"
FIRST = datetime(2026, 6, 1, 8, tzinfo=UTC)
# loads into one store before a new one is begun
_LOADS = 40
_SHOWN = 4_000


@dataclass(frozen=True)
class Outcome:
    """What became of a damaged file.

    Attributes:
        number: of the file; with the seed it says everything about it.
        form: format of the sample.
        done: what was done to it.
        kind: `loaded`, `rejected` (loaded, with counted rejects), `refused` (a clear error) or `broken`.
        fault: what is broken: `traceback`, `unclear` (an error that says too little), `partial` (the store
            changed, although the load failed), `memory`, `hang` or `death`; else empty.
        text: the error, or what was found broken.
        rejects: records that were counted as unreadable in a file that was loaded.
        peak_bytes: most memory that the process held while it loaded the file.
        seconds: that it took.
    """

    number: int
    form: str
    done: tuple[str, ...]
    kind: str
    fault: str = ""
    text: str = ""
    rejects: int = 0
    peak_bytes: int = 0
    seconds: float = 0.0


class _FaultError(Exception):
    """Something that a load must not do.

    Attributes:
        fault: as in `Outcome`.
    """

    def __init__(self, fault: str, text: str) -> None:
        super().__init__(text)
        self.fault = fault


def damaged_input(
    samples: tuple[Sample, ...], seed: int, number: int, folder: Path
) -> tuple[Sample, tuple[str, ...], Path]:
    """Write a damaged file; its number goes round the samples, so that all have their share.

    Returns:
        The sample, what was done to it, and the path to load.
    """
    sample = samples[number % len(samples)]
    rng = np.random.default_rng([seed, number])
    first = next(iter(sample.files))
    content, done = mutate(sample.files[first], rng)
    # a name of its own now and then: some formats look at it
    name = first if sample.folder or rng.random() < 0.8 else f"{first}.gz"
    for other, data in sample.files.items():
        (folder / other).write_bytes(data)
    (folder / first).unlink()
    (folder / name).write_bytes(content)
    return sample, done, folder if sample.folder else folder / name


class Bench:
    """A store to load damaged files into.

    Attributes:
        seed: of the damage.
        samples: what is damaged.
        limit_bytes: most memory that the process may hold while it loads one.
    """

    def __init__(self, folder: Path, seed: int, *, limit_bytes: int = LIMIT_BYTES) -> None:
        self.seed = seed
        self.limit_bytes = limit_bytes
        self.samples = (*own_samples(), *shared_samples(_shared_folder()))
        self._inputs = folder / "inputs"
        self._fresh = folder / "fresh.duckdb"
        self._store = Store(folder / "store.duckdb")
        good = folder / "good.csv"
        good.write_text(GOOD)
        create_store(self._fresh).load([good], LoadOptions(read=ReadOptions(service="base")))
        self._loads = 0

    def take(self, number: int) -> Outcome:
        """Damage, load and check one file."""
        if self._loads % _LOADS == 0:
            shutil.copyfile(self._fresh, self._store.path)
        self._loads += 1
        shutil.rmtree(self._inputs, ignore_errors=True)
        self._inputs.mkdir()
        sample, done, path = damaged_input(self.samples, self.seed, number, self._inputs)
        one = Outcome(number, sample.form, done, "broken")
        begin = time.monotonic()
        forget_peak()
        try:
            one = self._load(one, sample, path)
        except _FaultError as error:
            one = replace(one, fault=error.fault, text=str(error)[:_SHOWN])
        except BaseException:  # noqa: BLE001 - whatever it is, it is what is looked for
            one = replace(one, fault="traceback", text=traceback.format_exc()[-_SHOWN:])
        if not one.peak_bytes:
            one = replace(one, peak_bytes=peak_bytes())
        one = replace(one, seconds=time.monotonic() - begin)
        if one.peak_bytes > self.limit_bytes and not one.fault:
            text = f"{one.peak_bytes / 1e6:.0f} MB of memory, {one.kind}: {one.text}"
            one = replace(one, kind="broken", fault="memory", text=text)
        if one.fault:
            self._loads = 0
        return one

    def _load(self, one: Outcome, sample: Sample, path: Path) -> Outcome:
        # some are recognised, most are told, or they would never get past the detection
        number = one.number
        form = "" if number % 4 == 0 else sample.form
        read = ReadOptions(service="svc", **sample.options)
        options = LoadOptions(read=read, source_format=form, max_reject=(0.01, 1.0)[number % 2])
        before = _digest(self._store.path)
        try:
            report = self._store.load([path], options)
        except SignalsError as error:
            if isinstance(error, SchemaError | QueryError):
                raise
            self._check_error(error, before)
            return replace(one, kind="refused", text=str(error)[:_SHOWN])
        self._check_store()
        one = replace(one, peak_bytes=peak_bytes())
        if number % 5 == 0:
            self._ask()
        (source,) = report.sources
        kind = "rejected" if source.rows_rejected else "loaded"
        return replace(one, kind=kind, rejects=source.rows_rejected)

    def _check_error(self, error: SignalsError, before: str) -> None:
        str(error).encode()
        if not (error.what and error.where):
            raise _FaultError("unclear", f"an error does not say where: {error!s}")
        if not isinstance(error, InputError):
            raise _FaultError(
                "unclear", f"an error about a file that is none of the input: {error!s}"
            )
        if _digest(self._store.path) != before:
            raise _FaultError("partial", f"the store changed, although the load failed: {error!s}")

    def _check_store(self) -> None:
        with reading(self._store.path) as connection:
            for check in CHECKS:
                found = run(connection, f"checks/{check}")
                assert found.is_empty(), f"{check}: {found.rows()[:5]}"

    def _ask(self) -> None:
        # all of it by the day, a little of it by its own step: damaged times may lie a century apart, or a millisecond
        self._store.inventory()
        for window in (
            {"tick_s": 86_400.0},
            {"first": FIRST, "last": FIRST + timedelta(minutes=10)},
        ):
            try:
                self._store.panel("svc", **window)
            except SignalsError as error:
                if isinstance(error, SchemaError | QueryError):
                    raise


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _shared_folder() -> Path:
    root = Path(__file__).parents[2]
    return Path(os.environ.get("SIGNALS_SHARED", root.parent / "shared"))


def _answer(seed: int) -> None:
    # what libraries print must not get between the answers
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), seed)
        for line in sys.stdin:
            out.write(json.dumps(asdict(bench.take(int(line)))) + "\n")
            out.flush()


if __name__ == "__main__":
    _answer(int(sys.argv[1]))
