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
from tests.builders_advice import make_advised
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


def test_figures_have_unique_names(whole: Document) -> None:
    """Names become element ids."""
    names = [b.name for s in whole.sections for b in s.blocks if isinstance(b, Figure)]
    assert len(names) == len(set(names)) == 3 + 2 * 6 + 2


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
    """Its verdict with the figures that matter on top; every view, every measure, findings below."""
    sheet = build_tear_sheet(evidence(), make_detail("decode:gpu_util"))
    assert sheet.title == "chat: decode:gpu_util"
    heading = sheet.answer.blocks[0]
    assert isinstance(heading, Heading)
    assert heading.verdict == "unusable"
    assert [type(b) for b in sheet.answer.blocks] == [Heading, Paragraph, KeyFigures]
    assert [s.name for s in sheet.sections] == ["views", "measures", "findings"]
    views = [b.name for b in section(sheet, "views").blocks if isinstance(b, Figure)]
    assert views == [f"{name}-0" for name in ("timeline", "lag", "events", "response", "window", "stability")]  # fmt: skip


def test_recommendation_stands_before_the_scorecard() -> None:
    """Its section first, and the value to hold among the answer's figures."""
    advised = Evidence(make_advised(), WRITTEN)
    document = build_document(advised)
    assert [section.name for section in document.sections][:2] == ["recommendation", "scorecard"]
    figures = [b for b in document.answer.blocks if isinstance(b, KeyFigures)]
    assert figures[0].items[0].value == "464 tokens/s per instance"
    without = build_document(replace(advised, scorecard=make_scorecard()))
    assert without.sections[0].name == "scorecard"
