"""From results to a document: which sections, in which order."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from signals.report.advice import advice_section
from signals.report.answer import recommended
from signals.report.backtests import assumptions_section, backtest_section
from signals.report.document import (
    Block,
    Cell,
    Document,
    Evidence,
    Findings,
    Heading,
    Paragraph,
    Section,
    Stock,
    Table,
    TableColumn,
)
from signals.report.scores import (
    answer_section,
    details_section,
    key_figures,
    measures_section,
    scorecard_section,
    view_blocks,
)
from signals.report.words import (
    MISSING,
    count_text,
    moment_text,
    quantity,
    share_text,
    span_text,
    told,
)
from signals.schema import Finding
from signals.study.score import Scorecard, SignalDetail

__all__ = ["build_document", "build_tear_sheet"]

_SEVERITIES = ("error", "warning", "info")


def build_document(evidence: Evidence) -> Document:
    """The report of a service: the answer, the scorecard, signals up close, backtests, assumptions, data.

    Args:
        evidence: the results.

    Returns:
        Sections as data, for a renderer.
    """
    card = evidence.scorecard
    sections = [advice_section(card)] if card.recommendations else []
    sections.append(scorecard_section(card))
    if evidence.details:
        sections.append(details_section(evidence.details))
    total = len(evidence.comparisons)
    sections += [backtest_section(c, i, total) for i, c in enumerate(evidence.comparisons)]
    sections.append(assumptions_section(evidence))
    sections.append(_data_section(evidence))
    return Document(
        f"{card.service}: which signal to scale on",
        _subtitle(card),
        evidence.generated_at,
        answer_section(evidence),
        tuple(sections),
        evidence,
    )


def build_tear_sheet(evidence: Evidence, detail: SignalDetail) -> Document:
    """One page about one signal.

    Args:
        evidence: the scorecard it belongs to; its details and backtests are left out.
        detail: curves of the signal.

    Returns:
        A document: the verdict and the figures that matter most, every view, every measure, findings.
    """
    card = evidence.scorecard
    score = detail.score
    findings = (*score.findings, *card.findings)
    best = recommended(card)
    pointer = f"Best of the service: {best.signal}." if best and best.signal != score.signal else ""
    rest: tuple[Block, ...] = (
        *((Paragraph(pointer, "note"),) if pointer else ()),
        *((Findings(_worst_first(findings)),) if findings else ()),
    )
    return Document(
        f"{card.service}: {score.signal}",
        _subtitle(card),
        evidence.generated_at,
        Section(
            "answer",
            score.signal,
            (Heading(score.signal, score.verdict), Paragraph(told(score)), key_figures(score)),
        ),
        (
            Section("views", "Up close", tuple(view_blocks(detail, 0))),
            measures_section(score),
            *((Section("findings", "Findings", rest),) if rest else ()),
        ),
        evidence,
    )


def _subtitle(card: Scorecard) -> str:
    loads = ", ".join(dict.fromkeys(choice.title for choice in card.loads))
    return f"{span_text(card.span)}, every {quantity(card.tick_s, 's')}; load: {loads}"


def _data_section(evidence: Evidence) -> Section:
    card = evidence.scorecard
    blocks: list[Block] = []
    findings = list(card.findings)
    for score in card.signals:
        findings += [f for f in score.findings if f not in findings]
    if evidence.stock is not None:
        blocks += _stock_tables(evidence.stock, card.service)
        findings += [f for f in _loaded_findings(evidence.stock, card.service) if f not in findings]
    if findings:
        blocks.append(Findings(_worst_first(findings)))
    else:
        blocks.append(Paragraph("No finding: nothing about data or analysis needs a remark."))
    return Section("data", "Data and findings", tuple(blocks))


def _worst_first(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    return tuple(sorted(findings, key=lambda f: _SEVERITIES.index(f.severity)))


def _loaded_findings(stock: Stock, service: str) -> list[Finding]:
    frame = _of_service(stock.findings, service)
    return [
        Finding(
            row["code"],
            row["severity"],
            row["text"],
            int(row["count"] or 1),
            row["subject"] or "",
            row["action"] or "",
        )
        for row in frame.iter_rows(named=True)
    ]


def _of_service(frame: pl.DataFrame, service: str) -> pl.DataFrame:
    return frame.filter((pl.col("service") == service) | (pl.col("service") == ""))


def _stock_tables(stock: Stock, service: str) -> list[Block]:
    pools = Table(
        "Pools",
        (TableColumn("pool"), TableColumn("instances", align="right"), TableColumn("found by")),
        tuple(
            (Cell(row["pool"] or "service"), Cell(count_text(row["instances"])), Cell(row["rule"] or MISSING))
            for row in _of_service(stock.pools, service).iter_rows(named=True)
        ),
    )  # fmt: skip
    signals = Table(
        "Signals in the store",
        (
            TableColumn("signal"),
            TableColumn("unit"),
            TableColumn("resolution", align="right"),
            TableColumn("from", "UTC"),
            TableColumn("to", "UTC"),
            TableColumn("coverage", align="right"),
        ),
        tuple(
            (
                Cell(f"{row['pool']}:{row['signal']}" if row["pool"] else str(row["signal"])),
                Cell(row["unit"]),
                Cell(quantity(row["resolution_s"], "s")),
                Cell(moment_text(row["first_at"])),
                Cell(moment_text(row["last_at"])),
                Cell(share_text(row["coverage_ratio"])),
            )
            for row in _of_service(stock.signals, service).iter_rows(named=True)
        ),
        folded=True,
    )
    return [table for table in (pools, signals) if table.rows]
