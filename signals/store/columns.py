"""Which columns a panel gets: the catalog's signals, each from the best of what is stored."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import polars as pl

from signals.catalog import SIGNALS, SignalSpec
from signals.catalog.pools import POOLS
from signals.schema import SERVICE_POOL, PanelColumn, Sampling, pooled_name
from signals.store.ticks import Grid

__all__ = ["Candidate", "choose_columns"]

Parts = Mapping[str, pl.DataFrame]
_REQUEST_COLUMNS = {
    "request_rate": ("request_rate_rps", "arrived_at"),
    "offered_prompt_tps": ("offered_prompt_tps", "prompt_tokens"),
    "offered_output_tps": ("offered_output_tps", "output_tokens"),
}
_ENERGY = "energy_j_total"
_QUANTILES = {0.5: "p50", 0.9: "p90", 0.99: "p99"}


@dataclass(frozen=True)
class Candidate:
    """A column of the panel and its values.

    Attributes:
        column: what it holds.
        values: `tick_no` Int64, `value` Float64; ticks without a value may be absent.
    """

    column: PanelColumn
    values: pl.DataFrame


@dataclass(frozen=True)
class _Shelf:
    """Rows of the marts by what they are about, and the stock's rows."""

    rows: Mapping[str, Mapping[tuple[str, ...], pl.DataFrame]]
    stock: Mapping[tuple[str, str, str], Mapping[str, object]]
    asked: bool
    tick_s: float
    window_s: float

    def get(self, mart: str, *key: str) -> pl.DataFrame | None:
        return self.rows.get(mart, {}).get(key)


def choose_columns(
    stock: pl.DataFrame, log: Mapping[str, object], parts: Parts, grid: Grid
) -> list[Candidate]:
    """Fill the catalog's signals for every pool.

    Args:
        stock: rows of `panel_stock`.
        log: row of `request_span`.
        parts: rows of the marts by their name.
        grid: the panel's ticks.

    Returns:
        Candidates in the order of pools and of the catalog; a computed signal comes before an exported one.
    """
    shelf = _Shelf(
        rows={
            "gauge_per_tick": _split(parts, "gauge_per_tick", "pool", "measurement", "part"),
            "rate_per_tick": _split(parts, "rate_per_tick", "pool", "measurement", "part"),
            "mean_per_tick": _split(parts, "mean_per_tick", "pool", "measurement"),
            "quantile_per_tick": _split(parts, "quantile_per_tick", "pool", "measurement"),
            "ready_per_tick": _split(parts, "ready_per_tick", "pool"),
            "requests_per_tick": {("",): parts["requests_per_tick"]},
        },
        stock={
            (row["pool"], row["measurement"], row["part"]): row
            for row in stock.iter_rows(named=True)
        },
        asked=bool(log["asked_count"]),
        tick_s=grid.tick_us / 1e6,
        window_s=grid.tick_us * grid.window_ticks / 1e6,
    )
    found = set(stock["pool"])
    others = sorted(found - set(POOLS))
    return [
        candidate
        for pool in (*POOLS, *others)
        for spec in SIGNALS
        if (candidate := next(_ways(shelf, spec, pool), None)) is not None
    ]


def _split(parts: Parts, mart: str, *keys: str) -> Mapping[tuple[str, ...], pl.DataFrame]:
    frame = parts.get(mart)
    if frame is None or frame.is_empty():
        return {}
    groups = frame.partition_by(*keys, as_dict=True, maintain_order=True)
    return {tuple(str(part) for part in key): group for key, group in groups.items()}


def _ways(shelf: _Shelf, spec: SignalSpec, pool: str) -> Iterator[Candidate]:
    """Ways to get a signal, the best first."""
    if pool == SERVICE_POOL and spec.name in _REQUEST_COLUMNS:
        yield from _from_log(shelf, spec)
    yield from _COMPUTED[spec.how](shelf, spec, pool)
    yield from _exported(shelf, spec, pool)
    if spec.name == "power_w":
        yield from _power_from_energy(shelf, spec, pool)
    if spec.name == "ready":
        yield from _inferred_ready(shelf, spec, pool)


def _from_log(shelf: _Shelf, spec: SignalSpec) -> Iterator[Candidate]:
    column, field = _REQUEST_COLUMNS[spec.name]
    rows = shelf.rows["requests_per_tick"]["",]
    values = rows.select("tick_no", value=pl.col(column))
    if values["value"].null_count() < values.height:
        if field == "output_tokens" and shelf.asked:
            field = "asked_output_tokens"
        yield Candidate(
            _column(spec, SERVICE_POOL, (f"request.{field}",), {}, window_s=shelf.tick_s),
            values,
        )


def _rates(shelf: _Shelf, spec: SignalSpec, pool: str) -> Iterator[Candidate]:
    part = "sum" if spec.how == "hist_sum_rate" else "value"
    need = spec.needs[0]
    rows = shelf.get("rate_per_tick", pool, need, part)
    if rows is not None:
        yield _measured(shelf, spec, pool, part, rows.select("tick_no", value="rate_per_s"))


def _gauges(shelf: _Shelf, spec: SignalSpec, pool: str) -> Iterator[Candidate]:
    rows = shelf.get("gauge_per_tick", pool, spec.needs[0], "value")
    if rows is not None:
        value = "mean_value" if spec.how == "gauge_mean" else "total_value"
        yield _measured(shelf, spec, pool, "value", rows.select("tick_no", value=value))


def _means(shelf: _Shelf, spec: SignalSpec, pool: str) -> Iterator[Candidate]:
    rows = shelf.get("mean_per_tick", pool, spec.needs[0])
    if rows is not None:
        yield _measured(shelf, spec, pool, "sum", rows.select("tick_no", value="mean_value"))


def _quantiles(shelf: _Shelf, spec: SignalSpec, pool: str) -> Iterator[Candidate]:
    rows = shelf.get("quantile_per_tick", pool, spec.needs[0])
    if rows is not None and spec.quantile is not None:
        values = rows.select("tick_no", value=_QUANTILES[spec.quantile])
        yield _measured(shelf, spec, pool, "bucket", values)


def _ratios(shelf: _Shelf, spec: SignalSpec, pool: str) -> Iterator[Candidate]:
    yield from _quotients(shelf, spec, pool, "rate_per_tick", value="rate_per_s", keys=["tick_no"])


def _gauge_ratios(shelf: _Shelf, spec: SignalSpec, pool: str) -> Iterator[Candidate]:
    # of as many instances above as below
    keys = ["tick_no", "series_count"]
    yield from _quotients(shelf, spec, pool, "gauge_per_tick", value="total_value", keys=keys)


def _quotients(
    shelf: _Shelf, spec: SignalSpec, pool: str, question: str, *, value: str, keys: list[str]
) -> Iterator[Candidate]:
    above = shelf.get(question, pool, spec.needs[0], "value")
    below = shelf.get(question, pool, spec.needs[1], "value")
    if above is None or below is None:
        return
    both = above.select(*keys, above=value).join(below.select(*keys, below=value), on=keys)
    values = both.filter(pl.col("below") > 0).select(
        "tick_no", value=pl.col("above") / pl.col("below")
    )
    yield _measured(shelf, spec, pool, "value", values.sort("tick_no"))


def _exported(shelf: _Shelf, spec: SignalSpec, pool: str) -> Iterator[Candidate]:
    rows = shelf.get("gauge_per_tick", pool, spec.name, "signal")
    if rows is None:
        return
    stock = shelf.stock[pool, spec.name, "signal"]
    value = "total_value" if spec.scope == "total" else "mean_value"
    column = _column(
        spec, pool, (f"{spec.name}@{pool}",), stock, window_s=shelf.tick_s, exported=True
    )
    yield Candidate(column, rows.select("tick_no", value=value))


def _power_from_energy(shelf: _Shelf, spec: SignalSpec, pool: str) -> Iterator[Candidate]:
    """Joules per second of the mean GPU, where its draw is not exported."""
    rows = shelf.get("rate_per_tick", pool, _ENERGY, "value")
    if rows is not None:
        mean = rows.select("tick_no", value=pl.col("rate_per_s") / pl.col("series_count"))
        stock = shelf.stock[pool, _ENERGY, "value"]
        column = _column(spec, pool, (f"{_ENERGY}@{pool}",), stock, window_s=shelf.tick_s)
        yield Candidate(column, mean)


def _inferred_ready(shelf: _Shelf, spec: SignalSpec, pool: str) -> Iterator[Candidate]:
    rows = shelf.get("ready_per_tick", pool)
    if rows is not None:
        column = _column(spec, pool, (f"instances@{pool}",), {}, window_s=shelf.tick_s)
        yield Candidate(
            column, rows.select("tick_no", value=pl.col("ready_count").cast(pl.Float64))
        )


def _measured(
    shelf: _Shelf, spec: SignalSpec, pool: str, part: str, values: pl.DataFrame
) -> Candidate:
    stock = shelf.stock[pool, spec.needs[0], part]
    windowed = spec.how in {"hist_mean", "hist_quantile"}
    sources = tuple(f"{need}@{pool}" for need in spec.needs)
    return Candidate(
        _column(
            spec,
            pool,
            sources,
            stock,
            window_s=shelf.window_s if windowed else shelf.tick_s,
        ),
        values,
    )


def _column(
    spec: SignalSpec,
    pool: str,
    sources: tuple[str, ...],
    stock: Mapping[str, object],
    *,
    window_s: float,
    exported: bool = False,
) -> PanelColumn:
    resolution = stock.get("resolution_s")
    sampling: Sampling = "step_aligned" if stock.get("step_aligned") else "raw"
    return PanelColumn(
        name=pooled_name(pool, spec.name),
        pool=pool,
        signal=spec.name,
        unit="rel" if stock.get("relative") else spec.unit,
        scope=spec.scope,
        sources=sources,
        resolution_s=resolution if isinstance(resolution, float) else 0.0,
        window_s=window_s,
        sampling=sampling,
        exported=exported,
    )


_COMPUTED: Mapping[str, Callable[[_Shelf, SignalSpec, str], Iterator[Candidate]]] = {
    "rate_sum": _rates,
    "hist_sum_rate": _rates,
    "request_log": _rates,
    "gauge_mean": _gauges,
    "gauge_ratio": _gauge_ratios,
    "gauge_sum": _gauges,
    "hist_mean": _means,
    "hist_quantile": _quantiles,
    "rate_ratio": _ratios,
}
