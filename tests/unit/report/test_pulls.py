"""A pull told to people and to programs."""

import json
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from rich.console import Console

from signals.report.pulls import cost_json, cost_tables, pull_json, pull_tables
from signals.schema import Finding
from signals.store.pull.cost import Cost
from signals.store.pull.plan import Window
from signals.store.pull.reports import Pulled, PullReport
from signals.store.pull.selection import Selection

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
REPORT = PullReport(
    "http://a",
    "chat",
    START,
    START + timedelta(hours=1),
    [Pulled(VLLM, 3, 480_000, 13 << 20, 3_600_000, 0), Pulled(SUM, stored_ms=3_600_000)],
    sources=3,
    rows_read=480_000,
    rows_kept=479_000,
    findings=Counter(counter_reset=2),
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
    assert (found["rows_kept"], found["sources"], found["stopped"]) == (479_000, 3, False)
    assert found["findings"] == {"counter_reset": 2}
    assert [one["already_stored_s"] for one in found["selections"]] == [0, 3600]


def test_report_as_table():
    """On narrow terminals too."""
    for width in (110, 60):
        text = shown(pull_tables(REPORT), width)
        for part in ("vllm", "480,000", "479,000 rows stored", "counter_reset", "not checked"):
            assert part in text
