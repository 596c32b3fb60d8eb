"""The parts of a report that show the study."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from signals.report.document import (
    Evidence,
    Figure,
    Heading,
    KeyFigures,
    Paragraph,
    Section,
    Table,
)
from signals.report.scores import (
    answer_section,
    details_section,
    measures_section,
    scorecard_section,
    view_blocks,
)
from signals.schema import Estimate
from signals.study.score import Remark
from tests.builders import make_comparison, make_detail, make_score, make_scorecard

WRITTEN = datetime(2026, 11, 30, 17, tzinfo=UTC)


def tables(part: Section) -> dict[str, Table]:
    return {b.caption: b for b in part.blocks if isinstance(b, Table)}


def paragraphs(part: Section, tone: str) -> list[str]:
    return [b.text for b in part.blocks if isinstance(b, Paragraph) and b.tone == tone]


def test_answer_names_signal_verdict_lag_error_and_the_money_line() -> None:
    """What an SRE reads in ten seconds."""
    answer = answer_section(
        Evidence(make_scorecard(), WRITTEN, comparisons=(make_comparison(hours=1),))
    )
    heading = next(b for b in answer.blocks if isinstance(b, Heading))
    assert (heading.text, heading.verdict) == ("decode:decode_tps", "proportional")
    figures = next(b for b in answer.blocks if isinstance(b, KeyFigures)).items
    values = {f.label: (f.value, f.note) for f in figures}
    assert values["lag"] == ("9.8 s behind load", "95 %: 7.7 to 12.2 s")
    assert values["capacity error"][0] == "6.29 %"
    assert "33 % fewer than static" in paragraphs(answer, "money")[0]
    assert paragraphs(answer, "note")[0] == "Scale on"


def test_answer_does_not_say_scale_on_where_a_condition_must_be_accepted() -> None:
    """The best there is may still order wrongly when it matters."""
    late = make_score(conditions=[Remark("late", "it comes late")])
    answer = answer_section(Evidence(replace(make_scorecard(), signals=(late,)), WRITTEN))
    notes = paragraphs(answer, "note")
    assert notes[0] == "Closest to what a ratio rule needs, with conditions"
    assert notes[1] == "To know before using decode:decode_tps: It comes late."


def test_answer_without_a_proportional_signal_is_the_headline_alone() -> None:
    """Nothing to recommend: no key figures."""
    signals = make_scorecard().signals[4:12]
    card = replace(make_scorecard(), signals=signals, headline="Nothing fits.")
    answer = answer_section(Evidence(card, WRITTEN))
    assert [type(b) for b in answer.blocks] == [Paragraph]
    assert paragraphs(answer, "lead") == ["Nothing fits."]


def test_scorecard_shows_every_signal_every_measure_and_every_reason() -> None:
    """No signal is hidden, insufficient ones included, and reasons are sentences."""
    card = make_scorecard()
    found = tables(scorecard_section(card))
    short = found["Every signal, best first inside each verdict"]
    assert [row[0].text for row in short.rows] == [s.signal for s in card.signals]
    told = {row[0].text: row[-1].text for row in short.rows}
    assert (
        told["decode:gpu_util"]
        == "Hardly moves when load moves. Sits on a plateau most of the time."
    )
    assert told["decode:offered_output_tps"].startswith("This signal is the load itself")
    full = found["All measures with their 95 % intervals"]
    assert len(full.columns) == 1 + len(card.signals[0].measures)
    assert full.folded


def test_undetermined_lag_is_said_with_its_reason_and_without_an_interval() -> None:
    """Not a number that looks settled."""
    rows = tables(scorecard_section(make_scorecard()))[
        "Every signal, best first inside each verdict"
    ].rows
    cell = next(row for row in rows if row[0].text == "decode:gpu_util")[3]
    assert (cell.text, cell.note, cell.why) == ("undetermined", "", "no peak")


def test_scorecard_says_what_signals_are_held_against() -> None:
    """Pools that share a load are named together."""
    card = make_scorecard()
    same = tuple(replace(c, column="decode:decode_tps", ready_column=None) for c in card.loads)
    text = paragraphs(scorecard_section(replace(card, loads=same)), "note")[-1]
    assert text == (
        "Held: signals of decode and prefill against decode:decode_tps "
        "(offered load, tokens/s, instance count taken as constant)."
    )


def test_details_show_each_signal_over_time_lag_and_load() -> None:
    """Every view of a signal, with the question it answers, how to read it, and its verdict and numbers."""
    part = details_section((make_detail("decode:decode_tps"), make_detail("decode:gpu_util")))
    names = [b.name for b in part.blocks if isinstance(b, Figure)]
    views = ("timeline", "lag", "events", "response", "window", "stability")
    assert names == [f"{view}-{number}" for number in (0, 1) for view in views]
    lag = next(b for b in part.blocks if isinstance(b, Figure) and b.name == "lag-0")
    assert (lag.title, lag.finding[:31]) == ("How late is it?", "signal trails load by 9.8 s (95")
    assert "The peak is the lag" in lag.caption
    assert [b.verdict for b in part.blocks if isinstance(b, Heading)] == [
        "proportional",
        "unusable",
    ]
    told = [text for text in paragraphs(part, "note") if text.startswith("Lag undetermined")]
    assert told[0].startswith("Lag undetermined; capacity error 91.7 %")


def test_suggested_average_is_told_as_promql_or_why_there_is_none() -> None:
    """A query to copy under the window curve; a signal of the request log has none; no window, no words."""

    def told(window: Estimate) -> list[str]:
        score = make_score(measures={"suggested_window_s": window})
        blocks = view_blocks(replace(make_detail(), score=score), 0)
        return [b.text for b in blocks if isinstance(b, Paragraph)]

    intro, query = told(Estimate(180.0, extra={"promql": "avg(up[3m])"}))
    assert intro.startswith("Averaged over 3 min in PromQL")
    assert query == "avg(up[3m])"
    (none,) = told(Estimate(180.0, extra={"promql": ""}))
    assert "request log" in none
    assert told(Estimate(None)) == []


def test_scorecard_shows_lag_and_response_of_all_signals_side_by_side() -> None:
    """Two forest plots below the errors, each with the question it answers."""
    part = scorecard_section(make_scorecard())
    figures = [b for b in part.blocks if isinstance(b, Figure)]
    assert [f.name for f in figures] == ["scorecard", "lags", "elasticities"]
    assert [f.width for f in figures[1:]] == ["half", "half"]
    assert [f.title[-1] for f in figures[1:]] == ["?", "?"]


def test_every_measure_of_one_signal_has_its_question_and_its_reason() -> None:
    """Missing values say why; an unsettled lag shows no interval."""
    score = next(s for s in make_scorecard().signals if s.signal == "decode:gpu_util")
    (table,) = (b for b in measures_section(score).blocks if isinstance(b, Table))
    rows = {row[0].text: [cell.text for cell in row[1:]] for row in table.rows}
    assert len(rows) == len(score.measures)
    assert rows["lag"] == ["undetermined", "how long after load moves does the signal move?", "no peak"]  # fmt: skip
    assert rows["rise"][0] == "\u2013"
    assert rows["rise"][2].endswith("5 are needed")
