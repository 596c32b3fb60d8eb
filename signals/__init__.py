"""Which signal should an LLM-serving fleet scale on, and at what threshold?

Names are imported when they are first used, so that `import signals` is cheap:

    >>> import signals as sg
    >>> store = sg.open("fleet.duckdb")  # doctest: +SKIP
    >>> card = sg.evaluate(store, "chat")  # doctest: +SKIP
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from signals.plots import (
        plot_backtest,
        plot_events,
        plot_forest,
        plot_lag,
        plot_response,
        plot_scorecard,
        plot_stability,
        plot_timeline,
        plot_window,
    )
    from signals.replay.result import Comparison
    from signals.scenario import Scenario
    from signals.schema import Panel
    from signals.store import Store, create_lake, create_store
    from signals.store import open_store as open  # noqa: A004 - reads as signals.open
    from signals.study.recommendation import Recommendation
    from signals.study.score import Scorecard, SignalDetail
    from signals.usecases.api import (
        backtest,
        detail,
        evaluate,
        evaluate_all,
        load,
        write_report,
    )

__version__ = "0.1.0"

_HOME = {
    "Comparison": ("signals.replay.result", "Comparison"),
    "Panel": ("signals.schema", "Panel"),
    "Recommendation": ("signals.study.recommendation", "Recommendation"),
    "Scenario": ("signals.scenario", "Scenario"),
    "Scorecard": ("signals.study.score", "Scorecard"),
    "SignalDetail": ("signals.study.score", "SignalDetail"),
    "Store": ("signals.store", "Store"),
    "backtest": ("signals.usecases.api", "backtest"),
    "create_lake": ("signals.store", "create_lake"),
    "create_store": ("signals.store", "create_store"),
    "detail": ("signals.usecases.api", "detail"),
    "evaluate": ("signals.usecases.api", "evaluate"),
    "evaluate_all": ("signals.usecases.api", "evaluate_all"),
    "load": ("signals.usecases.api", "load"),
    "open": ("signals.store", "open_store"),
    "plot_backtest": ("signals.plots", "plot_backtest"),
    "plot_events": ("signals.plots", "plot_events"),
    "plot_forest": ("signals.plots", "plot_forest"),
    "plot_lag": ("signals.plots", "plot_lag"),
    "plot_response": ("signals.plots", "plot_response"),
    "plot_scorecard": ("signals.plots", "plot_scorecard"),
    "plot_stability": ("signals.plots", "plot_stability"),
    "plot_timeline": ("signals.plots", "plot_timeline"),
    "plot_window": ("signals.plots", "plot_window"),
    "write_report": ("signals.usecases.api", "write_report"),
}

__all__ = [
    "Comparison",
    "Panel",
    "Recommendation",
    "Scenario",
    "Scorecard",
    "SignalDetail",
    "Store",
    "__version__",
    "backtest",
    "create_lake",
    "create_store",
    "detail",
    "evaluate",
    "evaluate_all",
    "load",
    "open",
    "plot_backtest",
    "plot_events",
    "plot_forest",
    "plot_lag",
    "plot_response",
    "plot_scorecard",
    "plot_stability",
    "plot_timeline",
    "plot_window",
    "write_report",
]


def __getattr__(name: str) -> object:
    """Import a public name on first use.

    Raises:
        AttributeError: the name is not public.
    """
    if name not in _HOME:
        msg = f"module 'signals' has no attribute '{name}'"
        raise AttributeError(msg)
    module, attribute = _HOME[name]
    value: object = getattr(importlib.import_module(module), attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names, for completion."""
    return sorted(__all__)
