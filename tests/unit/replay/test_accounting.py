"""What became of requests."""

from datetime import UTC, datetime

import polars as pl
import pytest

from signals.replay.accounting import account_requests, minute_rows, percentiles
from signals.replay.frames import RUN_MINUTE
from signals.replay.result import Percentiles
from signals.schema import Slo, check_frame

START = datetime(2026, 1, 1, tzinfo=UTC)
SLO = Slo(ttft_s=1.0, tpot_s=0.05)


def log(rows):
    return pl.DataFrame(
        rows,
        schema={
            "arrival_s": pl.Float64,
            "ttft_s": pl.Float64,
            "tpot_s": pl.Float64,
            "e2e_s": pl.Float64,
            "status": pl.String,
        },
        orient="row",
    )


ROWS = [
    (1.0, 0.5, 0.04, 2.0, "ok"),
    (2.0, 1.0, 0.05, 2.0, "ok"),  # on both edges: within
    (3.0, 1.5, 0.04, 2.0, "ok"),  # late first token
    (61.0, 0.5, 0.06, 2.0, "ok"),  # slow pace
    (62.0, 0.5, None, 0.5, "ok"),  # one token: no pace to miss
    (63.0, None, None, None, "dropped"),
    (64.0, 0.5, None, None, "cut"),
    (65.0, None, None, None, "running"),
]


def test_attainment_counts_every_arrived_request():
    """Eight arrived: five in time for the first token, four in pace, three in both."""
    account = account_requests(log(ROWS), SLO)
    assert account.attainment == {"ttft": 5 / 8, "tpot": 4 / 8, "both": 3 / 8}
    assert account.requests == {
        "arrived": 8,
        "completed": 5,
        "dropped": 1,
        "cut": 1,
        "running": 1,
    }


def test_nothing_arrived_is_no_attainment():
    """Not 100 %, not 0."""
    account = account_requests(log([]), SLO)
    assert account.attainment == {"ttft": None, "tpot": None, "both": None}
    assert account.ttft_s == Percentiles(None, None, None)


def test_percentiles_are_over_known_values():
    """0 to 100 and some nulls."""
    values = pl.Series([float(v) for v in range(101)] + [None, float("nan")])
    got = percentiles(values)
    assert (got.p50, got.p90, got.p99) == pytest.approx((50.0, 90.0, 99.0))


def test_minutes_are_minutes_of_arrival():
    """Three in the first minute, five in the second."""
    rows = check_frame(minute_rows(log(ROWS), SLO, policy="p", start=START), RUN_MINUTE)
    assert rows["arrived"].to_list() == [3, 5]
    assert rows["both_ok"].to_list() == [2, 1]
    assert rows["ts"].to_list() == [START, datetime(2026, 1, 1, 0, 1, tzinfo=UTC)]
    assert rows["ttft_p90_s"].to_list() == pytest.approx([1.4, 0.5])
