"""Text in lines: broken at blanks, then behind signs, then anywhere."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from signals.report.folding import folded, longest_piece


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("one two three four", 10, ["one two", "three four"]),
        ("…/traces/azure_llm_2023_code.csv.gz", 20, ["…/traces/azure_llm_", "2023_code.csv.gz"]),
        ("8 targets, such as a dp_rank=0,worker=1", 16, ["8 targets, such", "as a dp_rank=0,", "worker=1"]),
        ("llmservingsim_vllm", 14, ["llmservingsim_", "vllm"]),
        ("llmservingsim", 5, ["llmse", "rving", "sim"]),
        ("a 日本語日本語", 4, ["a", "日本", "語日", "本語"]),
        ("", 5, [""]),
    ],
)  # fmt: skip
def test_lines(text: str, width: int, lines: list[str]) -> None:
    assert folded(text, width).split("\n") == lines


@given(st.text("ab /_-,", max_size=40), st.integers(1, 12))
def test_no_line_is_too_long_and_no_sign_is_lost(text: str, width: int) -> None:
    told = folded(text, width)
    assert max(map(cell_len, told.split("\n"))) <= width
    assert "".join(told.split()) == "".join(text.split())


def test_longest_piece_is_what_need_not_be_broken() -> None:
    assert longest_piece("a dp_rank=0,worker_id=8d3c") == len("worker_")
    assert longest_piece("") == 0
