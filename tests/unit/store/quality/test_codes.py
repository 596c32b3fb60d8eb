"""The table of codes against the code that gives them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import signals
from signals.store.quality import FINDINGS

ROOT = Path(signals.__file__).parent
KNOWN = {row.code: row for row in FINDINGS}


def given() -> Iterator[tuple[str, str, str]]:
    """Code, severity and place of every finding whose code stands in the text of the program."""
    for path in sorted(ROOT.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "Finding" and node.args:
                code, severity = node.args[0], node.args[1] if len(node.args) > 1 else None
                if isinstance(code, ast.Constant) and isinstance(code.value, str):
                    word = severity.value if isinstance(severity, ast.Constant) else ""
                    yield code.value, str(word), path.relative_to(ROOT).as_posix()


def test_every_code_is_in_the_table() -> None:
    missing = sorted({f"{code} ({place})" for code, _, place in given() if code not in KNOWN})
    assert missing == []


def test_severities_are_those_of_the_table() -> None:
    odd = [
        (code, severity, place)
        for code, severity, place in given()
        if code in KNOWN and severity and severity not in KNOWN[code].severities.split("/")
    ]
    assert odd == []


def test_the_table_is_alphabetical_and_names_each_code_once() -> None:
    codes = [row.code for row in FINDINGS]
    assert codes == sorted(set(codes))


def test_every_code_is_expected_by_a_test() -> None:
    """A code that no test names could vanish unseen."""
    tests = Path(__file__).parents[3]
    words = {
        word
        for path in tests.rglob("test_*.py")
        if path != Path(__file__)
        for word in re.findall(r"[a-z_]+", path.read_text(encoding="utf-8"))
    }
    assert {row.code for row in FINDINGS} - words == set()


@pytest.mark.parametrize("row", FINDINGS, ids=lambda row: row.code)
def test_a_row_is_a_sentence_without_its_stop(row) -> None:  # type: ignore[no-untyped-def]
    assert row.severities in {"info", "warning", "error", "info/warning"}
    assert row.meaning
    assert not row.meaning.endswith(".")
    assert not row.advice.endswith(".")
