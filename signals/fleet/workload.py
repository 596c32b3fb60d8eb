"""The work: requests with arrival times and token counts; scaled, sliced, never invented."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from signals.errors import AnalysisError, UsageError
from signals.fleet.spec import LONGEST_S

__all__ = ["Workload"]


@dataclass(frozen=True, eq=False)
class Workload:
    """Requests in arrival order.

    Attributes:
        arrival_s: float64 [n], seconds since the start, sorted, >= 0.
        prompt_tokens: int64 [n], >= 1.
        output_tokens: int64 [n], >= 1, the first token included.
        cached_tokens: int64 [n], prompt tokens found in the prefix cache, 0..prompt_tokens.

    Raises:
        AnalysisError: the arrays differ in length, are unsorted, or hold impossible values.
    """

    arrival_s: npt.NDArray[np.float64]
    prompt_tokens: npt.NDArray[np.int64]
    output_tokens: npt.NDArray[np.int64]
    cached_tokens: npt.NDArray[np.int64]

    def __post_init__(self) -> None:
        """Bring the arrays to their types and hold them to the contract."""
        object.__setattr__(self, "arrival_s", np.ascontiguousarray(self.arrival_s, np.float64))
        for name in ("prompt_tokens", "output_tokens", "cached_tokens"):
            object.__setattr__(self, name, np.ascontiguousarray(getattr(self, name), np.int64))
        for name, problem in self._problems().items():
            if problem.any():
                row = int(np.flatnonzero(problem)[0])
                raise AnalysisError(
                    f"the workload cannot be simulated: {name}", where=f"request {row}"
                )

    def _problems(self) -> dict[str, npt.NDArray[np.bool_]]:
        lengths = {
            len(a)
            for a in (self.arrival_s, self.prompt_tokens, self.output_tokens, self.cached_tokens)
        }
        if len(lengths) != 1:
            return {"its columns differ in length": np.array([True])}
        arrival = self.arrival_s
        return {
            "its arrival time is not a number": ~np.isfinite(arrival),
            "it arrives before the start": arrival < 0,
            "it arrives later than 46 days after the start": arrival > LONGEST_S,
            "it arrives before its predecessor": np.diff(arrival, prepend=0.0) < 0,
            "it has no prompt tokens": self.prompt_tokens < 1,
            "it has no output tokens": self.output_tokens < 1,
            "its cached tokens are not within its prompt": (self.cached_tokens < 0)
            | (self.cached_tokens > self.prompt_tokens),
        }

    def __len__(self) -> int:
        """Number of requests."""
        return len(self.arrival_s)

    @property
    def duration_s(self) -> float:
        """Time of the last arrival, seconds; 0 without requests."""
        return float(self.arrival_s[-1]) if len(self) else 0.0

    def between(self, first_s: float, last_s: float) -> Workload:
        """The requests that arrive in [first_s, last_s), with times since `first_s`."""
        low, high = np.searchsorted(self.arrival_s, [first_s, last_s], side="left")
        return Workload(
            self.arrival_s[low:high] - first_s,
            self.prompt_tokens[low:high],
            self.output_tokens[low:high],
            self.cached_tokens[low:high],
        )

    def scaled(self, factor: float, rng: np.random.Generator, *, jitter_s: float = 1.0) -> Workload:
        """Multiply the arrivals at every moment.

        Whole copies come first, the fraction is a copy thinned at random. The first whole copy keeps its
        times; in every other copy each request moves by a time drawn uniformly from +-`jitter_s`, so
        that copies do not arrive in lockstep. Times stay within the original span.

        Args:
            factor: requests per original request, >= 0; 1 gives the workload unchanged.
            rng: draws jitter and thinning.
            jitter_s: half width of the jitter, seconds, >= 0.

        Returns:
            A workload with about `factor * len(self)` requests.

        Raises:
            UsageError: the factor or the jitter is negative or not finite.
        """
        if not (np.isfinite(factor) and factor >= 0 and np.isfinite(jitter_s) and jitter_s >= 0):
            raise UsageError(
                f"load factor {factor:g} with jitter {jitter_s:g} s is impossible",
                where="--load-factor",
                expected="numbers >= 0",
            )
        n, whole = len(self), int(factor)
        picks = [np.arange(n)] * whole
        if factor > whole:
            picks.append(np.flatnonzero(rng.random(n) < factor - whole))
        times = [self.arrival_s[pick] for pick in picks]
        for copy in range(1, len(times)):
            moved = times[copy] + rng.uniform(-jitter_s, jitter_s, len(times[copy]))
            # reflected at both ends, where clipping would pile requests up
            moved = self.duration_s - np.abs(self.duration_s - np.abs(moved))
            times[copy] = np.clip(moved, 0.0, self.duration_s)
        pick = np.concatenate(picks) if picks else np.empty(0, np.int64)
        arrival = np.concatenate(times) if times else np.empty(0)
        order = np.argsort(arrival, kind="stable")
        pick = pick[order]
        return Workload(
            arrival[order],
            self.prompt_tokens[pick],
            self.output_tokens[pick],
            self.cached_tokens[pick],
        )
