"""What every reader of request logs has to stand: cut, empty, mixed up, endless, and byte by byte spoiled files."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from signals.errors import InputError
from signals.schema import REQUESTS, check_frame
from signals.store.sources.stream import MAX_LINE_BYTES

__all__ = ["check_hostile"]

_NUMBER = re.compile(rb"(?<![\w.])\d+(?:\.\d+)?(?![\w.])")
_ODD = (b"1e999", b"-1", b"9" * 400, b"NaN", b"null")
_MOST_NUMBERS = 40
_FLIPS = 60
_CUTS = 25


def check_hostile(
    whole: Callable[..., Any], write: Callable[..., Path], name: str, sample: bytes, form: str
) -> None:
    """Read spoiled versions of a sample; each ends in a clear error or in a frame of the request form.

    Args:
        whole: the fixture that reads a file to its end.
        write: the fixture that writes a file.
        name: of the file.
        sample: a sound file, which must load.
        form: its format.
    """
    assert whole(write(name, sample)).format == form

    unplaced: list[InputError] = []

    def read(data: bytes) -> bool:
        try:
            found = whole(write(name, data), form=form)
        except InputError as error:
            unplaced.extend([error] if name not in error.where else [])
            return False
        for log in found.requests:
            check_frame(log, REQUESTS)
        return True

    assert not read(b"")
    assert not read(b"\n \n")
    assert not read(gzip.compress(sample * 50)[:-20])
    assert not read(sample[: len(sample) // 2].decode().encode("utf-16-be"))
    assert not read(sample[: len(sample) // 2] + b"\0" + sample[len(sample) // 2 :])
    assert not read(b'{"x' * (MAX_LINE_BYTES // 3 + 10))
    assert read(b"\xef\xbb\xbf" + sample)
    rng = np.random.default_rng(20261130)
    for cut in rng.integers(1, len(sample), _CUTS):
        read(sample[:cut])
    for place, byte in zip(
        rng.integers(0, len(sample), _FLIPS), rng.integers(0, 256, _FLIPS), strict=True
    ):
        spoiled = bytearray(sample)
        spoiled[place] = byte
        read(bytes(spoiled))
    # one number after the other becomes one that no machine computes with
    for number in range(min(len(_NUMBER.findall(sample)), _MOST_NUMBERS)):
        for odd in _ODD:
            read(_nth(sample, number, odd))
    assert unplaced == []


def _nth(sample: bytes, number: int, odd: bytes) -> bytes:
    """The sample with its n-th number replaced."""
    match = list(_NUMBER.finditer(sample))[number]
    return sample[: match.start()] + odd + sample[match.end() :]
