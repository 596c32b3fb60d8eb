"""How compiled functions are declared, so that a changed one never meets a stale cache.

Only entry points are cached on disk; what they call is compiled into them. The cache knows an entry
point by its own file alone, so `stamp` digests all kernels and entry points close over it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from types import CodeType
from typing import Any, TypeVar, cast

from numba import njit

__all__ = ["entry_point", "kernel", "part", "stamp"]

_Function = TypeVar("_Function", bound=Callable[..., Any])
_KERNELS: list[Callable[..., Any]] = []


def kernel(function: _Function) -> _Function:
    """Compile a function that entry points call: no GIL, exact integers, no cache of its own."""
    _KERNELS.append(function)
    return cast("_Function", njit(nogil=True, error_model="numpy")(function))


def part(function: _Function) -> _Function:
    """Compile a function into each of its callers: for what is tiny, or called in one place.

    Every kernel is optimised again within each kernel that calls it; parts keep that from multiplying.
    """
    _KERNELS.append(function)
    return cast("_Function", njit(nogil=True, error_model="numpy", inline="always")(function))


def entry_point(function: _Function) -> _Function:
    """Compile a function that Python calls, cached on disk; it must close over a `stamp()`."""
    return cast("_Function", njit(nogil=True, error_model="numpy", cache=True)(function))


def stamp(*layouts: object) -> int:
    """A digest of the code and constants of every kernel declared so far, and of the tables' layouts."""
    digest = hashlib.sha256(repr(layouts).encode())
    for function in _KERNELS:
        code: CodeType = function.__code__
        constants = [
            (name, value)
            for name in code.co_names
            if isinstance(value := function.__globals__.get(name), int)
        ]
        digest.update(repr((function.__qualname__, code.co_code, code.co_consts)).encode())
        digest.update(repr((code.co_names, constants)).encode())
    return int.from_bytes(digest.digest()[:7], "big")
