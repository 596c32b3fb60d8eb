"""What stands below the pictures."""

from __future__ import annotations

from typing import Any

import pytest

from signals.study.score import MEASURES
from signals.usecases.illustrations import ILLUSTRATIONS, illustration_of
from signals.usecases.illustrations.captions import figure_parts, kept
from tests.contracts.tree import ROOT


class _Any(dict[str, Any]):
    """A number for every name."""

    def get(self, key: str, default: Any = None) -> Any:
        return 7.25


def test_every_measure_has_a_part() -> None:
    """A picture with its caption, or a link to that of the measure it is shown with."""
    parts = figure_parts({picture.name: _Any() for picture in ILLUSTRATIONS})
    assert sorted(parts) == sorted(spec.name for spec in MEASURES)
    assert parts["lag_s"].startswith("![")
    assert "](figures/lag.svg)\n\nA day of" in parts["lag_s"]
    assert "7.2 s (7.2 s to 7.2 s)" in parts["lag_s"]
    assert parts["spearman"].startswith("[figures/association.svg](figures/association.svg)")
    assert "[`pearson`](#pearson)" in parts["spearman"]


@pytest.mark.parametrize("picture", ILLUSTRATIONS, ids=lambda picture: picture.name)
def test_caption_tells_numbers(picture: Any) -> None:
    """Each caption rests on what was measured, and ends as a sentence."""
    text = picture.caption(_Any())
    assert "7." in text or "7 " in text
    assert text.endswith(".")
    assert text.count("`") % 2 == 0


def test_kept_numbers_are_short_and_sorted() -> None:
    """Six digits are more than any caption says."""
    assert list(kept({"b": 1 / 3, "a": None}).items()) == [("a", None), ("b", 0.333333)]


def test_picture_of_a_measure() -> None:
    """Also of one that is shown with another."""
    assert illustration_of("distance_corr").name == "association"


def test_folder_is_there() -> None:
    """Beside the guide."""
    assert (ROOT / "docs" / "figures").is_dir()
