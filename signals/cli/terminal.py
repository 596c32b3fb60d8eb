"""A terminal that what was loaded cannot steer: names and labels come from files of anyone."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from signals.cli.plain import plain

__all__ = ["Terminal"]


class Terminal(Console):
    """Shows signs that would move the cursor, colour the screen or turn the line around as `�`."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """As rich does it, text made plain; its own colours and cursor moves stay."""
        for segment in super().render(renderable, options):
            if segment.control:
                yield segment
            else:
                yield Segment(plain(segment.text), segment.style)
