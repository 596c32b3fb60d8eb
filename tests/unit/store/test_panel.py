"""The panel: one grid, the best of what is stored, nothing from the future."""

from __future__ import annotations

from datetime import timedelta

import polars as pl
import pytest

from signals.errors import AnalysisError, StoreError, UsageError
from signals.schema import TIMESTAMP, Panel
from signals.store.parsed import Series
from tests.sql.hand import Hand, at, chunk_of


def values(panel: Panel, name: str) -> list[float | None]:
    return panel.frame[name].to_list()


def own(name: str, pool: str = "decode", unit: str = "", **labels: str) -> Series:
    return Series(name, {"pool": pool, **labels}, unit=unit, pool=pool)


def test_the_grid_is_whole_sorted_and_typed(hand: Hand) -> None:
    hand.load(chunk_of((own("running"), [(15, 1), (30, 2), (105, 3)])))
    panel = hand.store.panel("svc", tick_s=15.0)
    assert panel.tick_s == 15.0
    assert panel.frame.schema == {"tick": TIMESTAMP, "decode:running": pl.Float64}
    assert panel.frame["tick"].to_list() == [at(s) for s in range(15, 120, 15)]
    # the median spacing is 45 s, so the value of 30 s is carried as far as 120 s
    assert values(panel, "decode:running") == [1, 2, 2, 2, 2, 2, 3]


def test_slow_data_make_a_slow_grid(hand: Hand) -> None:
    hand.load(chunk_of((own("decode_tps", unit="rel"), [(180 * i, 0.1 * i) for i in range(10)])))
    panel = hand.store.panel("svc")
    assert panel.tick_s == 180.0
    assert panel.frame["decode:decode_tps"].null_count() == 0
    column = panel.column("decode:decode_tps")
    assert column is not None
    assert (column.unit, column.exported, column.resolution_s) == ("rel", True, 180.0)
    assert hand.store.panel("svc", tick_s=60.0).frame.height == 28


def test_a_computed_signal_wins_over_an_exported_one(hand: Hand) -> None:
    hand.load(
        chunk_of(
            (own("decode_tps", unit="tokens/s"), [(15, 7), (30, 7)]),
            (own("decode_tokens_total"), [(0, 0), (15, 150), (30, 300)]),
            (own("prefill_tps", "prefill", "tokens/s"), [(15, 9), (30, 9)]),
        )
    )
    panel = hand.store.panel("svc")
    assert values(panel, "decode:decode_tps")[-2:] == [10.0, 10.0]
    computed, exported = panel.column("decode:decode_tps"), panel.column("prefill:prefill_tps")
    assert computed is not None
    assert exported is not None
    assert (computed.exported, computed.sources) == (False, ("decode_tokens_total@decode",))
    assert (exported.exported, exported.sources) == (True, ("prefill_tps@prefill",))


def test_totals_add_and_averages_do_not(hand: Hand) -> None:
    series = [
        (own(name, instance=instance), [(15, value)])
        for name, pair in (("running", (2, 4)), ("gpu_util", (0.2, 0.4)))
        for instance, value in zip("ab", pair, strict=True)
    ]
    hand.load(chunk_of(*series))
    panel = hand.store.panel("svc")
    assert values(panel, "decode:running") == [6]
    assert values(panel, "decode:gpu_util") == [pytest.approx(0.3)]
    assert [(c.name, c.scope) for c in panel.columns] == [
        ("decode:gpu_util", "average"),
        ("decode:running", "total"),
        ("decode:ready", "total"),
    ]


def test_ready_is_taken_from_the_export_else_counted(hand: Hand) -> None:
    hand.load(
        chunk_of(
            (own("ready"), [(15, 5)]),
            (own("running", instance="a"), [(15, 1)]),
            (own("running", "prefill", instance="a"), [(15, 1)]),
            (own("running", "prefill", instance="b"), [(15, 1)]),
        )
    )
    panel = hand.store.panel("svc")
    assert values(panel, "decode:ready") == [5]
    assert values(panel, "prefill:ready") == [2]
    found = [f.subject for f in panel.findings if f.code == "ready_inferred"]
    assert found == ["prefill:ready"]


def test_no_count_is_invented_where_instances_have_no_name(hand: Hand) -> None:
    hand.load(chunk_of((own("running"), [(15, 1)])))
    assert hand.store.panel("svc").column("decode:ready") is None


def test_the_request_log_gives_the_offered_load(hand: Hand) -> None:
    rows = [
        {"arrived_s": 5, "prompt_tokens": 30, "output_tokens": 2, "asked_output_tokens": 15},
        {"arrived_s": 40, "prompt_tokens": 15, "output_tokens": 30},
    ]
    hand.load(chunk_of(requests=rows))
    panel = hand.store.panel("svc")
    assert values(panel, "service:request_rate") == [1 / 15, 0, 1 / 15]
    assert values(panel, "service:offered_prompt_tps") == [2, 0, 1]
    assert values(panel, "service:offered_output_tps") == [1, 0, 2]
    assert [c.sources for c in panel.columns] == [
        ("request.asked_output_tokens",),
        ("request.prompt_tokens",),
        ("request.arrived_at",),
    ]


def test_arrivals_of_a_log_come_before_a_gateways_counter(hand: Hand) -> None:
    gateway = Series("dynamo_frontend_requests_started_total", {"pod": "f"})
    hand.load(chunk_of((gateway, [(0, 0), (15, 150), (30, 300)])))
    before = hand.store.panel("svc").column("service:request_rate")
    hand.load(chunk_of(requests=[{"arrived_s": 20, "prompt_tokens": 1}]))
    after = hand.store.panel("svc").column("service:request_rate")
    assert before is not None
    assert after is not None
    assert before.sources == ("requests_total@service",)
    assert after.sources == ("request.arrived_at",)


def test_windows_are_half_open_at_the_start(hand: Hand) -> None:
    hand.load(chunk_of((own("running"), [(s, s) for s in range(0, 300, 15)])))
    panel = hand.store.panel("svc", first=at(60), last=at(120))
    assert panel.frame["tick"].to_list() == [at(s) for s in (60, 75, 90, 105, 120)]
    assert panel.span.first == at(45)


def test_a_window_outside_of_the_data_is_no_panel(hand: Hand) -> None:
    hand.load(chunk_of((own("running"), [(0, 1), (15, 1)])))
    with pytest.raises(AnalysisError, match="holds no tick"):
        hand.store.panel("svc", first=at(0) + timedelta(days=9))
    with pytest.raises(AnalysisError, match="holds no tick"):
        hand.store.panel("svc", last=at(0) - timedelta(days=9))


@pytest.mark.parametrize("tick", [0.0, -1.0, float("nan"), float("inf")])
def test_an_impossible_tick_is_refused(hand: Hand, tick: float) -> None:
    hand.load(chunk_of((own("running"), [(0, 1), (15, 1)])))
    with pytest.raises(UsageError):
        hand.store.panel("svc", tick_s=tick)


def test_too_many_ticks_are_refused(hand: Hand) -> None:
    hand.load(chunk_of((own("running"), [(0, 1), (86400 * 365, 1)])))
    with pytest.raises(AnalysisError, match="more than"):
        hand.store.panel("svc", tick_s=1.0)


def test_too_many_columns_for_the_ticks_are_refused(
    hand: Hand, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before the marts by what is stored, and again by the columns that come of it."""
    ends: list[tuple[float, float]] = [(0, 1), (600, 1)]
    hand.load(chunk_of((own("running"), ends), (own("queue_depth"), ends)))
    asked = [{"arrived_s": s, "prompt_tokens": 7, "output_tokens": 3} for s in (0, 600)]
    hand.load(chunk_of(requests=asked), service="log")
    monkeypatch.setattr("signals.store.ticks._MAX_VALUES", 1200)
    assert hand.store.panel("svc", tick_s=1.2).frame.width == 1 + 2
    assert hand.store.panel("log", tick_s=1.8).frame.width == 1 + 3
    with pytest.raises(AnalysisError, match="2 columns"):
        hand.store.panel("svc", tick_s=0.9)
    with pytest.raises(AnalysisError, match="3 columns"):
        hand.store.panel("log", tick_s=0.9)


def test_unknown_names_alone_make_no_panel(hand: Hand) -> None:
    hand.load(chunk_of((Series("go_goroutines", {}), [(0, 1), (15, 1)])))
    with pytest.raises(AnalysisError, match="no signal is known"):
        hand.store.panel("svc")
    with pytest.raises(StoreError) as caught:
        hand.store.panel("other")
    assert caught.value.expected == "one of svc"


def test_an_old_name_beside_the_new_one_is_not_counted_twice(hand: Hand) -> None:
    points = [(15, 0.5), (30, 0.7)]
    names = ("vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc")
    hand.load(chunk_of(*((Series(name, {"pod": "decode-0"}), points) for name in names)))
    hand.load(chunk_of((Series(names[1], {"pod": "decode-1"}), [(15, 0.1), (30, 0.1)])))
    found = values(hand.store.panel("svc"), "decode:kv_usage")
    assert found == [pytest.approx(0.3), pytest.approx(0.4)]


def test_hit_ratio_divides_rates(hand: Hand) -> None:
    hand.load(
        chunk_of(
            (Series("vllm:prefix_cache_hits_total", {"pod": "p"}), [(0, 0), (15, 30), (30, 30)]),
            (
                Series("vllm:prefix_cache_queries_total", {"pod": "p"}),
                [(0, 0), (15, 120), (30, 120)],
            ),
        )
    )
    assert values(hand.store.panel("svc"), "unified:prefix_hit_ratio") == [None, 0.25, None]


def test_gpu_series_take_the_pool_of_their_pod(hand: Hand) -> None:
    hand.load(
        chunk_of(
            (Series("DCGM_FI_DEV_GPU_UTIL", {"gpu": "0", "pod": "llm-7f"}), [(15, 50)]),
            (Series("vllm:num_requests_running", {"pod": "llm-7f", "role": "decode"}), [(15, 1)]),
        )
    )
    panel = hand.store.panel("svc")
    assert values(panel, "decode:gpu_util") == [0.5]
    assert "joined" in hand.store.inventory().pools["rule"][0]


def test_power_follows_from_energy_where_the_draw_is_not_exported(hand: Hand) -> None:
    name = "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION"  # millijoules
    for gpu, watts in (("a", 300), ("b", 500)):
        series = Series(name, {"UUID": gpu, "pod": "x-decode-0"})
        hand.load(chunk_of((series, [(s, 1000 * watts * s) for s in (0, 15, 30, 45)])))
    panel = hand.store.panel("svc")
    assert values(panel, "decode:power_w")[1:] == pytest.approx([400.0, 400.0])
    column = panel.column("decode:power_w")
    assert column is not None
    assert (column.unit, column.sources) == ("W", ("energy_j_total@decode",))
