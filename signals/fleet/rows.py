"""Rows of tables as compiled code sees them: an address, and an int64 at each field's name.

NumPy's own record type would do the same, but carries all of its field names into the name of every compiled
function that takes one; with it the engine took several times longer to compile. Nothing checks bounds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core.datamodel import models
from numba.core.imputils import lower_setattr_generic
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import intrinsic, lower_getattr_generic, register_model

__all__ = ["Row", "RowType", "numbered", "rows_of", "view"]

_WORD = ir.IntType(64)


class Row:
    """What a type checker sees of a row; compiled code never meets this class."""

    def __getattr__(self, name: str) -> int:
        """Every field is an integer."""
        raise AttributeError(name)

    def __setattr__(self, name: str, field: int) -> None:
        """Every field can be written."""
        raise AttributeError(name)


class RowType(types.Type):
    """A row of one kind; types of one kind are equal.

    Args:
        kind: short name.
        dtype: its fields, all int64.
    """

    def __init__(self, kind: str, dtype: np.dtype[np.void]) -> None:
        names = dtype.names or ()
        self.offsets = {name: dtype.itemsize // len(names) * n for n, name in enumerate(names)}
        self.width = dtype.itemsize
        super().__init__(name=f"Row({kind})")


def _declare() -> None:
    """Tell numba what a row is: a word that holds an address, with fields to read and to write."""

    @register_model(RowType)
    class Model(models.PrimitiveModel):
        def __init__(self, manager: Any, row: RowType) -> None:  # noqa: ANN401 - numba's protocol
            super().__init__(manager, row, _WORD)  # type: ignore[no-untyped-call]

    @infer_getattr
    class Fields(AttributeTemplate):
        key = RowType

        def generic_resolve(self, row: RowType, name: str) -> Any:  # type: ignore[override] # noqa: ANN401
            return types.int64 if name in row.offsets else None

    @lower_getattr_generic(RowType)  # type: ignore[no-untyped-call, untyped-decorator]
    def read(context: Any, builder: Any, row: RowType, address: Any, name: str) -> Any:  # noqa: ANN401, ARG001
        return builder.load(_pointer(builder, row, address, name))

    @lower_setattr_generic(RowType)  # type: ignore[no-untyped-call, untyped-decorator]
    def write(context: Any, builder: Any, signature: Any, arguments: Any, name: str) -> None:  # noqa: ANN401, ARG001
        address, value = arguments
        builder.store(value, _pointer(builder, signature.args[0], address, name))


def _pointer(builder: Any, row: RowType, address: Any, name: str) -> Any:  # noqa: ANN401 - LLVM values
    at = builder.add(address, _WORD(row.offsets[name]))
    return builder.inttoptr(at, _WORD.as_pointer())


_declare()


def view(row: RowType) -> Callable[[int], Row]:
    """A function for compiled code that takes the address of a row and gives the row."""

    @intrinsic
    def at(typing: Any, address: Any) -> Any:  # noqa: ANN401, ARG001 - numba's protocol
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ANN401, ARG001
            return arguments[0]

        return row(types.int64), generate

    return cast("Callable[[int], Row]", at)


def rows_of(row: RowType, base: RowType, address: str, width: str = "") -> Callable[..., Row]:
    """A function for compiled code that gives a table's row.

    Args:
        row: the table's kind of row.
        base: the kind of row in which the table's address stands.
        address: its field there.
        width: for a table of two dimensions, the field of its second one's length.

    Returns:
        `(base, index)` or, with a width, `(base, first, second)` to row.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ANN401, ARG001
        index = arguments[1]
        if width:
            length = builder.load(_pointer(builder, base, arguments[0], width))
            index = builder.add(builder.mul(index, length), arguments[2])
        start = builder.load(_pointer(builder, base, arguments[0], address))
        return builder.add(start, builder.mul(index, _WORD(row.width)))

    if width:

        @intrinsic
        def cell(typing: Any, state: Any, first: Any, second: Any) -> Any:  # noqa: ANN401, ARG001
            return row(base, types.int64, types.int64), generate

        return cast("Callable[..., Row]", cell)

    @intrinsic
    def line(typing: Any, state: Any, index: Any) -> Any:  # noqa: ANN401, ARG001
        return row(base, types.int64), generate

    return cast("Callable[..., Row]", line)


def numbered(factor: int, offset: int) -> Callable[[int], int]:
    """A function for compiled code that maps n to factor * n + offset."""

    @intrinsic
    def number(typing: Any, index: Any) -> Any:  # noqa: ANN401, ARG001 - numba's protocol
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ANN401, ARG001
            return builder.add(builder.mul(arguments[0], _WORD(factor)), _WORD(offset))

        return types.int64(types.int64), generate

    return cast("Callable[[int], int]", number)
