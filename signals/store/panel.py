"""The panel of a service: every signal per pool on one tick grid, computed by `queries/mart`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import duckdb
import polars as pl

from signals.errors import AnalysisError, UsageError
from signals.schema import TIMESTAMP, Panel, PanelColumn
from signals.store.columns import Candidate, choose_columns
from signals.store.remarks import panel_findings
from signals.store.sql import run

__all__ = ["build_panel"]

_LEAST_TICK_S = 15.0
_WINDOW_S = 60.0
_GAP_S = 300.0
_GAP_TICKS = 5
_MAX_TICKS = 5_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Grid:
    """Ticks of a panel: `tick_no * tick_us` for first_no < tick_no <= last_no.

    Attributes:
        tick_us: width, microseconds.
        first_us: start of the first window, microseconds since the epoch.
        last_us: last tick, microseconds since the epoch.
    """

    tick_us: int
    first_us: int
    last_us: int

    @property
    def window_ticks(self) -> int:
        """Ticks of the window of histograms."""
        return max(1, round(_WINDOW_S * 1e6 / self.tick_us))

    @property
    def gap_us(self) -> int:
        """Longest hole of a counter that is bridged, microseconds."""
        return max(_GAP_TICKS * self.tick_us, int(_GAP_S * 1e6))


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
    grid = _grid(stock, log, tick_s, first, last)
    parts = _compute(connection, service, grid, stock)
    candidates = choose_columns(stock, log, parts, grid)
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
    return {
        name: run(connection, name, {**base, **extra})
        for name, extra, is_wanted in wanted
        if is_wanted
    }


def _grid(
    stock: pl.DataFrame,
    log: Mapping[str, object],
    tick_s: float | None,
    first: datetime | None,
    last: datetime | None,
) -> Grid:
    width = _default_tick(stock) if tick_s is None else tick_s
    if not (math.isfinite(width) and width >= 0.001):
        raise UsageError(f"a tick of {width} s is not possible", expected="at least 0.001 s")
    tick_us = round(width * 1e6)
    starts = [t for t in (*stock["first_at"], log["first_at"]) if isinstance(t, datetime)]
    ends = [t for t in (*stock["last_at"], log["last_at"]) if isinstance(t, datetime)]
    start_us = _micros(max(first, min(starts)) if first else min(starts))
    end_us = _micros(min(last, max(ends)) if last else max(ends))
    # the tick at or after the data's first sample is the first one; a given end closes the last window
    first_us = (start_us - 1) // tick_us * tick_us
    last_us = end_us // tick_us * tick_us if last else -(-end_us // tick_us) * tick_us
    if last_us <= first_us:
        raise AnalysisError(
            "the window holds no tick",
            where=f"{first or min(starts)} to {last or max(ends)}",
            expected=f"at least one tick of {width:g} s inside {min(starts)} to {max(ends)}",
        )
    if (last_us - first_us) // tick_us > _MAX_TICKS:
        raise UsageError(
            f"a tick of {width:g} s makes more than {_MAX_TICKS} rows",
            expected="a longer tick or a shorter window",
        )
    return Grid(tick_us, first_us, last_us)


def _default_tick(stock: pl.DataFrame) -> float:
    """The larger of 15 s and the data's own step, whole seconds where that is within 2 %."""
    step = stock["resolution_s"].drop_nulls().median()
    if not isinstance(step, float) or step <= _LEAST_TICK_S * 1.02:
        return _LEAST_TICK_S
    whole = float(round(step))
    return whole if abs(whole - step) <= 0.02 * step else step


def _micros(moment: datetime) -> int:
    return (moment - _EPOCH) // timedelta(microseconds=1)


def _assemble(
    candidates: Sequence[Candidate], grid: Grid
) -> tuple[pl.DataFrame, tuple[PanelColumn, ...]]:
    """Columns side by side on the full grid; leading and trailing ticks without any value are cut."""
    numbers = pl.int_range(
        grid.first_us // grid.tick_us + 1, grid.last_us // grid.tick_us + 1, eager=True
    ).alias("tick_no")
    frame = pl.DataFrame({"tick_no": numbers})
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
    ticks = pl.from_epoch(pl.col("tick_no") * grid.tick_us, time_unit="us")
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
