"""A picture of the guide to the measures, drawn anew, is the one that is kept."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

from signals.report.svg import draw_svg, open_plotly
from signals.usecases.illustrations import illustration_of
from tests.contracts.tree import ROOT

SPACE = "{http://www.w3.org/2000/svg}"


def shown(svg: str) -> tuple[list[str], int]:
    """Words and numbers of a picture, and how many marks it has; not where they lie, which fonts decide."""
    root = ElementTree.fromstring(svg)
    words = [text for part in root.iter(f"{SPACE}text") if (text := "".join(part.itertext()))]
    marks = [path for path in root.iter(f"{SPACE}path") if path.get("class") == "point"]
    return sorted(words), len(marks)


def test_picture_drawn_anew_shows_what_the_kept_one_does(chromium: Any) -> None:
    """The knee: ticks of both axes, titles, legend, a mark for every point."""
    picture = illustration_of("knee")
    page = chromium.new_page()
    open_plotly(page)
    drawn = draw_svg(page, picture.make().figure, title=picture.title)
    page.close()
    kept = (ROOT / "docs" / "figures" / f"{picture.name}.svg").read_text(encoding="utf-8")
    words, marks = shown(drawn)
    assert (words, marks) == shown(kept)
    assert marks > 100
    assert "load per instance (tokens/s)" in words
