"""Which samples a store keeps, told one by one: the slow obvious twin of the intake."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field

__all__ = ["Kept"]


@dataclass
class Kept:
    """A store as a dictionary.

    Attributes:
        samples: by series and time the value, and the source that brought it.
    """

    samples: dict[tuple[Hashable, float], tuple[float, int]] = field(default_factory=dict)

    def load(
        self, source: int, points: Iterable[tuple[Hashable, Hashable, float, float]]
    ) -> Counter[str]:
        """Take the samples of a source in the order of reading.

        Args:
            source: its number.
            points: exported series, the series that it is stored as, seconds and value.

        Returns:
            How many were kept, duplicates, conflicts, overlapping and out of order; kinds without any absent.
        """
        counts: Counter[str] = Counter()
        before: dict[Hashable, float] = {}
        for exported, series, seconds, value in points:
            if exported in before and seconds < before[exported]:
                counts["out_of_order"] += 1
            before[exported] = seconds
            known = self.samples.get((series, seconds))
            if known is None:
                self.samples[series, seconds] = (value, source)
                counts["kept"] += 1
            elif known[0] != value:
                counts["conflict"] += 1
            else:
                counts["duplicate" if known[1] == source else "overlap"] += 1
        return counts
