"""One distribution, one wheel, three packages: what is built is what works elsewhere."""

import importlib.metadata
import json
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

import signals
from tests.contracts.tree import PACKAGES, ROOT

OURS = "autoscale-signals"

REPORT = """
import importlib.metadata, json, sys
import dashboard, queries, signals
from signals.store.sql import query_names
distributions = importlib.metadata.packages_distributions()
print(json.dumps({
    "files": [module.__file__ for module in (signals, dashboard, queries)],
    "queries": sorted(query_names()),
    "version": signals.__version__,
    "owners": {name: sorted(set(distributions[name])) for name in ("signals", "dashboard", "queries")},
}))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """The built wheel."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel"]
    subprocess.run(
        [*command, "--directory", str(folder)], cwd=ROOT, check=True, capture_output=True
    )
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def elsewhere(wheel, tmp_path_factory) -> Path:
    """A clean environment with the wheel in it and only the dependencies of this one beside it."""
    folder = tmp_path_factory.mktemp("clean")
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    offline = ["--no-deps", "--no-index", "--quiet", "--disable-pip-version-check"]
    subprocess.run([python, "-m", "pip", "install", *offline, wheel], check=True)
    # A plain path line adds the folder without running the .pth files in it, so an editable install of
    # this checkout does not come along.
    site = sysconfig.get_path("purelib", vars={"base": str(folder), "platbase": str(folder)})
    (Path(site) / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder


def output_of(command: list[str | Path], folder: Path) -> str:
    """What a command prints when it is run from a folder; its error text if it fails."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_no_other_distribution_owns_our_packages():
    """The names are generic: another distribution that brings one would be overwritten without a warning."""
    owners = importlib.metadata.packages_distributions()
    assert {name: set(owners.get(name, [])) - {OURS} for name in PACKAGES} == {
        name: set() for name in PACKAGES
    }


@pytest.mark.slow
def test_wheel_holds_every_resource_and_no_test(wheel):
    """SQL, profiles, styles and type markers travel with the code; tests stay at home."""
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if ".dist-info/" not in name}
    own = {".py", ".sql", ".toml", ".css", ".js", ".html", ".svg", ".typed", ".j2"}
    at_home = {
        path.relative_to(ROOT).as_posix()
        for package in PACKAGES
        for path in (ROOT / package).rglob("*")
        if path.is_file() and path.suffix in own | {""} and path.parent.name != "__pycache__"
    }
    assert at_home - packed == set()
    assert {name.split("/")[0] for name in packed} == set(PACKAGES)


@pytest.mark.slow
def test_wheel_works_from_another_folder(elsewhere, tmp_path):
    """Imports, packaged SQL and the command work without the checkout."""
    python = elsewhere / "bin" / "python"
    report = json.loads(output_of([python, "-c", REPORT], tmp_path))
    assert all(str(elsewhere) in file for file in report["files"])
    assert report["version"] == signals.__version__
    assert report["owners"] == {name: [OURS] for name in PACKAGES}
    at_home = {
        path.relative_to(ROOT / "queries").with_suffix("").as_posix()
        for path in (ROOT / "queries").rglob("*.sql")
    }
    assert report["queries"]
    assert set(report["queries"]) <= at_home


@pytest.mark.slow
def test_command_works_from_another_folder(elsewhere, tmp_path):
    """The console script says its version, and the commands of the upper floor are there."""
    command = elsewhere / "bin" / "signals"
    version = output_of([command, "--version"], tmp_path)
    text = output_of([command, "--help"], tmp_path)
    assert version.split()[-1] == signals.__version__
    assert {"demo", "dashboard", "load", "evaluate"} <= set(text.split())
