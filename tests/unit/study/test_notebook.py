"""Scores as HTML."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser

from signals.schema import Estimate
from signals.study.notebook import score_html, scorecard_html
from signals.study.score import Remark
from tests.builders import make_score, make_scorecard


class Cells(HTMLParser):
    """Texts of the cells of the last table, by row; complains of tags that are not closed in order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.open: list[str] = []
        self.feed(html)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self.rows.append([])
        if tag in {"td", "th"}:
            self.rows[-1].append("")
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if {"td", "th"} & set(self.open):
            self.rows[-1][-1] += f"{data} "


def test_card_shows_a_row_per_signal_with_intervals_as_people_read_them() -> None:
    """Errors in per cent, lags in seconds, the verdict by sign and name; unsettled lags without an interval."""
    card = make_scorecard()
    head, *rows = Cells(scorecard_html(card, ["decode: hold it"])).rows
    assert [cell.strip() for cell in head[:4]] == ["signal", "verdict", "rank", "capacity error"]
    assert len(rows) == len(card.signals)
    cells = [cell.strip() for cell in rows[0]]
    assert cells[:5] == ["decode:decode_tps", "● proportional", "1", "6.29 % 5.64 % to 7.07 %", "9.8 s 7.7 s to 12.2 s"]  # fmt: skip
    unsettled = next(row for row in rows if row[0].startswith("decode:gpu_util"))
    assert unsettled[4].strip() == "undetermined"
    assert "insensitive, pinned_part_of_the_time" in unsettled[-1]
    assert rows[-1][2].strip() == "the load"
    assert "<li>decode: hold it</li>" in scorecard_html(card, ["decode: hold it"])
    assert 'title="no peak"' in scorecard_html(card)


def test_score_shows_every_measure_with_its_p_value_and_question() -> None:
    """Small p-values are not written as zero; what is missing says why."""
    measures = {
        "pearson": Estimate(0.9, 0.85, 0.95, extra={"p_value": 1e-9}),
        "spearman": Estimate(0.1, extra={"p_adjusted": 0.25}),
        "knee": Estimate(None, reason="no knee"),
    }
    score = make_score(measures=measures, conditions=[Remark("late", "it comes late")])
    head, *rows = Cells(score_html(score)).rows
    assert len(head) == 6
    cells = [[cell.strip() for cell in row] for row in rows]
    assert cells[0][:4] == ["Pearson r", "0.9", "0.85 to 0.95", "< 0.001"]
    assert cells[1][:4] == ["Spearman rho", "0.1", "", "0.250"]
    assert (cells[2][1], cells[2][5]) == ("–", "no knee")
    text = score_html(score)
    assert "It comes late. <code>late</code>" in text
    assert "rank 1; held against service:offered_output_tps" in text
    assert "it is the load itself" in score_html(make_score(identity=True, rank=None))


def test_texts_from_data_are_escaped() -> None:
    """Names, reasons, headlines and advice cannot bring markup."""
    bad = "<img src=x>"
    lag = Estimate(None, determined=False, reason=bad)
    score = make_score(measures={"lag_s": lag}, reasons=[Remark(bad, bad)])
    score = replace(score, column=replace(score.column, name=bad), load=bad)
    card = replace(make_scorecard(bad), signals=(score,), headline=bad)
    assert bad not in scorecard_html(card, [bad])
    assert bad not in score_html(score)


def test_card_without_signals_is_its_headline() -> None:
    """No empty table."""
    assert "<table" not in scorecard_html(replace(make_scorecard(), signals=()))
