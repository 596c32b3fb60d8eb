"""From a panel to arrays: which load each pool's signals are held against, and what is compared with what.

The reference of a total is load; that of an average over instances is load per ready instance. Lag and
association look at the panel's ticks as they are; everything that judges a decision looks at trailing 60 s
means of signal and load, which is what a controller would act on.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from signals.catalog import find_signal
from signals.catalog.spec import Direction
from signals.errors import AnalysisError, UsageError
from signals.schema import SERVICE_POOL, Finding, Panel, PanelColumn, pooled_name
from signals.series.grid import ticks_in
from signals.series.smooth import trailing_mean
from signals.study.score import LoadChoice

__all__ = [
    "DECISION_S",
    "Observed",
    "choose_loads",
    "in_the_sense_of",
    "observe",
    "resolve_column",
    "scored_columns",
    "span_factor",
]

Array = npt.NDArray[np.float64]

DECISION_S = 60.0
"""Width of the trailing mean that a controller is taken to act on, seconds."""

_OUTPUT_FIRST = ("offered_output_tps", "offered_prompt_tps", "request_rate")
_PROMPT_FIRST = ("offered_prompt_tps", "request_rate")
_OFFERED: Mapping[str, tuple[str, ...]] = {
    "prefill": _PROMPT_FIRST,
    "decode": _OUTPUT_FIRST,
    "unified": _OUTPUT_FIRST,
    SERVICE_POOL: ("request_rate", "offered_output_tps", "offered_prompt_tps"),
}
_SERVED: Mapping[str, tuple[str, ...]] = {
    "prefill": ("completion_rate", "prefill_tps", "prompt_tps"),
    "decode": ("completion_rate", "decode_tps"),
    "unified": ("completion_rate", "decode_tps"),
    SERVICE_POOL: ("completion_rate", "decode_tps", "prefill_tps"),
}
_READY: Mapping[str, tuple[str, ...]] = {
    SERVICE_POOL: (SERVICE_POOL, "unified", "decode"),
}


@dataclass(frozen=True)
class Observed:
    """One signal beside its load, float64 [n ticks] each, NaN where missing.

    Attributes:
        column: the signal's description.
        choice: the load it is held against.
        tick_s: grid width, seconds.
        direction: whether the signal should rise or fall with load.
        raw_signal: the signal as it is in the panel.
        raw_reference: load, or load per ready instance for an average, as it is in the panel.
        signal: trailing 60 s mean.
        reference: trailing 60 s mean of load, per ready instance for an average.
        load: trailing 60 s mean of the total load.
        ready: instances that serve; None if unknown.
        step_s: query step that signal or load were aligned to, seconds; 0 for true sample times.
    """

    column: PanelColumn
    choice: LoadChoice
    tick_s: float
    direction: Direction
    raw_signal: Array
    raw_reference: Array
    signal: Array
    reference: Array
    load: Array
    ready: Array | None
    step_s: float


def scored_columns(panel: Panel, signals: tuple[str, ...] = ()) -> tuple[PanelColumn, ...]:
    """The columns that get a score: all but instance counts, or those asked for.

    Args:
        panel: the panel.
        signals: names as users write them, `pool:signal` or a bare signal for all pools; empty for all.

    Returns:
        Columns in the panel's order.

    Raises:
        UsageError: a name matches no column.
    """
    if not signals:
        return tuple(c for c in panel.columns if not _is_capacity(c))
    wanted: set[str] = set()
    for name in signals:
        matches = [c.name for c in panel.columns if name in {c.name, c.signal}]
        if not matches:
            raise _unknown(panel, name, "--signal")
        wanted.update(matches)
    return tuple(c for c in panel.columns if c.name in wanted)


def resolve_column(panel: Panel, name: str, *, where: str) -> PanelColumn:
    """The one column that a name means.

    Args:
        panel: the panel.
        name: `pool:signal`, or a bare signal that only one pool has.
        where: the option it came from, for the error.

    Returns:
        The column's description.

    Raises:
        UsageError: no column or several match.
    """
    exact = panel.column(name)
    if exact is not None:
        return exact
    matches = [c for c in panel.columns if c.signal == name]
    if len(matches) == 1:
        return matches[0]
    if matches:
        names = ", ".join(c.name for c in matches)
        raise UsageError(
            f"'{name}' exists in several pools", where=where, expected=f"one of {names}"
        )
    raise _unknown(panel, name, where)


def _unknown(panel: Panel, name: str, where: str) -> UsageError:
    names = [c.name for c in panel.columns]
    bare = {c.signal: c.name for c in panel.columns}
    near = difflib.get_close_matches(name, [*names, *bare], n=1)
    shown = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
    return UsageError(
        f"service '{panel.service}' has no signal '{name}'",
        where=where,
        expected=f"one of {shown}",
        hint=f"did you mean '{bare.get(near[0], near[0])}'?" if near else "",
    )


def _is_capacity(column: PanelColumn) -> bool:
    spec = find_signal(column.signal)
    return spec is not None and spec.role == "capacity"


def choose_loads(
    panel: Panel, load: str | None = None
) -> tuple[dict[str, LoadChoice], tuple[Finding, ...]]:
    """Choose the load of each pool.

    Args:
        panel: the panel.
        load: the column that the user wants for all pools; None for the default: offered tokens of the
            pool's kind, then other arrivals, then what was served.

    Returns:
        The choice by pool, and findings about served loads and unknown instance counts.

    Raises:
        UsageError: the load that was asked for does not exist.
        AnalysisError: nothing in the panel can serve as load.
    """
    asked = None if load is None else resolve_column(panel, load, where="--load")
    pools = dict.fromkeys(c.pool for c in panel.columns if not _is_capacity(c))
    choices: dict[str, LoadChoice] = {}
    findings: list[Finding] = []
    for pool in pools:
        column = asked or _default_load(panel, pool)
        if column is None:
            continue
        choices[pool] = _choice(panel, pool, column, "asked" if asked else "default")
        findings += _remarks(choices[pool])
    if not choices:
        raise AnalysisError(
            f"service '{panel.service}' has nothing that can serve as load",
            where="--load",
            expected="offered tokens or requests, or at least completions or tokens/s",
            hint="load a request log of the same time, or name a column with --load",
        )
    # a pool of which nothing is known borrows the load of another
    borrowed = resolve_column(panel, next(iter(choices.values())).column, where="load")
    for pool in pools:
        if pool not in choices:
            choices[pool] = _choice(panel, pool, borrowed, "default")
            findings += _remarks(choices[pool])
    return choices, tuple(findings)


def _default_load(panel: Panel, pool: str) -> PanelColumn | None:
    offered = _OFFERED.get(pool, _OUTPUT_FIRST)
    served = _SERVED.get(pool, ("completion_rate",))
    for names, places in ((offered, (SERVICE_POOL, pool)), (served, (pool, SERVICE_POOL))):
        for name in names:
            for place in places:
                column = panel.column(pooled_name(place, name))
                if column is not None and panel.frame[column.name].count():
                    return column
    return None


def _choice(
    panel: Panel, pool: str, column: PanelColumn, chosen: Literal["asked", "default"]
) -> LoadChoice:
    spec = find_signal(column.signal)
    places = _READY.get(pool, (pool,))
    ready = (panel.column(pooled_name(place, "ready")) for place in places)
    known = [c.name for c in ready if c is not None and panel.frame[c.name].count()]
    return LoadChoice(
        pool=pool,
        column=column.name,
        title=spec.title if spec is not None else column.signal,
        unit=column.unit,
        kind="offered" if spec is not None and spec.role == "load" else "served",
        chosen=chosen,
        ready_column=known[0] if known else None,
    )


def _remarks(choice: LoadChoice) -> list[Finding]:
    remarks = []
    if choice.kind == "served":
        remarks.append(
            Finding(
                "served_load",
                "warning",
                f"{choice.column} is what the fleet served, not what clients asked for: "
                "it cannot exceed capacity, so overload is invisible in it",
                subject=choice.pool,
                action="used as load, as nothing that was offered is known"
                if choice.chosen == "default"
                else "used as load, as asked",
            )
        )
    if choice.ready_column is None:
        remarks.append(
            Finding(
                "assumed_constant_fleet",
                "warning",
                f"the number of ready {choice.pool} instances is not in the data",
                subject=choice.pool,
                action="taken as constant",
            )
        )
    return remarks


def observe(panel: Panel, column: PanelColumn, choice: LoadChoice) -> Observed:
    """Lay one signal beside its load.

    Args:
        panel: the panel.
        column: the signal.
        choice: the load of its pool.

    Returns:
        Arrays on the panel's ticks.
    """
    raw_signal = _values(panel, column.name)
    raw_load = _values(panel, choice.column)
    ready = None if choice.ready_column is None else _values(panel, choice.ready_column)
    width = ticks_in(DECISION_S, panel.tick_s)
    load = trailing_mean(raw_load, width)
    per = _divisor(column, ready)
    spec = find_signal(column.signal)
    load_column = panel.column(choice.column)
    steps = [c for c in (column, load_column) if c is not None and c.sampling == "step_aligned"]
    return Observed(
        column=column,
        choice=choice,
        tick_s=panel.tick_s,
        direction="either" if spec is None else spec.direction,
        raw_signal=raw_signal,
        raw_reference=raw_load / per,
        signal=trailing_mean(raw_signal, width),
        reference=load / per,
        load=load,
        ready=ready,
        step_s=max((c.resolution_s or panel.tick_s for c in steps), default=0.0),
    )


def _divisor(column: PanelColumn, ready: Array | None) -> Array | float:
    if column.scope == "total" or ready is None:
        return 1.0
    return np.where(ready > 0, ready, np.nan)


def _values(panel: Panel, name: str) -> Array:
    values = panel.frame[name].cast(float).to_numpy().astype(np.float64, copy=True)
    values[~np.isfinite(values)] = np.nan
    return values


def in_the_sense_of(first: Observed, second: Observed) -> Array:
    """A signal as a total where another is one, as an average over instances where that is one.

    Args:
        first: whose sense it takes.
        second: the signal, of the same pool.

    Returns:
        float64 [n], the second's decision values; as they are where the instance count is unknown.
    """
    if first.column.scope == second.column.scope or first.ready is None:
        return second.signal
    per = np.where(first.ready > 0, first.ready, np.nan)
    return second.signal * per if first.column.scope == "total" else second.signal / per


def span_factor(reference: Array) -> float | None:
    """How far load spans: its 95th over its 5th percentile.

    Args:
        reference: float64 [n], no NaN.

    Returns:
        None without values, infinite over an idle 5th percentile.
    """
    if not len(reference):
        return None
    low, high = np.quantile(reference, (0.05, 0.95))
    if low <= 0:
        return float("inf") if high > 0 else 1.0
    return float(high / low)
