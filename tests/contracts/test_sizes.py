"""Law 10: a file fits in a reader's head. (Complexity of functions is ruff's rule C901.)"""

import pytest

from tests.contracts.tree import ROOT, project_files

CODE_LINES = 350
TABLE_LINES = 500
TABLES = {
    "signals/catalog/canonical.py",
    "signals/study/verdict.py",
}
"""Files that are declared data: one row after the other and next to no logic."""

SUFFIXES = {".py", ".sql", ".css", ".js"}
FILES = [path for path in project_files() if path.suffix in SUFFIXES]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_file_is_short(path):
    """350 lines, 500 for tables as data."""
    name = path.relative_to(ROOT).as_posix()
    allowed = TABLE_LINES if name in TABLES else CODE_LINES
    lines = path.read_text(encoding="utf-8").count("\n")
    assert lines <= allowed, f"{name} has {lines} lines; split it by sense, not by count"


def test_tables_that_may_be_longer_exist():
    """The exceptions do not outlive their files."""
    assert {name for name in TABLES if not (ROOT / name).is_file()} == set()


def test_no_module_is_a_drawer():
    """A module's name is a word of the field, never a drawer for leftovers."""
    drawers = {"utils", "util", "helpers", "helper", "common", "misc", "manager", "tools", "base"}
    found = [path for path in FILES if path.suffix == ".py" and path.stem in drawers]
    assert found == []
