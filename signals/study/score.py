"""The study's results: one score per signal, and the scorecard of a service."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import polars as pl

from signals.schema import Estimate, Finding, PanelColumn, Span
from signals.units import format_quantity

if TYPE_CHECKING:
    from signals.study.recommendation import Recommendation

__all__ = [
    "MEASURES",
    "LoadChoice",
    "MeasureSpec",
    "Remark",
    "Scorecard",
    "SignalDetail",
    "SignalScore",
    "Verdict",
]

Verdict = Literal["proportional", "feedback", "unusable", "insufficient_data"]


@dataclass(frozen=True, slots=True)
class MeasureSpec:
    """A number about a signal: how it is called, its unit and the question it answers."""

    name: str
    title: str
    unit: str
    question: str


MEASURES: tuple[MeasureSpec, ...] = (
    MeasureSpec("lag_s", "lag", "s", "how long after load moves does the signal move?"),
    MeasureSpec(
        "rise_s",
        "rise",
        "s",
        "how long after a sudden change of load has it covered half of its way?",
    ),
    MeasureSpec(
        "noise_ratio",
        "noise",
        "ratio",
        "how much of the signal's range is noise around its local trend?",
    ),
    MeasureSpec(
        "scatter_ratio", "scatter", "ratio", "how far do values lie from the response to load?"
    ),
    MeasureSpec("snr_db", "SNR", "dB", "range over noise, in decibels"),
    MeasureSpec(
        "suggested_window_s",
        "averaging window",
        "s",
        "what is the shortest average of it that steers as well as the best?",
    ),
    MeasureSpec(
        "flap_rate_per_h",
        "flaps per hour",
        "1/h",
        "how often would a ratio rule on it undo its own orders?",
    ),
    MeasureSpec("pearson", "Pearson r", "", "linear association with load at the peak lag"),
    MeasureSpec("spearman", "Spearman rho", "", "monotone association with load at the peak lag"),
    MeasureSpec(
        "distance_corr", "distance correlation", "", "association of any form at the peak lag"
    ),
    MeasureSpec(
        "partial",
        "r beyond the daily shape",
        "",
        "linear association of what departs from the daily shape",
    ),
    MeasureSpec(
        "granger",
        "Granger p",
        "",
        "does its past help to predict load beyond load's own (p-value; information only)?",
    ),
    MeasureSpec(
        "elasticity", "elasticity", "", "by how many per cent does it move when load moves by one?"
    ),
    MeasureSpec(
        "residual_elasticity",
        "elasticity beyond the daily shape",
        "",
        "does it follow load or the clock?",
    ),
    MeasureSpec(
        "proportionality",
        "proportionality",
        "",
        "largest over smallest ratio of signal to load per instance",
    ),
    MeasureSpec("linearity", "linearity", "", "how straight is the response to load?"),
    MeasureSpec("knee", "knee", "", "at which load does the response bend?"),
    MeasureSpec("saturation_ratio", "saturation", "ratio", "how long is it pinned to a plateau?"),
    MeasureSpec(
        "hysteresis", "hysteresis", "ratio", "does it respond differently on the way up and down?"
    ),
    MeasureSpec(
        "capacity_error",
        "capacity error",
        "ln",
        "held-out error of the instances a ratio rule would order",
    ),
    MeasureSpec(
        "capacity_error_instances",
        "capacity error, instances",
        "count",
        "by how many whole instances would the rule miss what is needed?",
    ),
    MeasureSpec(
        "capacity_error_calibrated",
        "capacity error, calibrated",
        "ln",
        "the same for a controller that knows the response curve",
    ),
    MeasureSpec("peak_bias", "peak bias", "ln", "does a ratio rule order too few at the peak?"),
    MeasureSpec("trend_gap", "trend gap", "ln", "error on rising minus error on falling load"),
    MeasureSpec(
        "redundancy",
        "adds to the best",
        "ratio",
        "by how much does the calibrated error of the pool's best signal fall when this one is known too?",
    ),
    MeasureSpec(
        "stability",
        "stability",
        "ratio",
        "on what share of days, hours and loads is its verdict that of the whole?",
    ),
    MeasureSpec("coverage", "coverage", "ratio", "share of ticks with a value"),
)


@dataclass(frozen=True, slots=True)
class Remark:
    """A reason or a condition: a stable code, the figure behind it, and a plain sentence."""

    code: str
    text: str
    value: float | None = None
    threshold: float | None = None


@dataclass(frozen=True, slots=True)
class LoadChoice:
    """The load that signals of one pool are held against.

    Attributes:
        pool: the pool whose signals use it.
        column: panel column of the load, `pool:signal`.
        title: for people.
        unit: base unit or `rel`.
        kind: `offered` (what clients asked for) or `served` (what was finished).
        chosen: `asked` by the user or `default`.
        ready_column: panel column of the pool's ready count; None if it is taken as constant.
    """

    pool: str
    column: str
    title: str
    unit: str
    kind: Literal["offered", "served"]
    chosen: Literal["asked", "default"]
    ready_column: str | None


@dataclass(frozen=True)
class SignalScore:
    """What the study found about one signal.

    Attributes:
        column: the panel column.
        load: the load column it was held against.
        verdict: the class.
        reasons: why it is in this class.
        conditions: what to know before using it.
        rank: place inside its class, 1 is best; None without a rank.
        identity: True if signal and load are the same information.
        measures: estimates by measure name, a subset of `MEASURES`.
        findings: remarks about this signal.
    """

    column: PanelColumn
    load: str
    verdict: Verdict
    reasons: tuple[Remark, ...]
    conditions: tuple[Remark, ...]
    rank: int | None
    identity: bool
    measures: Mapping[str, Estimate]
    findings: tuple[Finding, ...] = ()

    @property
    def signal(self) -> str:
        """`pool:signal`."""
        return self.column.name

    def _repr_html_(self) -> str:
        """Verdict, reasons and every measure, for notebooks."""
        from signals.study.notebook import score_html

        return score_html(self)


@dataclass(frozen=True)
class Scorecard:
    """The scores of all signals of a service, best first inside each verdict.

    Attributes:
        service: name of the service.
        loads: the load of each pool.
        tick_s: grid width, seconds.
        span: the time covered.
        signals: one score per signal, in display order.
        findings: remarks about panel and load.
        headline: one sentence with the answer.
        recommendations: what to scale each pool on, at which value.
    """

    service: str
    loads: tuple[LoadChoice, ...]
    tick_s: float
    span: Span
    signals: tuple[SignalScore, ...]
    findings: tuple[Finding, ...]
    headline: str
    recommendations: tuple[Recommendation, ...] = ()

    def frame(self) -> pl.DataFrame:
        """One row per signal, in display order.

        Returns:
            As `signals.study.table.score_table`: for each measure, say `lag_s`, its value, the ends of its interval
            (`lag_s_low`, `lag_s_high`), whether it is settled (`lag_s_determined`), why not (`lag_s_reason`), and
            for those with a test the p-value (`lag_s_p`); `reasons` and `conditions` as lists of codes.
        """
        from signals.study.table import score_table

        return score_table(self.signals)

    def _repr_html_(self) -> str:
        """The headline, what to scale on, and the table, for notebooks."""
        from signals.study.notebook import scorecard_html

        return scorecard_html(self, [_advice(one) for one in self.recommendations])


def _advice(one: Recommendation) -> str:
    """A recommendation as a line of text."""
    if one.signal is None:
        return f"{one.pool}: {one.reason}"
    target = one.target
    ends = (format_quantity(end, one.unit) for end in (target.low, target.high))
    second = one.runner_up
    parts = (
        f"{one.pool}: hold {one.signal} at {format_quantity(target.value, one.unit)} per {one.per} "
        f"(95 %: {' to '.join(ends)})",
        f"averaged over {format_quantity(one.window_s, 's')}",
        f"{one.metric_type} of a ratio rule",
        "" if second is None else f"before {second.signal}: {second.text}",
    )
    return "; ".join(part for part in parts if part)


@dataclass(frozen=True)
class SignalDetail:
    """Curves of one signal, for plots.

    Attributes:
        score: its score.
        series: `tick`, `load`, `signal`, `ready` (null where unknown).
        lag_curve: `lag_s`, `correlation`; one row per lag tried.
        response: `load_per_instance`, `signal`, `count`: means of equal-count bins of load per instance.
        fit: `load_per_instance`, `signal`: the monotone response curve.
        points: `load_per_instance`, `signal`: at most 2,000 ticks, for a scatter.
        load: the load it is held against.
        extra: further figures by name: `per_instance` is 1 where the reference is load per instance; where there
            are such, `lower_plateau` and `upper_plateau` (the load up to and from which the response is flat) and
            `least_correlation` (the least that is significant at 5 %, of all lags tried).
        windows: `window_s`, `noise_ratio`, `lag_s`, `capacity_error`: trailing means by their width.
        parts: `kind`, `part`, `verdict`, `capacity_error`, `elasticity`, `ticks`: each day, quarter of the hours
            of the day, and third of load.
        events: `offset_s` from a sudden change of load; `load_q25`, `load_q50`, `load_q75`, `signal_q25`,
            `signal_q50`, `signal_q75`: quartiles over the changes on which the signal moved, each from 0 (level
            before) to 1 (level after); null where fewer than 5 have a value.
        branches: `trend` (`rising` or `falling`), `load_per_instance`, `signal`: the monotone response curve over
            the fifth of ticks on which load rises fastest, and over that on which it falls fastest.
    """

    score: SignalScore
    series: pl.DataFrame
    lag_curve: pl.DataFrame
    response: pl.DataFrame
    fit: pl.DataFrame
    points: pl.DataFrame
    load: LoadChoice
    extra: Mapping[str, float] = field(default_factory=dict)
    windows: pl.DataFrame = field(default_factory=pl.DataFrame)
    events: pl.DataFrame = field(default_factory=pl.DataFrame)
    parts: pl.DataFrame = field(default_factory=pl.DataFrame)
    branches: pl.DataFrame = field(default_factory=pl.DataFrame)
