"""Check that the installation can do its work."""

from __future__ import annotations

import importlib.metadata
import sys
import zoneinfo
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from signals.errors import SignalsError

__all__ = ["Check", "examine"]

DISTRIBUTION = "autoscale-signals"
PACKAGES = ("signals", "dashboard", "queries")
LIBRARIES = (
    "duckdb",
    "polars",
    "pyarrow",
    "numpy",
    "scipy",
    "numba",
    "statsmodels",
    "plotly",
    "dash",
)


@dataclass(frozen=True, slots=True)
class Check:
    """One check.

    Attributes:
        name: what was looked at.
        state: `ok`, `warn` or `fail`.
        text: what was found, and what to do where it is not ok.
    """

    name: str
    state: Literal["ok", "warn", "fail"]
    text: str


def examine(store: Path) -> tuple[Check, ...]:
    """Look at Python, libraries, name clashes, time zones, the JIT and the store.

    Args:
        store: path of the store, which need not exist.
    """
    checks = [Check("python", "ok", sys.version.split()[0]), *_libraries(), *_owners()]
    for name, look in (("time zones", _zones), ("duckdb", _duckdb), ("jit", _jit)):
        checks.append(_guarded(name, look))
    checks.append(_store(store))
    return tuple(checks)


def _guarded(name: str, look: Callable[[], str]) -> Check:
    try:
        return Check(name, "ok", look())
    except Exception as error:  # noqa: BLE001 - a check reports whatever breaks
        return Check(name, "fail", f"{type(error).__name__}: {error}")


def _libraries() -> list[Check]:
    checks = []
    for name in LIBRARIES:
        try:
            checks.append(Check(name, "ok", importlib.metadata.version(name)))
        except importlib.metadata.PackageNotFoundError:
            checks.append(Check(name, "fail", "not installed"))
    return checks


def _owners() -> list[Check]:
    owners = importlib.metadata.packages_distributions()
    checks = []
    for package in PACKAGES:
        others = sorted(set(owners.get(package, [])) - {DISTRIBUTION})
        if others:
            text = f"also installed by {', '.join(others)}: use an environment of its own"
            checks.append(Check(f"package {package}", "fail", text))
        else:
            checks.append(Check(f"package {package}", "ok", "ours alone"))
    return checks


def _zones() -> str:
    return zoneinfo.ZoneInfo("Europe/Paris").key


def _duckdb() -> str:
    from signals.store.connect import self_test

    return self_test()


def _jit() -> str:
    import numba

    add = numba.njit(lambda a, b: a + b)
    if add(20, 22) != 42:
        msg = "compiled code gives wrong sums"
        raise ArithmeticError(msg)
    return "compiles"


def _store(path: Path) -> Check:
    if not path.exists():
        return Check("store", "warn", f"{path} does not exist yet: signals load FILE...")
    from signals.store import open_store

    try:
        services = open_store(path).services()
    except SignalsError as error:
        return Check("store", "fail", f"{path}: {error.what}")
    return Check("store", "ok", f"{path}: {len(services)} services")
