"""Stabilisation windows: hold the lowest (up) or highest (down) recommendation of the recent past."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Recommendation", "stabilise", "still_remembered"]


@dataclass(frozen=True, slots=True)
class Recommendation:
    """What was recommended before stabilisation, and when."""

    at_s: float
    count: int


def stabilise(
    desired: int,
    past: tuple[Recommendation, ...],
    *,
    current: int,
    now_s: float,
    up_window_s: float,
    down_window_s: float,
) -> int:
    """Bring a recommendation between the limits that the windows set.

    A recommendation that is exactly as old as the window no longer counts.

    Args:
        desired: the new recommendation.
        past: earlier ones, before their own stabilisation.
        current: pods asked for at present.
        now_s: time of the decision.
        up_window_s: window of the lowest recommendation, used when growing.
        down_window_s: window of the highest, used when shrinking.

    Returns:
        Pods after stabilisation.
    """
    up = min([desired, *(r.count for r in past if now_s - r.at_s < up_window_s)])
    down = max([desired, *(r.count for r in past if now_s - r.at_s < down_window_s)])
    return min(max(current, up), down)


def still_remembered(
    past: tuple[Recommendation, ...], *, now_s: float, longest_window_s: float
) -> tuple[Recommendation, ...]:
    """The recommendations that may still count at a later decision."""
    return tuple(r for r in past if now_s - r.at_s < longest_window_s)
