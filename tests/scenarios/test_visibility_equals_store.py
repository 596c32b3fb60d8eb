"""What a policy sees on line is what the store computes from the same telemetry afterwards.

Rates, averages, sums and quantiles, with instances that are born and drained inside windows.
"""

from datetime import UTC, datetime

import pytest

from signals.catalog import require_signal
from signals.fleet import Fleet, FleetSpec
from signals.policies.policy import SignalRequest
from signals.profiles import load_profile
from signals.replay.visibility import Visibility
from signals.store import LoadOptions, create_store
from signals.store.parsed import ReadOptions
from tests.builders_load import daily_rate, shaped_load

START = datetime(2026, 1, 1, tzinfo=UTC)
TICK_S = 60.0


@pytest.fixture(scope="module")
def fleet():
    """Half an hour in which decode grows and shrinks."""
    spec = FleetSpec(load_profile("llama2-70b-h100"), 1, 4, cold_start_s=40.0, exporter_delay_s=5.0)
    made = Fleet(spec, shaped_load(daily_rate(0.5, 10.0)), 0)
    for at_s, decode in ((300.0, 6), (700.0, 7), (1100.0, 4), (1500.0, 2)):
        made.advance(at_s)
        made.scale("decode", decode)
    made.advance(1800.0)
    return made


@pytest.fixture(scope="module")
def panel(fleet, tmp_path_factory):
    """The fleet's telemetry, loaded and put on a grid."""
    folder = tmp_path_factory.mktemp("store")
    file = folder / "telemetry.parquet"
    fleet.scrapes.frame(START).write_parquet(file)
    store = create_store(folder / "fleet.duckdb")
    store.load([file], LoadOptions(read=ReadOptions(service="made")))
    return store.panel("made", tick_s=TICK_S)


def test_every_signal_is_the_same_on_line_and_in_the_store(fleet, panel):
    """Every signal of the panel that a policy may read, at every tick."""
    seen = Visibility(fleet.scrapes, 0.0)
    candidates = [c for c in panel.columns if require_signal(c.signal).role == "candidate"]
    assert {"decode:decode_tps", "decode:gpu_util", "prefill:ttft_p90"} <= {
        c.name for c in candidates
    }
    for column in candidates:
        request = SignalRequest(column.signal, column.pool, TICK_S)
        for tick, stored in panel.frame.select("tick", column.name).iter_rows():
            now_s = (tick - START).total_seconds()
            value = seen.readings([request], now_s=now_s, hidden={})[request].value
            if stored is None:
                assert value is None, (column.name, now_s)
            else:
                assert value == pytest.approx(stored, rel=1e-9, abs=1e-12), (column.name, now_s)
