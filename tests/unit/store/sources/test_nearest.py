"""Formats that a file nearly has."""

from __future__ import annotations

import pytest

from signals.store.sources import SOURCES
from signals.store.sources.nearest import nearest_formats


@pytest.mark.parametrize(
    ("head", "columns", "first"),
    [
        (b"sent,prompt_tokens,output_tokens\n1,2,3\n", [], "aibrix-trace (lacks timestamp_ms)"),
        (b"Session;Request tokens;Timestamp\n", [], "burstgpt (lacks Response tokens)"),
        (b'{"timestamp": 0, "input_length": 6758}\n', [], "mooncake-jsonl (lacks output_length)"),
        (b'\n[{"metric": {}, "value": 1}]', [], "own-long (lacks ts)"),
        (b"PAR1", ["ts", "value", "name"], "own-long (lacks metric)"),
        (b"# made by hand\nTS,Value [s],name\n", [], "own-long (lacks metric)"),
        (b"hello, world\n", [], ""),
        (b"", [], ""),
        (b"\xff\xfe\x00,,,\n", [], ""),
    ],
)
def test_what_is_held_and_what_lacks(head: bytes, columns: list[str], first: str) -> None:
    near = nearest_formats(head, columns, SOURCES)
    assert (near[0] if near else "") == first
    assert len(near) <= 3


def test_an_endless_line_is_read_in_no_time() -> None:
    assert nearest_formats(b"x," * 32_000, [], SOURCES) == []
    assert nearest_formats(b'{"' * 32_000, [], SOURCES) == []


def test_a_file_with_all_marks_is_not_told_that_it_lacks_some() -> None:
    for source in SOURCES:
        assert len(set(source.marks)) == len(source.marks)
        header = ",".join(source.marks).encode()
        assert not any(
            near.startswith(f"{source.name} ") for near in nearest_formats(header, [], SOURCES)
        )
