"""Loads and the store's contents on a terminal."""

from __future__ import annotations

import io
from pathlib import Path

import polars as pl
import pytest
from rich.console import Console

from signals.report import terminal
from signals.schema import Finding
from signals.store.reports import ForgetReport, LoadReport, SourceReport
from signals.store.tree import Skipped
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
    assert "rejected of a.csv: bad_number 1" in text
    assert ["info", "gap", "×2:", "gap"] in [line.split() for line in text.splitlines()]
    assert "already loaded" in text


def test_load_names_what_it_skipped() -> None:
    """Under the files, before the findings."""
    source = SourceReport(
        "a.csv", "own-wide", "a", 10, 10, 0, {}, {"gap": 2}, 3, START, START, False
    )
    skipped = (Skipped(Path("run/README.md"), "the format is not recognised"),)
    text = drawn(terminal.load_tables(LoadReport((source,), skipped)))
    line = "skipped 1 (the format is not recognised): README.md"
    assert text.index("a.csv") < text.index(line) < text.index("findings")


def test_load_of_many_folders_is_cut_and_says_so() -> None:
    """Thirty files are shown, and as many lines of rejects."""
    sources = tuple(
        SourceReport(f"pod-{n}/a.csv", "own-wide", "a", 10, 9, 1, {"bad_number": 1}, {}, 3, START, START, False)
        for n in range(40)
    )  # fmt: skip
    text = drawn(terminal.load_tables(LoadReport(sources)))
    assert text.count("rejected of pod-") == 30
    assert "10 more files: --json lists them all" in text


def test_findings_of_a_load_are_told_once_for_all_files() -> None:
    """By code, the gravest first, with what to do."""
    found = Finding("partial_response", "warning", "the server could not ask thanos-1", 1)
    late = Finding("counter_reset", "info", "1 counter of x fell", 1, "x")
    sources = tuple(
        SourceReport(f"{n}.json", "prometheus-matrix", "a", 10, 9, 0, {}, {}, 3, START, START, False, details=(late, found))
        for n in range(200)
    )  # fmt: skip
    lines = drawn(terminal.load_tables(LoadReport(sources)), 80).splitlines()
    assert len(lines) < 12
    first = next(n for n, line in enumerate(lines) if line.startswith("warning"))
    assert lines[first].split()[:3] == ["warning", "partial_response", "×200:"]
    assert "→ repeat the query" in lines[first + 1]
    assert lines[first + 2].split()[:3] == ["info", "counter_reset", "×200:"]


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


@pytest.mark.parametrize("count", [4, 100, 1_000])
def test_targets_of_a_large_fleet_stand_together(count: int) -> None:
    """As rows of one kind of evidence, none of them lost; few are told one by one."""
    stock = make_stock()
    fleet = pl.DataFrame(
        {
            "service": ["chat"] * count,
            "target": [f"llm/{n}" for n in range(count)],
            "pool": ["decode" if n % 2 else "prefill" for n in range(count)],
            "rule": ["default" if n == 3 else "label pod" for n in range(count)],
            "decided_by": ["" if n == 3 else f"pod=decode-{n}" for n in range(count)],
            "series": [2] * count,
            "samples": [10] * count,
        }
    )
    text = drawn(terminal.inventory_tables(MadeStock(stock.services, targets=fleet)), 120)
    lines = text[text.index("targets\nservice") :].splitlines()[3:]
    assert lines[0].split()[1:3] == ["llm/3", "decode"]
    assert "more rows" not in text
    if count == 4:
        assert len(lines) == 4
    else:
        assert len(lines) < 10
        assert f"{count // 2:,} targets, such as llm/0" in text
        assert "label pod=decode-0 and the like" in text


def test_targets_left_out_are_told_below_their_own_table() -> None:
    stock = make_stock()
    count = 60
    fleet = pl.DataFrame(
        {
            "service": ["chat"] * count,
            "target": [f"llm/{n}" for n in range(count)],
            "pool": ["decode"] * count,
            "rule": [f"label x{n}" for n in range(count)],
            "decided_by": [f"x{n}=decode" for n in range(count)],
            "series": [2] * count,
            "samples": [10] * count,
        }
    )
    whole = MadeStock(stock.services, targets=fleet, signals=stock.signals)
    text = drawn(terminal.inventory_tables(whole), 120)
    assert (
        text.index("targets\nservice")
        < text.index("more rows of targets")
        < text.index("signals\n")
    )


def test_findings_of_one_code_stand_together() -> None:
    """With what all of them mean, their counts, and the first they are about."""
    stock = make_stock()
    many = pl.concat(
        [stock.findings.with_columns(subject=pl.lit(f"decode-{n}")) for n in range(25)]
    )
    text = drawn(terminal.inventory_tables(MadeStock(stock.services, findings=many)))
    assert text.count("counter_reset") == 1
    assert "a counter started again: decode-0, decode-1 and 23 more" in text


def test_services_have_their_findings_apart() -> None:
    """Where there are several, the heading names the one."""
    one, other = make_stock("chat"), make_stock("code")
    both = MadeStock(
        pl.concat([one.services, other.services]),
        findings=pl.concat([one.findings, other.findings]),
    )
    text = drawn(terminal.inventory_tables(both))
    assert text.index("findings of chat") < text.index("findings of code")


def test_rows_name_their_service_where_there_are_several() -> None:
    """Also on a narrow terminal; where there is one, its name would only take room."""
    one, other = make_stock("chat"), make_stock("code")
    frames = {
        name: pl.concat([getattr(one, name), getattr(other, name)])
        for name in ("services", "targets", "signals", "sources")
    }
    text = drawn(terminal.inventory_tables(MadeStock(**frames)), 80)
    for heading in ("targets", "signals", "sources"):
        head, rows = text.split(f"\n{heading}\n")[1].split("---\n", 1)
        assert "service" in head
        rows = rows.split("\n\n")[0]
        assert "chat" in rows
        assert "code" in rows


def test_empty_store_says_what_to_do() -> None:
    """Nothing loaded: the command that changes it."""
    assert "signals load FILE" in drawn(terminal.inventory_tables(MadeStock()))


def test_forget_says_what_was_removed() -> None:
    """One line."""
    text = drawn([terminal.forget_text(ForgetReport("chat", 2, 1200, 30))])
    assert text.strip() == "forgot 2 sources of chat: 1,200 samples, 30 requests"
