"""Are verdicts right where the truth is clear? Classes of made signals, and signals that fool weaker rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from signals.schema import Panel
from signals.study.headline import recommended
from signals.study.panel import choose_loads
from signals.study.score import SignalScore, Verdict
from signals.study.scorecard import score_signal
from signals.study.specimen import panel_of
from tests.calibration.fooling import FOOLING, Fooling
from tests.calibration.verdict_signals import SETTINGS, Made, Setting
from tests.calibration.verdict_worlds import World, draw_flat_world, draw_short_world, draw_world

__all__ = [
    "CLASSES",
    "Named",
    "Row",
    "confusion",
    "judge_fooling",
    "judge_settings",
    "named",
    "right_shares",
]

CLASSES: tuple[Verdict, ...] = ("proportional", "feedback", "unusable", "insufficient_data")
_LOAD = "service:offered_output_tps"
_FLAT_SETTING = "few ticks or a flat load"
_KNOWN = {
    "total": ("decode_tps", "prefill_tps", "running", "queue_depth", "completion_rate"),
    "average": ("sm_active", "kv_usage", "gpu_util", "itl_mean", "power_w", "dram_active"),
}
"""Signals of which the catalog says that they rise with load."""


@dataclass(frozen=True)
class Row:
    """A made signal and what became of it."""

    kind: str
    world: World
    made: Made
    score: SignalScore

    @property
    def codes(self) -> set[str]:
        """Every reason and condition that was given."""
        return {remark.code for remark in (*self.score.reasons, *self.score.conditions)}


class _Kind(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def make(self) -> Callable[[World, np.random.Generator], Made | None]: ...


def judge_settings(
    seed: int, each: int, *, draw: Callable[[np.random.Generator], World] = draw_world
) -> list[Row]:
    """Score made signals of every setting of every class.

    Args:
        seed: of everything.
        each: signals of a setting.
        draw: makes the worlds of all but those that say too little.

    Returns:
        One row a signal.
    """
    rng = np.random.default_rng(seed)
    alone = next(setting for setting in SETTINGS if setting.name == _FLAT_SETTING)
    rows = _judge([s for s in SETTINGS if s is not alone], each, draw, rng)
    rows += _judge([alone], each // 2, draw_flat_world, rng)
    rows += _judge([alone], each - each // 2, draw_short_world, rng)
    return rows


def judge_fooling(
    seed: int, each: int, *, draw: Callable[[np.random.Generator], World] = draw_world
) -> list[Row]:
    """Score signals that fool weaker rules.

    Args:
        seed: of everything.
        each: signals of a kind.
        draw: makes the worlds.

    Returns:
        One row a signal.
    """
    return _judge(FOOLING, each, draw, np.random.default_rng(seed))


def _judge(
    kinds: Sequence[_Kind],
    each: int,
    draw: Callable[[np.random.Generator], World],
    rng: np.random.Generator,
) -> list[Row]:
    rows: list[Row] = []
    wanting = Counter({kind.name: each for kind in kinds})
    while +wanting:
        world = draw(rng)
        made: dict[str, Made] = {}
        for kind in kinds:
            if wanting[kind.name] and (signal := kind.make(world, rng)) is not None:
                made[kind.name] = signal
                wanting[kind.name] -= 1
        rows += _score(world, made, rng)
    return rows


def _score(world: World, made: Mapping[str, Made], rng: np.random.Generator) -> Iterable[Row]:
    """Lay all signals of a world into one panel; a third of them under names that the catalog knows."""
    values = {_LOAD: world.now}
    if world.ready is not None:
        values["decode:ready"] = world.ready
    free = {scope: list(rng.permutation(names)) for scope, names in _KNOWN.items()}
    places = {}
    for kind, signal in made.items():
        rising = kind != "falls with load" and bool(free[signal.scope]) and rng.random() < 1 / 3
        name = free[signal.scope].pop() if rising else kind.replace(" ", "_")
        places[kind] = f"decode:{name}"
        values[places[kind]] = signal.values
    scopes = {places[kind]: signal.scope for kind, signal in made.items()}
    panel = panel_of(values, world.tick_s, scopes=scopes)
    return [Row(kind, world, signal, _scored(panel, places[kind])) for kind, signal in made.items()]


def _scored(panel: Panel, name: str) -> SignalScore:
    column = panel.column(name)
    assert column is not None
    return score_signal(panel, column, choose_loads(panel)[0], 0)


def confusion(rows: Sequence[Row]) -> list[tuple[str, Setting, Counter[str]]]:
    """How often each setting got each class.

    Args:
        rows: from `judge_settings`.

    Returns:
        Per setting its deserved class, itself, and the counts of the classes it got.
    """
    return [
        (s.verdict, s, Counter(row.score.verdict for row in rows if row.kind == s.name))
        for s in SETTINGS
    ]


def right_shares(rows: Sequence[Row]) -> dict[str, float]:
    """Share of right verdicts by deserved class."""
    shares = {}
    for verdict in CLASSES:
        counts: Counter[str] = Counter()
        for deserved, _, got in confusion(rows):
            if deserved == verdict:
                counts += got
        shares[verdict] = counts[verdict] / counts.total()
    return shares


@dataclass(frozen=True)
class Named:
    """How one kind of fooling signal fared: how many were made, were named as they must be, and passed as clean."""

    fooling: Fooling
    count: int
    named: int
    clean: int
    codes: Counter[str]


def named(rows: Sequence[Row]) -> list[Named]:
    """Which fooling signals were found out.

    Args:
        rows: from `judge_fooling`.

    Returns:
        One entry a kind; `clean` are those that would be recommended without more.
    """
    found = []
    for kind in FOOLING:
        own = [row for row in rows if row.kind == kind.name]
        known = sum(bool(row.codes & set(kind.codes)) for row in own)
        clean = sum(_is_clean(row.score) for row in own)
        codes = Counter(code for row in own for code in row.codes)
        found.append(Named(kind, len(own), known, clean, codes))
    return found


def _is_clean(score: SignalScore) -> bool:
    from dataclasses import replace

    return recommended([replace(score, rank=1)]) is not None
