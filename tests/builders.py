"""Results as the study and the replay hand them over, small and quick to make, for tests.

The numbers are made, not measured: a day of a prefill/decode service with an evening peak, decode signals
of every verdict, and three policies. They are shaped like real results so that plots and pages built on
them look like real ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

import numpy as np
import polars as pl

from signals.catalog import find_signal
from signals.schema import TIMESTAMP, Estimate, Finding, PanelColumn
from signals.study.score import LoadChoice, Remark, Scorecard, SignalDetail, SignalScore, Verdict
from tests.builders_curves import closer_curves
from tests.builders_replay import DAY, START, load_shape, make_comparison

__all__ = [
    "DAY",
    "LOADS",
    "START",
    "TICK_S",
    "load_shape",
    "make_column",
    "make_comparison",
    "make_detail",
    "make_score",
    "make_scorecard",
]

TICK_S = 60.0

LOADS = (
    LoadChoice(
        "decode",
        "service:offered_output_tps",
        "offered output tokens/s",
        "tokens/s",
        "offered",
        "default",
        "decode:ready",
    ),
    LoadChoice(
        "prefill",
        "service:offered_prompt_tps",
        "offered prompt tokens/s",
        "tokens/s",
        "offered",
        "default",
        "prefill:ready",
    ),
)

_ROWS = """
signal                      verdict           rank lag_s lag_known noise spearman elasticity error calibrated condition reason
decode:decode_tps           proportional      1     9.8  1  0.031  0.991  0.98  0.061  0.052  -       ok
prefill:prefill_tps         proportional      2     2.1  1  0.044  0.987  1.01  0.068  0.060  -       ok
prefill:gpu_util            proportional      3    14.8  1  0.052  0.980  0.94  0.083  0.071  -       ok
prefill:sm_active           proportional      4    15.1  1  0.049  0.979  0.96  0.088  0.074  late    ok
decode:kv_usage             feedback          1    22.0  1  0.071  0.962  0.73  0.211  0.094  -       slope
decode:running              feedback          2    18.4  1  0.083  0.951  1.42  0.262  0.101  peak    slope
prefill:ttft_p99            feedback          3    38.0  1  0.213  0.871  0.32  0.431  0.338  noisy   slope
decode:itl_p99              feedback          4    11.0  1  0.094  0.963  0.30  0.447  0.120  -       slope
decode:sm_active            feedback          5    14.6  1  0.067  0.920  0.28  0.494  0.108  -       slope
decode:gpu_util             unusable          1     0.0  0  0.410  0.312  0.02  0.651  0.634  pinned  flat
prefill:queue_depth         unusable          2     4.0  0  0.660  0.214  0.05  0.910  0.700  pinned  flat
decode:preemption_rate      insufficient_data -     0.0  0  0.500  0.000  0.01  0.900  0.900  -       none
"""


@dataclass(frozen=True)
class _Row:
    signal: str
    verdict: Verdict
    rank: int | None
    lag_s: float
    lag_known: bool
    noise: float
    spearman: float
    elasticity: float
    error: float
    calibrated: float
    condition: str
    reason: str


def _rows() -> list[_Row]:
    out = []
    for line in _ROWS.strip().splitlines()[1:]:
        signal, verdict, rank, lag, known, *numbers, condition, reason = line.split()
        noise, spearman, elasticity, error, calibrated = map(float, numbers)
        out.append(
            _Row(
                signal,
                verdict,  # type: ignore[arg-type]
                None if rank == "-" else int(rank),
                float(lag),
                known == "1",
                noise,
                spearman,
                elasticity,
                error,
                calibrated,
                "" if condition == "-" else condition,
                reason,
            )
        )
    return out


_REMARKS: Mapping[str, Remark] = {
    "ok": Remark(
        "proportional",
        "moves one for one with load per instance and sizes the fleet well",
        0.061,
        0.15,
    ),
    "slope": Remark(
        "not_proportional", "does not move one for one with load per instance", 0.3, 0.8
    ),
    "flat": Remark("insensitive", "hardly moves when load moves", 0.02, 0.1),
    "none": Remark("coverage_low", "has a value at 3 % of the ticks", 0.03, 0.5),
    "late": Remark("late", "orders too few instances while load rises", -0.12, -0.1),
    "peak": Remark("over_orders_at_peak", "orders too many instances at the peak", 0.11, 0.05),
    "noisy": Remark("noisy", "a fifth of its range is noise", 0.213, 0.1),
    "pinned": Remark("pinned_part_of_the_time", "sits on a plateau most of the time", 0.83, 0.5),
}


def make_column(name: str) -> PanelColumn:
    """The panel column of `pool:signal`, with the catalog's unit and scope."""
    pool, _, signal = name.rpartition(":")
    spec = find_signal(signal)
    return PanelColumn(
        name,
        pool,
        signal,
        spec.unit if spec else "rel",
        spec.scope if spec else "average",
        (f"{signal}@{pool}",),
        resolution_s=15.0,
        window_s=TICK_S,
    )


def make_score(
    name: str = "decode:decode_tps",
    *,
    verdict: Verdict = "proportional",
    rank: int | None = 1,
    identity: bool = False,
    measures: Mapping[str, Estimate] | None = None,
    reasons: Sequence[Remark] = (_REMARKS["ok"],),
    conditions: Sequence[Remark] = (),
) -> SignalScore:
    """One score; the measures are those of a good signal unless given."""
    pool = name.partition(":")[0]
    load = next((c.column for c in LOADS if c.pool == pool), LOADS[0].column)
    return SignalScore(
        make_column(name),
        load,
        verdict,
        tuple(reasons),
        tuple(conditions),
        rank,
        identity,
        measures if measures is not None else _measures(_rows()[0]),
    )


def _measures(row: _Row) -> dict[str, Estimate]:
    lag_s, noise, spearman, error = row.lag_s, row.noise, row.spearman, row.error
    elasticity, calibrated = row.elasticity, row.calibrated
    lag = (
        Estimate(lag_s, lag_s - 2.1, lag_s + 2.4, extra={"correlation": spearman})
        if row.lag_known
        else Estimate(lag_s, lag_s - 410, lag_s + 520, determined=False, reason="no peak")
    )
    return {
        "lag_s": lag,
        "noise_ratio": Estimate(noise, noise * 0.85, noise * 1.2),
        "scatter_ratio": Estimate(noise * 2.5),
        "snr_db": Estimate(-20 * float(np.log10(noise))),
        "pearson": Estimate(spearman - 0.01, spearman - 0.04, min(spearman + 0.004, 0.999)),
        "spearman": Estimate(spearman, spearman - 0.03, min(spearman + 0.005, 0.999)),
        "elasticity": Estimate(elasticity, elasticity - 0.04, elasticity + 0.04),
        "residual_elasticity": Estimate(None, reason="needs 3 whole days, has 1"),
        "proportionality": Estimate(1.0 + abs(1.0 - elasticity) * 3),
        "linearity": Estimate(max(0.0, 1 - noise)),
        "saturation_ratio": Estimate(0.83 if elasticity < 0.1 else 0.02),
        "capacity_error": Estimate(error, error * 0.9, error * 1.12),
        "capacity_error_calibrated": Estimate(calibrated, calibrated * 0.9, calibrated * 1.1),
        "peak_bias": Estimate(-0.01, -0.03, 0.01),
        "trend_gap": Estimate(-0.02, -0.05, 0.01),
        "coverage": Estimate(0.998),
        **_steering(row),
    }


def _steering(row: _Row) -> dict[str, Estimate]:
    """What a controller that steers by the signal would live with; a flat one follows no change of load."""
    if row.elasticity < 0.1:
        reason = "sudden changes of load that it followed: 0; 5 are needed"
        rise = Estimate(None, determined=False, reason=reason)
    else:
        late = {"t90_q25_s": 240.0, "t90_s": 270.0, "t90_q75_s": 330.0}
        rise = Estimate(
            90.0,
            60.0,
            150.0,
            extra={"t50_q25_s": 60.0, "t50_q75_s": 120.0, **late, "events": 12, "changes": 14},
        )
    bought = {"one_tick_capacity_error": row.error * 1.2, "capacity_error": row.error}
    query = "avg(avg_over_time(signal[3m]))"
    return {
        "rise_s": rise,
        "knee": Estimate(None, reason="no knee"),
        "hysteresis": Estimate(-0.04),
        "suggested_window_s": Estimate(180.0, extra={**bought, "promql": query}),
        "stability": Estimate(
            14 / 15,
            extra={"parts": 15, "worst": "day 3", "worst_capacity_error": row.error * 3},
        ),
    }


def _row_score(row: _Row) -> SignalScore:
    measures = _measures(row)
    if row.verdict == "insufficient_data":
        unknown = Estimate(None, determined=False, reason="fewer than 120 ticks with a value")
        measures = dict.fromkeys(measures, unknown) | {"coverage": Estimate(0.03)}
    return make_score(
        row.signal,
        verdict=row.verdict,
        rank=row.rank,
        measures=measures,
        reasons=(_REMARKS[row.reason],),
        conditions=(_REMARKS[row.condition],) if row.condition else (),
    )


def make_scorecard(service: str = "chat") -> Scorecard:
    """A scorecard with signals of every verdict and one that is itself the load."""
    scores = [_row_score(row) for row in _rows()]
    identity = make_score("decode:offered_output_tps", rank=None, identity=True)
    return Scorecard(
        service,
        LOADS,
        TICK_S,
        DAY,
        (*scores, identity),
        (
            Finding("derived_rate_kept", "info", "2 series were exported as rates", 2, "decode"),
            Finding(
                "scrape_gap",
                "warning",
                "no samples for 4 min after 03:12",
                1,
                "prefill-2",
                "left empty",
            ),
        ),
        "Scale decode on decode:decode_tps: proportional, 10 s behind load, capacity error 6.3 %.",
    )


def make_detail(name: str = "decode:decode_tps", *, ticks: int = 1440) -> SignalDetail:
    """Curves of one signal of `make_scorecard`; any other name gets the shape of a good one."""
    rows = _rows()
    row = next((r for r in rows if r.signal == name), rows[0])
    score = next((s for s in make_scorecard().signals if s.signal == name), make_score(name))
    rng = np.random.default_rng(7)
    hours = np.arange(ticks) * TICK_S / 3600
    load = 52_000 * load_shape(hours % 24) * (1 + 0.02 * rng.standard_normal(ticks))
    ready = np.full(ticks, 12.0)
    per_instance = load / ready
    elasticity, noise = row.elasticity, row.noise
    signal = (per_instance / per_instance.max()) ** max(elasticity, 0.01)
    signal = signal * _peak_of(score.column) * (1 + noise / 3 * rng.standard_normal(ticks))
    if score.column.scope == "total":
        signal = signal * ready
    if score.column.unit == "ratio":
        signal = np.clip(signal, 0.0, 1.0)
    signal[200:204] = np.nan
    order = np.argsort(per_instance)
    bins = [b for b in np.array_split(order, 24) if b.size]
    means_x = [float(per_instance[b].mean()) for b in bins]
    means_y = [float(np.nanmean(signal[b])) for b in bins]
    lags = np.arange(-15, 16) * TICK_S
    lag_curve = row.spearman * np.exp(-(((lags - row.lag_s) / 400) ** 2))
    tick = pl.datetime_range(
        START, START + timedelta(seconds=TICK_S * (ticks - 1)), "60s", eager=True
    ).cast(TIMESTAMP)
    return SignalDetail(
        score,
        pl.DataFrame({"tick": tick, "load": load, "signal": signal, "ready": ready}).with_columns(
            pl.col("signal").fill_nan(None)
        ),
        pl.DataFrame({"lag_s": lags, "correlation": lag_curve}),
        pl.DataFrame(
            {"load_per_instance": means_x, "signal": means_y, "count": [b.size for b in bins]}
        ),
        pl.DataFrame({"load_per_instance": means_x, "signal": np.maximum.accumulate(means_y)}),
        pl.DataFrame({"load_per_instance": per_instance, "signal": signal})
        .drop_nans()
        .sort("load_per_instance"),
        next((c for c in LOADS if c.pool == score.column.pool), LOADS[0]),
        **closer_curves(per_instance.max(), means_x, means_y, score),
    )


def _peak_of(column: PanelColumn) -> float:
    peaks = {"tokens/s": 4400.0, "ratio": 0.92, "s": 0.8, "count": 40.0, "W": 600.0}
    return peaks.get(column.unit, 1.0)
