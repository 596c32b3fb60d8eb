"""The constraints fit what pyproject.toml asks for, on every Python that is supported."""

import tomllib

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.contracts.tree import ROOT

PYTHONS = ("3.11.7", "3.12.1", "3.13.0")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PINS = [
    Requirement(line)
    for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    if line
]


def required() -> list[Requirement]:
    """What the wheel needs, and the members of every dependency group."""
    groups = PROJECT["dependency-groups"].values()
    texts = [text for group in groups for text in group if isinstance(text, str)]
    return [Requirement(text) for text in [*PROJECT["project"]["dependencies"], *texts]]


def pins_on(python: str) -> dict[str, str]:
    """The version of each distribution under one Python on Linux."""
    environment = default_environment() | {
        "python_version": python.rpartition(".")[0],
        "python_full_version": python,
        "sys_platform": "linux",
    }
    pins: dict[str, str] = {}
    for pin in PINS:
        if pin.marker is None or pin.marker.evaluate(environment):
            name = canonicalize_name(pin.name)
            assert name not in pins, f"two versions of {name} on Python {python}"
            (specifier,) = pin.specifier
            pins[name] = specifier.version
    return pins


@pytest.mark.parametrize("python", PYTHONS)
def test_every_requirement_has_one_version_that_fits(python):
    """What is asked for directly is pinned, once, inside its bounds."""
    pins = pins_on(python)
    assert {
        str(requirement)
        for requirement in required()
        if not requirement.specifier.contains(pins.get(canonicalize_name(requirement.name), "0"))
    } == set()


def test_major_versions_of_moving_parts_are_bounded():
    """A new major version of these changes results or file formats; it is tried before it is allowed."""
    bounded = {"dash", "duckdb", "plotly", "polars", "pydantic", "statsmodels"}
    open_ended = {
        requirement.name
        for requirement in required()
        if requirement.name in bounded and not any(s.operator == "<" for s in requirement.specifier)
    }
    assert open_ended == set()
