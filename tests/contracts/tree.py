"""The project's files as the contract tests walk them."""

from __future__ import annotations

import ast
import subprocess
from pathlib import Path

__all__ = [
    "PACKAGES",
    "ROOT",
    "module_path",
    "modules_in",
    "parse",
    "project_files",
    "python_files",
]

ROOT = Path(__file__).parents[2]
PACKAGES = ("signals", "dashboard", "queries")


def python_files(*folders: str) -> list[Path]:
    """Python files below folders of the root, sorted."""
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def modules_in(package: str) -> list[str]:
    """Names of the modules and packages directly in a package folder, without private ones, sorted."""
    folder = ROOT / package
    names = [path.stem for path in folder.glob("*.py")]
    names += [path.parent.name for path in folder.glob("*/__init__.py")]
    return sorted(name for name in names if not name.startswith("_"))


def module_path(name: str) -> Path:
    """The file or folder that a dotted module name stands for."""
    path = ROOT.joinpath(*name.split("."))
    return path if path.is_dir() else path.with_suffix(".py")


def parse(path: Path) -> ast.Module:
    """A file's syntax tree."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def project_files() -> list[Path]:
    """Every file that is or would be committed: tracked, or new and not ignored."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout
    names = {name for name in listed.decode().split("\0") if name}
    return sorted(path for path in (ROOT / name for name in names) if path.is_file())
