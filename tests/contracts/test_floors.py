"""Laws 1, 2 and 8: the import-linter contracts of pyproject.toml are kept, and say what DESIGN says."""

import subprocess
import sys
import tomllib
from pathlib import Path

from tests.contracts.tree import ROOT, modules_in

CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"][
    "importlinter"
]["contracts"]


def test_contracts_are_kept():
    """`lint-imports` finds no import that goes up or sideways."""
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


def test_every_module_has_its_floor():
    """A new module of `signals` is put on a floor before it is used."""
    layers = next(c["layers"] for c in CONTRACTS if c["type"] == "layers")
    placed = {
        part.strip().removeprefix("signals.")
        for layer in layers
        for part in layer.split("|")
        if part.strip() != "dashboard"
    }
    assert set(modules_in("signals")) - placed == set()
