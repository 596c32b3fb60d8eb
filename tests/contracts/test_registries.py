"""Law 7 and its kin: one word = one file = one row = one test file, in every registry."""

import ast
import importlib
import re
import tomllib

import pytest

from dashboard.pages import all_pages
from signals.catalog import MEASUREMENTS, SIGNALS
from signals.policies import POLICIES
from signals.profiles import load_profile, profile_names
from signals.store.sources import SOURCES
from signals.study.score import MEASURES
from signals.units import UNITS
from tests.contracts.tree import ROOT, modules_in, parse

UNIT_TESTS = ROOT / "tests" / "unit"


def declaring(package: str, *, kind: str) -> list[str]:
    """Modules of a package that make a `kind(...)` at their top level, one name per object, sorted."""
    found = []
    for stem in modules_in(package):
        path = ROOT / package / f"{stem}.py"
        if not path.is_file():
            continue
        for node in parse(path).body:
            value = getattr(node, "value", None)
            if isinstance(value, ast.Call) and ast.unparse(value.func) == kind:
                found.append(stem)
    return sorted(found)


def test_every_policy_is_registered_once():
    """A file with a PolicySpec is a policy, and its name is the file's."""
    files = declaring("signals/policies", kind="PolicySpec")
    assert [entry.spec.name for entry in POLICIES] == files


@pytest.mark.parametrize("entry", POLICIES, ids=lambda entry: entry.spec.name)
def test_policy_declares_itself(entry):
    """A law says what it is, where it comes from, and what its parameters mean."""
    module = importlib.import_module(f"signals.policies.{entry.spec.name}")
    assert module.SPEC is entry.spec
    assert entry.spec.title
    assert entry.spec.summary
    assert entry.spec.source
    names = [parameter.name for parameter in entry.spec.parameters]
    assert sorted(set(names)) == sorted(names)
    assert "label" not in names
    for parameter in entry.spec.parameters:
        assert parameter.text, parameter.name
        if isinstance(parameter.default, (int, float)) and parameter.low is not None:
            assert parameter.low <= parameter.default, parameter.name
        if isinstance(parameter.default, (int, float)) and parameter.high is not None:
            assert parameter.default <= parameter.high, parameter.name
        if parameter.choices:
            assert parameter.default is None or parameter.default in parameter.choices


@pytest.mark.parametrize("entry", POLICIES, ids=lambda entry: entry.spec.name)
def test_policy_has_its_test_file(entry):
    """A law without tests is not one."""
    assert (UNIT_TESTS / "policies" / f"test_{entry.spec.name}.py").is_file()


def test_every_format_is_registered_once():
    """A file with a Source is a format, and its name is the file's with hyphens."""
    files = declaring("signals/store/sources", kind="Source")
    assert [source.name for source in SOURCES] == [stem.replace("_", "-") for stem in files]


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.name)
def test_format_describes_itself_and_has_its_test_file(source):
    """`signals formats` shows the title and an example; a reader without tests is not one."""
    assert source.title
    assert source.suffixes
    assert source.example
    stem = source.name.replace("-", "_")
    assert (UNIT_TESTS / "store" / "sources" / f"test_{stem}.py").is_file()


def test_every_profile_file_is_shipped():
    """Each TOML of the folder is a profile, and there is no other."""
    files = sorted(path.stem for path in (ROOT / "signals" / "profiles").glob("*.toml"))
    assert sorted(profile_names()) == files


@pytest.mark.parametrize("name", profile_names())
def test_profile_loads_and_says_where_it_comes_from(name):
    """The text is TOML of the declared shape, with its source and a fit error per curve."""
    text = (ROOT / "signals" / "profiles" / f"{name}.toml").read_text(encoding="utf-8")
    assert tomllib.loads(text)
    profile = load_profile(name)
    assert profile.name == name
    assert profile.source
    assert profile.counters.source
    assert profile.fit_errors


def test_every_page_is_registered_once():
    """A file with PATH and TITLE is a page; paths and titles are distinct."""
    files = [
        stem
        for stem in modules_in("dashboard/pages")
        if {"PATH", "TITLE"}
        <= {
            target.id
            for node in parse(ROOT / "dashboard" / "pages" / f"{stem}.py").body
            for target in (getattr(node, "targets", None) or [getattr(node, "target", None)])
            if isinstance(target, ast.Name)
        }
    ]
    pages = all_pages()
    assert sorted(page.__name__.rpartition(".")[2] for page in pages) == files
    assert len({page.PATH for page in pages}) == len(pages)
    assert len({page.TITLE for page in pages}) == len(pages)


@pytest.mark.parametrize(
    "rows",
    [MEASUREMENTS, SIGNALS, MEASURES, UNITS],
    ids=["measurements", "signals", "measures", "units"],
)
def test_names_are_written_once(rows):
    """A table names each thing once."""
    names = [row.name for row in rows]
    assert sorted(set(names)) == sorted(names)


@pytest.mark.parametrize("guide", ["measures.md", "json.md"])
def test_measures_are_explained(guide):
    """A number that is shown is defined in the guide of measures, and a key in that of JSON."""
    words = set(re.findall(r"\w+", (ROOT / "docs" / guide).read_text(encoding="utf-8")))
    assert {spec.name for spec in MEASURES} - words == set()


@pytest.mark.parametrize("rows", [MEASUREMENTS, UNITS], ids=["measurements", "units"])
def test_tables_are_alphabetical(rows):
    """A row is found, and added, where its name says. (Signals stand in order of preference.)"""
    names = [row.name for row in rows]
    assert names == sorted(names)


def test_signals_need_what_is_stored():
    """A signal is computed from measurements that exist, or from the request log."""
    stored = {spec.name for spec in MEASUREMENTS}
    unknown = {
        (spec.name, need)
        for spec in SIGNALS
        if spec.how != "request_log"
        for need in spec.needs
        if need not in stored
    }
    assert unknown == set()
    quantiles = {spec.name for spec in SIGNALS if spec.how == "hist_quantile"}
    assert {spec.name for spec in SIGNALS if spec.quantile is not None} == quantiles


def test_test_files_mirror_the_code():
    """A test file of `tests/unit` stands where its subject stands: no orphan after a rename."""
    orphans = []
    for path in sorted(UNIT_TESTS.rglob("test_*.py")):
        folder = path.parent.relative_to(UNIT_TESTS)
        subject = ROOT / "signals" / folder / path.stem.removeprefix("test_")
        if not (subject.with_suffix(".py").is_file() or subject.is_dir()):
            orphans.append(path.relative_to(ROOT).as_posix())
    assert orphans == []
