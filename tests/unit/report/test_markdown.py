"""The report as Markdown."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from signals.report.compose import build_document
from signals.report.document import Evidence
from signals.report.markdown import render_markdown
from tests.builders import make_comparison, make_detail, make_scorecard


def text(**changes: object) -> str:
    whole = Evidence(
        make_scorecard(),
        datetime(2026, 11, 30, 17, tzinfo=UTC),
        comparisons=(make_comparison(hours=1),),
    )
    return render_markdown(build_document(replace(whole, **changes)))


def test_markdown_has_answer_tables_and_a_word_about_figures() -> None:
    """Headings, key figures, tables of one width, and where the figures are."""
    lines = text().splitlines()
    assert lines[0] == "# chat: which signal to scale on"
    assert "### decode:decode_tps (proportional)" in lines
    assert "- capacity error: **6.29 %** (95 %: 5.64 to 7.07 %)" in lines
    assert any(line.startswith("**heteroscale keeps 99.10 %") for line in lines)
    assert lines[-1] == "Written 2026-11-30 17:00 UTC. Figures are in the HTML form of this report."


def test_what_figures_show_is_told_in_words_and_queries_are_code() -> None:
    """A reader without figures still gets lag, rise, window and stability; a query can be copied."""
    lines = text(details=(make_detail("decode:decode_tps"),)).splitlines()
    assert "- How late is it? signal trails load by 9.8 s (95 %: 7.7 s to 12.2 s)" in lines
    assert any(line.startswith("- Does the verdict hold everywhere? the verdict") for line in lines)
    at = lines.index("avg(avg_over_time(signal[3m]))")
    assert (lines[at - 1], lines[at + 1]) == ("```text", "```")


def test_every_row_of_a_table_has_as_many_cells_as_its_head() -> None:
    """Pipes in data cannot add a column."""
    card = make_scorecard()
    hostile = replace(card.signals[0], column=replace(card.signals[0].column, name="a|b<script>"))
    lines = text(scorecard=replace(card, signals=(hostile, *card.signals[1:]))).splitlines()
    heads = [i for i, line in enumerate(lines) if line.startswith(("| ---", "| ---:"))]
    assert len(heads) >= 4
    for i in heads:
        width = lines[i].count("|")
        row = i + 1
        while row < len(lines) and lines[row].startswith("|"):
            assert lines[row].replace(r"\|", "").count("|") == width, lines[row]
            row += 1
    joined = "\n".join(lines)
    assert r"a\|b\<script\>" in joined
    assert "<script>" not in joined
