"""How much does a workload ask for, and when does it ask for most?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from signals.fleet import Workload

__all__ = ["busiest_window", "token_rates", "tokens_of"]


def tokens_of(workload: Workload) -> dict[str, NDArray[np.int64]]:
    """Tokens that each request asks of a pool: prompt tokens to compute, output tokens to produce."""
    return {
        "prefill": workload.prompt_tokens - workload.cached_tokens,
        "decode": workload.output_tokens,
    }


def token_rates(workload: Workload, first_s: float, last_s: float) -> dict[str, float]:
    """Tokens/s asked of each pool by the requests that arrive in [first_s, last_s)."""
    width_s = max(last_s - first_s, 1.0)
    part = tokens_of(workload.between(first_s, last_s))
    return {pool: float(tokens.sum()) / width_s for pool, tokens in part.items()}


def busiest_window(
    arrival_s: NDArray[np.float64], tokens: NDArray[np.int64], window_s: float
) -> tuple[float, float]:
    """The window whose requests ask for the most tokens.

    Args:
        arrival_s: arrivals, sorted, at least one, shape (n,).
        tokens: of each request, shape (n,).
        window_s: width, seconds.

    Returns:
        Begin and end, seconds; everything if it is shorter.
    """
    duration_s = float(arrival_s[-1])
    done = np.concatenate([[0], np.cumsum(tokens)])
    ends = np.searchsorted(arrival_s, arrival_s + window_s, side="left")
    first = int(np.argmax(done[ends] - done[:-1]))
    begin_s = max(0.0, min(float(arrival_s[first]), duration_s - window_s))
    return begin_s, min(begin_s + window_s, max(duration_s, 1.0))
