"""What the replay holds orders to, whatever the policy: minimum and maximum, GPU budget, P/D ratio guard."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["Limits"]


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on orders.

    Attributes:
        low, high: fewest and most instances of a pool.
        max_gpus: GPU budget of the fleet; None for none.
        gpus_per_instance: GPUs that one instance takes.
        pd_ratio: prefill to decode.
        ratio_guard: largest relative distance of prefill from the ratio; None for no guard.
    """

    low: int
    high: int
    max_gpus: int | None
    gpus_per_instance: int
    pd_ratio: tuple[int, int]
    ratio_guard: float | None

    def apply(self, asked: Mapping[str, int]) -> dict[str, int]:
        """Hold an order to the bounds.

        The guard raises the pool that is short, never lowers the other. Over the budget, pools shrink in
        proportion to what lies above their minimum, so that their ratio holds as well as it can.

        Args:
            asked: instances by pool, for every pool of the fleet.

        Returns:
            The order, by pool.
        """
        held = {pool: min(max(count, self.low), self.high) for pool, count in asked.items()}
        if self.ratio_guard is not None and {"prefill", "decode"} <= held.keys():
            held = self._balanced(held, self.ratio_guard)
        return self._within_budget(held)

    def _balanced(self, counts: dict[str, int], guard: float) -> dict[str, int]:
        prefill, decode = self.pd_ratio
        ideal = counts["decode"] * prefill / decode
        if counts["prefill"] < ideal * (1.0 - guard):
            counts = {**counts, "prefill": min(self.high, _ceil(ideal * (1.0 - guard)))}
        elif counts["prefill"] > ideal * (1.0 + guard):
            needed = counts["prefill"] / (1.0 + guard) * decode / prefill
            counts = {**counts, "decode": min(self.high, _ceil(needed))}
        return counts

    def _within_budget(self, counts: dict[str, int]) -> dict[str, int]:
        if self.max_gpus is None:
            return counts
        budget = max(self.max_gpus // self.gpus_per_instance, self.low * len(counts))
        above = sum(counts.values()) - self.low * len(counts)
        room = budget - self.low * len(counts)
        if above <= room:
            return counts
        shares = {pool: (count - self.low) * room / above for pool, count in counts.items()}
        held = {pool: self.low + int(share) for pool, share in shares.items()}
        # what rounding left over goes to the largest remainders, the first pool on a tie
        order = sorted(shares, key=lambda pool: (int(shares[pool]) - shares[pool], pool))
        for pool in order[: budget - sum(held.values())]:
            held[pool] += 1
        return held


def _ceil(value: float) -> int:
    return -int(-value // 1)
