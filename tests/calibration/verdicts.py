"""Are verdicts right where the truth is clear? Signals of every class, and signals that fool weaker rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from signals.catalog import find_signal
from signals.schema import Panel
from signals.study.headline import recommended
from signals.study.panel import choose_loads
from signals.study.score import SignalScore, Verdict
from signals.study.scorecard import score_signal
from signals.study.specimen import panel_of
from tests.calibration.fooling import FOOLING, Fooling
from tests.calibration.table import Check, Column, Family, Figures, Outcomes, Setting
from tests.calibration.verdict_signals import KINDS, Kind, Made
from tests.calibration.verdict_worlds import World, draw_flat_world, draw_short_world, draw_world

__all__ = ["CLASSES", "FOOLED", "VERDICTS", "score_fooling", "score_kind"]

Rng = np.random.Generator

CLASSES: tuple[Verdict, ...] = ("proportional", "feedback", "unusable", "insufficient_data")
_LOAD = "service:offered_output_tps"
_READY = "decode:ready"
_KNOWN = {
    "total": ("decode_tps", "prefill_tps", "running", "queue_depth", "completion_rate"),
    "average": ("sm_active", "kv_usage", "gpu_util", "itl_mean", "power_w", "dram_active"),
}
"""Signals of which the catalog says that they rise with load."""


def _in_some_world(
    make: Callable[[World, Rng], Made | None], draw: Callable[[Rng], World], rng: Rng
) -> tuple[World, Made]:
    while True:
        world = draw(rng)
        made = make(world, rng)
        if made is not None:
            return world, made


def _score(world: World, made: Made, name: str) -> SignalScore:
    spec, values = find_signal(name), made.values
    if spec is not None and spec.valid_range is not None:
        values = 0.9 * values / np.nanmax(values)
    columns = {_LOAD: world.now, f"decode:{name}": values}
    if world.ready is not None:
        columns[_READY] = world.ready
    panel: Panel = panel_of(columns, world.tick_s, scopes={f"decode:{name}": made.scope})
    column = panel.column(f"decode:{name}")
    assert column is not None
    return score_signal(panel, column, choose_loads(panel)[0], 0)


def score_kind(kind: Kind, rng: Rng) -> tuple[World, Made, SignalScore]:
    """Make one signal of a kind and score it.

    Args:
        kind: one of `KINDS`.
        rng: source of randomness.

    Returns:
        The world, the signal, and its score; a third of those that rise bear a name that the catalog knows.
    """
    draw = draw_world
    if kind.alone:
        draw = draw_flat_world if rng.random() < 0.5 else draw_short_world
    world, made = _in_some_world(kind.make, draw, rng)
    known = kind.rises and rng.random() < 1 / 3
    name = str(rng.choice(_KNOWN[made.scope])) if known else "mine"
    return world, made, _score(world, made, name)


def score_fooling(fooling: Fooling, rng: Rng) -> tuple[World, Made, SignalScore]:
    """Make one signal that fools and score it.

    Args:
        fooling: one of `FOOLING`.
        rng: source of randomness.

    Returns:
        The world, the signal, and its score.
    """
    world, made = _in_some_world(fooling.make, draw_world, rng)
    return world, made, _score(world, made, "mine")


def _draw_class(made: Verdict, rng: Rng) -> Mapping[str, float]:
    kinds = [number for number, kind in enumerate(KINDS) if kind.verdict == made]
    number = int(rng.choice(kinds))
    got = score_kind(KINDS[number], rng)[2].verdict
    return {"kind": number, **{verdict: float(verdict == got) for verdict in CLASSES}}


def _summarise_class(made: Verdict, outcomes: Outcomes) -> Figures:
    figures = {verdict: float(outcomes[verdict].mean()) for verdict in CLASSES}
    kinds = np.unique(outcomes["kind"])
    least = min(float(outcomes[made][outcomes["kind"] == kind].mean()) for kind in kinds)
    return {**figures, "least": least}


def _asked_of_class(made: Verdict, figures: Figures) -> Sequence[Check]:
    return (Check(made, 0.95),)


def _draw_fooling(made: Fooling, rng: Rng) -> Mapping[str, float]:
    score = score_fooling(made, rng)[2]
    codes = {remark.code for remark in (*score.reasons, *score.conditions)}
    clean = recommended([replace(score, rank=1)]) is not None
    return {"named": float(bool(codes & set(made.codes))), "clean": float(clean)}


def _summarise_fooling(made: Fooling, outcomes: Outcomes) -> Figures:
    return {name: float(values.mean()) for name, values in outcomes.items()}


def _asked_of_fooling(made: Fooling, figures: Figures) -> Sequence[Check]:
    return Check("named", 0.95), Check("clean", high=0.0)


VERDICTS = Family(
    "verdict",
    "Verdicts",
    f"""\
Signals are made so that their class is certain: every figure that decides is at least 20 % away from its threshold,
by the way they are made. Rows are the class a signal deserves, columns the class it gets; at least 95 % of each
class have to be right. The kinds of a class are drawn equally often, and `worst kind` is the share of right verdicts in
the kind that fares worst.

{"".join(f"- `{c}`: {'; '.join(k.name for k in KINDS if k.verdict == c)}." + chr(10) for c in CLASSES)}
Around them all varies: one to seven days of ticks of 15 to 60 s; a daily, weekly, wandering or bursty load with up to
10 % of noise of its own; a fleet that is unknown, fixed, changed by hand or held by a scaler; totals and averages;
white noise and noise with a memory of minutes; lags up to 45 s, values seen once a minute; up to a quarter lost tick
by tick, in runs, or in one stretch. Hardest is a signal that is pinned at both ends by turns: where load has a long
tail, the lower end covers so little of its range that noise passes for a slope.""",
    (
        *(Column(verdict, verdict, "share") for verdict in CLASSES),
        Column("least", "worst kind", "share"),
    ),
    tuple(Setting(verdict, verdict) for verdict in CLASSES),
    _draw_class,
    _summarise_class,
    _asked_of_class,
)

FOOLED = Family(
    "fooling",
    "Signals that fool weaker rules",
    """\
Each looks like load to one rule or another. `named` is the share that got the reason or condition that says what is
wrong (in brackets); `passed as clean` the share that would have been recommended without a word, and it has to be
none. Worlds as above, where the fault is at least 20 % larger than what is let pass.""",
    (Column("named", "named", "share"), Column("clean", "passed as clean", "share")),
    tuple(Setting(f"{kind.name} ({' or '.join(kind.codes)})", kind) for kind in FOOLING),
    _draw_fooling,
    _summarise_fooling,
    _asked_of_fooling,
)
