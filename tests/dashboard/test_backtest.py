"""Backtest: policies side by side, and the form that runs new ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from dashboard.components.run import run_rows
from dashboard.pages.backtest import request_of
from signals.errors import UsageError
from tests.builders import make_comparison
from tests.dashboard.sources import RUN_ID, MemorySource

Call = Callable[..., dict[str, Any]]
RUN = {"run.value": RUN_ID, "theme.data": "dark"}


def test_newest_run_is_chosen_and_a_new_one_wins(call: Call) -> None:
    """After a backtest the picker shows it."""
    values = {"service.value": "chat"}
    answer = call("run.options", values, "service.value")["response"]["run"]
    assert answer["value"] == RUN_ID
    assert answer["options"][0]["label"] == "2026-11-24 00:00 · static, heteroscale, hpa"


def test_service_without_runs_says_how_to_make_one(call: Call) -> None:
    """No run is a state of its own, not an error."""
    answer = call("run.options", {"service.value": "broken"}, "service.value")["response"]["run"]
    assert answer == {"options": [], "value": None}
    values = {"run.value": None, "service.value": "broken"}
    text = str(call("run-summary.children", values)["response"]["run-summary"])
    assert "signals backtest broken --policy" in text


def test_every_policy_has_a_row_with_its_figures() -> None:
    """Counts add up: arrived is completed, dropped, cut and running."""
    rows = run_rows(make_comparison())
    assert [r["policy"] for r in rows] == ["static", "heteroscale", "hpa decode:gpu_util 70 %"]
    for row in rows:
        parts = ("completed", "dropped", "cut", "running")
        assert row["n_arrived"] == sum(row[f"n_{p}"] for p in parts)
    assert rows[0]["both_text"] == "99.70 %"
    assert rows[1]["gpu_hours_text"] == "1,157.1"
    assert rows[0]["ttft_p99_text"] == "1.31 s"


def test_run_fills_summary_grid_settings_and_findings(call: Call) -> None:
    """What was assumed is shown with the result."""
    parts = call("run-grid.rowData", RUN, "run.value")["response"]
    assert len(parts["run-grid"]["rowData"]) == 3
    assert "TTFT ≤ 1 s" in str(parts["run-summary"])
    for text in ("llama2-70b-h100", "cold start", "2 min", "4P8D"):
        assert text in str(parts["run-settings"])
    assert "12 prompts are longer than measured" in str(parts["run-findings"])


def test_figures_show_signals_and_scaler(call: Call, source: MemorySource) -> None:
    """Load, readings, instances and misses on one time axis; cost beside attainment."""
    parts = call("run-pareto.figure", RUN, "run.value")["response"]
    layout = parts["run-timeline"]["figure"]["layout"]
    text = str(layout["annotations"])
    for heading in ("load of prefill", "dashed: target", "heteroscale", "missed"):
        assert heading in text
    assert len(parts["run-pareto"]["figure"]["data"]) == 3


def test_form_becomes_a_request() -> None:
    """Blank lines are no policies; milliseconds become seconds."""
    asked = request_of("chat", "static\n\n hpa:signal=decode:gpu_util,target=0.7 \n", 2, 40, 1.5)
    assert asked.policies == ("static", "hpa:signal=decode:gpu_util,target=0.7")
    assert (asked.slo.ttft_s, asked.slo.tpot_s, asked.load_factor) == (2.0, 0.04, 1.5)


@pytest.mark.parametrize(
    ("values", "where"),
    [
        ((None, "static", 1, 50, 1), "Service"),
        (("chat", " \n", 1, 50, 1), "Policies"),
        (("chat", "static", None, 50, 1), "First token within"),
        (("chat", "static", 1, 0, 1), "Time per token"),
        (("chat", "static", 1, 50, -2), "Load factor"),
    ],
)
def test_incomplete_form_is_a_usage_error(values: tuple[Any, ...], where: str) -> None:
    """Each names its field."""
    with pytest.raises(UsageError) as caught:
        request_of(*values)
    assert caught.value.where == where
