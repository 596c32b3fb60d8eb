"""Loads in processes of their own, that begin together or are killed."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from signals.store import connect

ROOT = Path(__file__).parents[1]
_LOAD = """
import sys
from signals.store import LoadOptions, connect, create_store
from signals.store.parsed import ReadOptions
connect.IN_PLACE_BYTES = int(sys.argv[3])
print("ready", flush=True)
sys.stdin.readline()
create_store(sys.argv[1]).load([sys.argv[2]], LoadOptions(read=ReadOptions(service="svc")))
"""


def start(store: Path, file: Path, in_place_bytes: int | None = None) -> subprocess.Popen[bytes]:
    """A process that will load a file into a store or a lake, for the service svc, as soon as it may go."""
    limit = connect.IN_PLACE_BYTES if in_place_bytes is None else in_place_bytes
    process = subprocess.Popen(
        [sys.executable, "-c", _LOAD, str(store), str(file), str(limit)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    return process


def go(process: subprocess.Popen[bytes]) -> None:
    """Let it load."""
    assert process.stdin is not None
    process.stdin.write(b"go\n")
    process.stdin.flush()


def time_load(store: Path, file: Path) -> float:
    """How long a load takes that is left alone, seconds."""
    process = start(store, file)
    begin = time.monotonic()
    go(process)
    assert process.wait(timeout=120) == 0
    close(process)
    return time.monotonic() - begin


def kill(process: subprocess.Popen[bytes], seconds: float, seed: list[int]) -> None:
    """Let a load begin, and kill it at a random moment of so many seconds."""
    go(process)
    time.sleep(float(np.random.default_rng(seed).uniform(0.0, 1.1 * seconds)))
    process.send_signal(signal.SIGKILL)
    process.wait()
    close(process)


def close(process: subprocess.Popen[bytes]) -> None:
    """Close its ends of the pipes."""
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
