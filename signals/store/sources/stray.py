"""When a fault is one of some lines, and when it is the file's."""

from __future__ import annotations

__all__ = ["are_strays"]

_ONE_IN = 20


def are_strays(odd: int, among: int) -> bool:
    """Whether what is odd are single bad records of a sound file, to be counted as rejects.

    Otherwise most of the file is likely another thing than was thought, which one error says better.

    Args:
        odd: records that are unlike the others, at least one.
        among: all records that were looked at, the odd ones included.
    """
    return 2 * odd < among and odd <= max(1, among // _ONE_IN)
