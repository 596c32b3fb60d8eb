"""A real Prometheus in between: what it returns is read back as what was put into it.

Two decode instances of vLLM with known counters, one of which restarts, are backfilled into a Prometheus on
this machine. Its answers to a range-vector query (true times) and to a range query (aligned to the step) are
saved, loaded and turned into a panel.
"""

import json
import urllib.parse
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest

from signals.store import LoadOptions, create_store
from signals.store.parsed import ReadOptions
from tests.builders_servers import Prometheus, fetch, running

pytestmark = pytest.mark.prometheus

START = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
SCRAPE_S = 15
SCRAPES = 240  # one hour
OFFSET_S = 4.321  # scrapes do not fall on whole steps
RATES_TPS = {"decode-0": 120.0, "decode-1": 80.0}
RESTARTS_AT = 121  # scrape at which decode-1 begins again at zero


def exposition() -> str:
    """The hour as OpenMetrics with times, samples grouped by family."""
    lines = ["# TYPE vllm:generation_tokens counter"]
    waiting = ["# TYPE vllm:num_requests_waiting gauge"]
    for pod, rate in RATES_TPS.items():
        labels = f'{{instance="{pod}:8000",pod="{pod}",engine="0",model_name="m"}}'
        total = 0.0
        for scrape in range(SCRAPES):
            at = START.timestamp() + OFFSET_S + scrape * SCRAPE_S
            if pod == "decode-1" and scrape == RESTARTS_AT:
                total = 0.0
            lines.append(f"vllm:generation_tokens_total{labels} {total} {at:.3f}")
            waiting.append(f"vllm:num_requests_waiting{labels} {scrape % 5} {at:.3f}")
            total += rate * SCRAPE_S
    return "\n".join([*lines, *waiting, "# EOF", ""])


@pytest.fixture(scope="module")
def ask(tmp_path_factory):
    """A function that asks the Prometheus: `ask("query", query=..., time=...)` gives the JSON text."""
    server = Prometheus(tmp_path_factory.mktemp("prometheus"))
    server.fill(exposition())
    with running(server):
        base = f"{server.url}/api/v1"
        yield lambda path, **words: fetch(f"{base}/{path}?{urllib.parse.urlencode(words)}").decode()


def panel_of(folder: Path, name: str, text: str) -> pl.DataFrame:
    """Load one answer into a fresh store and give the panel's frame."""
    path = folder / f"{name}.json"
    path.write_text(text, encoding="utf-8")
    store = create_store(folder / f"{name}.duckdb")
    options = LoadOptions(read=ReadOptions(service="chat"), pool_rules=("decode=pod:~decode-.*",))
    report = store.load([path], options)
    assert report.sources[0].rows_rejected == 0
    return store.panel("chat").frame


def test_range_vector_gives_the_rates_that_were_put_in(ask, tmp_path):
    """Raw samples with true times: the sum of both rates on every tick, with no spike at the restart."""
    text = ask("query", query='{__name__=~"vllm.*"}[2h]', time=START.timestamp() + 3600)
    samples = json.loads(text)["data"]["result"]
    assert sum(len(series["values"]) for series in samples) == 4 * SCRAPES

    rates = panel_of(tmp_path, "vector", text)["decode:decode_tps"].drop_nulls()
    assert rates.len() >= SCRAPES - 5
    assert rates.median() == pytest.approx(sum(RATES_TPS.values()), rel=0.01)
    assert rates.max() <= 1.02 * sum(RATES_TPS.values())


def test_range_query_gives_the_same_level(ask, tmp_path):
    """Values aligned to the step carry the same rates; times are less exact, levels are not."""
    text = ask(
        "query_range",
        query='{__name__=~"vllm.*"}',
        start=START.timestamp(),
        end=START.timestamp() + 3600,
        step=SCRAPE_S,
    )
    rates = panel_of(tmp_path, "range", text)["decode:decode_tps"].drop_nulls()
    assert rates.median() == pytest.approx(sum(RATES_TPS.values()), rel=0.01)
    assert rates.max() <= 1.02 * sum(RATES_TPS.values())


def test_gauge_keeps_its_values(ask, tmp_path):
    """The queue of two instances is the sum of both, 0 to 8 requests."""
    text = ask("query", query='{__name__=~"vllm.*"}[2h]', time=START.timestamp() + 3600)
    frame = panel_of(tmp_path, "queue", text)
    depth = frame["decode:queue_depth"].drop_nulls()
    assert depth.min() == 0.0
    assert depth.max() == 8.0
