"""The written parts of the guide to ingest."""

from __future__ import annotations

from pathlib import Path

import pytest

from signals.errors import InputError
from signals.report.formats import load_command
from signals.report.guide import (
    findings_text,
    formats_text,
    renew,
    renew_rules,
    renewed,
    rules_text,
    with_parts,
)
from signals.store.quality import FINDINGS
from signals.store.sources import SOURCES
from signals.study.verdict import RULES

MARKS = (
    "# guide\n<!-- begin formats (make docs) -->\nold\n<!-- end formats -->\nbetween\n"
    "<!-- begin findings (make docs) -->\n<!-- end findings -->\nend\n"
)


def test_every_format_has_its_row_and_its_section() -> None:
    """One command each, the export and the traps."""
    text = formats_text()
    for source in SOURCES:
        assert f"[`{source.name}`](#{source.name})" in text
        assert f"### {source.name}\n" in text
        assert text.count(f"`{load_command(source)}`") >= 2
        assert source.example in text


def test_names_and_options_in_sentences_are_code() -> None:
    """Markdown takes underscores for emphasis; what is code already stays as it is."""
    text = formats_text()
    for words in ("`hash_ids` give", "`--start` says", "`vllm:num_requests_running`", "by `pod_name`."):  # fmt: skip
        assert words in text
    assert "``\n" not in text.replace("```\n", "")


def test_every_finding_has_its_row() -> None:
    """Severity in words; an empty cell where nothing needs doing."""
    lines = findings_text().splitlines()[2:]
    assert [line.split("`")[1] for line in lines] == [row.code for row in FINDINGS]
    assert {line.replace("\\|", "").count("|") for line in lines} == {5}


def test_only_what_stands_between_the_marks_is_written(tmp_path: Path) -> None:
    """And a second time changes nothing."""
    text = renewed(MARKS)
    assert text.startswith("# guide\n")
    assert "\nbetween\n" in text
    assert text.endswith("\nend\n")
    assert "old" not in text.split("<!-- end formats -->")[0].splitlines()
    assert renewed(text) == text
    guide = tmp_path / "guide.md"
    guide.write_text(MARKS, encoding="utf-8")
    renew(guide)
    assert guide.read_text(encoding="utf-8") == text


def test_every_rule_has_its_row(tmp_path: Path) -> None:
    """Code, threshold, what it decides, and a sentence without the places of its figures."""
    lines = rules_text().splitlines()[2:]
    assert [line.split("`")[1] for line in lines] == [rule.code for rule in RULES]
    assert lines[0].startswith("| `few_ticks` | `ticks` below 120 | class `insufficient_data` | ")
    assert "only … of the … ticks" in lines[0]
    assert not any("{" in line or "}" in line for line in lines)
    peak = next(line for line in lines if "`under_orders_at_peak`" in line)
    assert "`peak_bias` below -0.05 | condition; no recommendation |" in peak
    guide = tmp_path / "guide.md"
    guide.write_text("before\n<!-- begin rules (make docs) -->\n<!-- end rules -->\nafter\n")
    renew_rules(guide)
    assert with_parts(guide.read_text(), {"rules": rules_text()}) == guide.read_text()
    assert guide.read_text().endswith("after\n")


def test_missing_mark_is_told() -> None:
    """Rather than a part lost."""
    with pytest.raises(InputError, match="findings"):
        renewed(MARKS.replace("<!-- end findings -->", ""))
