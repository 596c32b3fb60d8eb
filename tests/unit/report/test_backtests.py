"""The parts of a report that show backtests."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from signals.report.backtests import assumptions_section, backtest_section, policy_table
from signals.report.document import Evidence, Figure, Findings, Section, Table
from tests.builders import make_comparison, make_scorecard

WRITTEN = datetime(2026, 11, 30, 17, tzinfo=UTC)


def tables(part: Section) -> dict[str, Table]:
    return {b.caption: b for b in part.blocks if isinstance(b, Table)}


def test_backtest_table_compares_with_static() -> None:
    """GPU-hours with the change against static."""
    row = policy_table(make_comparison(hours=1)).rows[1]
    assert (row[0].text, row[4].text, row[4].note) == (
        "heteroscale",
        "1,157.1",
        "−33.0 % against static",
    )


def test_requests_add_up_in_words() -> None:
    """Arrived = completed + dropped + cut + running."""
    found = tables(backtest_section(make_comparison(hours=1), 0, 1))
    counts = found["Parameters, instances and requests of each policy"].rows[0][-2].text
    arrived, _, parts = counts.replace(",", "").partition(" = ")
    assert int(arrived) == sum(int(part) for part in parts.split(" + "))


def test_cost_has_a_column_only_with_prices() -> None:
    """Money is shown with its currency; without prices there is no empty column."""
    comparison = make_comparison(hours=1)
    assert "cost" not in [c.title for c in policy_table(comparison).columns]
    priced = tuple(replace(r, cost=1234.5) for r in comparison.policies)
    settings = {**comparison.settings, "currency": "EUR"}
    table = policy_table(replace(comparison, policies=priced, settings=settings))
    place = [c.title for c in table.columns].index("cost")
    assert table.rows[0][place].text == "1,234 EUR"


def test_section_holds_both_figures_and_the_findings() -> None:
    """Cost against attainment, the time line, and what to know."""
    part = backtest_section(make_comparison(hours=1), 1, 2)
    assert part.title == "Backtest 2 of 2"
    assert [b.name for b in part.blocks if isinstance(b, Figure)] == ["cost-1", "backtest-1"]
    assert any(isinstance(b, Findings) for b in part.blocks)


def test_regret_is_shown_by_cause_or_why_there_is_none() -> None:
    """Never an empty cell."""
    comparison = make_comparison(hours=1, policies=2)
    regret = replace(comparison.policies[1], regret={"cold_start": 0.25})
    part = backtest_section(replace(comparison, policies=(comparison.policies[0], regret)), 0, 1)
    rows = tables(part)["Parameters, instances and requests of each policy"].rows
    assert [row[-1].text for row in rows] == ["no oracle in the comparison", "cold_start 0.25"]


def test_assumptions_are_printed() -> None:
    """Objectives, profile, P/D ratio, seed and versions; units beside values."""
    evidence = Evidence(
        make_scorecard(),
        WRITTEN,
        comparisons=(make_comparison(hours=1),),
        versions={"polars": "2.1.0"},
    )
    table = tables(assumptions_section(evidence))["What was assumed"]
    values = {row[0].text: row[1].text for row in table.rows}
    assert values["backtest: objectives"] == "TTFT ≤ 1 s, TPOT ≤ 50 ms"
    assert values["backtest: profile"] == "llama2-70b-h100"
    assert values["backtest: P/D ratio"] == "1:2"
    assert values["backtest: cold start"] == "2 min"
    assert values["backtest: peak rate"] == "41.2 req/s"
    assert values["backtest: seed"] == "7"
    assert values["version: polars"] == "2.1.0"


def test_assumptions_of_several_backtests_are_numbered() -> None:
    """Each setting says whose it is."""
    evidence = Evidence(make_scorecard(), WRITTEN, comparisons=(make_comparison(hours=1),) * 2)
    names = [row[0].text for row in tables(assumptions_section(evidence))["What was assumed"].rows]
    assert {"backtest 1: profile", "backtest 2: profile"} <= set(names)
