"""The folder beside a store where answers wait for the loader; what is stored already tells what to ask next."""

from __future__ import annotations

import fcntl
import gzip
import json
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from signals.errors import StoreError
from signals.store.pull.endpoint import Endpoint
from signals.store.pull.plan import Window
from signals.store.pull.selection import Selection

__all__ = ["Spool", "question_of", "window_of"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_STAMP = r"(\d{8}T\d{6}\.\d{3})Z"
_FILE = re.compile(rf"{_STAMP}-{_STAMP}\.json\.gz")
# stores of earlier versions hold the paths of files in the spool
_URI = re.compile(rf".*-([0-9a-f]{{12}})/({_STAMP}-{_STAMP})(?:\.json\.gz)?", re.DOTALL)
_FORM = "%Y%m%dT%H%M%S.%f"
_LEVEL = 1  # answers shrink ten times at the lowest level already
_LOCK = "lock"


class Spool:
    """Answers of one server for one service of one store.

    A file's name says its window and its folder the question, so that sources of the store and files that
    wait tell alike what need not be asked again.

    Attributes:
        folder: `fleet.pull` for the store `fleet.duckdb`.
    """

    def __init__(self, store: Path, endpoint: Endpoint, service: str) -> None:
        self.folder = store.with_suffix(".pull")
        self._endpoint = endpoint
        self._service = service

    def key(self, selection: Selection) -> str:
        """What tells the answers to a selection from all others."""
        return selection.key(self._endpoint, self._service)

    def uri(self, selection: Selection, window: Window) -> str:
        """What the store calls an answer: the server, the metric, and the window."""
        about = re.sub(r"[^\w.:-]", "_", selection.about)[:60]
        return f"{self._endpoint.base}/{about}-{self.key(selection)}/{_name(window)}"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other pulls into the same store out.

        Raises:
            StoreError: one is running, or the folder cannot be made.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            handle = (self.folder / _LOCK).open("ab")
        except OSError as error:
            raise _unwritable(self.folder, error) from error
        with handle:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                # the one that held it may have taken the file away before it let go
                if os.fstat(handle.fileno()).st_nlink == 0:
                    raise BlockingIOError
            except OSError as error:
                raise StoreError(
                    "another pull into this store is running",
                    where=str(self.folder),
                    hint="wait for it, stop it, or pull into another --store",
                ) from error
            try:
                yield
            finally:
                self._tidy()

    def place(self, selection: Selection) -> Path:
        """The folder of a selection's answers."""
        host = re.sub(r"[^\w.-]", "_", self._endpoint.host)[:60]
        return self.folder / f"{host}-{selection.name}-{self.key(selection)}"

    def waiting(self, selection: Selection) -> list[Path]:
        """Whole answers that no load has taken yet, in the order of time."""
        place = self.place(selection)
        for rest in place.glob("*.part"):
            rest.unlink(missing_ok=True)
        return sorted(path for path in place.glob("*.json.gz") if window_of(path.name))

    def covered(self, selection: Selection, uris: Iterable[str]) -> list[Window]:
        """Windows that need not be asked again.

        Args:
            selection: what is pulled.
            uris: sources of the store that belong to the service.
        """
        mine = self.key(selection)
        told = [question for question in map(question_of, uris) if question]
        stored = [window for key, window in told if key == mine]
        files = [window_of(path.name) for path in self.waiting(selection)]
        return [*stored, *(window for window in files if window)]

    def write(self, selection: Selection, window: Window, text: bytes) -> Path:
        """Keep an answer: whole, or not at all.

        Returns:
            The file; equal answers make equal files.

        Raises:
            StoreError: it cannot be written.
        """
        place = self.place(selection)
        path = place / f"{_name(window)}.json.gz"
        part = path.with_name(f"{path.name}.part")
        try:
            place.mkdir(parents=True, exist_ok=True)
            with part.open("wb") as handle:
                handle.write(gzip.compress(text, _LEVEL, mtime=0))
                handle.flush()
                os.fsync(handle.fileno())
            part.replace(path)
        except OSError as error:
            with suppress(OSError):
                part.unlink()
            raise _unwritable(path, error) from error
        return path

    def describe(self, selection: Selection) -> None:
        """Write beside the answers what was asked, for people who look into the folder."""
        place = self.place(selection)
        about = {
            "server": self._endpoint.base,
            "tenant": self._endpoint.org_id,
            "service": self._service,
            "query": selection.query,
            "step_ms": selection.step_ms,
        }
        try:
            place.mkdir(parents=True, exist_ok=True)
            text = json.dumps(about, ensure_ascii=False, indent=2)
            (place / "about.json").write_text(text + "\n", encoding="utf-8")
        except OSError as error:
            raise _unwritable(place, error) from error

    def _tidy(self) -> None:
        """Take away folders without answers."""
        with suppress(OSError):
            for place in [path for path in self.folder.iterdir() if path.is_dir()]:
                if not any(place.glob("*.json.gz*")):
                    (place / "about.json").unlink(missing_ok=True)
                    place.rmdir()
            if [path.name for path in self.folder.iterdir()] == [_LOCK]:
                (self.folder / _LOCK).unlink()
                self.folder.rmdir()


def question_of(uri: str) -> tuple[str, Window] | None:
    """The key of the selection and the window of an answer in the store; None for other sources."""
    found = _URI.fullmatch(uri)
    window = window_of(f"{found[2]}.json.gz") if found else None
    return (found[1], window) if found and window else None


def window_of(name: str) -> Window | None:
    """The window that a file's name tells; None for other names."""
    found = _FILE.fullmatch(name)
    if found is None:
        return None
    start, end = (
        (datetime.strptime(text, _FORM).replace(tzinfo=UTC) - _EPOCH) // timedelta(milliseconds=1)
        for text in found.groups()
    )
    return Window(start, end)


def _name(window: Window) -> str:
    return f"{_stamp(window.start_ms)}-{_stamp(window.end_ms)}"


def _stamp(moment_ms: int) -> str:
    moment = _EPOCH + timedelta(milliseconds=moment_ms)
    return f"{moment:%Y%m%dT%H%M%S}.{moment_ms % 1000:03d}Z"


def _unwritable(path: Path, error: OSError) -> StoreError:
    return StoreError(
        f"the answers cannot be kept: {error.strerror or error}",
        where=str(path),
        hint="they are written beside the store before they are loaded",
    )
