"""The parts of a report that show the study: the answer, the scorecard, the signals one by one."""

from __future__ import annotations

from dataclasses import replace

from signals.plots import plot_lag, plot_response, plot_scorecard, plot_timeline
from signals.report.answer import accepted_conditions, best_of_pools, choose_policy_words
from signals.report.document import (
    Block,
    Cell,
    Evidence,
    Figure,
    Heading,
    KeyFigure,
    KeyFigures,
    Paragraph,
    Section,
    Table,
    TableColumn,
)
from signals.report.words import (
    MISSING,
    estimate_text,
    interval_text,
    lag_words,
    measure_spec,
    remarks_text,
    told,
    told_of_load,
    value_text,
    verdict_title,
)
from signals.study.score import MEASURES, Scorecard, SignalDetail, SignalScore

__all__ = ["answer_section", "detail_blocks", "details_section", "scorecard_section"]

_HEADLINE_MEASURES = ("capacity_error", "lag_s", "noise_ratio", "spearman", "elasticity")


def answer_section(evidence: Evidence) -> Section:
    """The recommended signal with the figures behind it, and what the first backtest comes down to."""
    card = evidence.scorecard
    best = best_of_pools(card)
    blocks: list[Block] = []
    if best:
        fits = not any(map(accepted_conditions, best))
        kicker = "Scale on" if fits else "Closest to what a ratio rule needs, with conditions"
        blocks.append(Paragraph(kicker, "note"))
    for score in best:
        blocks.append(Heading(score.signal, score.verdict))
        blocks.append(KeyFigures(tuple(_key_figures(score))))
    blocks.append(Paragraph(card.headline, "lead"))
    for score in best:
        blocks.extend(_accepted(score))
    if evidence.comparisons:
        blocks.append(Paragraph(choose_policy_words(evidence.comparisons[0]), "money"))
    return Section("answer", "Scale on", tuple(blocks))


def _key_figures(score: SignalScore) -> list[KeyFigure]:
    measures = score.measures
    lag = measures.get("lag_s")
    undetermined = lag is not None and not lag.determined and bool(lag.reason)
    note = lag.reason if lag is not None and undetermined else _interval("lag_s", score)
    figures = [KeyFigure("lag", lag_words(score).removeprefix("lag "), note)]
    figures += [
        KeyFigure(
            measure_spec(name).title, value_text(name, measures.get(name)), _interval(name, score)
        )
        for name in ("capacity_error", "elasticity", "noise_ratio")
    ]
    return figures


def _interval(name: str, score: SignalScore) -> str:
    interval = interval_text(name, score.measures.get(name))
    return f"95 %: {interval}" if interval else ""


def _accepted(score: SignalScore) -> list[Paragraph]:
    if not score.conditions:
        return []
    text = f"To know before using {score.signal}: {remarks_text(score.conditions)}"
    return [Paragraph(text, "note")]


def scorecard_section(card: Scorecard) -> Section:
    """Every signal, best first inside each verdict, with intervals, reasons and conditions."""
    blocks: tuple[Block, ...] = (
        Paragraph(
            "Capacity error is how far off the instance count would be if a ratio rule (HPA, KEDA, "
            "proportional control) followed the signal, on data the target was not set on. Correlation "
            "alone decides nothing.",
            "note",
        ),
        Figure(
            "scorecard",
            "Capacity error of every signal with its 95 % interval, on a logarithmic scale; left is better. "
            "The thin mark is the same for a controller that knows the response curve.",
            plot_scorecard(card, theme="light"),
        ),
        _scorecard_table(card),
        *((Paragraph(shared, "note"),) if (shared := told_of_load(card.signals)) else ()),
        Paragraph(_held_against(card), "note"),
        _all_measures(card),
    )
    return Section("scorecard", "Scorecard", blocks)


def _held_against(card: Scorecard) -> str:
    pools: dict[str, list[str]] = {}
    for choice in card.loads:
        constant = "" if choice.ready_column else ", instance count taken as constant"
        load = f"{choice.column} ({choice.kind} load, {choice.unit}{constant})"
        pools.setdefault(load, []).append(choice.pool)
    held = (f"signals of {' and '.join(names)} against {load}" for load, names in pools.items())
    return f"Held: {'; '.join(held)}."


def _scorecard_table(card: Scorecard) -> Table:
    columns = (
        TableColumn("signal"),
        TableColumn("verdict"),
        *(TableColumn(measure_spec(m).title, align="right") for m in _HEADLINE_MEASURES),
        TableColumn("why, and what to know before using it"),
    )
    return Table(
        "Every signal, best first inside each verdict",
        columns,
        tuple(_score_row(score) for score in card.signals),
    )


def _score_row(score: SignalScore) -> tuple[Cell, ...]:
    return (
        Cell(score.signal, note=f"rank {score.rank}" if score.rank else ""),
        Cell(verdict_title(score.verdict), verdict=score.verdict),
        *(_settled_cell(name, score) for name in _HEADLINE_MEASURES),
        Cell(told(score) or MISSING),
    )


def _measure_cell(name: str, score: SignalScore) -> Cell:
    estimate = score.measures.get(name)
    if estimate is None:
        return Cell(MISSING)
    return Cell(value_text(name, estimate), note=interval_text(name, estimate), why=estimate.reason)


def _settled_cell(name: str, score: SignalScore) -> Cell:
    """Without the interval of a value that the data do not settle: it would suggest that they do."""
    cell, estimate = _measure_cell(name, score), score.measures.get(name)
    return cell if estimate is None or estimate.determined else replace(cell, note="")


def _all_measures(card: Scorecard) -> Table:
    known = {name for score in card.signals for name in score.measures}
    names = [spec.name for spec in MEASURES if spec.name in known]
    return Table(
        "All measures with their 95 % intervals",
        (
            TableColumn("signal"),
            *(TableColumn(measure_spec(name).title, align="right") for name in names),
        ),
        tuple(
            (Cell(score.signal), *(_measure_cell(name, score) for name in names))
            for score in card.signals
        ),
        folded=True,
    )


def details_section(details: tuple[SignalDetail, ...]) -> Section:
    """The signals one by one: over time, against lag, against load."""
    blocks = [
        block for number, detail in enumerate(details) for block in detail_blocks(detail, number)
    ]
    return Section("signals", "Signals up close", tuple(blocks))


def detail_blocks(detail: SignalDetail, number: int) -> list[Block]:
    """One signal: its verdict with reasons, its time line, its lag curve and its response curve.

    Args:
        detail: curves of the signal.
        number: makes the figures' names unique in the document.
    """
    score = detail.score
    numbers = ", ".join(
        f"{measure_spec(name).title} {estimate_text(name, score.measures[name])}"
        for name in ("capacity_error", "elasticity", "noise_ratio")
        if name in score.measures and score.measures[name].value is not None
    )
    against = "load per instance" if detail.extra.get("per_instance", 1.0) else "load"
    return [
        Heading(score.signal, score.verdict),
        Paragraph(told(score)),
        Paragraph("; ".join(filter(None, (lag_words(score).capitalize(), numbers))) + ".", "note"),
        Figure(
            f"timeline-{number}",
            f"{score.signal} below the load it is held against.",
            plot_timeline(detail, theme="light", max_points=1200),
        ),
        Figure(
            f"lag-{number}",
            "Correlation with load at every lag tried; the band is the interval of the lag.",
            plot_lag(detail, theme="light"),
            width="half",
        ),
        Figure(
            f"response-{number}",
            f"Against {against}: a signal fit for a ratio rule follows the dashed line.",
            plot_response(detail, theme="light"),
            width="half",
        ),
    ]
