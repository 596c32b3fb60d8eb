"""Prompt and output lengths for requests that are drawn from rates: pooled histograms and each client's quantiles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from signals.schema import Finding
from signals.store.sources.table import open_table, require_columns

__all__ = ["FIELDS", "HISTOGRAM", "STATS", "LengthLaw", "Lengths", "length_laws", "open_lengths"]

FIELDS = {"prompt_tokens": "input_tokens", "output_tokens": "output_tokens"}
"""Fields of the length tables by the request form's name."""
STATS = {"client", "window_start_s", "est_requests", "input_tokens_p50"}
HISTOGRAM = {"window_start_s", "field", "bin_lo", "bin_hi", "est_requests"}

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_ANCHORS = np.array([0.5, 0.9, 0.99])
_QUANTILES = ("p50", "p90", "p99")
_GRID = 400
_LAST = 1e-4
_SPACING_S = 6 * 3600


@dataclass(frozen=True)
class LengthLaw:
    """Lengths of one field in one window.

    The histogram is of all requests together, the quantiles are each client's own. A length is drawn from a
    rough law of the client, and its rank among all clients' lengths is looked up in the histogram: so all
    together have the histogram's distribution, and the clients with long prompts have them here, too.

    Attributes:
        low: Int64[b], least length of each bin.
        high: Int64[b], one more than the most.
        below: Float64[b], share of requests in this bin or below.
        ratios: by client, log of its p50, p90 and p99 over the pooled ones, Float64[3].
        scores: Float64[g], rough lengths of all clients, rising.
        ranks: Float64[g], share of requests up to each of them.
    """

    low: Ints
    high: Ints
    below: Floats
    ratios: Mapping[int, Floats]
    scores: Floats
    ranks: Floats

    def draw(self, clients: Ints, rng: np.random.Generator) -> Ints:
        """Draw a length for each request.

        Args:
            clients: Int64[n], the client of each; one without quantiles gets the pooled distribution.
            rng: the draw.
        """
        u = rng.random(clients.size)
        place, known = self._places(clients)
        if known.any():
            rough = self._rough(u[known], place[known])
            u[known] = np.interp(rough, self.scores, self.ranks)
        return self._lengths(u, rng.random(clients.size))

    def has(self, clients: Ints) -> NDArray[np.bool_]:
        """Which requests are of a client with quantiles of its own."""
        return self._places(clients)[1]

    def _places(self, clients: Ints) -> tuple[Ints, NDArray[np.bool_]]:
        names = np.array(sorted(self.ratios), dtype=np.int64)
        if names.size == 0:
            return np.zeros(clients.size, dtype=np.int64), np.zeros(clients.size, dtype=bool)
        place = np.minimum(np.searchsorted(names, clients), names.size - 1)
        return place, names[place] == clients

    def _rough(self, u: Floats, place: Ints) -> Floats:
        table = np.array([self.ratios[name] for name in sorted(self.ratios)])
        return _quantile(self, u) * np.exp(_between(u, table[place].T))

    def _lengths(self, u: Floats, within: Floats) -> Ints:
        row = np.minimum(np.searchsorted(self.below, u, side="right"), self.low.size - 1)
        width = self.high[row] - self.low[row]
        return self.low[row] + (within * width).astype(np.int64)


def _quantile(law: LengthLaw, u: Floats) -> Floats:
    row = np.minimum(np.searchsorted(law.below, u, side="right"), law.low.size - 1)
    before = np.where(row > 0, law.below[row - 1], 0.0)
    inside = np.clip((u - before) / np.maximum(law.below[row] - before, 1e-300), 0.0, 1.0)
    value: Floats = np.maximum(law.low[row] + inside * (law.high[row] - law.low[row]), 1.0)
    return value


def _between(u: Floats, anchors: Floats) -> Floats:
    """Piecewise linear in the log of the share above; flat below the median and beyond p99."""
    tail = -np.log(np.clip(1.0 - u, _LAST, 1.0))
    marks = -np.log(1.0 - _ANCHORS)
    first = np.clip((tail - marks[0]) / (marks[1] - marks[0]), 0.0, 1.0)
    second = np.clip((tail - marks[1]) / (marks[2] - marks[1]), 0.0, 1.0)
    value: Floats = (
        anchors[0] + first * (anchors[1] - anchors[0]) + second * (anchors[2] - anchors[1])
    )
    return value


def length_laws(
    histogram: pl.DataFrame, stats: pl.DataFrame | None, field: str
) -> dict[int, LengthLaw]:
    """Laws of one field by the start of their window, seconds.

    Args:
        histogram: window_start_s, field, bin_lo, bin_hi, est_requests.
        stats: client, window_start_s, est_requests, and `{field}_p50`, `_p90`, `_p99`; None without.
        field: as in the tables.
    """
    rows = histogram.filter(
        (pl.col("field") == field)
        & (pl.col("est_requests") > 0)
        & (pl.col("bin_hi") > pl.col("bin_lo"))
    )
    laws = {}
    for (start,), bins in rows.sort("window_start_s", "bin_lo").group_by(
        ["window_start_s"], maintain_order=True
    ):
        mine = None if stats is None else stats.filter(pl.col("window_start_s") == start)
        laws[int(str(start))] = _law(bins, mine, field)
    return laws


def _law(bins: pl.DataFrame, stats: pl.DataFrame | None, field: str) -> LengthLaw:
    weights = bins["est_requests"].to_numpy()
    pooled = LengthLaw(
        bins["bin_lo"].to_numpy(),
        bins["bin_hi"].to_numpy(),
        np.cumsum(weights) / weights.sum(),
        {},
        np.empty(0),
        np.empty(0),
    )
    names = [f"{field}_{quantile}" for quantile in _QUANTILES]
    if stats is None or not {*names, "client", "est_requests"} <= set(stats.columns):
        return pooled
    known = stats.drop_nulls(names).filter(pl.col("est_requests") > 0)
    if known.is_empty():
        return pooled
    own = np.log(np.maximum(known.select(names).to_numpy(), 1.0))
    ratios = own - np.log(_quantile(pooled, _ANCHORS))
    grid = (np.arange(_GRID) + 0.5) / _GRID
    rough = _quantile(pooled, grid) * np.exp(_between(grid, ratios.T[:, :, None]))
    shares = np.repeat(known["est_requests"].to_numpy() / _GRID, _GRID)
    order = np.argsort(rough, axis=None, kind="stable")
    scores, shares = rough.ravel()[order], shares[order]
    ranks = (np.cumsum(shares) - shares / 2) / shares.sum()
    clients = (int(client) for client in known["client"])
    return LengthLaw(
        pooled.low,
        pooled.high,
        pooled.below,
        dict(zip(clients, ratios, strict=True)),
        scores,
        ranks,
    )


# --- files ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Lengths:
    """Lengths of all fields and windows.

    Attributes:
        laws: by field of the request form and start of the window, seconds.
        spacing_s: from one window to the next.
    """

    laws: dict[str, dict[int, LengthLaw]]
    spacing_s: int

    def at(self, name: str, start_s: float) -> LengthLaw | None:
        """The law of the window around a time; the nearest one where there is none."""
        laws = self.laws[name]
        if not laws:
            return None
        start = int(start_s // self.spacing_s) * self.spacing_s
        return laws.get(start) or laws[min(laws, key=lambda one: abs(one - start))]


def open_lengths(path: Path) -> tuple[Lengths | None, list[Finding]]:
    """Find and read the length tables beside a table of rates.

    Args:
        path: `NAME.rates*.parquet`.

    Returns:
        The lengths; None and a finding where no histogram of the same name lies beside.

    Raises:
        InputError: a table beside is broken or lacks a column.
    """
    histogram_path, stats_path = (_sibling(path, kind) for kind in ("length_hist", "length_stats"))
    if histogram_path is None:
        return None, [_no_lengths(path)]
    histogram = _table(histogram_path, HISTOGRAM)
    stats = None if stats_path is None else _table(stats_path, STATS)
    starts = histogram["window_start_s"].unique().sort()
    steps = starts.diff().drop_nulls()
    spacing = int(steps.to_numpy().min()) if steps.len() else _SPACING_S
    laws = {name: length_laws(histogram, stats, column) for name, column in FIELDS.items()}
    return Lengths(laws, max(spacing, 1)), []


def _sibling(path: Path, kind: str) -> Path | None:
    if ".rates" not in path.name:
        return None
    stem, _, tail = path.name.partition(".rates")
    exact = path.with_name(f"{stem}.{kind}{tail}")
    found = [exact] if exact.is_file() else sorted(path.parent.glob(f"{stem}.{kind}*.parquet"))
    return found[0] if found else None


def _table(path: Path, columns: set[str]) -> pl.DataFrame:
    names, parts = open_table(path)
    require_columns(names, sorted(columns), path, "ServeGen's lengths")
    frame = pl.concat([part.frame for part in parts])
    return frame.with_columns(
        pl.col(name).cast(pl.Float64, strict=False) if name != "field" else pl.col(name)
        for name in names
    ).with_columns(
        pl.col(name).cast(pl.Int64, strict=False)
        for name in ("window_start_s", "client", "bin_lo", "bin_hi")
        if name in names
    )


def _no_lengths(path: Path) -> Finding:
    return Finding(
        "no_lengths",
        "warning",
        "no length table of the same name lies beside the rates",
        subject=path.name,
        action="token counts left missing; put NAME.length_hist*.parquet and NAME.length_stats*.parquet beside it",
    )
