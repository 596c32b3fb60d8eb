"""A signal under an averaging window as a PromQL expression."""

from __future__ import annotations

import pytest

from signals.catalog import SIGNALS, require_signal
from signals.schema import PanelColumn
from signals.study.promql import window_query


def column_of(signal: str, *, exported: bool = False, resolution_s: float = 15.0) -> PanelColumn:
    """A column of the decode pool as the catalog describes it."""
    spec = require_signal(signal)
    return PanelColumn(
        f"decode:{signal}", "decode", signal, spec.unit, spec.scope,
        resolution_s=resolution_s, exported=exported,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("signal", "query"),
    [
        ("decode_tps", "sum(rate(decode_tokens_total[2m]))"),
        ("gpu_util", "avg(avg_over_time(gpu_util[2m]))"),
        ("fb_used_ratio", "avg(avg_over_time(fb_used[2m])) / avg(avg_over_time(fb_total[2m]))"),
        ("queue_depth", "sum(avg_over_time(queue_depth[2m]))"),
        ("ttft_mean", "sum(rate(ttft_sum[2m])) / sum(rate(ttft_count[2m]))"),
        ("ttft_p90", "histogram_quantile(0.9, sum by (le) (rate(ttft_bucket[2m])))"),
    ],
)
def test_query_fits_how_the_signal_is_computed(signal: str, query: str) -> None:
    """Rates of counters, averages of gauges, merged buckets."""
    assert window_query(column_of(signal), 120.0) == query


def test_every_signal_of_the_catalog_has_one_unless_it_is_of_the_request_log() -> None:
    for spec in SIGNALS:
        query = window_query(column_of(spec.name), 60.0)
        assert bool(query) == (spec.how != "request_log")
        assert query.count("(") == query.count(")")
        assert query.count("[1m]") == query.count("[")


@pytest.mark.parametrize(
    ("window_s", "shown"),
    [(15.0, "30s"), (30.0, "30s"), (90.0, "90s"), (120.0, "2m"), (37.5, "37500ms")],
)
def test_rate_takes_two_scrapes(window_s: float, shown: str) -> None:
    """A window of one scrape interval holds one sample, of which there is no rate."""
    assert window_query(column_of("decode_tps"), window_s).endswith(f"[{shown}]))")


def test_what_was_exported_is_averaged() -> None:
    """A throughput that came as a gauge is no counter."""
    column = column_of("decode_tps", exported=True)
    assert window_query(column, 60.0) == "sum(avg_over_time(decode_tps[1m]))"


def test_names_of_the_exporter_take_the_place_of_the_catalogs() -> None:
    names = {"decode_tokens_total": "vllm:generation_tokens_total"}
    query = window_query(column_of("decode_tps"), 60.0, metrics=names)
    assert query == "sum(rate(vllm:generation_tokens_total[1m]))"


def test_odd_names_cannot_leave_their_quotes() -> None:
    """A series that a user named is a text, whatever is in it."""
    column = PanelColumn('decode:a b"}\\', "decode", 'a b"}\\', "count", "average")
    assert window_query(column, 60.0) == 'avg(avg_over_time({"a b\\"}\\\\"}[1m]))'
