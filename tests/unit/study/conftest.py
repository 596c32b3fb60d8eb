"""Panels with a known truth."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta

import numpy as np
import polars as pl
import pytest

from signals.schema import TIMESTAMP, Panel, PanelColumn

PanelMaker = Callable[..., Panel]


@pytest.fixture(scope="session")
def make_panel() -> PanelMaker:
    """Build a panel from arrays: `make_panel(60.0, {"decode:gpu_util": values}, scopes={...})`."""

    def make(
        tick_s: float,
        values: Mapping[str, np.ndarray],
        *,
        totals: tuple[str, ...] = (
            "request_rate",
            "offered_output_tps",
            "offered_prompt_tps",
            "decode_tps",
            "prefill_tps",
            "completion_rate",
            "queue_depth",
            "ready",
        ),
        sources: Mapping[str, tuple[str, ...]] | None = None,
        aligned: tuple[str, ...] = (),
        service: str = "svc",
    ) -> Panel:
        first = datetime(2025, 1, 1, tzinfo=UTC)
        count = len(next(iter(values.values())))
        ticks = [first + timedelta(seconds=tick_s * (i + 1)) for i in range(count)]
        frame = pl.DataFrame(
            [
                pl.Series("tick", ticks).cast(TIMESTAMP),
                *(
                    pl.Series(name, np.asarray(column, float), nan_to_null=True)
                    for name, column in values.items()
                ),
            ]
        )
        columns = []
        for name in values:
            pool, signal = name.split(":")
            columns.append(
                PanelColumn(
                    name,
                    pool,
                    signal,
                    "count",
                    "total" if signal in totals else "average",
                    sources=(sources or {}).get(name, (f"{signal}@{pool}",)),
                    resolution_s=tick_s,
                    sampling="step_aligned" if name in aligned else "raw",
                )
            )
        return Panel(service, tick_s, frame, tuple(columns))

    return make
