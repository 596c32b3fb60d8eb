"""Colours are legible, stay apart for colour-blind readers, and have a dark twin each."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from signals.plots.theme import (
    Theme,
    dark_by_light,
    empty_figure,
    new_figure,
    palette,
    policy_color,
    policy_dash,
    pool_color,
    verdict_color,
)

# Machado, Oliveira and Fernandes 2009, severity 1.0, on linear RGB
BLINDNESS = {
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
}  # fmt: skip
THEMES: tuple[Theme, ...] = ("light", "dark")


def linear(color: str) -> np.ndarray:
    """Linear RGB of `#rrggbb`, shape (3,)."""
    s = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(s <= 0.04045, s / 12.92, ((s + 0.055) / 1.055) ** 2.4)


def luminance(color: str) -> float:
    return float(linear(color) @ [0.2126, 0.7152, 0.0722])


def contrast(a: str, b: str) -> float:
    """WCAG contrast ratio."""
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def lab(rgb: np.ndarray) -> np.ndarray:
    """CIE L*a*b* (D65) of linear RGB."""
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    xyz = np.clip(np.array(to_xyz) @ rgb, 0, None) / [0.9505, 1.0, 1.089]
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("theme", THEMES)
def test_text_colours_have_enough_contrast(theme: Theme) -> None:
    """Text reaches 4.5 to 1 on its ground, which small text needs."""
    colors = palette(theme)
    verdicts = (colors.proportional, colors.feedback, colors.unusable)
    for color in (colors.ink, colors.muted, *verdicts):
        assert contrast(color, colors.paper) >= 4.5, color


@pytest.mark.parametrize("theme", THEMES)
def test_lines_and_marks_have_enough_contrast(theme: Theme) -> None:
    """Lines and marks reach 3 to 1, which graphics need."""
    colors = palette(theme)
    names = ("load", "prefill", "decode", "unified", "service", "feedback", "insufficient_data")
    for color in (*(getattr(colors, name) for name in names), *colors.policies):
        assert contrast(color, colors.paper) >= 3.0, color


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("kind", BLINDNESS)
def test_colours_that_meet_in_a_figure_stay_apart_when_red_and_green_do_not(
    theme: Theme, kind: str
) -> None:
    """Pools, and the first three policies, are told apart by colour alone; verdicts have shapes, too."""
    colors = palette(theme)
    for group in ((colors.prefill, colors.decode, colors.load), colors.policies[:3]):
        seen = [lab(np.clip(np.array(BLINDNESS[kind]) @ linear(c), 0, 1)) for c in group]
        for (one, a), (two, b) in combinations(zip(group, seen, strict=True), 2):
            assert np.linalg.norm(a - b) > 15, (one, two)


def test_every_light_colour_has_one_dark_twin() -> None:
    """No two tokens share a light colour, so that a drawn figure can be turned dark."""
    light = palette("light")
    tokens = [getattr(light, name) for name in light.__slots__ if name != "policies"]
    twins = dark_by_light()
    assert len(twins) == len(tokens) + len(light.policies) == len({*tokens, *light.policies})
    assert twins[light.decode] == palette("dark").decode
    assert twins[light.policies[1]] == palette("dark").policies[1]


def test_named_colours_come_from_the_palette() -> None:
    """Look-ups by pool, verdict and place answer with tokens."""
    assert pool_color("prefill", "light") == palette("light").prefill
    assert pool_color("gateway", "light") == palette("light").service
    assert verdict_color("unusable", "dark") == palette("dark").unusable
    count = len(palette("light").policies)
    assert policy_color(count, "light") == policy_color(0, "light")
    assert (policy_dash(0), policy_dash(count)) == ("solid", "dash")


def test_new_figure_keeps_its_legend_below_and_its_margins_small() -> None:
    """The legend hangs under the plot area and the figure is transparent outside its axes."""
    layout = new_figure("light", height=300).to_dict()["layout"]
    assert layout["height"] == 300
    assert layout["legend"]["y"] < 0
    assert layout["margin"]["l"] <= 12
    assert layout["template"]["layout"]["paper_bgcolor"] == "rgba(0,0,0,0)"


def test_empty_figure_says_why() -> None:
    """A figure without data holds its reason as text."""
    figure = empty_figure("no ticks", "dark").to_dict()
    assert figure["layout"]["annotations"][0]["text"] == "no ticks"
    assert not figure["data"]
