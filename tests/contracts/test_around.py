"""The files around the code agree with it: Makefile, CI, hooks, and the prose."""

import re
import subprocess

import pytest

from tests.contracts.tree import ROOT

TARGETS = {"bench", "check", "clean", "coverage", "demo", "format", "help", "test", "wheel"}
PROSE = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(#[^)\s]*)?\)")


def read(name: str) -> str:
    """A project file's text."""
    return (ROOT / name).read_text(encoding="utf-8")


def test_help_lists_every_target():
    """`make help` is made from the Makefile itself."""
    text = subprocess.run(
        ["make", "--no-print-directory", "help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    listed = {line.split()[0] for line in text.splitlines() if line.startswith("  ")}
    declared = set(re.findall(r"^\.PHONY: ([a-z]+)$", read("Makefile"), re.MULTILINE))
    assert listed >= TARGETS
    assert listed >= declared


def test_ci_runs_the_same_targets_as_people():
    """There is no second list of checks."""
    script = read(".ci/run")
    assert "make check" in script
    assert "make test" in script
    assert not re.search(r"\b(pytest|ruff|mypy|lint-imports)\b", script)
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o111


def test_hooks_are_local():
    """Nothing is fetched when someone commits."""
    assert set(re.findall(r"repo: *(\S+)", read(".pre-commit-config.yaml"))) == {"local"}


@pytest.mark.parametrize("path", PROSE, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(path):
    """A relative link names a file that exists; an anchor, a heading of it."""
    broken = []
    for target, anchor in LINK.findall(path.read_text(encoding="utf-8")):
        if "://" in target:
            continue
        file = path.parent / target
        if not file.exists():
            broken.append(target)
        elif anchor and anchor[1:] not in anchors(file.read_text(encoding="utf-8")):
            broken.append(target + anchor)
    assert broken == []


def anchors(text: str) -> set[str]:
    """Anchors of a Markdown text's headings."""
    headings = re.findall(r"^#+ +(.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", h.lower()).strip().replace(" ", "-") for h in headings}


def test_changelog_has_the_current_version():
    """What is released is described; what is not stands under Unreleased."""
    from signals import __version__

    text = read("CHANGELOG.md")
    assert "## [Unreleased]" in text or f"## [{__version__}]" in text


def test_every_law_names_a_check_that_exists():
    """A law without a check is a wish."""
    rows = re.findall(r"^\| *(\d+) *\|(.*)\|(.*)\|$", read("CONTRIBUTING.md"), re.MULTILINE)
    assert [int(number) for number, _, _ in rows] == list(range(1, 11))
    for number, _, check in rows:
        paths = re.findall(r"`(tests/[\w/.]+)`", check)
        assert paths, f"law {number} names no test"
        assert [path for path in paths if not (ROOT / path).exists()] == [], f"law {number}"


COMMANDS = re.compile(r"^(?:\$ )?(?:\.venv/bin/)?signals (?:--store \S+ )?([a-z]+)", re.MULTILINE)


@pytest.mark.parametrize("path", PROSE, ids=lambda path: str(path.relative_to(ROOT)))
def test_commands_in_the_prose_exist(path):
    """The prose shows no command that the program does not have."""
    from typer.main import get_command

    from signals.cli.app import build

    known = set(get_command(build()).commands)
    assert set(COMMANDS.findall(path.read_text(encoding="utf-8"))) - known == set()
