"""What no committed file says: where packages come from here, and how this machine's folders are called."""

import re

import pytest

from tests.contracts.tree import ROOT, project_files

# The patterns are put together from pieces, so that this file passes its own check.
_P, _N, _D = "py", "npm", "debian"
HOSTS = re.compile(
    rf"({_P}pi|{_P}thonhosted|registry\.{_N}js|registry\.yarnpkg|(deb|security|ftp)\.{_D})\.(org|com)",
    re.IGNORECASE,
)
_FOLDERS = "|".join(("wo" + "rk", "ro" + "ot", "fa" + "rm", "bash" + "_jobs"))
_HOMES = "|".join(("ho" + "me", "Us" + "ers"))
PATHS = re.compile(rf"(?<![\w.-])/(?:(?:{_FOLDERS})/|(?:{_HOMES})/\w|tmp/(?:bash|pytest-of)\w)")

FILES = [path for path in project_files() if path != ROOT / "LICENSE"]


def lines_matching(pattern: re.Pattern[str]) -> list[str]:
    """`file:line` of each line of a project file that a pattern finds; binary files have none."""
    found = []
    for path in FILES:
        text = path.read_bytes().decode("utf-8", errors="replace")
        found += [
            f"{path.relative_to(ROOT)}:{number}"
            for number, line in enumerate(text.splitlines(), 1)
            if pattern.search(line)
        ]
    return found


@pytest.mark.parametrize(
    ("pattern", "text"),
    [(HOSTS, "https://" + _P + "pi.org/simple"), (PATHS, "open('/" + "work/x')")],
    ids=["host", "path"],
)
def test_the_patterns_find_what_they_are_for(pattern, text):
    """The checks below stand on these patterns."""
    assert pattern.search(text)
    assert not pattern.search("see ../docs/architecture.md and signals/store/load.py")


def test_no_file_names_a_package_registry():
    """Where packages come from is the installation's own setting."""
    assert lines_matching(HOSTS) == []


def test_no_file_names_a_folder_of_a_machine():
    """Paths are relative to the project or given by the user."""
    assert lines_matching(PATHS) == []


def test_no_mark_of_unfinished_work():
    """What is missing is an issue, not a comment."""
    marks = re.compile(r"\b(" + "|".join(("TO" + "DO", "FIX" + "ME", "XX" + "X")) + r")\b")
    assert lines_matching(marks) == []


def test_constraints_hold_names_and_versions_only():
    """One `name==version` a line, perhaps with a marker: no addresses, no hashes, no options."""
    line = re.compile(r"[a-z0-9][a-z0-9._-]*==[0-9][0-9a-z.]*( ; [a-z_]+ [<>=!]+ '[^']+')?")
    written = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert [text for text in written if not line.fullmatch(text)] == []
