"""Ways to damage a file, each drawn from a seeded generator."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable

import numpy as np

from tests.fuzz.splinters import NUMBERS, SPLINTERS, TEXTS, TIMES

__all__ = ["MUTATIONS", "mutate"]

Rng = np.random.Generator
Mutation = Callable[[bytes, Rng], bytes]

_LONGEST = 6_000_000
_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_WORD = re.compile(rb"[A-Za-z_][A-Za-z_:.\-]{1,}")
_STAMP = re.compile(rb"\b1[78]\d{8,17}(?:\.\d+)?|\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?")
_CELL = re.compile(rb"[,;\t ]")


def mutate(content: bytes, rng: Rng) -> tuple[bytes, tuple[str, ...]]:
    """Damage a file.

    Args:
        content: of the file.
        rng: draws what is done, one to four times.

    Returns:
        The damaged content, and the names of what was done.
    """
    if rng.random() < 0.6:
        # most damage leaves a file that can be read in part
        chosen = [str(rng.choice(_SOFT))]
    else:
        chosen = [str(name) for name in rng.choice(list(MUTATIONS), int(rng.integers(1, 4)))]
    # what wraps the whole file comes last, or nothing inside would be hit
    chosen.sort(key=lambda name: name.startswith(("gzip", "encode")))
    for name in chosen:
        content = MUTATIONS[name](content, rng)[:_LONGEST]
    return content, tuple(chosen)


def _pick(rng: Rng, items: tuple[bytes, ...]) -> bytes:
    return items[int(rng.integers(len(items)))]


def _at(content: bytes, rng: Rng) -> int:
    return int(rng.integers(len(content) + 1))


def _flip_bytes(content: bytes, rng: Rng) -> bytes:
    changed = bytearray(content)
    for _ in range(int(rng.integers(1, 9)) if content else 0):
        changed[int(rng.integers(len(changed)))] = int(rng.integers(256))
    return bytes(changed)


def _flip_bits(content: bytes, rng: Rng) -> bytes:
    changed = bytearray(content)
    for _ in range(int(rng.integers(1, 9)) if content else 0):
        changed[int(rng.integers(len(changed)))] ^= 1 << int(rng.integers(8))
    return bytes(changed)


def _cut_end(content: bytes, rng: Rng) -> bytes:
    return content[: _at(content, rng)]


def _cut_begin(content: bytes, rng: Rng) -> bytes:
    return content[_at(content, rng) :]


def _cut_middle(content: bytes, rng: Rng) -> bytes:
    first, last = sorted((_at(content, rng), _at(content, rng)))
    return content[:first] + content[last:]


def _repeat_part(content: bytes, rng: Rng) -> bytes:
    first, last = sorted((_at(content, rng), _at(content, rng)))
    more = _times(content[first:last], int(rng.integers(1, 40)))
    return content[:last] + more + content[last:]


def _splice(content: bytes, rng: Rng) -> bytes:
    """A part of the file somewhere else in it."""
    first, last = sorted((_at(content, rng), _at(content, rng)))
    at = _at(content, rng)
    return content[:at] + content[first:last] + content[at:]


def _insert_splinters(content: bytes, rng: Rng) -> bytes:
    for _ in range(int(rng.integers(1, 5))):
        at, length = _at(content, rng), int(rng.integers(4))
        content = content[:at] + _pick(rng, SPLINTERS) + content[at + length :]
    return content


def _insert_random(content: bytes, rng: Rng) -> bytes:
    at = _at(content, rng)
    return content[:at] + rng.bytes(int(rng.integers(1, 200))) + content[at:]


def _times(part: bytes, count: int) -> bytes:
    """A part again and again, but no more of it than a file is left with: parts can be millions of bytes."""
    return part * min(count, 1 + _LONGEST // max(len(part), 1))


def _lines(content: bytes) -> list[bytes]:
    return content.splitlines(keepends=True)


def _duplicate_lines(content: bytes, rng: Rng) -> bytes:
    lines = _lines(content)
    for _ in range(int(rng.integers(1, 20)) if lines else 0):
        lines.insert(int(rng.integers(len(lines) + 1)), lines[int(rng.integers(len(lines)))])
    return b"".join(lines)


def _shuffle_lines(content: bytes, rng: Rng) -> bytes:
    lines = _lines(content)
    keep = int(rng.integers(2))
    return b"".join(lines[:keep] + [lines[keep:][k] for k in rng.permutation(len(lines[keep:]))])


def _drop_line(content: bytes, rng: Rng) -> bytes:
    lines = _lines(content)
    if lines:
        del lines[int(rng.integers(len(lines)))]
    return b"".join(lines)


def _swap_columns(content: bytes, rng: Rng) -> bytes:
    """Two cells changed for each other, in all lines or in one."""
    lines = _lines(content)
    if not lines:
        return content
    one, other = (int(k) for k in rng.integers(8, size=2))
    which = range(len(lines)) if rng.random() < 0.5 else [int(rng.integers(len(lines)))]
    for number in which:
        cells = lines[number].rstrip(b"\r\n").split(b",")
        if max(one, other) < len(cells):
            cells[one], cells[other] = cells[other], cells[one]
            lines[number] = b",".join(cells) + b"\n"
    return b"".join(lines)


def _change_cell_count(content: bytes, rng: Rng) -> bytes:
    found = list(_CELL.finditer(content))
    if not found:
        return content
    at = found[int(rng.integers(len(found)))].start()
    more = content[at : at + 1] * int(rng.integers(3))
    return content[:at] + more * int(rng.integers(1, 200)) + content[at + 1 :]


def _replace(pattern: re.Pattern[bytes], items: tuple[bytes, ...]) -> Mutation:
    def change(content: bytes, rng: Rng) -> bytes:
        found = list(pattern.finditer(content))
        share = (0.0, 0.2, 1.0)[int(rng.integers(3))]
        chosen = rng.random(len(found)) < share
        if found:
            chosen[int(rng.integers(len(found)))] = True
        parts, last, length = [], 0, 0
        for one, is_chosen in zip(found, chosen, strict=True):
            if is_chosen and length < _LONGEST:
                parts += [content[last : one.start()], _pick(rng, items)]
                last, length = one.end(), length + len(parts[-2]) + len(parts[-1])
        return b"".join((*parts, content[last:]))

    return change


def _shift_numbers(content: bytes, rng: Rng) -> bytes:
    """Numbers that stay numbers, of another size or sign."""

    def change(match: re.Match[bytes]) -> bytes:
        if rng.random() < 0.7:
            return match[0]
        scale = float(10.0 ** rng.integers(-12, 13)) * (-1.0 if rng.random() < 0.2 else 1.0)
        return repr(float(match[0]) * scale).encode()

    return _NUMBER.sub(change, content)


def _nest(content: bytes, rng: Rng) -> bytes:
    depth = int(rng.choice([50, 1_000, 100_000]))
    mark = _pick(rng, (b"[", b'{"a":', b"{", b'[{"a":[', b'"', b"(", b"\\"))
    at = _at(content, rng) if rng.random() < 0.7 else 0
    return content[:at] + mark * depth + content[at:]


def _endless_line(content: bytes, rng: Rng) -> bytes:
    at = _at(content, rng)
    filling = _pick(rng, (b"a", b"9", b",", b" ", b'"', b"a=b,", b"1 "))
    return content[:at] + filling * int(rng.choice([10_000, 1_000_000, 5_000_000])) + content[at:]


def _many_lines(content: bytes, rng: Rng) -> bytes:
    lines = _lines(content)
    return content + _times(b"".join(lines[-3:]), int(rng.integers(10, 2_000)))


def _mix_line_ends(content: bytes, rng: Rng) -> bytes:
    ends = (b"\n", b"\r\n", b"\r", b"\n\r", b"\x0b", b"")
    return b"".join(line.rstrip(b"\r\n") + _pick(rng, ends) for line in _lines(content))


def _add_mark(content: bytes, rng: Rng) -> bytes:
    return _pick(rng, (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\xff\xfe\0\0")) + content


def _encode(content: bytes, rng: Rng) -> bytes:
    text = content.decode("utf-8", "replace")
    name = ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1", "cp1252", "utf-7")
    return text.encode(name[int(rng.integers(len(name)))], "replace")


def _gzip_whole(content: bytes, rng: Rng) -> bytes:
    return gzip.compress(content, compresslevel=1, mtime=0)


def _gzip_cut(content: bytes, rng: Rng) -> bytes:
    packed = gzip.compress(content, compresslevel=1, mtime=0)
    return packed[: int(rng.integers(2, len(packed) + 1))]


def _gzip_damaged(content: bytes, rng: Rng) -> bytes:
    return _flip_bytes(gzip.compress(content, compresslevel=1, mtime=0), rng)


def _gzip_twice(content: bytes, rng: Rng) -> bytes:
    return _gzip_whole(_gzip_whole(content, rng), rng)


def _gzip_followed(content: bytes, rng: Rng) -> bytes:
    """A second member, or rubbish, behind the first."""
    packed = gzip.compress(content, compresslevel=1, mtime=0)
    return packed + (packed if rng.random() < 0.5 else rng.bytes(50))


def _gzip_bomb(content: bytes, rng: Rng) -> bytes:
    """Much out of little; the whole bombs have a test of their own."""
    filling = _pick(rng, (b"\n", b"a", b" ", b"9", b"[")) * 30_000_000
    return gzip.compress(content + filling, compresslevel=1, mtime=0)


def _empty(content: bytes, rng: Rng) -> bytes:
    return _pick(rng, (b"", b"\n", b" ", content[:1], b"{}", b"[]", b"null", b"\0" * 100))


def _header_alone(content: bytes, rng: Rng) -> bytes:
    return b"".join(_lines(content)[: int(rng.integers(1, 4))])


MUTATIONS: dict[str, Mutation] = {
    "add_mark": _add_mark,
    "change_cell_count": _change_cell_count,
    "cut_begin": _cut_begin,
    "cut_end": _cut_end,
    "cut_middle": _cut_middle,
    "drop_line": _drop_line,
    "duplicate_lines": _duplicate_lines,
    "empty": _empty,
    "encode": _encode,
    "endless_line": _endless_line,
    "flip_bits": _flip_bits,
    "flip_bytes": _flip_bytes,
    "gzip_bomb": _gzip_bomb,
    "gzip_cut": _gzip_cut,
    "gzip_damaged": _gzip_damaged,
    "gzip_followed": _gzip_followed,
    "gzip_twice": _gzip_twice,
    "gzip_whole": _gzip_whole,
    "header_alone": _header_alone,
    "insert_random": _insert_random,
    "insert_splinters": _insert_splinters,
    "many_lines": _many_lines,
    "mix_line_ends": _mix_line_ends,
    "nest": _nest,
    "other_numbers": _replace(_NUMBER, NUMBERS),
    "other_texts": _replace(_WORD, tuple(text.encode() for text in TEXTS)),
    "other_times": _replace(_STAMP, TIMES),
    "repeat_part": _repeat_part,
    "shift_numbers": _shift_numbers,
    "shuffle_lines": _shuffle_lines,
    "splice": _splice,
    "swap_columns": _swap_columns,
}
"""What can be done to a file, alphabetical."""
_SOFT = (
    *(
        "change_cell_count",
        "cut_end",
        "drop_line",
        "duplicate_lines",
        "flip_bytes",
        "gzip_followed",
    ),
    *("insert_splinters", "many_lines", "mix_line_ends", "other_numbers", "other_numbers"),
    *("other_texts", "other_times", "shift_numbers", "shift_numbers", "shuffle_lines"),
    *("splice", "swap_columns"),
)
