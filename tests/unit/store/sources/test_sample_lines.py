"""Lines to series, value and time, the same whether taken apart together or one by one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signals.store.sources.exposition import split_sample
from signals.store.sources.sample_lines import reject_lines, split_block, text_lines
from signals.store.sources.stream import LineBlock

NAMES = st.sampled_from(
    ["up", "vllm:tokens_total", "x{}", 'x{a="b c"}', 'x{a="}"}', '{__name__="x"}']
)
WORDS = st.text(
    st.characters(min_codepoint=33, max_codepoint=126, exclude_characters='#"{}'), min_size=1
)


def rows_of(text: str, first_line: int = 1) -> list[tuple[object, ...]]:
    return split_block(LineBlock(first_line, text.encode())).rows.rows()


def test_parts_of_lines():
    text = 'up 1\n\n  x{a="b} c"}   2.5\t1760000000000 \r\nbroken\nx{a="b"}\n'
    assert rows_of(text, first_line=7) == [
        (7, "up 1", "up", "1", None),
        (9, 'x{a="b} c"}   2.5\t1760000000000', 'x{a="b} c"}', "2.5", "1760000000000"),
        (10, "broken", "broken", None, None),
        (11, 'x{a="b"}', 'x{a="b"}', None, None),
    ]


def test_comments_and_exemplars():
    text = '# TYPE x histogram\nx{le="1"} 5 # {trace_id="}"} 0.5\ny{a="#1"} 2 3\nz 4\n# EOF\n'
    found = split_block(LineBlock(1, text.encode()))
    assert found.comments == ["# TYPE x histogram", "# EOF"]
    assert [row[2:] for row in found.rows.rows()] == [
        ('x{le="1"}', "5", None),
        ('y{a="#1"}', "2", "3"),
        ("z", "4", None),
    ]


@pytest.mark.parametrize("text", ["", "\n", " \n\t\n", "# HELP x y\n"])
def test_nothing_to_read(text):
    assert rows_of(text) == []


def test_more_words_than_a_sample_has():
    assert rows_of("up 1 2 3\n") == [(1, "up 1 2 3", "up", None, None)]
    assert rows_of('x{a="b"} 1 2 3\n')[0][3:] == (None, None)


@given(NAMES, WORDS, st.none() | WORDS)
def test_together_as_one_by_one(name, number, time):
    line = " ".join(filter(None, (name, number, time)))
    assert rows_of(line + "\n") == [(1, line, *(split_sample(line) or (None, None, None)))]


def test_rejects_name_their_reason():
    text = 'up x\nh{a="b"} {count:3,sum:1.5,schema:0} 1760000000000\n'
    rows = text_lines(LineBlock(1, text.encode()))
    assert [(one.line, one.reason) for one in reject_lines(rows, "bad_line")] == [
        (1, "bad_line"),
        (2, "native_histogram"),
    ]
