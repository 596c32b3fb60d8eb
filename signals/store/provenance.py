"""What a result was made from: inputs, versions, seed; and the name that follows from what was asked."""

from __future__ import annotations

import hashlib
import importlib
import importlib.metadata
import json
import platform
from collections.abc import Mapping, Sequence
from pathlib import Path

from signals.store.connect import reading
from signals.store.place import locate
from signals.store.sql import run

__all__ = ["identify", "input_hashes", "versions"]

_PACKAGES = ("duckdb", "numba", "numpy", "polars")
_ASKED = ("workload", "settings", "slo", "span")
_POLICY = ("policy", "label", "params")


def input_hashes(store: Path, service: str) -> tuple[tuple[str, str], ...]:
    """Hashes of the content and of the options of every source of a service, in order.

    Args:
        store: the DuckDB file; one that does not exist holds no source.
        service: name of the service.

    Raises:
        StoreError: the store cannot be read.
    """
    if not locate(store).exists():
        return ()
    with reading(store, views=()) as connection:
        return tuple(run(connection, "load/service_hashes", {"service": service}).iter_rows())


def versions() -> dict[str, str]:
    """Versions of this program, of Python, and of the packages that numbers depend on."""
    # by name: the package's front knows all of its floors, which this one may not import
    program: str = importlib.import_module("signals").__version__
    return {
        "autoscale-signals": program,
        "python": platform.python_version(),
        **{name: importlib.metadata.version(name) for name in _PACKAGES},
    }


def identify(service: str, hashes: Sequence[tuple[str, str]], summary: Mapping[str, object]) -> str:
    """The identifier of a run: equal for equal inputs, settings, policies and seed.

    Args:
        service: the service whose workload was replayed.
        hashes: as `input_hashes` gives them.
        summary: the comparison without its frames, as JSON values; results in it do not count.
    """
    policies = summary["policies"]
    asked = {
        "service": service,
        "inputs": hashes,
        "policies": [{key: one[key] for key in _POLICY} for one in policies]
        if isinstance(policies, list)
        else [],
        **{key: summary[key] for key in _ASKED},
    }
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()[:16]
