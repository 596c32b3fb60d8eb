"""`signals pull` as a process, and what it left."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from signals.store import create_store


@contextmanager
def started(folder: Path, *words: str) -> Iterator[subprocess.Popen[str]]:
    """A pull into the folder's store that runs beside the test, and no longer."""
    store = ("--store", str(folder / "fleet.duckdb"))
    command = [sys.executable, "-m", "signals.cli", *store, "pull", *words]
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()


def stored(folder: Path) -> int:
    """Rows in the folder's store, by its sources."""
    if not (folder / "fleet.duckdb").exists():
        return 0
    rows = create_store(folder / "fleet.duckdb").query("mart/sources", {})
    return int(rows["rows_kept"].sum())
