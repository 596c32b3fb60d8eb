"""JSON documents: the shapes of `docs/json.md`, no NaN, and the same after a round trip."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from signals.errors import InputError
from signals.report import json_form
from signals.report.document import Evidence
from signals.schema import Estimate
from signals.store.reports import ForgetReport, LoadReport, SourceReport
from signals.study.score import MEASURES
from tests.builders import START, make_comparison, make_detail, make_score, make_scorecard
from tests.builders_stock import make_stock

DOCS = Path(__file__).parents[3] / "docs" / "json.md"
LOADED = LoadReport(
    (SourceReport("a.csv", "own-wide", "a", 10, 9, 1, {"bad_number": 1}, {}, 3, START, None, False),)
)  # fmt: skip


def evidence() -> Evidence:
    return Evidence(
        make_scorecard(),
        datetime(2026, 11, 30, 17, tzinfo=UTC),
        (make_detail(),),
        (make_comparison(hours=1),),
        make_stock(),
        {"autoscale-signals": "0.1.0"},
    )


def documents() -> dict[str, dict[str, Any]]:
    return {
        "scorecard": json_form.scorecard_json(make_scorecard()),
        "detail": json_form.detail_json(make_detail()),
        "comparison": json_form.comparison_json(make_comparison(hours=1)),
        "load": json_form.load_json(LOADED),
        "forget": json_form.forget_json(ForgetReport("a", 1, 2, 3)),
        "inventory": json_form.inventory_json(make_stock()),
        "report": json_form.report_json(evidence()),
        "error": json_form.error_json(InputError("no", where="a.csv:3", expected="x", hint="y")),
    }


@pytest.mark.parametrize("name", list(documents()))
def test_document_is_strict_json_with_a_version(name: str) -> None:
    """It survives a round trip, and strict encoders take it: no NaN, no other type."""
    document = documents()[name]
    text = json.dumps(document, allow_nan=False)
    assert json.loads(text) == document
    assert document["schema_version"] == 1


def test_scorecard_has_the_documented_keys() -> None:
    """The contract's keys, and every measure flattened to a key of its signal."""
    document = json_form.scorecard_json(make_scorecard())
    assert {"service", "load", "tick_s", "span", "signals", "findings"} <= document.keys()
    first = document["signals"][0]
    assert (first["signal"], first["verdict"], first["rank"], first["identity"]) == ("decode:decode_tps", "proportional", 1, False)  # fmt: skip
    assert first["lag_s"] == {"value": 9.8, "low": pytest.approx(7.7), "high": pytest.approx(12.2), "determined": True, "reason": "", "correlation": 0.991}  # fmt: skip
    assert first["capacity_error"]["value"] == 0.061
    for signal in document["signals"]:
        assert {spec.name for spec in MEASURES} <= signal.keys()
    assert document["signals"][-1]["identity"] is True
    assert document["signals"][-1]["rank"] is None


def test_reasons_and_conditions_carry_code_figure_and_sentence() -> None:
    """Machines read the code, people the text."""
    signals = {s["signal"]: s for s in json_form.scorecard_json(make_scorecard())["signals"]}
    assert signals["decode:gpu_util"]["reasons"][0]["code"] == "insensitive"
    assert signals["decode:gpu_util"]["conditions"][0] == {
        "code": "pinned_part_of_the_time",
        "text": "sits on a plateau most of the time",
        "value": 0.83,
        "threshold": 0.5,
    }


def test_nan_and_infinity_become_null() -> None:
    """Also inside the figures that belong to a measure."""
    bad = Estimate(float("nan"), float("-inf"), float("inf"), extra={"n_eff": float("nan")})
    card = replace(make_scorecard(), signals=(make_score(measures={"lag_s": bad}),))
    lag = json_form.scorecard_json(card)["signals"][0]["lag_s"]
    assert (lag["value"], lag["low"], lag["high"], lag["n_eff"]) == (None, None, None, None)


def test_load_names_one_column_where_all_pools_share_it() -> None:
    """A single name without commas for a single load."""
    card = make_scorecard()
    shared = replace(card, loads=tuple(replace(c, column="decode:decode_tps") for c in card.loads))
    assert json_form.scorecard_json(shared)["load"] == "decode:decode_tps"


def test_comparison_has_the_documented_keys() -> None:
    """Counts add up and every key of the contract is there."""
    document = json_form.comparison_json(make_comparison(hours=1))
    assert {"workload", "slo", "policies"} <= document.keys()
    for policy in document["policies"]:
        assert {"policy", "params", "attainment", "ttft_s", "tpot_s", "gpu_hours", "gpu_util", "scale_events", "flaps", "ratio_violation_s", "requests", "regret", "reason_no_regret"} <= policy.keys()  # fmt: skip
        assert policy["attainment"].keys() == {"ttft", "tpot", "both"}
        counts = policy["requests"]
        rest = (counts[key] for key in ("completed", "dropped", "cut", "running"))
        assert counts["arrived"] == sum(rest)


def test_load_report_has_the_documented_keys() -> None:
    """One object per file; times in UTC with Z; no time is null."""
    assert json_form.load_json(LOADED)["skipped"] == []
    source = json_form.load_json(LOADED)["sources"][0]
    assert source == {
        "uri": "a.csv", "format": "own-wide", "service": "a", "rows_read": 10, "rows_kept": 9, "rows_rejected": 1,
        "rejects": {"bad_number": 1}, "findings": {}, "series": 3, "first": "2026-11-23T00:00:00Z", "last": None,
        "already_loaded": False, "details": [],
    }  # fmt: skip


def test_error_tells_its_four_parts() -> None:
    """What, where, expected, hint, and the exit code."""
    assert json_form.error_json(InputError("no", where="a", expected="x", hint="y"))["error"] == {
        "kind": "InputError", "what": "no", "where": "a", "expected": "x", "hint": "y", "exit_code": 3,
    }  # fmt: skip


@pytest.mark.parametrize("name", ["scorecard", "comparison", "load", "forget", "inventory", "report", "error"])  # fmt: skip
def test_every_key_is_documented(name: str) -> None:
    """Each key of a document stands in docs/json.md, in code font or in an example."""
    known = set(re.findall(r"[A-Za-z][A-Za-z0-9_]*", DOCS.read_text("utf-8")))
    assert sorted(keys_of(documents()[name]) - known - FREE) == []


FREE = {"prefill", "decode"}
"""Keys that are data rather than part of a shape."""


def keys_of(value: object) -> set[str]:
    """Keys of a document; mappings whose keys are data are not entered."""
    data = {"params", "settings", "workload", "versions", "rejects", "extra"}
    if isinstance(value, dict):
        return set(value) | {
            k for key, part in value.items() if key not in data for k in keys_of(part)
        }
    if isinstance(value, list):
        return {k for part in value for k in keys_of(part)}
    return set()
