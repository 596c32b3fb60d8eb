"""Overview: what is loaded of the chosen service."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import polars as pl
import pytest

from tests.dashboard.sources import MemorySource

Call = Callable[..., dict[str, Any]]
CHAT = {"service.value": "chat"}


def test_facts_pools_signals_and_sources_are_shown(call: Call) -> None:
    """Each part says what the inventory says."""
    parts = call("overview-facts.children", CHAT)["response"]
    assert "2,373,120" in str(parts["overview-facts"])
    assert "decode=dynamo_component:decode" in str(parts["overview-pools"])
    assert "decode:decode_tps" in str(parts["overview-signals"])
    assert "99.8 %" in str(parts["overview-signals"])
    assert "prometheus_range_vector" in str(parts["overview-sources"])


def test_findings_come_gravest_first(call: Call) -> None:
    """Errors, then warnings, then remarks."""
    rows = call("overview-findings.rowData", CHAT)["response"]["overview-findings"]["rowData"]
    assert [r["severity"] for r in rows] == ["error", "warning", "warning", "info", "info"]


def test_findings_of_one_code_are_one_row_with_what_to_do(
    call: Call, source: MemorySource, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their counts add up; advice comes from the table of codes."""
    seen = source.overview()
    late = seen.findings.head(1).with_columns(
        code=pl.lit("conflict"), severity=pl.lit("warning"), count=pl.lit(2, pl.Int64)
    )
    twice = replace(seen, findings=pl.concat([late, late]))
    monkeypatch.setattr(source, "overview", lambda: twice)
    (row,) = call("overview-findings.rowData", {"service.value": late["service"][0]})["response"][
        "overview-findings"
    ]["rowData"]
    assert row["count"] == 4
    assert row["advice"].startswith("see which file is right")


def test_only_service_needs_no_list(call: Call, source: MemorySource) -> None:
    """A list of one is left out."""
    source.names[:] = ["chat"]
    answer = call("overview-services.children", CHAT)["response"]
    assert "Services" not in str(answer)


def test_empty_store_says_which_commands_to_run(call: Call, source: MemorySource) -> None:
    """The way out is on the page."""
    source.names.clear()
    text = str(call("overview-services.children", {"service.value": None})["response"])
    assert "signals load" in text
    assert "signals demo" in text


def test_targets_that_nothing_placed_are_told(
    call: Call, source: MemorySource, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the way out; where all or none are so, there is nothing to say."""
    seen = source.overview()

    def told(*rules: str) -> str:
        targets = pl.DataFrame(
            {
                "service": ["chat"] * len(rules),
                "target": [f"llm/{n}" for n in range(len(rules))],
                "rule": list(rules),
            }
        )
        monkeypatch.setattr(source, "overview", lambda: replace(seen, targets=targets))
        return str(call("overview-pools.children", CHAT)["response"]["overview-pools"])

    assert "pool of 1 of 3 targets, such as llm/1" in told("label role", "default", "label role")
    assert "Nothing tells" not in told("label role", "label role")
    assert "Nothing tells" not in told("default", "default")
