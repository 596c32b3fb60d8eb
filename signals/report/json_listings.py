"""What there is, as JSON documents: signals, policies, profiles, formats, query results, checks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Protocol

import polars as pl

from signals.catalog import MEASUREMENTS, SIGNALS
from signals.report.formats import load_command, needed_options
from signals.report.json_values import Json, document, rows

__all__ = [
    "CheckLike",
    "catalog_json",
    "checks_json",
    "formats_json",
    "frame_json",
    "policies_json",
    "profiles_json",
]


class CheckLike(Protocol):
    """One check of the installation."""

    @property
    def name(self) -> str:
        """What was looked at."""
        ...

    @property
    def state(self) -> str:
        """`ok`, `warn` or `fail`."""
        ...

    @property
    def text(self) -> str:
        """What was found."""
        ...


def catalog_json() -> Json:
    """`signals catalog --json`: the declared signals and measurements."""
    return document(
        signals=[asdict(spec) for spec in SIGNALS],
        measurements=[asdict(spec) for spec in MEASUREMENTS],
    )


def policies_json() -> Json:
    """`signals policies --json`: the registered policies and their parameters."""
    from signals.policies import POLICIES

    return document(policies=[asdict(entry.spec) for entry in POLICIES])


def profiles_json() -> Json:
    """`signals profiles --json`: the shipped service-time profiles with source and fit error."""
    from signals.profiles import load_profile, profile_names

    return document(profiles=[asdict(load_profile(name)) for name in profile_names()])


def formats_json(name: str = "") -> Json:
    """`signals formats --json`: the file formats that can be loaded.

    Args:
        name: of the only format to tell about; empty for all.

    Raises:
        UsageError: there is no such format.
    """
    from signals.store.sources import SOURCES, find_source

    sources = (find_source(name, where="NAME"),) if name else SOURCES
    return document(
        formats=[
            {
                "name": source.name,
                "title": source.title,
                "suffixes": source.suffixes,
                "folder": source.folder,
                "example": source.example,
                "export": source.export,
                "load": source.load,
                "needs": needed_options(source),
                "command": load_command(source),
                "traps": source.traps,
            }
            for source in sources
        ]
    )


def frame_json(name: str, data: pl.DataFrame | Sequence[str]) -> Json:
    """`signals query NAME --json`: the rows of a query, or the names of all queries."""
    if isinstance(data, pl.DataFrame):
        return document(query=name, columns=data.columns, rows=rows(data))
    return document(query=name, columns=["name"], rows=[{"name": text} for text in data])


def checks_json(checks: Sequence[CheckLike]) -> Json:
    """`signals doctor --json`: every check with its state."""
    return document(
        ok=all(check.state != "fail" for check in checks),
        checks=[{"name": c.name, "state": c.state, "text": c.text} for c in checks],
    )
