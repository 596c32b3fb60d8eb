"""What the guide to the measures says below each picture, from the numbers that were kept when it was drawn."""

from __future__ import annotations

from collections.abc import Mapping

from signals.usecases.illustrations import ILLUSTRATIONS
from signals.usecases.illustrations.spec import Illustration, Numbers

__all__ = ["FOLDER", "figure_parts", "kept"]

FOLDER = "figures"
"""Where the pictures are, beside the guide."""


def figure_parts(numbers: Mapping[str, Numbers]) -> dict[str, str]:
    """Markdown of the picture of each measure.

    Args:
        numbers: of every picture, by its name.

    Returns:
        By measure: the picture with its caption; where it stands under another measure, a link to both.
    """
    return {
        measure: _shown(picture, numbers[picture.name]) if place == 0 else _linked(picture)
        for picture in ILLUSTRATIONS
        for place, measure in enumerate(picture.measures)
    }


def kept(numbers: Numbers) -> dict[str, float | None]:
    """Numbers as they are kept beside the pictures: six significant digits, by name.

    Args:
        numbers: of one picture.

    Returns:
        The same, short.
    """
    return {
        name: None if value is None else float(f"{value:.6g}")
        for name, value in sorted(numbers.items())
    }


def _shown(picture: Illustration, numbers: Numbers) -> str:
    return f"![{picture.title}]({FOLDER}/{picture.name}.svg)\n\n{picture.caption(numbers)}"


def _linked(picture: Illustration) -> str:
    first = picture.measures[0]
    return f"[{FOLDER}/{picture.name}.svg]({FOLDER}/{picture.name}.svg), shown under [`{first}`](#{first})."
