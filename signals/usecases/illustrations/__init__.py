"""The pictures of the guide to the measures, each made from generated series whose truth is known."""

from __future__ import annotations

from signals.usecases.illustrations.cases import CASES
from signals.usecases.illustrations.curves import CURVES
from signals.usecases.illustrations.spec import Drawn, Illustration
from signals.usecases.illustrations.sweeps import SWEEPS

__all__ = ["ILLUSTRATIONS", "Drawn", "Illustration", "illustration_of"]

ILLUSTRATIONS: tuple[Illustration, ...] = (*CURVES, *SWEEPS, *CASES)


def illustration_of(measure: str) -> Illustration:
    """The picture that shows a measure.

    Args:
        measure: as the study names it.

    Returns:
        The first that belongs to it.

    Raises:
        StopIteration: it has none.
    """
    return next(picture for picture in ILLUSTRATIONS if measure in picture.measures)
