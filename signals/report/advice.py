"""A recommendation in words: for the terminal, the report and the dashboard alike."""

from __future__ import annotations

from signals.report.document import (
    Block,
    Cell,
    Heading,
    KeyFigure,
    KeyFigures,
    Paragraph,
    Section,
    Table,
    TableColumn,
)
from signals.report.words import MISSING, quantity, remark_sentence
from signals.study.recommendation import Recommendation, RunnerUp
from signals.study.score import Scorecard

__all__ = [
    "advice_figures",
    "advice_lines",
    "advice_of",
    "advice_section",
    "band_text",
    "control_text",
    "target_text",
]

_RULES = {
    "AverageValue": "HPA or KEDA, AverageValue",
    "Value": "HPA or KEDA, Value",
}
_HOW = {
    "AverageValue": "instances = total / target",
    "Value": "instances = ready instances x average / target",
}


def advice_of(card: Scorecard, pool: str) -> Recommendation | None:
    """The recommendation for a pool; None where there is none."""
    return next((one for one in card.recommendations if one.pool == pool), None)


def target_text(one: Recommendation) -> str:
    """`464 tokens/s per instance`; an average is a value of each instance as it is."""
    if one.target.value is None:
        return MISSING
    value = quantity(one.target.value, one.unit)
    if one.per == "pool":
        return f"{value} in all"
    return f"{value} per instance" if one.metric_type == "AverageValue" else value


def band_text(one: Recommendation) -> str:
    """The 95 % band of the target as `low to high`; empty without one."""
    return _ends(one.target.low, one.target.high, one.unit)


def _ends(low: object, high: object, unit: str) -> str:
    if not (isinstance(low, float) and isinstance(high, float)):
        return ""
    first, last = quantity(low, unit), quantity(high, unit)
    if first == last:
        return first
    if first.partition(" ")[2] == last.partition(" ")[2]:
        first = first.partition(" ")[0]
    return f"{first} to {last}"


def control_text(one: Recommendation) -> str:
    """What kind of rule the signal is fit for."""
    if one.metric_type is not None:
        return _RULES[one.metric_type]
    return "steps on excess only" if one.control == "guard_rail" else MISSING


def advice_lines(card: Scorecard, one: Recommendation) -> list[str]:
    """What stands behind a recommendation, in sentences.

    Args:
        card: it belongs to, for the unit of its load.
        one: the recommendation.

    Returns:
        What is accepted, why this level, what came second, the query, guard rails, and what is not known; the
        reason where there is no signal.
    """
    if one.signal is None:
        rails = f" For steps on excess: {', '.join(one.guard_rails)}." if one.guard_rails else ""
        return [f"Nothing to scale on: {one.reason}.{rails}"]
    lines = [f"Accepted with it: {condition.text.rstrip('.')}." for condition in one.accepted]
    lines += [_level_text(card, one), _how_text(one)]
    if one.runner_up is not None:
        lines.append(f"Next best {_second_text(one.runner_up)}.")
    return lines + _beside(one)


def _second_text(second: RunnerUp) -> str:
    return f"{second.signal}: {second.text}"


def _beside(one: Recommendation) -> list[str]:
    """Query, guard rails, limits."""
    lines = []
    if one.promql:
        lines.append(f"Query: {one.promql}")
    if one.guard_rails:
        lines.append(f"Guard rails: {', '.join(one.guard_rails)}.")
    if one.limits:
        lines.append(f"Limits: {' '.join(remark_sentence(limit) for limit in one.limits)}")
    return lines


def _level_text(card: Scorecard, one: Recommendation) -> str:
    """Why the target is where it is."""
    extra = one.target.extra
    level, busiest = extra.get("load_per_instance"), extra.get("busiest_load")
    if not (isinstance(level, float) and isinstance(busiest, float)):
        return f"No target: {one.target.reason}."
    unit = next((c.unit for c in card.loads if c.pool == one.pool), "load")
    of = "in the whole pool" if _whole(card, one.pool) else "per instance"
    above = f"the busiest 5 % of quarter hours lay above {quantity(busiest, unit)}"
    if extra["basis"] != "knee":
        return f"Level: {above} of load {of}."
    around = _ends(extra["load_low"], extra["load_high"], unit)
    return (
        f"Level: {extra['guard']} turns upwards at {quantity(level, unit)} of load {of} "
        f"(95 %: {around}); {above}."
    )


def _whole(card: Scorecard, pool: str) -> bool:
    return any(c.pool == pool and c.ready_column is None for c in card.loads)


def _how_text(one: Recommendation) -> str:
    same = "; on tokens/s HeteroScale's proportional control is the same rule"
    averaged = f", averaged over {quantity(one.window_s, 's')}" if one.window_s else ""
    return f"Rule: {_HOW[one.metric_type or 'Value']}{averaged}{same if one.unit == 'tokens/s' else ''}."


def advice_figures(one: Recommendation) -> KeyFigures:
    """Target, window and control as key figures."""
    band = band_text(one)
    return KeyFigures(
        (
            KeyFigure("hold it at", target_text(one), f"95 %: {band}" if band else ""),
            KeyFigure("averaged over", quantity(one.window_s, "s")),
            KeyFigure("as a ratio rule", one.metric_type or MISSING, "of HPA or KEDA"),
        )
    )


def advice_section(card: Scorecard) -> Section:
    """For each pool the signal, its target, its window and its rule, and what stands behind it."""
    columns = (
        TableColumn("scale on"),
        TableColumn("hold it at", align="right"),
        TableColumn("averaged over", align="right"),
        TableColumn("rule"),
        TableColumn("next best, and why it lost"),
    )
    blocks: list[Block] = [
        Table(
            "What to scale each pool on, and at which value",
            columns,
            tuple(_row(one) for one in card.recommendations),
        )
    ]
    for one in card.recommendations:
        blocks.append(Heading(one.signal or one.pool, one.verdict))
        blocks += [Paragraph(line) for line in advice_lines(card, one)]
    return Section("recommendation", "Recommendation", tuple(blocks))


def _row(one: Recommendation) -> tuple[Cell, ...]:
    band, second = band_text(one), one.runner_up
    return (
        Cell(one.signal or one.pool),
        Cell(target_text(one), note=f"95 %: {band}" if band else "", why=one.target.reason),
        Cell(quantity(one.window_s, "s")),
        Cell(control_text(one)),
        Cell(MISSING if second is None else _second_text(second)),
    )
