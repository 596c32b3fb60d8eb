"""The panel of a service: every signal per pool on one tick grid, computed by `queries/mart`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

import duckdb
import polars as pl

from signals.errors import AnalysisError
from signals.schema import TIMESTAMP, Panel, PanelColumn
from signals.store.columns import Candidate, choose_columns
from signals.store.lake import narrowed
from signals.store.remarks import panel_findings
from signals.store.sql import run
from signals.store.ticks import Grid, best_phase, check_size, check_tick, default_tick, place_grid

__all__ = ["build_panel"]


def build_panel(
    connection: duckdb.DuckDBPyConnection,
    service: str,
    *,
    tick_s: float | None,
    first: datetime | None,
    last: datetime | None,
) -> Panel:
    """Compute the panel of a service; see `Store.panel`."""
    stock = run(connection, "panel_stock", {"service": service})
    log = run(connection, "request_span", {"service": service}).row(0, named=True)
    if stock.is_empty() and not log["request_count"]:
        raise AnalysisError(
            "no signal is known from what is loaded",
            where=f"service '{service}'",
            hint="signals inventory shows what there is; names can be given with --as and --map",
        )
    grid = _grid(connection, service, stock, log, tick_s, (first, last))
    check_size(grid, max(1, stock.select("pool", "measurement").n_unique()))
    parts = _compute(connection, service, grid, stock)
    candidates = choose_columns(stock, log, parts, grid)
    check_size(grid, max(1, len(candidates)))
    frame, columns = _assemble(candidates, grid)
    findings = panel_findings(connection, service, stock, columns, parts)
    return Panel(service, grid.tick_us / 1e6, frame, columns, findings)


def _compute(
    connection: duckdb.DuckDBPyConnection, service: str, grid: Grid, stock: pl.DataFrame
) -> Mapping[str, pl.DataFrame]:
    """Rows of the marts, only of those that have something to read."""
    base: dict[str, object] = {
        "service": service,
        "tick_us": grid.tick_us,
        "phase_us": grid.phase_us,
        "first_us": grid.first_us,
        "last_us": grid.last_us,
    }
    gap = {"gap_us": grid.gap_us}
    window = {**gap, "window_ticks": grid.window_ticks}
    kinds = set(stock["kind"])
    has_sums = bool(set(stock["part"]) & {"sum", "count"})
    wanted: list[tuple[str, Mapping[str, object], bool]] = [
        ("gauge_per_tick", {}, "gauge" in kinds),
        ("rate_per_tick", gap, "counter" in kinds),
        ("mean_per_tick", window, has_sums),
        ("quantile_per_tick", window, "histogram" in kinds),
        ("requests_per_tick", {}, True),
        ("ready_per_tick", {}, "engine" in set(stock["family"])),
    ]
    with narrowed(connection, {**base, **window}):
        return {
            name: run(connection, name, {**base, **extra})
            for name, extra, is_wanted in wanted
            if is_wanted
        }


def _grid(
    connection: duckdb.DuckDBPyConnection,
    service: str,
    stock: pl.DataFrame,
    log: Mapping[str, object],
    tick_s: float | None,
    window: tuple[datetime | None, datetime | None],
) -> Grid:
    width = default_tick(stock["resolution_s"]) if tick_s is None else tick_s
    check_tick(width)
    tick_us = round(width * 1e6)
    phases = run(connection, "scrape_phases", {"service": service, "tick_us": tick_us})
    starts = [t for t in (*stock["first_at"], log["first_at"]) if isinstance(t, datetime)]
    ends = [t for t in (*stock["last_at"], log["last_at"]) if isinstance(t, datetime)]
    phase_us = best_phase(dict(phases.iter_rows()), tick_us)
    return place_grid((min(starts), max(ends)), width, phase_us, *window)


def _assemble(
    candidates: Sequence[Candidate], grid: Grid
) -> tuple[pl.DataFrame, tuple[PanelColumn, ...]]:
    """Columns side by side on the full grid; leading and trailing ticks without any value are cut."""
    numbers = pl.int_range(grid.numbers.start, grid.numbers.stop, eager=True)
    frame = pl.DataFrame({"tick_no": numbers.cast(pl.Int64)})
    kept = [one for one in candidates if one.values["value"].null_count() < one.values.height]
    if kept:
        long = pl.concat(
            one.values.select(
                pl.lit(number).cast(pl.Int32).alias("column"),
                pl.col("tick_no").cast(pl.Int64),
                pl.col("value").cast(pl.Float64),
            )
            for number, one in enumerate(kept)
        )
        wide = long.pivot(on="column", index="tick_no", values="value")
        frame = frame.join(wide, on="tick_no", how="left", maintain_order="left")
    names = {str(number): one.column.name for number, one in enumerate(kept)}
    ticks = pl.from_epoch(pl.col("tick_no") * grid.tick_us + grid.phase_us, time_unit="us")
    frame = frame.rename(names).select(
        ticks.dt.replace_time_zone("UTC").cast(TIMESTAMP).alias("tick"), *names.values()
    )
    return _trim(frame), tuple(one.column for one in kept)


def _trim(frame: pl.DataFrame) -> pl.DataFrame:
    if frame.width == 1:
        return frame
    valued = frame.select(pl.any_horizontal(pl.exclude("tick").is_not_null()).alias("valued"))[
        "valued"
    ]
    rows = valued.arg_true()
    if rows.is_empty():
        return frame
    return frame.slice(rows[0], rows[-1] - rows[0] + 1)
