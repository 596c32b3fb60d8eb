"""A figure as SVG text, drawn by plotly.js in a page of a browser: the same figure gives the same bytes."""

from __future__ import annotations

import json
import re
from html import escape
from typing import Protocol

import plotly.graph_objects as go

from signals.plots.theme import palette

__all__ = ["Page", "draw_svg", "open_plotly"]

WIDTH_PX = 720
"""Width of a figure in the documentation: that of a column of text."""

# ids of clip paths are drawn by chance, so chance starts anew with each figure
_DRAW = """async ([figure, size]) => {
    let state = 1;
    Math.random = () => (state = (state * 48271) % 2147483647) / 2147483647;
    const address = await Plotly.toImage(figure, {format: "svg", ...size});
    return decodeURIComponent(address.slice(address.indexOf(",") + 1));
}"""
_LONG_NUMBER = re.compile(r"-?\d+\.\d{3,}")
_TAG = re.compile(r'<(?P<name>[\w:]+)(?P<attributes>(?: [\w:-]+="[^"]*")+)(?P<end>/?)>')
_ATTRIBUTE = re.compile(r' [\w:-]+="[^"]*"')


class Page(Protocol):
    """What is needed of a page of playwright."""

    def add_script_tag(self, *, content: str) -> object:
        """Run a script in the page."""

    def evaluate(self, expression: str, arg: object = None) -> object:
        """Call a function in the page and give what it returns."""


def open_plotly(page: Page) -> None:
    """Bring the plotly.js that plotly itself carries into an empty page; nothing is fetched.

    Args:
        page: of a browser.
    """
    from plotly.offline import get_plotlyjs

    page.add_script_tag(content=get_plotlyjs())


def draw_svg(page: Page, figure: go.Figure, *, title: str) -> str:
    """The figure on the theme's own ground, so that it reads on pages of any colour.

    Args:
        page: one in which `open_plotly` was.
        figure: in the light theme.
        title: what it shows, for those who cannot see it.

    Returns:
        An SVG document of 720 pixels width and the figure's own height.
    """
    ground = go.Figure(figure).update_layout(paper_bgcolor=palette("light").paper)
    size = {"width": WIDTH_PX, "height": figure.layout.height}
    drawn = page.evaluate(_DRAW, [json.loads(ground.to_json()), size])
    return _tidied(str(drawn), title)


def _tidied(drawn: str, title: str) -> str:
    """Coordinates to a hundredth of a pixel, attributes by name (plotly.js writes them as they come), a title."""
    short = _LONG_NUMBER.sub(lambda found: f"{float(found[0]):.2f}".rstrip("0").rstrip("."), drawn)
    head, bracket, rest = _TAG.sub(_by_name, short).partition(">")
    return f'{head} role="img"{bracket}<title>{escape(title)}</title>{rest}\n'


def _by_name(tag: re.Match[str]) -> str:
    attributes = sorted(_ATTRIBUTE.findall(tag["attributes"]))
    return f"<{tag['name']}{''.join(attributes)}{tag['end']}>"
