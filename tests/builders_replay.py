"""A backtest's result of made numbers, shaped like a real one, for tests; see `tests/builders.py`."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import polars as pl

from signals.replay.frames import RUN_EVENT, RUN_MINUTE, RUN_READING, RUN_TICK
from signals.replay.result import Comparison, Percentiles, PolicyResult
from signals.schema import Finding, Slo, Span

START = datetime(2026, 11, 23, tzinfo=UTC)
DAY = Span(START, START + timedelta(hours=24))


def load_shape(hours: np.ndarray) -> np.ndarray:
    """Load relative to its peak: low at 5 h, a shoulder at noon, the peak at 21 h."""
    evening = np.exp(-(((hours - 21.0 + 12) % 24 - 12) ** 2) / 14.0)
    noon = 0.62 * np.exp(-((hours - 12.5) ** 2) / 16.0)
    return 0.18 + 0.82 * np.clip(evening + noon, 0, 1)


_POLICIES: tuple[tuple[str, str, float, float, float, int], ...] = (
    # name, label, attainment, GPU-hours, requests cut, scale events
    ("static", "static", 0.997, 1728.0, 0, 0),
    ("heteroscale", "heteroscale", 0.991, 1157.1, 14, 63),
    ("hpa", "hpa decode:gpu_util 70 %", 0.902, 1514.7, 41, 38),
)


def make_comparison(*, hours: int = 24, policies: int = 3) -> Comparison:
    """Three policies on one day: enough instances always, as needed, and by the wrong signal."""
    chosen = _POLICIES[:policies]
    minutes = hours * 60
    frames = [_policy_frames(label, name, minutes) for name, label, *_ in chosen]
    arrived = int(sum(frames[0][3]["arrived"]))
    return Comparison(
        {
            "service": "chat",
            "source": "store",
            "requests": arrived,
            "prompt_tokens_mean": 1024.0,
            "output_tokens_mean": 208.5,
            "load_factor": 1.0,
            "peak_rps": 41.2,
        },
        {
            "profile": "llama2-70b-h100",
            "pd_ratio": "1:2",
            "initial": "4P8D",
            "cold_start_s": 120.0,
            "scrape_interval_s": 15.0,
            "seed": 7,
            "max_instances": 64,
        },
        Slo(),
        Span(START, START + timedelta(hours=hours)),
        tuple(_policy_result(row, arrived) for row in chosen),
        pl.concat([f[0] for f in frames]),
        pl.concat([f[1] for f in frames]),
        pl.concat([f[2] for f in frames]),
        pl.concat([f[3] for f in frames]),
        (Finding("profile_extrapolated", "warning", "12 prompts are longer than measured", 12),),
    )


def _policy_result(row: tuple[str, str, float, float, float, int], arrived: int) -> PolicyResult:
    name, label, attainment, gpu_hours, cut, events = row
    running = 6
    return PolicyResult(
        name,
        label,
        {"static": {"prefill": 6, "decode": 12}}.get(name, {"tolerance": 0.1, "interval_s": 15.0}),
        {"ttft": attainment + 0.002, "tpot": attainment + 0.001, "both": attainment},
        Percentiles(0.21, 0.48, 1.31),
        Percentiles(0.028, 0.036, 0.052),
        Percentiles(5.9, 12.4, 31.0),
        gpu_hours,
        {"prefill": gpu_hours / 3, "decode": gpu_hours * 2 / 3},
        None,
        {"prefill": 0.41, "decode": 0.93},
        events,
        3 if events else 0,
        120.0 if events else 0.0,
        {
            "arrived": arrived,
            "completed": arrived - int(cut) - running,
            "dropped": 0,
            "cut": int(cut),
            "running": running,
        },
        None,
        "no oracle in the comparison",
        {"prefill": 6, "decode": 12},
        {"prefill": gpu_hours / 24 / 4 / 3, "decode": gpu_hours / 24 / 4 * 2 / 3},
    )


def _policy_frames(label: str, name: str, minutes: int) -> tuple[pl.DataFrame, ...]:
    rng = np.random.default_rng(11)
    shape = load_shape(np.arange(minutes) / 60 % 24)
    ts = [START + timedelta(minutes=m) for m in range(minutes)]
    ticks, events = [], []
    for pool, peak, tps in (("prefill", 6, 38_000.0), ("decode", 12, 9_000.0)):
        desired = _desired(name, shape, peak)
        ready = np.concatenate([desired[:1], desired[:1], desired[:-2]])[:minutes]
        starting = np.maximum(desired - ready, 0)
        changed = np.flatnonzero(np.diff(desired, prepend=desired[0]))
        for i in changed:
            before, after = int(desired[i - 1]), int(desired[i])
            kind = "scale_up" if after > before else "scale_down"
            events.append((label, ts[i], pool, kind, before, after, kind))
        ticks += [
            (label, ts[i], pool, int(desired[i]), int(desired[i]), int(ready[i]), int(starting[i]),
             int(max(ready[i] - desired[i], 0)), int(starting[i] * 3), int(20 * shape[i]),
             tps * float(shape[i]), float(min(0.99, shape[i] * peak / max(ready[i], 1) * 0.8)))
            for i in range(minutes)
        ]  # fmt: skip
    arrived = rng.poisson(40 * 60 * shape)
    miss = {"static": 0.002, "heteroscale": 0.008, "hpa": 0.0}[name]
    slack = 1.75 * np.clip(shape - 0.8, 0, 1) if name == "hpa" else 0 * shape
    share = miss + slack
    ok = arrived - rng.binomial(arrived, share)
    readings = [
        (label, t, signal, value, target)
        for signal, values, target in _readings(name, shape)
        for t, value in zip(ts, values, strict=True)
    ]
    minute_rows = [
        (label, ts[i], int(arrived[i]), int(ok[i]), int(ok[i]), int(ok[i]),
         0.3 + float(share[i]), 0.03 + float(share[i]) / 20)
        for i in range(minutes)
    ]  # fmt: skip
    return tuple(
        pl.DataFrame(rows, schema=schema.polars(), orient="row")
        for rows, schema in (
            (ticks, RUN_TICK),
            (readings, RUN_READING),
            (events, RUN_EVENT),
            (minute_rows, RUN_MINUTE),
        )
    )


def _desired(name: str, shape: np.ndarray, peak: int) -> np.ndarray:
    if name == "static":
        return np.full(shape.size, peak)
    if name == "heteroscale":
        held = np.maximum(np.repeat(shape[::10], 10)[: shape.size] * 1.1, 0.2)
        return np.asarray(np.minimum(np.ceil(peak * held), peak), dtype=int)
    return np.asarray([peak - 1 if x > 0.5 else int(peak * 0.75) for x in shape])


def _readings(name: str, shape: np.ndarray) -> list[tuple[str, list[float | None], float | None]]:
    if name == "static":
        return []
    if name == "heteroscale":
        flow: list[float | None] = [700 + 40 * float(x) for x in shape]
        wait: list[float | None] = [0.2 + 0.4 * float(x) for x in shape]
        return [("decode:decode_tps", flow, 740.0), ("prefill:ttft_p90", wait, 1.0)]
    busy: list[float | None] = [0.84 + 0.1 * float(x) for x in shape]
    busy[180:186] = [None] * len(busy[180:186])
    return [("decode:gpu_util", busy, 0.7)]
