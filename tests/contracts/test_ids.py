"""Component ids are written once, in `dashboard/ids.py`; a misspelt one is then an import error."""

import ast

import pytest

from tests.contracts.tree import ROOT, parse, python_files

REFERENCES = {"Input", "Output", "State", "ClientsideFunction"}
PAGES = [path for path in python_files("dashboard") if path.name != "ids.py"]


def literal_ids(tree: ast.Module) -> list[tuple[int, str]]:
    """Ids that a module spells out: `id="x"`, `id={"type": "x"}`, `Input("x", ...)`."""
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        given = [word.value for word in node.keywords if word.arg in {"id", "component_id"}]
        name = ast.unparse(node.func).rpartition(".")[2]
        if name in REFERENCES - {"ClientsideFunction"}:
            given += node.args[:1]
        for value in given:
            if isinstance(value, ast.Dict):
                pairs = zip(value.keys, value.values, strict=True)
                given_types = [v for k, v in pairs if k is not None and ast.unparse(k) == "'type'"]
            else:
                given_types = [value]
            found += [
                (node.lineno, str(v.value))
                for v in given_types
                if isinstance(v, ast.Constant) and isinstance(v.value, str)
            ]
    return found


def declared() -> dict[str, str]:
    """Names and ids of `dashboard/ids.py`."""
    ids: dict[str, str] = {}
    for node in parse(ROOT / "dashboard" / "ids.py").body:
        target = node.target if isinstance(node, ast.AnnAssign) else None
        if isinstance(node, ast.Assign):
            (target,) = node.targets
        value = getattr(node, "value", None)
        if isinstance(target, ast.Name) and isinstance(value, ast.Constant):
            ids[target.id] = value.value
    return ids


def test_the_check_finds_what_it_is_for():
    """Three ways to spell an id out, and two that do not."""
    code = "f(id='a'); Input('b', 'value'); f(id={'type': 'c'}); f(id=ids.D); Output(ids.E, 'data')"
    assert [text for _, text in literal_ids(ast.parse(code))] == ["a", "b", "c"]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_module_spells_no_id(path):
    """Ids come from `ids`."""
    assert literal_ids(parse(path)) == []


def test_ids_are_distinct():
    """Two names never stand for one component."""
    ids = declared()
    assert ids
    assert sorted(set(ids.values())) == sorted(ids.values())


def test_ids_are_used():
    """An id that no module uses is left over."""
    code = "\n".join(path.read_text(encoding="utf-8") for path in PAGES)
    assert {name for name in declared() if f"ids.{name}" not in code} == set()
