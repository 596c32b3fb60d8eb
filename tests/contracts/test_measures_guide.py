"""The guide to the measures has a section of five parts for each, with a picture that is there."""

import json
import re
from functools import cache
from xml.etree import ElementTree

import pytest

from signals.report.guide import rules_text, with_parts
from signals.study.score import MEASURES
from signals.usecases.illustrations import ILLUSTRATIONS
from signals.usecases.illustrations.captions import figure_parts
from tests.contracts.tree import ROOT

DOCS = ROOT / "docs"
GUIDE = (DOCS / "measures.md").read_text(encoding="utf-8")
PARTS = ("Question.", "Formula.", "Source.", "When it lies.", "Figure.")
NAMES = [spec.name for spec in MEASURES]
FILES = sorted((DOCS / "figures").glob("*.svg"))
LARGEST_BYTES = 60_000
ALL_BYTES = 1_000_000


@cache
def sections() -> dict[str, str]:
    """Text below each heading of the third level, up to the next heading."""
    found = re.split(r"^(#{2,3}) (.+)$", GUIDE, flags=re.MULTILINE)
    return {
        title: text
        for level, title, text in zip(found[1::3], found[2::3], found[3::3], strict=True)
        if level == "###"
    }


def numbers() -> dict[str, dict[str, float | None]]:
    """What the pictures show."""
    return json.loads((DOCS / "figures" / "numbers.json").read_text(encoding="utf-8"))


def test_every_measure_has_its_section():
    """And no section is about something else."""
    assert sorted(sections()) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_section_has_its_five_parts(name):
    """In one order, none empty."""
    text = sections()[name]
    places = [text.find(f"**{part}**") for part in PARTS]
    assert -1 not in places, f"{name} lacks one of {PARTS}"
    assert places == sorted(places)
    ends = [*places[1:], len(text)]
    for part, first, last in zip(PARTS, places, ends, strict=True):
        words = text[first:last].removeprefix(f"**{part}**")
        assert len(words.strip()) > 10, f"{name}: {part} says nothing"
    assert "```text\n" in text[places[1] : places[2]], f"{name}: the formula is no block"


@pytest.mark.parametrize("name", NAMES)
def test_section_names_a_picture_that_is_there(name):
    """A file of docs/figures, and one that belongs to this measure."""
    figure = sections()[name].partition("**Figure.**")[2]
    named = set(re.findall(r"\]\(figures/([a-z_]+)\.svg\)", figure))
    owned = {picture.name for picture in ILLUSTRATIONS if name in picture.measures}
    assert named, f"{name} names no picture"
    assert named == owned
    assert named <= {path.stem for path in FILES}


def test_pictures_and_their_numbers_are_those_of_the_code():
    """A new one is drawn, an old one is gone: `make docs`."""
    stems = {picture.name for picture in ILLUSTRATIONS}
    assert len(stems) == len(ILLUSTRATIONS)
    assert {path.stem for path in FILES} == stems
    assert set(numbers()) == stems


def test_captions_are_up_to_date():
    """`make docs` writes them, from the numbers that were kept."""
    assert with_parts(GUIDE, figure_parts(numbers())) == GUIDE, "docs/measures.md is old: make docs"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_picture_is_small_and_reads_on_any_ground(path):
    """An SVG of a known size with a title, whose first shape is an opaque ground that fills it."""
    assert path.stat().st_size < LARGEST_BYTES
    root = ElementTree.parse(path).getroot()
    space = "{http://www.w3.org/2000/svg}"
    ground = next(root.iter(f"{space}rect"))
    assert root.findtext(f"{space}title")
    assert root.get("width") == ground.get("width") == "720"
    assert root.get("height") == ground.get("height")
    assert re.search(r"fill: rgb\(255, 255, 255\); fill-opacity: 1;", ground.get("style", ""))


def test_pictures_are_small_together():
    """A clone does not pay for them."""
    assert sum(path.stat().st_size for path in FILES) < ALL_BYTES


def test_links_lead_somewhere():
    """Headings of the guide itself, and files beside it."""
    heads = {
        re.sub(r"[^a-z0-9_ -]", "", line.lstrip("# ").lower()).replace(" ", "-")
        for line in GUIDE.splitlines()
        if line.startswith("#")
    }
    targets = set(re.findall(r"\]\(([^)]+)\)", GUIDE))
    assert {link for link in targets if link.startswith("#") and link[1:] not in heads} == set()
    files = {link.partition("#")[0] for link in targets if not link.startswith(("#", "http"))}
    assert {link for link in files if not (DOCS / link).is_file()} == set()


def test_every_measure_answers_a_question_of_the_first_table():
    """So that a reader finds it from the question."""
    table = GUIDE.partition("## Which measure answers my question")[2].partition("\n## ")[0]
    contents = GUIDE.partition("## Contents")[2].partition("\n## ")[0]
    for name in NAMES:
        assert f"[`{name}`](#{name})" in table, name
        assert f"[`{name}`](#{name})" in contents, name


def test_rules_of_the_verdict_are_up_to_date():
    """`make docs` writes their table."""
    assert with_parts(GUIDE, {"rules": rules_text()}) == GUIDE, "docs/measures.md is old: make docs"
