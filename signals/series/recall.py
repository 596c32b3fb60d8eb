"""Results that are asked for again: what depends on the load alone is worked out once for all signals beside it.

Arrays are told apart by their content, so whoever asks gets what the function would have said. Only the last few
answers are kept.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, NamedTuple, ParamSpec, TypeVar, cast

import numpy as np

__all__ = ["remembered"]

_Asked = ParamSpec("_Asked")
_Answer = TypeVar("_Answer")


class _Content(NamedTuple):
    """An array as a key."""

    kind: str
    data: bytes


def remembered(most: int) -> Callable[[Callable[_Asked, _Answer]], Callable[_Asked, _Answer]]:
    """Have a pure function of arrays and plain values remember its last answers.

    Args:
        most: answers that are kept, >= 1.

    Returns:
        A decorator. Arrays in an answer cannot be written to, alone or in a tuple: others hold them too.
    """

    def decorate(function: Callable[_Asked, _Answer]) -> Callable[_Asked, _Answer]:
        work: Callable[..., Any] = function

        @lru_cache(maxsize=most)
        def answer(*keys: Any, **names: Any) -> _Answer:  # noqa: ANN401 - whatever the function takes
            found = work(*map(_thaw, keys), **{k: _thaw(v) for k, v in names.items()})
            for part in found if isinstance(found, tuple) else (found,):
                if isinstance(part, np.ndarray):
                    part.flags.writeable = False
            return cast("_Answer", found)

        @wraps(function)
        def asked(*values: Any, **names: Any) -> _Answer:  # noqa: ANN401 - whatever the function takes
            return answer(*map(_frozen, values), **{k: _frozen(v) for k, v in names.items()})

        return cast("Callable[_Asked, _Answer]", asked)

    return decorate


def _frozen(value: object) -> object:
    if isinstance(value, np.ndarray) and value.ndim == 1:
        return _Content(value.dtype.str, value.tobytes())
    return value


def _thaw(key: object) -> object:
    return np.frombuffer(key.data, key.kind) if isinstance(key, _Content) else key
