"""Pages and figures speak one visual language."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

import pytest

import dashboard
from dashboard.theme import palette_css, theme_of
from signals.plots.theme import palette

ASSETS = Path(dashboard.__file__).parent / "assets"
TOKENS = ("paper", "ink", "muted", "proportional", "feedback", "unusable", "insufficient_data")


def _tokens(theme: Literal["light", "dark"]) -> dict[str, str]:
    text = palette_css() + (ASSETS / "1-base.css").read_text(encoding="utf-8")
    head = ":root {" if theme == "light" else '[data-theme="dark"] {'
    blocks = [part.split("}", 1)[0] for part in text.split(head)[1:]]
    return dict(re.findall(r"--([\w-]+):\s*([^;]+);", " ".join(blocks)))


def _luminance(color: str) -> float:
    channels = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one: str, other: str) -> float:
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pages_use_the_colours_of_the_figures(theme: Literal["light", "dark"]) -> None:
    """Tokens that figures and pages share have one value."""
    css, colors = _tokens(theme), palette(theme)
    assert {n: css[n.replace("_", "-")] for n in TOKENS} == {n: getattr(colors, n) for n in TOKENS}


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    ("text", "ground"),
    [
        ("ink", "page"),
        ("muted", "page"),
        ("muted", "paper"),
        ("muted", "surface-2"),
        ("muted", "selected"),
        ("accent", "paper"),
        ("accent-strong", "selected"),
        ("on-accent", "accent"),
    ],
)
def test_text_is_readable(theme: Literal["light", "dark"], text: str, ground: str) -> None:
    """Contrast reaches WCAG AA, 4.5 to 1."""
    css = {**_tokens("light"), **_tokens(theme)}
    assert _contrast(css[text], css[ground]) >= 4.5


def test_assets_refer_to_nothing_outside() -> None:
    """No address of another host in style sheets and scripts."""
    for path in sorted(ASSETS.iterdir()):
        text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?://|@import|url\(\s*['\"]?//", text), path.name


def test_unknown_theme_is_light() -> None:
    """Before the browser has answered there is no theme."""
    assert [theme_of(v) for v in ("dark", "light", None, 3)] == ["dark", "light", "light", "light"]
