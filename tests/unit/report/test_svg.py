"""A figure as SVG text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import plotly.graph_objects as go
import pytest

from signals.plots.theme import new_figure
from signals.report.svg import draw_svg, open_plotly

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def page(chromium: Any) -> Iterator[Any]:
    """A page with plotly.js in it, and the addresses that it asked for."""
    page = chromium.new_page()
    page.asked = []
    page.on("request", lambda request: page.asked.append(request.url))
    open_plotly(page)
    yield page
    page.close()


def figure(height: int = 200) -> go.Figure:
    """Two lines with a legend and clip paths, whose ids plotly.js draws by chance."""
    drawn = new_figure("light", height=height)
    drawn.add_scatter(x=[1, 2, 3], y=[1.23456, 4, 2], name="one")
    drawn.add_scatter(x=[1, 2, 3], y=[2, 1, 3], name="two")
    return drawn


def test_same_figure_gives_the_same_bytes(page: Any) -> None:
    """Also after another, and at the first time."""
    first = draw_svg(page, figure(), title="lines")
    other = draw_svg(page, figure(260), title="lines")
    assert draw_svg(page, figure(), title="lines") == first != other


def test_document_has_ground_size_title_and_lines(page: Any) -> None:
    """What the title says stays text."""
    root = ElementTree.fromstring(draw_svg(page, figure(), title="lines <b> & more"))
    assert root.findtext(f"{SVG}title") == "lines <b> & more"
    assert (root.get("width"), root.get("height")) == ("720", "200")
    ground = next(root.iter(f"{SVG}rect"))
    assert "rgb(255, 255, 255)" in ground.get("style", "")
    assert [text.text for text in root.iter(f"{SVG}text")].count("one") == 1
    lines = [path.get("d") for path in root.iter(f"{SVG}path") if path.get("class") == "js-line"]
    assert len(lines) == 4, "two, and each once more in the legend"


def test_coordinates_are_short(page: Any) -> None:
    """Hundredths of a pixel are enough."""
    root = ElementTree.fromstring(draw_svg(page, figure(), title="lines"))
    path = next(p for p in root.iter(f"{SVG}path") if p.get("class") == "js-line")
    numbers = (path.get("d") or "").replace("M", "").replace("L", ",").split(",")
    assert max(len(number.partition(".")[2]) for number in numbers) <= 2


def test_figure_is_left_as_it_was(page: Any) -> None:
    """The ground is the document's, not the caller's."""
    drawn = figure()
    before = drawn.to_json()
    draw_svg(page, drawn, title="lines")
    assert drawn.to_json() == before


def test_nothing_is_fetched(page: Any) -> None:
    """plotly.js is the one that plotly carries."""
    draw_svg(page, figure(), title="lines")
    assert page.asked == []
