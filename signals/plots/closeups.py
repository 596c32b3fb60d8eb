"""The views of one signal, in the order in which a page shows them, each with what to read from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from signals.plots.events import describe_events, plot_events
from signals.plots.lag import describe_lag, plot_lag
from signals.plots.response import describe_response, plot_response
from signals.plots.stability import describe_stability, plot_stability
from signals.plots.timeline import plot_timeline
from signals.plots.window import describe_window, plot_window

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from signals.plots.theme import Theme
    from signals.study.score import SignalDetail

__all__ = ["CLOSEUPS", "Closeup", "closeup"]


@dataclass(frozen=True, slots=True)
class Closeup:
    """One view of one signal.

    Attributes:
        name: one word, unique among them.
        question: what it answers, as a heading.
        reading: one sentence that says what to read from it.
        plot: draws it; called with a detail and `theme=`.
        describe: what it shows, in words; empty where only the eye tells.
        width: `half` views stand side by side where there is room.
    """

    name: str
    question: str
    reading: str
    plot: Callable[..., go.Figure]
    describe: Callable[[SignalDetail], str]
    width: Literal["full", "half"] = "half"

    def draw(self, detail: SignalDetail, *, theme: Theme) -> go.Figure:
        """The figure, or the reason why there is none, in words.

        Args:
            detail: curves of the signal.
            theme: light or dark.
        """
        return self.plot(detail, theme=theme)


def _unsaid(_detail: SignalDetail) -> str:
    return ""


CLOSEUPS: tuple[Closeup, ...] = (
    Closeup(
        "timeline",
        "Does it move when load moves?",
        "A signal worth scaling on has the shape of the load above it, without being flat or torn where load is not.",
        plot_timeline,
        _unsaid,
        width="full",
    ),
    Closeup(
        "lag",
        "How late is it?",
        "The peak is the lag and the band its 95 % interval: right of zero the signal trails load; a flat top or a "
        "peak between the dashed lines settles nothing.",
        plot_lag,
        lambda detail: describe_lag(detail.score.measures.get("lag_s")),
    ),
    Closeup(
        "events",
        "What does it do when load jumps?",
        "Medians with the middle half of all sudden changes of load, from the level before (0) to that after (1): the "
        "farther the signal runs to the right of load, the later a controller acts.",
        plot_events,
        lambda detail: describe_events(detail.score.measures.get("rise_s")),
    ),
    Closeup(
        "response",
        "Is it in proportion to load?",
        "A signal fit for a ratio rule follows the dashed line; a knee or a shaded plateau is where it stops telling "
        "load, and a gap between rising and falling load is hysteresis.",
        plot_response,
        describe_response,
    ),
    Closeup(
        "window",
        "Over how long should it be averaged?",
        "The ring is the shortest window whose capacity error cannot be told from the best: shorter ones pay in noise, "
        "longer ones in lag.",
        plot_window,
        lambda detail: describe_window(detail.score.measures.get("suggested_window_s")),
    ),
    Closeup(
        "stability",
        "Does the verdict hold everywhere?",
        "Every cell is the verdict and the capacity error on one part of the data: cells of another colour and sign are "
        "where the verdict does not hold.",
        plot_stability,
        lambda detail: describe_stability(detail.score.measures.get("stability")),
        width="full",
    ),
)


def closeup(name: str) -> Closeup:
    """The view of this name.

    Args:
        name: as in `CLOSEUPS`.

    Raises:
        KeyError: there is none.
    """
    return {view.name: view for view in CLOSEUPS}[name]
