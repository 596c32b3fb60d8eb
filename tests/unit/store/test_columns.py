"""Which columns a panel gets."""

from __future__ import annotations

from signals.catalog import SIGNALS
from signals.store.parsed import Series
from tests.sql.hand import Hand, chunk_of


def names(hand: Hand) -> list[str]:
    return [column.name for column in hand.store.panel("svc").columns]


def test_columns_follow_pools_and_the_catalog(hand: Hand) -> None:
    order = [spec.name for spec in SIGNALS]
    series = [
        (Series(name, {"pool": pool}, pool=pool), [(0, 0.5), (15, 0.5)])
        for pool in ("decode", "prefill", "service", "unified")
        for name in ("kv_usage", "gpu_util", "running")
    ]
    hand.load(chunk_of(*series))
    found = [tuple(name.split(":")) for name in names(hand)]
    assert [pool for pool, _ in found][::3] == ["prefill", "decode", "unified", "service"]
    assert [s for _, s in found[:3]] == sorted(("gpu_util", "running", "kv_usage"), key=order.index)


def test_other_pools_come_last_and_are_not_lost(hand: Hand) -> None:
    hand.load(
        chunk_of(
            (Series("running", {"pool": "encode"}, pool="encode"), [(0, 1)]),
            (Series("running", {"pool": "decode"}, pool="decode"), [(0, 1)]),
        )
    )
    assert names(hand) == ["decode:running", "encode:running"]


def test_a_signal_without_any_value_is_no_column(hand: Hand) -> None:
    hand.load(
        chunk_of(
            (Series("decode_tokens_total", {"pool": "decode"}, pool="decode"), [(0, 5)]),
            (Series("running", {"pool": "decode"}, pool="decode"), [(0, 1)]),
        )
    )
    assert names(hand) == ["decode:running"]


def test_every_way_of_the_catalog_is_known() -> None:
    from signals.store.columns import _COMPUTED

    assert {spec.how for spec in SIGNALS} <= set(_COMPUTED)
