"""The parts of a report that show the study: the answer, the scorecard, the signals one by one."""

from __future__ import annotations

from dataclasses import replace

from signals.plots import CLOSEUPS, Closeup, plot_forest, plot_scorecard
from signals.report.advice import advice_figures, advice_of
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
    quantity,
    remarks_text,
    told,
    told_of_load,
    value_text,
    verdict_title,
)
from signals.study.score import MEASURES, Scorecard, SignalDetail, SignalScore

__all__ = [
    "answer_section",
    "detail_blocks",
    "details_section",
    "key_figures",
    "measures_section",
    "scorecard_section",
    "view_blocks",
]

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
        advice = advice_of(card, score.column.pool)
        if advice is not None and advice.signal == score.signal:
            blocks.append(advice_figures(advice))
        blocks.append(key_figures(score))
    blocks.append(Paragraph(card.headline, "lead"))
    for score in best:
        blocks.extend(_accepted(score))
    if evidence.comparisons:
        blocks.append(Paragraph(choose_policy_words(evidence.comparisons[0]), "money"))
    return Section("answer", "Scale on", tuple(blocks))


def key_figures(score: SignalScore) -> KeyFigures:
    """Lag, capacity error, elasticity and noise of a signal, each with its interval."""
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
    return KeyFigures(tuple(figures))


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
        *_forests(card),
        _scorecard_table(card),
        *((Paragraph(shared, "note"),) if (shared := told_of_load(card.signals)) else ()),
        Paragraph(_held_against(card), "note"),
        _all_measures(card),
    )
    return Section("scorecard", "Scorecard", blocks)


def _forests(card: Scorecard) -> tuple[Figure, ...]:
    """Lag and response of all signals, with intervals, side by side."""
    return (
        Figure(
            "lags",
            "Lag with its 95 % interval; a signal whose whole interval lies right of the band counts as late. "
            "Where the data settle no lag, the row says why.",
            plot_forest(card, measure="lag_s", theme="light"),
            width="half",
            title="How late is each signal?",
        ),
        Figure(
            "elasticities",
            "Elasticity with its 95 % interval; a ratio rule wants one in the band around 1.",
            plot_forest(card, measure="elasticity", theme="light"),
            width="half",
            title="How strongly does each answer load?",
        ),
    )


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
    """The signals one by one, in every view."""
    blocks = [
        block for number, detail in enumerate(details) for block in detail_blocks(detail, number)
    ]
    return Section("signals", "Signals up close", tuple(blocks))


def detail_blocks(detail: SignalDetail, number: int) -> list[Block]:
    """One signal: its verdict with reasons, and every view of `CLOSEUPS`.

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
    blocks: list[Block] = [
        Heading(score.signal, score.verdict),
        Paragraph(told(score)),
        Paragraph("; ".join(filter(None, (lag_words(score).capitalize(), numbers))) + ".", "note"),
    ]
    return [*blocks, *view_blocks(detail, number)]


def view_blocks(detail: SignalDetail, number: int) -> list[Block]:
    """Every view of one signal, and how to ask Prometheus for its suggested average.

    Args:
        detail: curves of the signal.
        number: makes the figures' names unique in the document.
    """
    blocks: list[Block] = []
    for view in CLOSEUPS:
        blocks.append(_figure(view, detail, number))
        if view.name == "window":
            blocks += _query(detail.score)
    return blocks


def _figure(view: Closeup, detail: SignalDetail, number: int) -> Figure:
    return Figure(
        f"{view.name}-{number}",
        view.reading,
        view.draw(detail, theme="light"),
        width=view.width,
        title=view.question,
        finding=view.describe(detail),
    )


def _query(score: SignalScore) -> list[Block]:
    """How to ask Prometheus for the signal under its suggested window."""
    window = score.measures.get("suggested_window_s")
    if window is None or window.value is None:
        return []
    query = window.extra.get("promql")
    width = quantity(window.value, "s")
    if not isinstance(query, str) or not query:
        return [
            Paragraph(
                f"Averaged over {width}, it has no PromQL: it comes from the request log.", "note"
            )
        ]
    text = f"Averaged over {width} in PromQL (set the exporter's metric name and select the pool):"
    return [Paragraph(text, "note"), Paragraph(query, "code")]


def measures_section(score: SignalScore) -> Section:
    """Every measure of one signal: its value, its interval, what it asks, and why it may be missing."""
    rows = tuple(
        (
            Cell(spec.title),
            _settled_cell(spec.name, score),
            Cell(spec.question),
            Cell(estimate.reason),
        )
        for spec in MEASURES
        if (estimate := score.measures.get(spec.name)) is not None
    )
    columns = (
        TableColumn("measure"),
        TableColumn("value and 95 % interval", align="right"),
        TableColumn("question"),
        TableColumn("remark"),
    )
    return Section(
        "measures", "Every measure", (Table("Measures with their intervals", columns, rows),)
    )
