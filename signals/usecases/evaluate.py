"""Evaluate the candidate signals of a stored service."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from datetime import datetime

from signals.errors import AnalysisError, UsageError
from signals.schema import Panel
from signals.store import Store
from signals.study.detail import signal_detail
from signals.study.score import Scorecard, SignalDetail
from signals.study.scorecard import evaluate_panel

__all__ = ["choose_service", "detail", "details", "evaluate", "read_panel", "score"]


def choose_service(store: Store, service: str | None) -> str:
    """The service that is asked for, or the only one.

    Raises:
        AnalysisError: the store is empty.
        UsageError: there is no such service, or there are several and none is named.
    """
    known = store.services()
    if not known:
        raise AnalysisError(
            "the store holds no service", where=str(store.path), hint="signals load FILE..."
        )
    if service is None:
        if len(known) == 1:
            return known[0]
        raise UsageError(
            "the service is not named", where="SERVICE", expected=f"one of {', '.join(known)}"
        )
    if service in known:
        return service
    near = difflib.get_close_matches(service, known, n=1)
    raise UsageError(
        f"service '{service}' is not in the store",
        where=str(store.path),
        expected=f"one of {', '.join(known)}",
        hint=f"did you mean '{near[0]}'?" if near else "signals inventory",
    )


def read_panel(
    store: Store,
    service: str | None,
    *,
    tick_s: float | None = None,
    first: datetime | None = None,
    last: datetime | None = None,
) -> Panel:
    """The panel of a service.

    Args:
        store: the store.
        service: its name; None for the only one.
        tick_s: grid width, seconds; None for the default.
        first: begin, UTC; None for the data's.
        last: end, UTC; None for the data's.

    Raises:
        AnalysisError: there is no value in the window.
    """
    name = choose_service(store, service)
    panel = store.panel(name, tick_s=tick_s, first=first, last=last)
    if panel.frame.is_empty():
        raise AnalysisError(
            f"service '{name}' has no value in the window",
            hint="signals inventory shows what there is",
        )
    return panel


def evaluate(
    store: Store,
    service: str | None = None,
    *,
    load: str | None = None,
    tick_s: float | None = None,
    first: datetime | None = None,
    last: datetime | None = None,
    signals: Sequence[str] = (),
) -> Scorecard:
    """Score every candidate signal of a service.

    Args:
        store: the store.
        service: its name; None for the only one.
        load: the signal taken as load; None for what clients asked for.
        tick_s: grid width, seconds; None for the larger of 15 s and the data's own step.
        first: begin, UTC; None for the data's.
        last: end, UTC; None for the data's.
        signals: only these; empty for all.

    Returns:
        The scorecard, which is also kept beside the store.

    Raises:
        UsageError: a name is not known.
        AnalysisError: the data cannot answer.
    """
    panel = read_panel(store, service, tick_s=tick_s, first=first, last=last)
    return score(store, panel, load=load, signals=signals)


def score(
    store: Store, panel: Panel, *, load: str | None = None, signals: Sequence[str] = ()
) -> Scorecard:
    """Score the signals of a panel that is at hand, and keep the scorecard beside the store."""
    card = evaluate_panel(panel, load=load, signals=signals)
    store.runs.save_scorecard(card)
    return card


def detail(
    store: Store,
    service: str | None,
    signal: str,
    *,
    load: str | None = None,
    tick_s: float | None = None,
    first: datetime | None = None,
    last: datetime | None = None,
) -> SignalDetail:
    """Score and curves of one signal; arguments as in `evaluate`."""
    panel = read_panel(store, service, tick_s=tick_s, first=first, last=last)
    return signal_detail(panel, signal, load=load)


def details(
    panel: Panel, names: Sequence[str], *, load: str | None = None, card: Scorecard | None = None
) -> list[SignalDetail]:
    """Curves of several signals of one panel.

    Args:
        panel: the panel.
        names: of the signals, `pool:signal`.
        load: the signal taken as load; None for what clients asked for.
        card: the scorecard of the same panel and load, whose scores are then not made anew.

    Returns:
        One detail per name; with the ranks and corrections of the scorecard where it is given.
    """
    known = {} if card is None else {score.signal: score for score in card.signals}
    return [signal_detail(panel, name, load=load, score=known.get(name)) for name in names]
