"""Law 2: the core reads no clock, draws nothing unasked, opens nothing and prints nothing."""

import ast

import pytest

from tests.contracts.tree import ROOT, parse, python_files

CORE = (
    "signals/series",
    "signals/study",
    "signals/fleet",
    "signals/policies",
    "signals/replay",
)
CLOCKS = {
    ("time", "time"),
    ("time", "monotonic"),
    ("time", "perf_counter"),
    ("time", "sleep"),
    ("datetime", "now"),
    ("datetime", "utcnow"),
    ("datetime", "today"),
    ("date", "today"),
}
FILES = {("os", "environ"), ("os", "getenv"), ("Path", "cwd"), ("Path", "home")}
FREE_CALLS = {"open", "print", "input", "exec", "eval"}
LEGACY_RANDOM = {"seed", "rand", "randn", "random", "randint", "normal", "choice", "shuffle"}


def breaches(tree: ast.Module) -> list[tuple[int, str]]:
    """Line and text of everything in a core module that the law forbids."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if (node.value.id, node.attr) in CLOCKS | FILES:
                found.append((node.lineno, f"{node.value.id}.{node.attr}"))
        elif isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            draws = name in {f"{m}.random.{f}" for m in ("np", "numpy") for f in LEGACY_RANDOM}
            unseeded = name.endswith("default_rng") and not (node.args or node.keywords)
            if name in FREE_CALLS or draws or unseeded:
                found.append((node.lineno, f"{name}()"))
    return found


@pytest.mark.parametrize(
    ("code", "count"),
    [
        ("time.monotonic()", 1),
        ("datetime.now(UTC)", 1),
        ("np.random.default_rng()", 1),
        ("np.random.default_rng(seed)", 0),
        ("np.random.normal(0, 1)", 1),
        ("rng.normal(0, 1)", 0),
        ("open(path)", 1),
    ],
)
def test_the_check_finds_what_it_is_for(code, count):
    """The check below stands on this one."""
    assert len(breaches(ast.parse(code))) == count


@pytest.mark.parametrize("path", python_files(*CORE), ids=lambda p: str(p.relative_to(ROOT)))
def test_core_module_is_pure(path):
    """Time, files and randomness come in as arguments."""
    assert breaches(parse(path)) == []
