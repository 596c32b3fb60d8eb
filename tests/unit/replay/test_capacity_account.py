"""Flaps and the P/D ratio."""

from datetime import UTC, datetime, timedelta

import numpy as np
import polars as pl

from signals.replay.capacity_account import count_flaps, ratio_violated

START = datetime(2026, 1, 1, tzinfo=UTC)


def orders(*rows):
    return pl.DataFrame(
        [(START + timedelta(minutes=m), pool, kind) for m, pool, kind in rows],
        schema={"ts": pl.Datetime("us", "UTC"), "pool": pl.String, "kind": pl.String},
        orient="row",
    )


def test_a_flap_is_opposite_and_soon():
    """Down 14 minutes after up flaps; 15 minutes after does not; the other pool does not count."""
    flapping = orders((0, "decode", "scale_up"), (14, "decode", "scale_down"))
    calm = orders((0, "decode", "scale_up"), (15, "decode", "scale_down"))
    apart = orders((0, "decode", "scale_up"), (1, "prefill", "scale_down"))
    same = orders((0, "decode", "scale_up"), (1, "decode", "scale_up"))
    assert [count_flaps(o) for o in (flapping, calm, apart, same)] == [1, 0, 0, 0]


def test_ratio_allows_for_whole_instances():
    """One prefill to two decode: 1 with 3 is as near as it gets; 4 with 4 is not."""
    prefill, decode = np.array([1, 2, 4, 1, 10]), np.array([3, 4, 4, 6, 22])
    violated = ratio_violated(prefill, decode, (1, 2), 0.2)
    assert violated.tolist() == [False, False, True, True, False]
