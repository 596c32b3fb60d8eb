"""Errors shown to users: what went wrong, where, what was expected, what to do next.

Every error that a user can cause is one of these; anything else is a bug in this program.
"""

from __future__ import annotations

from typing import ClassVar

__all__ = [
    "AnalysisError",
    "FormatError",
    "InputError",
    "QueryError",
    "SchemaError",
    "SignalsError",
    "StoreError",
    "UsageError",
]


class SignalsError(Exception):
    """A problem with a known cause, told in four parts.

    Attributes:
        what: the problem in one sentence, without a full stop.
        where: the option, file and line, or signal that it concerns; empty if there is none.
        expected: what would have been right; empty if that is plain.
        hint: what to do next; empty if there is nothing better than the above.
        exit_code: the process exit code of the command line.
    """

    exit_code: ClassVar[int] = 1

    def __init__(self, what: str, *, where: str = "", expected: str = "", hint: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.expected = expected
        self.hint = hint

    def __str__(self) -> str:
        """One block of text: `error: ...` and one indented line for each part that is known."""
        parts = (("where", self.where), ("expected", self.expected), ("hint", self.hint))
        lines = [f"  {name}: {text}" for name, text in parts if text]
        return "\n".join([f"error: {self.what}", *lines])

    def __reduce__(self) -> tuple[object, ...]:
        """Support pickling across process pools, which rebuilds exceptions from `args` alone."""
        return (_rebuild, (type(self), self.what, self.where, self.expected, self.hint))


def _rebuild(
    kind: type[SignalsError], what: str, where: str, expected: str, hint: str
) -> SignalsError:
    return kind(what, where=where, expected=expected, hint=hint)


class UsageError(SignalsError):
    """A command, option or argument is not understood."""

    exit_code = 2


class InputError(SignalsError):
    """A file or record handed over by the user cannot be read."""

    exit_code = 3


class FormatError(InputError):
    """A file has none of the known formats."""


class StoreError(SignalsError):
    """The DuckDB store cannot be opened, read or written."""

    exit_code = 4


class QueryError(UsageError):
    """A named query does not exist or got the wrong parameters."""


class SchemaError(SignalsError):
    """A frame does not have the columns, types or order that were promised: a bug of the caller."""


class AnalysisError(SignalsError):
    """The data are readable, but the question cannot be answered from them."""

    exit_code = 5
