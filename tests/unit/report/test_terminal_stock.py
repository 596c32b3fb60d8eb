"""Loads and the store's contents on a terminal."""

from __future__ import annotations

import io

import polars as pl
import pytest
from rich.console import Console

from signals.report import terminal
from signals.store.reports import ForgetReport, LoadReport, SourceReport
from tests.builders import START
from tests.builders_stock import MadeStock, make_stock


def drawn(parts: list[object], width: int = 100) -> str:
    out = io.StringIO()
    console = Console(file=out, width=width, highlight=False)
    for part in parts:
        console.print(part)
    return out.getvalue()


def test_load_shows_counts_and_names_what_was_rejected() -> None:
    """Rows kept and rejected per file; reasons and findings below; a repeated load is said."""
    sources = (
        SourceReport("a.csv", "own-wide", "a", 10, 9, 1, {"bad_number": 1}, {"gap": 2}, 3, START, START, False),
        SourceReport("b.csv", "own-wide", "a", 0, 0, 0, {}, {}, 0, None, None, True),
    )  # fmt: skip
    text = drawn(terminal.load_tables(LoadReport(sources)))
    assert "rejected: bad_number 1; findings: gap 2" in text
    assert "already loaded" in text


@pytest.mark.parametrize("width", [80, 120])
def test_inventory_shows_all_six_tables(width: int) -> None:
    """Services, pools, targets, signals, sources and findings fit the width."""
    text = drawn(terminal.inventory_tables(make_stock()), width)
    assert max(map(len, text.splitlines())) <= width
    for word in ("2,373,120", "prefill", "decode:gpu_util", "99.10 %", "telemetry.parquet", "counter_reset"):  # fmt: skip
        assert word in text


def test_targets_say_what_decided_and_doubtful_ones_come_first() -> None:
    """What nothing of its own decided is what a user may want to change."""
    stock = make_stock()
    lost = stock.targets.head(1).with_columns(
        target=pl.lit("llm/x-0"),
        pool=pl.lit("unified"),
        rule=pl.lit("default"),
        decided_by=pl.lit(""),
    )
    told = MadeStock(stock.services, targets=pl.concat([stock.targets, lost]))
    text = drawn(terminal.inventory_tables(told), 120)
    for words in ("label role=decode", "joined instance=prefill-0", "nothing: signals load --pool"):
        assert words in text
    assert text.index("llm/x-0") < text.index("llm/prefill-0") < text.index("llm/decode-0")


def test_long_list_of_findings_is_cut_and_says_so() -> None:
    """Twenty are shown; the command for all is named."""
    stock = make_stock()
    many = MadeStock(stock.services, stock.pools, stock.signals, pl.concat([stock.findings] * 25))
    text = drawn(terminal.inventory_tables(many))
    assert text.count("counter_reset") == 20
    assert "5 more findings: signals inventory --json" in text


def test_empty_store_says_what_to_do() -> None:
    """Nothing loaded: the command that changes it."""
    assert "signals load FILE" in drawn(terminal.inventory_tables(MadeStock()))


def test_forget_says_what_was_removed() -> None:
    """One line."""
    text = drawn([terminal.forget_text(ForgetReport("chat", 2, 1200, 30))])
    assert text.strip() == "forgot 2 sources of chat: 1,200 samples, 30 requests"
