"""Findings by code on a terminal."""

from __future__ import annotations

import io

from rich.console import Console

from signals.report.finding_table import counted, findings_tables, gather_findings, source_findings
from signals.schema import Finding
from signals.store.quality import FINDINGS
from signals.store.reports import SourceReport


def drawn(findings: list[Finding], width: int = 80) -> str:
    out = io.StringIO()
    console = Console(file=out, width=width, highlight=False)
    for part in findings_tables(findings):
        console.print(part)
    return out.getvalue()


def test_one_finding_says_what_it_says_and_what_was_done() -> None:
    """Its own sentence, as no other shares its code."""
    (told,) = gather_findings([Finding("conflict", "warning", "3 samples differ", 3, "x", "the first was kept")])  # fmt: skip
    assert (told.code, told.severity, told.count) == ("conflict", "warning", 3)
    assert told.sentence == "3 samples differ: x (the first was kept)"
    assert told.advice.startswith("see which file is right")


def test_several_of_a_code_say_what_all_mean_and_whom_they_are_about() -> None:
    """The gravest severity counts; subjects are told once each."""
    found = [Finding("always_zero", severity, f"{name} is 0", 1, name) for severity, name in (("info", "a"), ("warning", "b"), ("info", "a"), ("info", "c"))]  # fmt: skip
    (told,) = gather_findings(found)
    assert (told.severity, told.count) == ("warning", 4)
    assert told.sentence.endswith("in every sample of a load, in every series: a, b and 1 more")
    assert told.about == "a, b and 1 more"


def test_what_was_done_is_told_if_it_is_the_same_for_all() -> None:
    """Else each has its own, which the whole list tells."""
    same = [Finding("overlap", "info", "x", action="kept")] * 2
    assert gather_findings(same)[0].action == "kept"
    assert gather_findings([*same, Finding("overlap", "info", "x", action="not kept")])[0].action == ""  # fmt: skip


def test_what_to_do_is_said_once() -> None:
    """By the advice for all of the code; where that is not shown, by the finding itself."""
    kept = "kept; name the unit with --map if it is another one"
    grave = Finding("out_of_range", "warning", "values of x lie outside of 0 to 1", 1, "x", kept)
    (told,) = gather_findings([grave])
    assert told.sentence == "values of x lie outside of 0 to 1 (kept)"
    assert drawn([grave]).count("name the unit") == 1
    assert gather_findings([Finding("unit_doubtful", "info", "x", action=kept)])[0].action == kept
    assert gather_findings([Finding("made_up", "warning", "x", action=kept)])[0].action == kept


def test_gravest_come_first_then_by_code() -> None:
    """Errors, warnings, then what is for the record, which needs no advice."""
    found = [
        Finding("overlap", "info", "x"),
        Finding("conflict", "warning", "x"),
        Finding("server_error", "error", "x"),
        Finding("arrivals_disagree", "warning", "x"),
    ]
    told = gather_findings(found)
    assert [one.code for one in told] == ["server_error", "arrivals_disagree", "conflict", "overlap"]  # fmt: skip
    assert told[-1].advice == ""


def test_code_of_no_table_is_told_by_its_first_sentence() -> None:
    """Nothing is lost."""
    (told,) = gather_findings([Finding("made_up", "warning", "one"), Finding("made_up", "warning", "two")])  # fmt: skip
    assert (told.text, told.advice) == ("one", "")


def test_much_for_the_record_is_one_line() -> None:
    """What may change a conclusion stays a row of its own."""
    record = [row.code for row in FINDINGS if row.severities == "info"][:12]
    found = [Finding(code, "info", "x", 1_000) for code in record]
    text = drawn([*found, Finding("conflict", "warning", "y")])
    assert [line.split()[0] for line in text.splitlines() if line.startswith(("warning", "info"))] == ["warning", "info:"]  # fmt: skip
    assert "".join(f"{code} 1,000" for code in record[:1]) in text
    assert max(map(len, text.splitlines())) <= 80


def test_nothing_found_draws_nothing() -> None:
    """Not even a heading."""
    assert drawn([]) == ""


def test_counts_alone_are_filled_in_from_the_table_of_codes() -> None:
    """Severity and meaning; an unknown code stands for itself."""
    conflict, odd = counted({"conflict": 2, "made_up": 1})
    assert (conflict.severity, conflict.count) == ("warning", 2)
    assert conflict.text == next(row.meaning for row in FINDINGS if row.code == "conflict")
    assert (odd.severity, odd.text) == ("info", "made up")


def test_findings_of_sources_are_their_own_or_told_by_code() -> None:
    """What was there before is not told again."""
    own = Finding("duplicate", "info", "twice")
    words = ("a", "f", "s", 1, 1, 0, {}, {"duplicate": 2}, 1, None, None)
    sources = [
        SourceReport(*words, already_loaded=False, details=(own,)),
        SourceReport(*words, already_loaded=False),
        SourceReport(*words, already_loaded=True, details=(own,)),
    ]
    first, second = source_findings(sources)
    assert first == own
    assert (second.code, second.count) == ("duplicate", 2)
