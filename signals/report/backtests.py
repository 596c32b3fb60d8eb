"""The parts of a report that show backtests: policies side by side, what they did, what was assumed."""

from __future__ import annotations

from collections.abc import Mapping

from signals.plots import plot_attainment_cost, plot_backtest
from signals.replay.result import Comparison, PolicyResult
from signals.report.answer import ATTAINMENT_SLACK, choose_policy_words
from signals.report.document import (
    Block,
    Cell,
    Evidence,
    Figure,
    Findings,
    Paragraph,
    Section,
    Table,
    TableColumn,
)
from signals.report.words import (
    MISSING,
    count_text,
    parameters_text,
    quantity,
    share_text,
    slo_text,
    span_text,
    workload_text,
)

__all__ = ["assumptions_section", "backtest_section", "policy_table"]


def backtest_section(comparison: Comparison, number: int, total: int) -> Section:
    """Policies on one workload: table, cost against attainment, and all of it on one time axis.

    Args:
        comparison: the backtest.
        number: its place, from 0.
        total: how many the report shows.
    """
    title = "Backtest" if total == 1 else f"Backtest {number + 1} of {total}"
    blocks: list[Block] = [
        Paragraph(choose_policy_words(comparison), "lead"),
        Paragraph(
            f"Replayed {workload_text(comparison)}, {span_text(comparison.span)}, on a simulated fleet; "
            f"objectives {slo_text(comparison.slo)}. A policy counts as good enough within "
            f"{ATTAINMENT_SLACK * 100:g} percentage point of the best attainment.",
            "note",
        ),
        policy_table(comparison),
        Figure(
            f"cost-{number}",
            "What users got against what it cost.",
            plot_attainment_cost(comparison, theme="light"),
        ),
        Figure(
            f"backtest-{number}",
            "From top to bottom: the load; the signals as each policy saw them, with their targets; the "
            "instances each policy ordered (line) and had ready (area); requests that missed an objective.",
            plot_backtest(comparison, theme="light"),
        ),
        _detail_table(comparison),
    ]
    if comparison.findings:
        blocks.append(Findings(comparison.findings))
    return Section(f"backtest-{number}", title, tuple(blocks))


def policy_table(comparison: Comparison) -> Table:
    """What every policy kept, cost and did."""
    money = any(result.cost is not None for result in comparison.policies)
    columns = (
        TableColumn("policy"),
        TableColumn("within both", align="right"),
        TableColumn("within TTFT", align="right"),
        TableColumn("within TPOT", align="right"),
        TableColumn("GPU-hours", "h", align="right"),
        *((TableColumn("cost", align="right"),) if money else ()),
        TableColumn("TTFT p99", align="right"),
        TableColumn("TPOT p99", align="right"),
        TableColumn("scale events", align="right"),
        TableColumn("flaps", align="right"),
        TableColumn("cut or dropped", align="right"),
    )
    return Table(
        "Policies compared",
        columns,
        tuple(_policy_row(result, comparison, money=money) for result in comparison.policies),
    )


def _policy_row(result: PolicyResult, comparison: Comparison, *, money: bool) -> tuple[Cell, ...]:
    lost = result.requests.get("cut", 0) + result.requests.get("dropped", 0)
    currency = comparison.settings.get("currency") or ""
    cost = MISSING if result.cost is None else f"{result.cost:,.0f} {currency}".strip()
    return (
        Cell(result.label),
        Cell(share_text(result.attainment.get("both"))),
        Cell(share_text(result.attainment.get("ttft"))),
        Cell(share_text(result.attainment.get("tpot"))),
        Cell(f"{result.gpu_hours:,.1f}", note=_saved(result, comparison)),
        *((Cell(cost),) if money else ()),
        Cell(quantity(result.ttft_s.p99, "s")),
        Cell(quantity(result.tpot_s.p99, "s")),
        Cell(count_text(result.scale_events)),
        Cell(count_text(result.flaps)),
        Cell(count_text(lost)),
    )


def _saved(result: PolicyResult, comparison: Comparison) -> str:
    static = next((r for r in comparison.policies if r.policy == "static"), None)
    if static is None or static is result or not static.gpu_hours:
        return ""
    change = result.gpu_hours / static.gpu_hours - 1
    return f"{change * 100:+.1f} % against static".replace("-", "\u2212")


def _detail_table(comparison: Comparison) -> Table:
    pools = sorted({pool for result in comparison.policies for pool in result.gpu_hours_by_pool})
    pools.sort(key=lambda pool: pool != "prefill")
    columns = (
        TableColumn("policy"),
        TableColumn("parameters"),
        *(TableColumn(f"{pool}: mean, most instances", align="right") for pool in pools),
        *(TableColumn(f"{pool}: busy", align="right") for pool in pools),
        TableColumn("off the P/D ratio", align="right"),
        TableColumn("requests: arrived = completed + dropped + cut + running"),
        TableColumn("regret"),
    )
    rows = tuple(
        (
            Cell(result.label),
            Cell(parameters_text(result.params)),
            *(Cell(_instances(result, pool)) for pool in pools),
            *(Cell(share_text(result.gpu_util.get(pool))) for pool in pools),
            Cell(quantity(result.ratio_violation_s, "s")),
            Cell(_requests(result.requests)),
            Cell(_regret(result)),
        )
        for result in comparison.policies
    )
    return Table("Parameters, instances and requests of each policy", columns, rows, folded=True)


def _instances(result: PolicyResult, pool: str) -> str:
    mean, most = result.mean_instances.get(pool), result.peak_instances.get(pool)
    return MISSING if mean is None else f"{mean:.1f}, {count_text(most)}"


def _requests(counts: Mapping[str, int]) -> str:
    parts = [count_text(counts.get(key, 0)) for key in ("completed", "dropped", "cut", "running")]
    return f"{count_text(counts.get('arrived', 0))} = {' + '.join(parts)}"


def _regret(result: PolicyResult) -> str:
    if result.regret is None:
        return result.reason_no_regret or MISSING
    return ", ".join(f"{cause} {value:.3g}" for cause, value in result.regret.items())


def assumptions_section(evidence: Evidence) -> Section:
    """Everything that was assumed and everything needed to get the same numbers again."""
    card = evidence.scorecard
    rows: list[tuple[Cell, ...]] = [
        (Cell("study: span"), Cell(span_text(card.span))),
        (Cell("study: grid"), Cell(quantity(card.tick_s, "s"))),
    ]
    for choice in card.loads:
        told = f"{choice.column}, {choice.kind}, {choice.chosen}"
        ready = choice.ready_column or "taken as constant"
        rows.append((Cell(f"study: load of {choice.pool}"), Cell(f"{told}; instances: {ready}")))
    for number, comparison in enumerate(evidence.comparisons, start=1):
        name = "backtest" if len(evidence.comparisons) == 1 else f"backtest {number}"
        rows.append((Cell(f"{name}: objectives"), Cell(slo_text(comparison.slo))))
        rows += [
            (Cell(f"{name}: {_title(key)}"), Cell(_setting(key, value)))
            for key, value in (*comparison.settings.items(), *comparison.workload.items())
            if value is not None
        ]
    rows += [(Cell(f"version: {name}"), Cell(text)) for name, text in evidence.versions.items()]
    table = Table("What was assumed", (TableColumn("what"), TableColumn("value")), tuple(rows))
    return Section("assumptions", "Assumptions", (table,))


_SUFFIX_UNITS = {"_s": "s", "_tps": "tokens/s", "_rps": "req/s", "_ratio": "ratio"}


def _title(key: str) -> str:
    suffix = next((s for s in _SUFFIX_UNITS if key.endswith(s) and key != "pd_ratio"), "")
    rate = " rate" if suffix in {"_rps", "_tps"} else ""
    name = key.removesuffix(suffix).replace("_", " ") + rate
    return {"pd ratio": "P/D ratio", "gpus per instance": "GPUs per instance"}.get(name, name)


def _setting(key: str, value: float | int | str | None) -> str:
    if isinstance(value, str) or value is None:
        return value or MISSING
    unit = next((u for s, u in _SUFFIX_UNITS.items() if key.endswith(s)), "")
    if unit:
        return quantity(float(value), unit)
    return f"{value:,}" if isinstance(value, int) and key != "seed" else f"{value:g}"
