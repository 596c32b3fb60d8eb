"""The document: which sections there are and what they must not leave out."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from signals.report.compose import build_document, build_tear_sheet
from signals.report.document import (
    Document,
    Evidence,
    Figure,
    Findings,
    Heading,
    KeyFigures,
    Paragraph,
    Section,
    Table,
)
from tests.builders import make_comparison, make_detail, make_scorecard
from tests.builders_stock import make_stock

WRITTEN = datetime(2026, 11, 30, 17, tzinfo=UTC)


def evidence(**changes: object) -> Evidence:
    whole = Evidence(
        make_scorecard(),
        WRITTEN,
        (make_detail("decode:decode_tps"), make_detail("decode:gpu_util")),
        (make_comparison(hours=2),),
        make_stock(),
        {"autoscale-signals": "0.1.0", "polars": "2.1.0"},
    )
    return replace(whole, **changes)


@pytest.fixture(scope="module")
def whole() -> Document:
    return build_document(evidence())


def section(document: Document, name: str) -> Section:
    return next(s for s in document.sections if s.name == name)


def tables(part: Section) -> dict[str, Table]:
    return {b.caption: b for b in part.blocks if isinstance(b, Table)}


def test_sections_stand_in_reading_order(whole: Document) -> None:
    """Answer first, then scorecard, signals, backtest, assumptions, data."""
    names = [s.name for s in whole.sections]
    assert names == ["scorecard", "signals", "backtest-0", "assumptions", "data"]
    assert whole.generated_at == WRITTEN


def test_answer_names_signal_verdict_lag_error_and_the_money_line(whole: Document) -> None:
    """What an SRE reads in ten seconds."""
    blocks = whole.answer.blocks
    heading = next(b for b in blocks if isinstance(b, Heading))
    assert (heading.text, heading.verdict) == ("decode:decode_tps", "proportional")
    figures = next(b for b in blocks if isinstance(b, KeyFigures)).items
    values = {f.label: (f.value, f.note) for f in figures}
    assert values["lag"] == ("9.8 s behind load", "95 %: 7.7 to 12.2 s")
    assert values["capacity error"][0] == "6.29 %"
    money = [b for b in blocks if isinstance(b, Paragraph) and b.tone == "money"]
    assert "33 % fewer than static" in money[0].text


def test_scorecard_shows_every_signal_every_measure_and_every_reason(whole: Document) -> None:
    """No signal is hidden, insufficient ones included, and reasons are sentences."""
    card = make_scorecard()
    found = tables(section(whole, "scorecard"))
    short = found["Every signal, best first inside each verdict"]
    assert [row[0].text for row in short.rows] == [s.signal for s in card.signals]
    told = {row[0].text: row[-1].text for row in short.rows}
    assert (
        told["decode:gpu_util"]
        == "Hardly moves when load moves. Sits on a plateau most of the time."
    )
    assert told["decode:offered_output_tps"].startswith("This signal is the load itself")
    full = found["All measures with their 95 % intervals"]
    measures = card.signals[0].measures
    assert len(full.columns) == 1 + len(measures)
    assert full.folded


def test_undetermined_lag_is_said_with_its_reason(whole: Document) -> None:
    """Not a number that looks settled."""
    rows = tables(section(whole, "scorecard"))["Every signal, best first inside each verdict"].rows
    cell = next(row for row in rows if row[0].text == "decode:gpu_util")[3]
    assert (cell.text, cell.why) == ("undetermined", "no peak")


def test_figures_have_unique_names(whole: Document) -> None:
    """Names become element ids."""
    names = [b.name for s in whole.sections for b in s.blocks if isinstance(b, Figure)]
    assert len(names) == len(set(names)) == 1 + 2 * 3 + 2


def test_backtest_table_compares_with_static(whole: Document) -> None:
    """GPU-hours with the change against static; the counts add up in words."""
    found = tables(section(whole, "backtest-0"))
    row = found["Policies compared"].rows[1]
    assert (row[0].text, row[4].text, row[4].note) == (
        "heteroscale",
        "1,157.1",
        "−33.0 % against static",
    )
    counts = found["Parameters, instances and requests of each policy"].rows[0][-2].text
    arrived, _, parts = counts.replace(",", "").partition(" = ")
    assert int(arrived) == sum(int(part) for part in parts.split(" + "))


def test_assumptions_are_printed(whole: Document) -> None:
    """Objectives, profile, P/D ratio, seed and versions."""
    table = tables(section(whole, "assumptions"))["What was assumed"]
    values = {row[0].text: row[1].text for row in table.rows}
    assert values["backtest: objectives"] == "TTFT ≤ 1 s, TPOT ≤ 50 ms"
    assert values["backtest: profile"] == "llama2-70b-h100"
    assert values["backtest: P/D ratio"] == "1:2"
    assert values["backtest: cold start"] == "2 min"
    assert values["backtest: seed"] == "7"
    assert values["version: polars"] == "2.1.0"


def test_findings_of_study_and_store_stand_worst_first(whole: Document) -> None:
    """Warnings before remarks, each once."""
    found = next(b for b in section(whole, "data").blocks if isinstance(b, Findings)).items
    assert [f.severity for f in found] == ["warning", "info", "info"]
    assert {f.code for f in found} == {"scrape_gap", "derived_rate_kept", "counter_reset"}


def test_report_without_backtest_stock_or_details_still_stands() -> None:
    """What is missing is left out, not filled in."""
    bare = build_document(evidence(details=(), comparisons=(), stock=None))
    assert [s.name for s in bare.sections] == ["scorecard", "assumptions", "data"]
    assert not [b for b in bare.answer.blocks if isinstance(b, Paragraph) and b.tone == "money"]


def test_report_without_a_proportional_signal_recommends_none() -> None:
    """The headline alone, no key figures."""
    card = replace(
        make_scorecard(), signals=make_scorecard().signals[4:12], headline="Nothing fits."
    )
    answer = build_document(evidence(scorecard=card, comparisons=())).answer
    assert [b.text for b in answer.blocks if isinstance(b, Paragraph)] == ["Nothing fits."]


def test_findings_free_report_says_so() -> None:
    """Silence would look like an omission."""
    card = replace(make_scorecard(), findings=())
    data = section(build_document(evidence(scorecard=card, stock=None)), "data")
    assert "No finding" in data.blocks[0].text


def test_two_backtests_are_numbered() -> None:
    """Each has its own section and figure names."""
    two = (make_comparison(hours=1), make_comparison(hours=1, policies=2))
    document = build_document(evidence(comparisons=two))
    titles = [s.title for s in document.sections if s.name.startswith("backtest")]
    assert titles == ["Backtest 1 of 2", "Backtest 2 of 2"]


def test_tear_sheet_is_about_one_signal() -> None:
    """Its verdict on top, its three figures, findings below."""
    sheet = build_tear_sheet(evidence(), make_detail("decode:gpu_util"))
    assert sheet.title == "chat: decode:gpu_util"
    heading = sheet.answer.blocks[0]
    assert isinstance(heading, Heading)
    assert heading.verdict == "unusable"
    assert sum(isinstance(b, Figure) for b in sheet.answer.blocks) == 3
    assert [s.name for s in sheet.sections] == ["findings"]
