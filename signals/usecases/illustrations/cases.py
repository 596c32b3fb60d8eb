"""Pictures of a measure on a few signals that are made in different ways."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import polars as pl

from signals.plots.scorecard import plot_scorecard
from signals.plots.trials import plot_cases
from signals.series.align import shift
from signals.series.grid import DAY_S, ticks_in
from signals.series.synthetic import (
    add_ar_noise,
    add_noise,
    ar1,
    daily_load,
    plateau,
    saturating,
    scale_noise,
    wandering_load,
)
from signals.study.scorecard import evaluate_panel
from signals.study.specimen import known_fleet
from signals.usecases.illustrations.fleets import (
    MINUTE_S,
    day_shaped,
    fleet,
    scores,
    spread_of,
    tabled,
)
from signals.usecases.illustrations.spec import Drawn, Illustration, Numbers, numbers_of, said

__all__ = ["CASES"]

Array = npt.NDArray[np.float64]


def _compared(
    load: Array, made: Mapping[str, Array], measures: Sequence[str]
) -> tuple[pl.DataFrame, Numbers]:
    """Measures of signals by how they were made, in one scorecard."""
    found = scores(fleet(load, made))
    return tabled({case: score.measures for case, score in found.items()}, measures)


def _scatter() -> Drawn:
    rng = np.random.default_rng(41)
    load = day_shaped(rng, days=4)
    sigma = 0.1 * spread_of(load)
    made = {
        "white noise": add_noise(load, sigma, rng),
        "departs from load for hours": add_ar_noise(load, sigma, 0.995, rng),
    }
    found = scores(fleet(load, made))
    # a load with swings of minutes, and a signal that follows but its slow part
    quick = load * np.exp(0.15 * ar1(len(load), 0.5, rng))
    found |= scores(fleet(quick, {"misses the quick swings of load": load}))
    measured = {case: score.measures for case, score in found.items()}
    frame, numbers = tabled(measured, ("noise_ratio", "scatter_ratio"))
    figure = plot_cases(frame, x_title="share of the signal's range", theme="light")
    return Drawn(figure, numbers)


def _association() -> Drawn:
    rng = np.random.default_rng(42)
    load = wandering_load(2_880, phi=0.98, spread=0.5, rng=rng)
    middle = float(np.median(load))
    made = {
        "in proportion": scale_noise(load, 0.1, rng),
        "saturates": scale_noise(saturating(load, 0.3), 0.02, rng),
        "least in the middle": scale_noise(1 + np.abs(np.log(load / middle)), 0.1, rng),
        "unrelated, as slow": wandering_load(len(load), phi=0.98, spread=0.5, rng=rng),
    }
    frame, numbers = _compared(load, made, ("pearson", "spearman", "distance_corr"))
    figure = plot_cases(frame, x_title="association with load", theme="light")
    return Drawn(figure, numbers)


def _partial() -> Drawn:
    rng = np.random.default_rng(43)
    day = ticks_in(DAY_S, MINUTE_S)
    whole = day_shaped(rng, days=8)
    load = whole[day:]
    made = {
        "follows load": scale_noise(load, 0.1, rng),
        "follows the clock": scale_noise(daily_load(len(load), MINUTE_S, rng=rng), 0.1, rng),
        "load of yesterday": scale_noise(shift(whole, day)[day:], 0.1, rng),
    }
    frame, numbers = _compared(load, made, ("pearson", "partial"))
    figure = plot_cases(frame, x_title="association with load (r)", theme="light")
    return Drawn(figure, numbers)


def _granger() -> Drawn:
    rng = np.random.default_rng(44)
    true = wandering_load(1_450, phi=0.98, spread=0.4, rng=rng)
    load = scale_noise(true, 0.1, rng)[:1_440]
    made = {
        "two minutes ahead of load": scale_noise(true, 0.1, rng)[2:1_442],
        "two minutes behind load": scale_noise(shift(true, 2), 0.1, rng)[:1_440],
        "load under noise of its own": scale_noise(true, 0.1, rng)[:1_440],
        "unrelated, as slow": wandering_load(1_440, phi=0.98, spread=0.4, rng=rng),
    }
    made["two minutes behind load"][:2] = np.nan
    frame, numbers = _compared(load, made, ("granger",))
    figure = plot_cases(frame, x_title="p-value", theme="light", lines={"5 %": 0.05})
    return Drawn(figure, numbers)


def _redundancy() -> Drawn:
    rng = np.random.default_rng(45)
    load = day_shaped(rng, days=4)
    first = scale_noise(load, 0.1, rng)
    made = {
        "the best": first,
        "a second copy, as noisy": scale_noise(load, 0.102, rng),
        "a second copy, twice as noisy": scale_noise(load, 0.2, rng),
        "the best under more noise": scale_noise(first, 0.1, rng),
        "pinned most of the time": scale_noise(plateau(load, 0.0, 0.3), 0.1, rng),
        "unrelated": daily_load(len(load), MINUTE_S, peak_hour=9.0, rng=rng),
    }
    frame, numbers = _compared(load, made, ("redundancy",))
    # the best is what the others are held against
    frame = frame.filter(pl.col("case") != "the best")
    numbers = {name: value for name, value in numbers.items() if not name.endswith("@the best")}
    figure = plot_cases(frame, x_title="share of the best signal's error that goes", theme="light")
    return Drawn(figure, numbers)


def _scorecard() -> Drawn:
    card = evaluate_panel(known_fleet(np.random.default_rng(46)).panel)
    numbers = numbers_of(
        {f"capacity_error@{s.signal}": s.measures["capacity_error"] for s in card.signals}
    )
    return Drawn(plot_scorecard(card, theme="light"), numbers)


CASES: tuple[Illustration, ...] = (
    Illustration(
        "scatter",
        ("scatter_ratio",),
        "noise_ratio and scatter_ratio of three signals",
        _scatter,
        lambda n: (
            "White noise of a tenth of the range is the same to both: "
            f"{said(n, 'noise_ratio@white noise', '.3f')} and {said(n, 'scatter_ratio@white noise', '.3f')}. "
            "Departures of the same size that last for hours are scatter and no noise: "
            f"{said(n, 'scatter_ratio@departs from load for hours', '.3f')} and "
            f"{said(n, 'noise_ratio@departs from load for hours', '.3f')}. So are swings of load that the signal "
            f"does not see: {said(n, 'scatter_ratio@misses the quick swings of load', '.3f')} and "
            f"{said(n, 'noise_ratio@misses the quick swings of load', '.3f')}."
        ),
    ),
    Illustration(
        "association",
        ("pearson", "spearman", "distance_corr"),
        "Three associations of four signals with load",
        _association,
        lambda n: (
            "Two days of minutes. A signal that saturates: `spearman` "
            f"{said(n, 'spearman@saturates', '.3f')}, `pearson` {said(n, 'pearson@saturates', '.3f')}. "
            "One that is least in the middle of load: only `distance_corr` sees it, "
            f"{said(n, 'distance_corr@least in the middle', '.2f')}, against a `pearson` of "
            f"{said(n, 'pearson@least in the middle', '.2f')} and a `spearman` of "
            f"{said(n, 'spearman@least in the middle', '.2f')}. An unrelated slow series: "
            f"`distance_corr` {said(n, 'distance_corr@unrelated, as slow', '.2f')}, of which an interval from 0 "
            "says that chance does as much."
        ),
    ),
    Illustration(
        "partial",
        ("partial",),
        "Correlation with and without the daily shape of three signals",
        _partial,
        lambda n: (
            "A week of minutes. `pearson` is high for all that have a day; `partial` tells them apart. Follows load: "
            f"{said(n, 'pearson@follows load', '.2f')} and {said(n, 'partial@follows load', '.2f')}. "
            f"Follows the clock: {said(n, 'pearson@follows the clock', '.2f')} and "
            f"{said(n, 'partial@follows the clock', '.2f')}. Load of yesterday: "
            f"{said(n, 'pearson@load of yesterday', '.2f')} and {said(n, 'partial@load of yesterday', '.2f')}."
        ),
    ),
    Illustration(
        "granger",
        ("granger",),
        "p-values of four signals",
        _granger,
        lambda n: (
            "A day of minutes; load is known with 10 % of noise. p is "
            f"{said(n, 'granger@two minutes ahead of load', '.1g')} for a signal that comes first, and also "
            f"{said(n, 'granger@load under noise of its own', '.1g')} for one that does not: it only tells the noise "
            f"in load from load. Two minutes behind: {said(n, 'granger@two minutes behind load', '.2g')}; "
            f"unrelated: {said(n, 'granger@unrelated, as slow', '.2g')}."
        ),
    ),
    Illustration(
        "redundancy",
        ("redundancy",),
        "What five signals add to the best one",
        _redundancy,
        lambda n: (
            "Four days; the best signal is load under 10 % of noise. A second copy with as much noise of its own "
            f"adds {said(n, 'redundancy@a second copy, as noisy', '.2f')}, one with twice as much "
            f"{said(n, 'redundancy@a second copy, twice as noisy', '.2f')}, the best itself under more noise "
            f"{said(n, 'redundancy@the best under more noise', '.2f')}, an unrelated one "
            f"{said(n, 'redundancy@unrelated', '.2f')}."
        ),
    ),
    Illustration(
        "scorecard",
        ("capacity_error",),
        "Capacity errors of a generated fleet's signals, by verdict",
        _scorecard,
        lambda n: (
            "`signals.study.specimen.known_fleet`: four days of a decode pool whose signals are of every kind. "
            "In proportion under 5 % of noise (`decode:sm_active`): "
            f"{said(n, 'capacity_error@decode:sm_active', '.3f')}; elasticity 0.4 (`decode:kv_usage`): "
            f"{said(n, 'capacity_error@decode:kv_usage', '.3f')}; pinned 85 % of the time (`decode:gpu_util`): "
            f"{said(n, 'capacity_error@decode:gpu_util', '.3f')}. The picture shows exp(value) - 1 in per cent; "
            "the strokes are `capacity_error_calibrated`."
        ),
    ),
)
