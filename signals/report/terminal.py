"""Results as tables for a terminal; each fits the width it is given by leaving out columns.

At 100 columns and more everything is shown, at 80 the essentials; colour is never the only carrier.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.text import Text

from signals.replay.result import Comparison, PolicyResult
from signals.report.advice import advice_lines, band_text, control_text, target_text
from signals.report.answer import choose_policy_words
from signals.report.finding_table import findings_tables
from signals.report.formats import format_card, formats_tables
from signals.report.grid import Column, Grid, chip, note, title
from signals.report.terminal_listings import (
    catalog_tables,
    checks_table,
    frame_table,
    policies_tables,
    profiles_tables,
)
from signals.report.terminal_stock import forget_text, inventory_tables, load_tables
from signals.report.words import (
    MISSING,
    count_text,
    finding_text,
    interval_text,
    quantity,
    share_text,
    slo_text,
    span_text,
    told_briefly,
    told_of_load,
    value_text,
    verdict_title,
    workload_text,
)
from signals.schema import Estimate, Finding
from signals.study.score import Scorecard, SignalScore

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "catalog_tables",
    "checks_table",
    "comparison_tables",
    "findings_list",
    "forget_text",
    "format_card",
    "formats_tables",
    "frame_table",
    "inventory_tables",
    "load_tables",
    "policies_tables",
    "profiles_tables",
    "scorecard_tables",
]

_SEVERITY_STYLES: Mapping[str, str] = {"error": "red", "warning": "yellow", "info": "dim"}


def scorecard_tables(scorecard: Scorecard) -> list[RenderableType]:
    """The scorecard: the answer, a table of all signals, why each is where it is, findings.

    Args:
        scorecard: scores in display order.

    Returns:
        Renderables for a console of any width of 60 and more.
    """
    columns = dict.fromkeys(choice.column for choice in scorecard.loads)
    held = ", ".join(columns)
    head = note(
        f"{scorecard.service}: {span_text(scorecard.span)}, "
        f"every {quantity(scorecard.tick_s, 's')}, load: {held}"
    )
    return [
        head,
        _scores(scorecard.signals),
        *_reasons(scorecard.signals),
        *findings_tables(scorecard.findings),
        Text(f"\n{scorecard.headline}", style="bold"),
        *_advice(scorecard),
    ]


def _advice(scorecard: Scorecard) -> list[RenderableType]:
    """Under the answer: target, window and rule of each pool, and what stands behind them."""
    if not scorecard.recommendations:
        return []
    columns = (
        Column("pool"),
        Column("scale on"),
        Column("hold it at", right=True),
        Column("95 %", right=True, keep=1),
        Column("averaged over", right=True, keep=2),
        Column("rule", keep=3),
    )
    rows = tuple(
        (
            one.pool,
            one.signal.partition(":")[2] if one.signal else MISSING,
            target_text(one),
            band_text(one),
            quantity(one.window_s, "s"),
            control_text(one),
        )
        for one in scorecard.recommendations
    )
    behind = tuple(
        (one.pool if place == 0 else "", line)
        for one in scorecard.recommendations
        for place, line in enumerate(advice_lines(scorecard, one))
    )
    return [
        Text(""),
        Grid(columns, rows),
        Text(""),
        Grid((Column("pool"), Column("why, and what it does not know", wrap=24)), behind),
    ]


def _scores(scores: Sequence[SignalScore]) -> Grid:
    columns = (
        Column("signal"),
        Column("verdict"),
        Column("#", right=True, keep=3),
        Column("capacity error", right=True),
        Column("95 %", right=True, keep=1),
        Column("lag", right=True),
        Column("95 %", right=True, keep=2),
        Column("noise", right=True, keep=2),
        Column("rho", right=True, keep=3),
        Column("elasticity", right=True, keep=3),
    )
    return Grid(columns, tuple(_score_row(score) for score in scores))


def _score_row(score: SignalScore) -> tuple[Text | str, ...]:
    measures = score.measures
    error, lag = measures.get("capacity_error"), measures.get("lag_s")
    return (
        score.signal,
        chip(verdict_title(score.verdict), score.verdict),
        "load" if score.identity else str(score.rank or MISSING),
        value_text("capacity_error", error),
        interval_text("capacity_error", error),
        _lag_text(lag),
        interval_text("lag_s", lag) if lag is not None and lag.determined else "",
        *(
            value_text(name, measures.get(name))
            for name in ("noise_ratio", "spearman", "elasticity")
        ),
    )


def _lag_text(lag: Estimate | None) -> str:
    """The lag; with a question mark where the data do not settle it."""
    if lag is None or lag.value is None:
        return MISSING
    return quantity(lag.value, "s") if lag.determined else f"{quantity(lag.value, 's')} ?"


def _reasons(scores: Sequence[SignalScore]) -> list[RenderableType]:
    columns = (Column("signal"), Column("why, and what to know before using it", wrap=24))
    told = [s for s in scores if s.conditions or s.identity or s.verdict != "proportional"]
    rows = tuple((_names(group), told_briefly(group[0])) for group in _alike(told))
    shared = told_of_load(scores)
    notes: list[RenderableType] = [note(f"\n{shared}")] if shared else []
    return [Text(""), Grid(columns, rows), *notes] if rows else notes


def _alike(scores: Sequence[SignalScore]) -> list[list[SignalScore]]:
    """Signals without a verdict of which the same is told stand together; every other one stands alone."""
    groups: dict[object, list[SignalScore]] = {}
    for score in scores:
        codes = tuple(remark.code for remark in (*score.reasons, *score.conditions))
        short = score.verdict == "insufficient_data" and not score.identity
        groups.setdefault(codes if short else score.signal, []).append(score)
    return list(groups.values())


def _names(group: Sequence[SignalScore]) -> str:
    more = len(group) - 1
    return f"{group[0].signal} and {more} more" if more else group[0].signal


def findings_list(findings: Sequence[Finding]) -> list[RenderableType]:
    """Findings, one per line, under a heading; nothing without a finding."""
    if not findings:
        return []
    lines: list[RenderableType] = [title("findings")]
    for finding in findings:
        count = f" ×{finding.count:,}" if finding.count > 1 else ""
        line = Text(f"{finding.severity} ", style=_SEVERITY_STYLES.get(finding.severity, ""))
        lines.append(
            line.append(f"{finding.code}{count}: {finding_text(finding)}", style="default")
        )
    return lines


def comparison_tables(comparison: Comparison) -> list[RenderableType]:
    """A backtest: what was replayed and assumed, the policies side by side, what it comes down to.

    Args:
        comparison: at least one policy.

    Returns:
        Renderables for a console of any width of 60 and more.
    """
    settings = comparison.settings
    assumed = ", ".join(
        f"{label} {settings[key]}"
        for key, label in (("profile", "profile"), ("pd_ratio", "P/D"), ("initial", "start"), ("seed", "seed"))
        if settings.get(key) is not None
    )  # fmt: skip
    return [
        note(f"{workload_text(comparison)}, {span_text(comparison.span)}"),
        note(f"{slo_text(comparison.slo)}; {assumed}"),
        _policies(comparison),
        *findings_list([*comparison.findings, *_policy_findings(comparison)]),
        Text(f"\n{choose_policy_words(comparison)}", style="bold"),
    ]


def _policy_findings(comparison: Comparison) -> list[Finding]:
    return [finding for result in comparison.policies for finding in result.findings]


def _policies(comparison: Comparison) -> Grid:
    columns = (
        Column("policy", wrap=36),
        Column("within both", right=True),
        Column("TTFT", right=True, keep=3),
        Column("TPOT", right=True, keep=3),
        Column("GPU-hours", right=True),
        Column("to static", right=True),
        Column("TTFT p99", right=True, keep=2),
        Column("TPOT p99", right=True, keep=2),
        Column("orders", right=True),
        Column("flaps", right=True, keep=3),
        Column("lost", right=True, keep=1),
    )
    static = next((r for r in comparison.policies if r.policy == "static"), None)
    return Grid(columns, tuple(_policy_row(r, static) for r in comparison.policies))


def _policy_row(result: PolicyResult, static: PolicyResult | None) -> tuple[str, ...]:
    saved = MISSING
    if static is not None and static is not result and static.gpu_hours:
        saved = f"{(result.gpu_hours / static.gpu_hours - 1) * 100:+.1f} %".replace("-", "\u2212")
    return (
        result.label,
        *(share_text(result.attainment.get(key)) for key in ("both", "ttft", "tpot")),
        f"{result.gpu_hours:,.1f}",
        saved,
        quantity(result.ttft_s.p99, "s"),
        quantity(result.tpot_s.p99, "s"),
        count_text(result.scale_events),
        count_text(result.flaps),
        count_text(result.requests.get("cut", 0) + result.requests.get("dropped", 0)),
    )
