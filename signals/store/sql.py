"""Named SQL: one file per statement below `queries/`, with a header that is held to its text by tests."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable

import duckdb
import polars as pl

from signals.errors import QueryError
from signals.store.place import is_utf8, shown

__all__ = [
    "Query",
    "execute",
    "load_query",
    "public_query",
    "query_names",
    "run",
    "run_count",
    "script",
]

_KEYS = ("grain", "params", "returns", "reads", "note")
_PUBLIC = ("checks", "mart")
_REFUSED = (
    duckdb.ConversionException,
    duckdb.InvalidInputException,
    duckdb.OutOfRangeException,
)
_LONGEST = 100
_EXPECTED = "a name that 'signals query' lists"
_NAME = re.compile(rf"[a-z0-9_/]{{1,{_LONGEST}}}")
_LINE = re.compile(r"--\s*(?P<key>\w+):\s*(?P<text>.*)")


@dataclass(frozen=True, slots=True)
class Query:
    """One SQL statement and what its header promises.

    Attributes:
        name: path below `queries/` without the suffix, such as `mart/rate_per_tick`.
        title: what it answers.
        grain: what one row is.
        params: parameter name to its declared type and meaning.
        returns: column names and types, in order; empty for statements that only write.
        reads: tables and views it reads.
        note: what to know.
        text: the statement.
    """

    name: str
    title: str
    grain: str
    params: Mapping[str, str]
    returns: tuple[tuple[str, str], ...]
    reads: tuple[str, ...]
    note: str
    text: str


def query_names() -> tuple[str, ...]:
    """Names of the queries that users may run, alphabetical."""
    return tuple(sorted(f"{folder}/{stem}" for folder in _PUBLIC for stem in _stems(folder)))


def script(folder: str) -> tuple[str, ...]:
    """The texts of all files of a folder below `queries/`: tables first, then views over them."""
    texts = [_file(f"{folder}/{stem}").read_text("utf-8") for stem in _stems(folder)]
    return tuple(sorted(texts, key=lambda text: "create view" in text))


@lru_cache(maxsize=256)
def load_query(name: str) -> Query:
    """Read a statement and its header.

    Args:
        name: path below `queries/` without the suffix; `mart/` may be left out.

    Raises:
        QueryError: there is no such file, or its header is not complete.
    """
    if _NAME.fullmatch(name):
        for candidate in (name, f"mart/{name}"):
            if _file(candidate).is_file():
                return _parse(candidate, _file(candidate).read_text("utf-8"))
    known = query_names()
    near = difflib.get_close_matches(
        name[:_LONGEST], [*known, *(k.partition("/")[2] for k in known)], n=1
    )
    raise QueryError(
        f"query '{shown(name[:_LONGEST])}' does not exist",
        expected=_EXPECTED,
        hint=f"did you mean '{near[0]}'?" if near else "",
    )


def public_query(name: str) -> Query:
    """Read a query that users may run.

    Args:
        name: as `query_names` lists it; `mart/` may be left out.

    Raises:
        QueryError: there is no such query, or it is one of the store's own statements.
    """
    query = load_query(name)
    if query.name not in query_names():
        raise QueryError(f"'{name}' is not a public query", expected=_EXPECTED)
    return query


def run(
    connection: duckdb.DuckDBPyConnection, name: str, params: Mapping[str, object] | None = None
) -> pl.DataFrame:
    """Run a query that returns rows.

    Args:
        connection: an open connection of this thread.
        name: as for `load_query`.
        params: values by parameter name; all that are declared, no others.

    Returns:
        The columns that the header promises.

    Raises:
        QueryError: wrong parameters, or a value that does not convert.
    """
    query = load_query(name)
    values = dict(params or {})
    _check_params(query, values)
    try:
        relation = (
            connection.sql(query.text, params=values) if values else connection.sql(query.text)
        )
        frame: pl.DataFrame = relation.pl()
    except _REFUSED as error:
        if not values:
            raise
        raise QueryError(
            f"query '{query.name}' does not take these values",
            where=str(error).splitlines()[0],
            expected="; ".join(f"${key} {text}" for key, text in query.params.items()),
        ) from error
    return frame


def execute(
    connection: duckdb.DuckDBPyConnection, name: str, params: Mapping[str, object] | None = None
) -> None:
    """Run a statement that only writes.

    Raises:
        QueryError: wrong parameters.
    """
    query = load_query(name)
    values = dict(params or {})
    _check_params(query, values)
    if values:
        connection.execute(query.text, values).fetchall()
    else:
        connection.execute(query.text).fetchall()


def run_count(
    connection: duckdb.DuckDBPyConnection, name: str, params: Mapping[str, object]
) -> int:
    """Run a statement that removes rows, and count them.

    Raises:
        QueryError: wrong parameters.
    """
    query = load_query(name)
    _check_params(query, params)
    rows = connection.execute(query.text, dict(params)).fetchall()
    return int(rows[0][0])


def _stems(folder: str) -> Iterator[str]:
    for entry in sorted(files("queries").joinpath(folder).iterdir(), key=lambda e: e.name):
        if entry.name.endswith(".sql"):
            yield entry.name.removesuffix(".sql")


def _file(name: str) -> Traversable:
    return files("queries").joinpath(*f"{name}.sql".split("/"))


def _parse(name: str, text: str) -> Query:
    lines = text.splitlines()
    first = _LINE.fullmatch(lines[0]) if lines else None
    found = [_LINE.fullmatch(line) for line in lines[1 : 1 + len(_KEYS)]]
    keys = tuple(match["key"] if match else "" for match in found)
    if first is None or first["key"] != name.rpartition("/")[2] or keys != _KEYS:
        raise QueryError(
            f"the header of query '{name}' is not complete",
            expected=f"its name, then {', '.join(_KEYS)}, one a line, in this order",
        )
    head = {match["key"]: match["text"].strip() for match in found if match}
    return Query(
        name=name,
        title=first["text"].strip(),
        grain=head["grain"],
        params=_parse_params(head["params"]),
        returns=_parse_returns(head["returns"]),
        reads=_names(head["reads"]),
        note=head["note"],
        text="\n".join(lines[1 + len(_KEYS) :]).strip().rstrip(";"),
    )


def _parse_params(text: str) -> dict[str, str]:
    if text == "none":
        return {}
    pairs = (part.strip().lstrip("$").partition(" ") for part in text.split(";"))
    return {key: meaning for key, _, meaning in pairs}


def _parse_returns(text: str) -> tuple[tuple[str, str], ...]:
    if text == "nothing":
        return ()
    pairs = (part.strip().partition(" ") for part in text.split(";"))
    return tuple((column, dtype) for column, _, dtype in pairs)


def _names(text: str) -> tuple[str, ...]:
    return () if text == "nothing" else tuple(part.strip() for part in text.split(","))


def _check_params(query: Query, values: Mapping[str, object]) -> None:
    missing = [key for key in query.params if key not in values]
    unknown = [key for key in values if key not in query.params]
    if missing or unknown:
        parts = [("missing", missing), ("unknown", unknown)]
        raise QueryError(
            f"query '{query.name}' got other parameters than it takes",
            where=shown("; ".join(f"{label}: {', '.join(keys)}" for label, keys in parts if keys)),
            expected="; ".join(f"${k} {v}" for k, v in query.params.items()) or "no parameters",
            hint=f"signals query {query.name} --param {missing[0]}=VALUE" if missing else "",
        )
    foreign = [k for k, value in values.items() if isinstance(value, str) and not is_utf8(value)]
    if foreign:
        raise QueryError(
            f"query '{query.name}' got text that is not UTF-8",
            where=", ".join(f"${key} = {shown(str(values[key]))}" for key in foreign),
        )
