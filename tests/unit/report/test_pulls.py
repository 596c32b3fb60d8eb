"""A pull told to people and to programs."""

import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from rich.console import Console

from signals.report.json_form import load_json
from signals.report.pulls import cost_json, cost_tables, pull_json, pull_tables, stopped_text
from signals.report.terminal_stock import load_tables
from signals.schema import Finding
from signals.store.pull.cost import Cost
from signals.store.pull.plan import Window
from signals.store.pull.reports import Pulled, PullReport
from signals.store.pull.selection import Selection
from signals.store.reports import LoadReport, SourceReport

DOCS = Path(__file__).parents[3] / "docs" / "json.md"
START = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
START_MS = 1_772_438_400_000
VLLM = Selection("vllm", '{__name__=~"vllm:.*"}', metrics=("vllm:a", "vllm:b"))
SUM = Selection("query1", "sum(up)", 15_000)
WORDS = {"server": "http://a", "service": "chat"}
COSTS = [
    Cost(
        VLLM,
        f"{VLLM.query}[300000ms]",
        (Window(START_MS, START_MS + 3_600_000),),
        series=2_000,
        samples=480_000,
        exact=False,
        answer_bytes=13 << 20,
        questions=3,
    ),
    Cost(SUM, "sum(up)", ()),
]
RESET = Finding("counter_reset", "warning", "vllm:a fell 2 times", 2, "vllm:a", "rates begin again")
SOURCE = SourceReport(
    "http://a/vllm-0123456789ab/w", "prometheus-matrix", "chat", 480_000, 479_000, 1_000,
    {"bad_sample": 1_000}, {"counter_reset": 2}, 7, START, START + timedelta(minutes=59), False, (RESET,),
)  # fmt: skip
REPORT = PullReport(
    "http://a",
    "chat",
    START,
    START + timedelta(hours=1),
    [Pulled(VLLM, 3, 480_000, 13 << 20, 3_600_000, 0), Pulled(SUM, stored_ms=3_600_000)],
    sources=[SOURCE],
    remarks=[Finding("certificate_unchecked", "warning", "not checked")],
)


def shown(parts, width=110):
    """The text on a terminal."""
    console = Console(width=width, no_color=True, record=True, file=None, quiet=False)
    with console.capture() as capture:
        for part in parts:
            console.print(part)
    return capture.get()


def test_cost_as_json():
    """Times are RFC 3339, unknown figures null."""
    found = json.loads(json.dumps(cost_json(COSTS, **WORDS), allow_nan=False))
    first, second = found["selections"]
    assert found["dry_run"] is True
    assert first["windows"] == [{"first": "2026-03-02T08:00:00Z", "last": "2026-03-02T09:00:00Z"}]
    assert (first["samples"], first["step_s"], second["samples"], second["step_s"]) == (
        480_000,
        None,
        None,
        15,
    )


def test_cost_as_table():
    """With the query as it would be sent, and a word on what was not counted."""
    text = shown(cost_tables(COSTS, **WORDS))
    for part in ("vllm", "~480,000", "~2,000", "13.0 MiB", "all there", "[300000ms]", "four hours"):
        assert part in text
    assert "in full" not in text


def test_long_queries_are_cut():
    """A preset names every metric of an engine, which is more than people read."""
    text = shown(cost_tables([replace(COSTS[0], example="x" * 4_000)], **WORDS))
    assert len(text) < 1_000
    assert "in full: --json" in text


def test_report_as_json():
    """Counts by selection and in all."""
    found = json.loads(json.dumps(pull_json(REPORT), allow_nan=False))
    assert (found["rows_kept"], found["rows_rejected"], found["stopped"]) == (479_000, 1_000, False)
    assert (found["findings"], found["rejects"]) == ({"counter_reset": 2}, {"bad_sample": 1000})
    assert [one["already_stored_s"] for one in found["selections"]] == [0, 3600]


def test_report_as_table():
    """On narrow terminals too."""
    for width in (110, 60):
        text = shown(pull_tables(REPORT), width)
        for part in ("vllm", "480,000", "479,000 rows stored", "bad_sample 1,000", "not checked"):
            assert part in text


@pytest.mark.parametrize(
    ("stopped", "stored_ms", "told"),
    [
        (False, 3_600_000, "all there"),
        (False, 0, "all there"),
        (True, 3_600_000, "all there"),
        (True, 0, "not asked"),
        (True, 1_800_000, "not asked"),
    ],
)
def test_what_an_interrupted_pull_did_not_come_to_is_not_all_there(stopped, stored_ms, told):
    """Only what the store held before is."""
    report = replace(REPORT, selections=[Pulled(SUM, stored_ms=stored_ms)], stopped=stopped)
    text = shown(pull_tables(report))
    assert [word for word in ("all there", "not asked") if word in text] == [told]


def test_what_was_found_reads_as_after_a_load():
    """The same objects in JSON, the same severities and sentences on a terminal."""
    load = LoadReport((SOURCE,))
    assert pull_json(REPORT)["sources"] == load_json(load)["sources"]
    quiet = replace(REPORT, remarks=[])
    told = [shown(tables)[-150:] for tables in (pull_tables(quiet), load_tables(load))]
    findings = [text[text.index("findings") :] for text in told]
    assert findings[0] == findings[1]
    assert "warning" in findings[0]
    assert "vllm:a fell 2 times" in findings[0]


@pytest.mark.parametrize("document", ["pull", "dry run"])
def test_every_key_is_documented(document):
    """In docs/json.md; mappings whose keys are data are not entered."""
    made = pull_json(REPORT) if document == "pull" else cost_json(COSTS, [RESET], **WORDS)
    text = DOCS.read_text("utf-8")
    part = text[text.index("## `signals pull`") : text.index("## `signals inventory`")]
    part += text[text.index("## `signals load`") : text.index("## `signals pull`")] + text[:2000]
    assert sorted(keys_of(made) - set(re.findall(r"[a-z_]+", part))) == []


def keys_of(value):
    """Keys of a document."""
    if isinstance(value, dict):
        data = {"findings", "rejects"}
        return set(value) | {k for key, v in value.items() if key not in data for k in keys_of(v)}
    return {k for part in value for k in keys_of(part)} if isinstance(value, list) else set()


def test_what_the_server_lacks_is_told_before_it_is_pulled():
    """In both forms of a dry run."""
    lack = Finding("empty_result", "warning", "no metrics of preset tgi", subject="tgi")
    assert cost_json(COSTS, [lack], **WORDS)["remarks"][0]["subject"] == "tgi"
    assert "no metrics of preset tgi" in shown(cost_tables(COSTS, [lack], **WORDS))


def test_interrupted_pull_says_what_is_stored():
    """Rows, service, and up to when."""
    text = stopped_text(REPORT)
    for part in ("479,000 rows", "chat", "08:59", "same command"):
        assert part in text
    assert "0 rows" in stopped_text(replace(REPORT, sources=[]))
