"""A pull parser for large JSON files: walks to one array and yields its elements, few in memory at a time."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from signals.errors import InputError
from signals.store.sources.stream import byte_blocks

__all__ = ["MAX_ELEMENT_CHARS", "JsonPuller"]

_Run = TypeVar("_Run")

MAX_ELEMENT_CHARS = 16 << 20
"""Largest value that is read as a whole, such as all labels of one series."""

_WHITESPACE = " \t\r\n"
_DECODER = json.JSONDecoder()
_TAIL = 16
_ARRAYS_END = re.compile(r"\]\s*\]")
_BATCH_CHARS = 4 << 20
_CREDIT = 64 << 20
_EARNED = 4
_SHORT = 16 << 10
_MISSES = 8


class JsonPuller:
    """Reads JSON values one after the other from a file of any size.

    Attributes:
        path: the file.
    """

    def __init__(self, path: Path) -> None:
        """Open the file; nothing is read before the first question."""
        self.path = path
        self._blocks = byte_blocks(path)
        self._decode = codecs.getincrementaldecoder("utf-8")()
        self._text = ""
        self._at = 0
        self._before = 0
        self._ended = False
        self._credit = _CREDIT
        self._narrow: bytes | None = None

    def peek(self) -> str:
        """The next character that is no white space, not consumed; empty at the end of the file."""
        while True:
            while self._at < len(self._text) and self._text[self._at] in _WHITESPACE:
                self._at += 1
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._fill():
                return ""

    def expect(self, character: str) -> None:
        """Consume a character, or raise InputError."""
        found = self.peek()
        if found != character:
            raise self._broken(f"'{character}'", found)
        self._at += 1

    def value(self) -> object:
        """Consume and return one whole JSON value.

        Raises:
            InputError: it is no JSON, ends too early, is nested too deep or too large.
        """
        self.peek()
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                if not self._may_continue(error) or not self._fill_double():
                    raise self._broken("JSON", error.msg, error.pos) from error
                continue
            except ValueError as error:  # a whole number of thousands of digits
                raise self._broken("numbers of a sensible length", str(error)) from error
            except RecursionError as error:
                raise InputError(
                    "the JSON is nested too deep",
                    where=f"{self.path}, character {self._before + self._at}",
                    expected="an answer of Prometheus",
                ) from error
            # a number at the end of what is read may go on in the next block, as `2` in `2.5e-3`
            if isinstance(value, (int, float)) and end > len(self._text) - 3 and self._fill():
                continue
            self._at = end
            return value

    def members(self) -> Iterator[str]:
        """Names of an object's members; the caller must consume each value before the next name."""
        self.expect("{")
        if self.peek() == "}":
            self._at += 1
            return
        yield from self._names()

    def more_members(self) -> Iterator[str]:
        """As `members`, behind a value of the object."""
        if self.peek() == "}":
            self._at += 1
            return
        self.expect(",")
        yield from self._names()

    def _names(self) -> Iterator[str]:
        while True:
            if self.peek() != '"':
                raise self._broken("a member's name in quotes", self.peek())
            name = self.value()
            self.expect(":")
            yield str(name)
            if self.peek() == "}":
                self._at += 1
                return
            self.expect(",")

    def items(self) -> Iterator[int]:
        """Numbers of an array's elements, from 1; the caller must consume each value before the next number."""
        self.expect("[")
        if self.peek() == "]":
            self._at += 1
            return
        number = 0
        while True:
            number += 1
            yield number
            if self.peek() == "]":
                self._at += 1
                return
            self.expect(",")

    def elements(self) -> Iterator[object]:
        """Elements of an array."""
        for _ in self.items():
            yield self.value()

    def batches(self) -> Iterator[list[object]]:
        """Elements of an array, as many at a time as are read; fast if they are arrays themselves."""
        for _ in self.items():
            self.peek()
            yield self._batch() or [self.value()]

    def runs(
        self, scan: Callable[[bytes, int], tuple[int, _Run | None]]
    ) -> Iterator[list[object] | _Run]:
        """Elements of an array as `batches` gives them, or as a faster reader does where it can.

        Args:
            scan: gets text, one byte per character with `?` for what is beyond Latin-1, and where an element
                begins; returns where the last of the elements that it read ends, and what it read, None for none.
        """
        misses = 0
        for _ in self.items():
            self.peek()
            if len(self._text) - self._at < _SHORT:
                self._fill()  # rather than meet its end, which is slow to step over
            if self._narrow is None:
                self._narrow = self._text.encode("latin-1", "replace")
            self._at, run = scan(self._narrow, self._at)
            misses = 0 if run is not None else misses + 1
            if run is not None:
                yield run
            elif (
                misses < _MISSES
            ):  # cut off at the end of what is read, or one that is unlike others
                yield [self.value()]
            else:
                yield self._batch() or [self.value()]

    def _batch(self) -> list[object]:
        """Elements up to a bracket behind which the array's end or another one may come; empty if none fit.

        What parses between brackets is whole elements, wherever it was cut. Looking for the cut is paid for by
        what is found, so that no text makes it look at the same characters over and over.
        """
        if self._credit < 0:
            return []
        stop = self._at + _BATCH_CHARS
        end = _ARRAYS_END.search(self._text, self._at, stop)
        cut = 1 + (end.start() if end else self._text.rfind("],", self._at, stop))
        self._credit -= min(end.end() if end else stop, len(self._text)) - self._at
        if cut == 0:
            return []
        try:
            found: list[object] = json.loads(f"[{self._text[self._at : cut]}]")
        except (
            ValueError,
            RecursionError,
        ):  # a bracket in a text, or what `value` has an error for
            return []
        self._credit += _EARNED * (cut - self._at)
        self._at = cut
        return found

    def short_object(self) -> dict[str, object] | None:
        """Consume and return an object that ends in what is read and soon; None, nothing consumed, if unsure."""
        if self.peek() != "{" or not _ARRAYS_END.search(self._text, self._at, self._at + _SHORT):
            return None
        try:
            value, end = _DECODER.raw_decode(self._text, self._at)
        except (ValueError, RecursionError):  # cut off, or what `value` has an error for
            return None
        self._at = end
        return value if isinstance(value, dict) else None

    def match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Consume what a pattern finds at the next character, as far as the file is read; None if it does not fit."""
        self.peek()
        found = pattern.match(self._text, self._at)
        if found is not None:
            self._at = found.end()
        return found

    def unmatch(self, found: re.Match[str]) -> None:
        """Go back to where the last match began."""
        self._at = found.start()

    def skip(self) -> None:
        """Consume one value of any size without keeping it."""
        first = self.peek()
        if first == "[":
            for _ in self.batches():
                pass
        elif first == "{":
            for _ in self.members():
                self.value()
        else:
            self.value()

    def finish(self) -> None:
        """Raise InputError if anything but white space follows."""
        found = self.peek()
        if found:
            raise self._broken("the end of the file", found)

    def _may_continue(self, error: json.JSONDecodeError) -> bool:
        """Whether more text could mend it: it breaks at the end, or inside a string."""
        return error.msg.startswith("Unterminated string") or error.pos >= len(self._text) - _TAIL

    def _fill(self) -> bool:
        if self._ended:
            return False
        self._narrow = None
        if self._at:
            self._before += self._at
            self._text = self._text[self._at :]
            self._at = 0
        block = next(self._blocks, b"")
        self._ended = not block
        try:
            self._text += self._decode.decode(block, final=self._ended)
        except UnicodeDecodeError as error:
            raise InputError(
                f"byte 0x{error.object[error.start]:02x} is not UTF-8",
                where=f"{self.path}, after character {self._before + len(self._text)}",
                expected="JSON in UTF-8",
            ) from error
        return not self._ended or bool(self._text)

    def _fill_double(self) -> bool:
        """Read about as much again as the value has so far, so that a long one is tried few times."""
        held = len(self._text) - self._at
        wanted = min(2 * held, MAX_ELEMENT_CHARS)
        if held >= MAX_ELEMENT_CHARS:
            raise InputError(
                f"one JSON value is larger than {MAX_ELEMENT_CHARS >> 20} million characters",
                where=f"{self.path}, character {self._before + self._at}",
                expected="labels and samples of a sensible length",
            )
        filled = False
        while not self._ended and len(self._text) - self._at < max(wanted, 1):
            filled = self._fill() or filled
        return filled and not (self._ended and not self._text)

    def _broken(self, wanted: str, found: str, at: int | None = None) -> InputError:
        position = self._before + (self._at if at is None else at)
        ended = self._ended and (
            found == ""
            or found.startswith("Unterminated string")
            or position >= self._before + len(self._text) - 1
        )
        return InputError(
            "the JSON ends in the middle" if ended else "the file is no valid JSON",
            where=f"{self.path}, character {position}",
            expected=wanted,
            hint="export or copy it again" if ended else f"found {found[:60]!r}",
        )
