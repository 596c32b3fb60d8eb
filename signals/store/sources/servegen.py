"""ServeGen's production logs: a rate and a family of gaps for each client and window, drawn into requests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from signals.errors import InputError
from signals.schema import TIMESTAMP, Finding
from signals.store.parsed import Chunk, ReadOptions, Reject, Source
from signals.store.sources.cells import numbers_of, rejects_of, texts_of
from signals.store.sources.request_part import complete_requests
from signals.store.sources.servegen_arrivals import FAMILIES, draw_arrivals
from signals.store.sources.servegen_lengths import (
    FIELDS,
    HISTOGRAM,
    STATS,
    Lengths,
    open_lengths,
)
from signals.store.sources.stamps import StampReader
from signals.store.sources.table import head_names, open_table, require_columns

__all__ = ["MOST_REQUESTS", "SERVEGEN"]

MOST_REQUESTS = 25_000_000
"""Requests that one load may draw; more of them are asked for in parts or as a share."""

_RATES = ("client", "window_start_s", "rate_rps", "iat_family", "iat_p1")
_NUMBERS = ("client", "window_start_s", "rate_rps")
_WINDOW_S = 600.0
# beyond any client's number, and as seconds beyond any trace
_MOST_WHOLE = 10**9
_CHUNK_ROWS = 500_000
_EVEN = 1.0

Ints = NDArray[np.int64]


def _detect(head: bytes, path: Path) -> float:
    names = set(head_names(head, path))
    if {"client", "window_start_s", "rate_rps"} <= names:
        return 1.0
    return 0.9 if names >= STATS or names >= HISTOGRAM else 0.0


@dataclass
class _Tally:
    """What was drawn."""

    drawn: int = 0
    pooled: int = 0
    pooled_clients: set[int] = field(default_factory=set)


def _read(path: Path, options: ReadOptions) -> Iterator[Chunk]:
    names, parts = open_table(path, options.columns)
    if "rate_rps" not in names:
        for part in parts:
            del part
        yield Chunk(findings=(_beside(path),))
        return
    require_columns(names, _RATES, path, "ServeGen's rates")
    frames, rejects, rows = [], list[Reject](), 0
    for part in parts:
        rows += part.frame.height + len(part.rejects)
        frame, lost = _rates(part.frame.select(_RATES), part.lines)
        frames.append(frame)
        rejects += [*part.rejects, *lost]
    rates = pl.concat(frames)
    yield Chunk(rows_read=rows, rejects=tuple(rejects))
    window_s = _window(rates)
    cut = _cut(rates, options)
    _refuse_many(cut, window_s, options, path)
    lengths, beside = open_lengths(path)
    reader = StampReader(f"{path}, 'window_start_s'", options, unit="s", relative="start")
    tally = _Tally()
    yield from _draw(cut, window_s, lengths, options, tally)
    yield Chunk(
        findings=(
            *reader.findings(),
            *beside,
            *_silences(cut),
            *_strange(cut),
            *_drawn(tally, options),
        )
    )


def _beside(path: Path) -> Finding:
    return Finding(
        "lengths_only",
        "info",
        "the table holds lengths, which are read with the rates of the same name",
        subject=path.name,
        action="left out by itself",
    )


def _rates(frame: pl.DataFrame, lines: pl.Series) -> tuple[pl.DataFrame, list[Reject]]:
    """Rows with whole clients, windows and rates; the others as rejects."""
    rejects: list[Reject] = []
    lost = pl.repeat(value=False, n=frame.height, eager=True, dtype=pl.Boolean)
    columns = {}
    for name in _NUMBERS:
        values, bad = numbers_of(frame[name])
        sound = values.is_finite() & (values >= 0)
        if name != "rate_rps":
            sound &= (values == values.floor()) & (values < _MOST_WHOLE)
        bad |= ~sound.fill_null(value=False)
        rejects += rejects_of(bad & ~lost, frame[name], lines, "bad_number")
        lost |= bad
        columns[name] = values
    columns["shape"] = numbers_of(frame["iat_p1"])[0]
    family = texts_of(frame["iat_family"]).str.to_titlecase().alias("family")
    rates = pl.DataFrame([family, *(s.alias(n) for n, s in columns.items())]).filter(~lost)
    rejects.sort(key=lambda reject: reject.line)
    return rates.with_columns(pl.col("client").cast(pl.Int64)), rejects


def _window(rates: pl.DataFrame) -> float:
    """Seconds from one window to the next."""
    steps = rates["window_start_s"].unique().sort().diff().drop_nulls()
    return float(steps.min()) if steps.len() else _WINDOW_S  # type: ignore[arg-type]


def _cut(rates: pl.DataFrame, options: ReadOptions) -> pl.DataFrame:
    """Windows that begin in the asked stretch of the log."""
    if rates.is_empty():
        return rates
    begin = float(rates["window_start_s"].min()) + options.skip_s  # type: ignore[arg-type]
    end = float("inf") if options.span_s is None else begin + options.span_s
    return rates.filter((pl.col("window_start_s") >= begin) & (pl.col("window_start_s") < end))


def _refuse_many(rates: pl.DataFrame, window_s: float, options: ReadOptions, path: Path) -> None:
    requests = float(rates["rate_rps"].sum()) * window_s * options.share
    if rates.is_empty() or requests < 1:
        raise InputError(
            "no request is left to draw",
            where=str(path),
            expected="a stretch of the log with requests",
            hint="check --skip, --span and --share",
        )
    if requests > MOST_REQUESTS:
        whole = float(rates["rate_rps"].sum()) * window_s
        raise InputError(
            f"the rates stand for {requests:,.0f} requests, more than {MOST_REQUESTS:,} to draw at once",
            where=str(path),
            expected="a stretch of the log, or a share of its requests",
            hint=f"cut it with --skip 24h --span 1h, or thin it with --share {0.8 * MOST_REQUESTS / whole:.1g}",
        )


# --- the draw -------------------------------------------------------------------------------------------


def _draw(
    rates: pl.DataFrame,
    window_s: float,
    lengths: Lengths | None,
    options: ReadOptions,
    tally: _Tally,
) -> Iterator[Chunk]:
    zero = options.start or datetime(1970, 1, 1, tzinfo=UTC)
    zero_us = round(zero.timestamp() * 1e6)
    busy = rates.filter(pl.col("rate_rps") > 0).sort("window_start_s", "client")
    for (start,), window in busy.group_by(["window_start_s"], maintain_order=True):
        start_s = float(str(start))
        # each window has a draw of its own, so that a stretch is the same whether drawn alone or with others
        rng = np.random.default_rng([options.seed, int(start_s)])
        at, clients = _arrivals(window, window_s, options.share, rng)
        inside = np.minimum(np.floor(at * window_s * 1e6), window_s * 1e6 - 1)
        stamps = zero_us + int(start_s) * 1_000_000 + inside.astype(np.int64)
        columns = {
            "arrived_at": pl.Series(stamps, dtype=pl.Int64).cast(TIMESTAMP),
            "session": pl.Series(clients, dtype=pl.Int64).cast(pl.String),
        }
        columns |= _lengths_of(clients, start_s, lengths, rng, tally)
        requests = complete_requests(pl.DataFrame(columns))
        tally.drawn += requests.height
        for first in range(0, requests.height, _CHUNK_ROWS):
            yield Chunk(requests=requests[first : first + _CHUNK_ROWS])


def _arrivals(
    window: pl.DataFrame, window_s: float, share: float, rng: np.random.Generator
) -> tuple[NDArray[np.float64], Ints]:
    """Arrivals within a window in order, as a share of it, and their clients."""
    expected = window["rate_rps"].to_numpy() * window_s
    # the published rates are counts over the window; any other is rounded up or down by chance
    counts = np.floor(expected + 1e-6)
    counts += rng.random(counts.size) < np.maximum(expected - counts, 0.0)
    shapes = window["shape"].fill_null(_EVEN).fill_nan(_EVEN).to_numpy().copy()
    family = window["family"]
    shapes[~family.is_in(FAMILIES[1:]).fill_null(value=False).to_numpy() | (shapes <= 0)] = _EVEN
    gamma = (family == "Gamma").fill_null(value=False).to_numpy()
    at, place = draw_arrivals(counts.astype(np.int64), shapes, gamma, rng)
    if share < 1.0:
        kept = rng.random(at.size) < share
        at, place = at[kept], place[kept]
    order = np.argsort(at, kind="stable")
    return at[order], window["client"].to_numpy()[place[order]]


def _lengths_of(
    clients: Ints,
    start_s: float,
    lengths: Lengths | None,
    rng: np.random.Generator,
    tally: _Tally,
) -> dict[str, pl.Series]:
    columns = {}
    for name in FIELDS if lengths is not None else ():
        law = lengths.at(name, start_s) if lengths is not None else None
        if law is None:
            continue
        columns[name] = pl.Series(law.draw(clients, rng))
        if name == "prompt_tokens":
            pooled = clients[~law.has(clients)]
            tally.pooled += pooled.size
            tally.pooled_clients.update(np.unique(pooled).tolist())
    return columns


# --- findings -------------------------------------------------------------------------------------------


def _silences(rates: pl.DataFrame) -> list[Finding]:
    sums = rates.group_by("window_start_s").agg(pl.col("rate_rps").sum())
    silent = sums.filter(pl.col("rate_rps") == 0).height
    if not silent:
        return []
    return [
        Finding(
            "zero_windows",
            "info",
            f"{silent} of {sums.height} windows have no request of any client",
            count=silent,
            subject="rate_rps",
            action="kept as silence; it may also be a hole in the recording",
        )
    ]


def _strange(rates: pl.DataFrame) -> list[Finding]:
    odd = rates.filter(
        (pl.col("rate_rps") > 0) & ~pl.col("family").is_in(FAMILIES).fill_null(value=False)
    ).height
    if not odd:
        return []
    return [
        Finding(
            "unknown_family",
            "warning",
            f"{odd} windows of clients have requests, but no known family of gaps",
            count=odd,
            subject="iat_family",
            action=f"drawn as a Poisson process; known are {', '.join(FAMILIES)}",
        )
    ]


def _drawn(tally: _Tally, options: ReadOptions) -> list[Finding]:
    thinned = "" if options.share >= 1.0 else f", {options.share:g} of them kept"
    found = [
        Finding(
            "drawn_requests",
            "info",
            f"{tally.drawn} requests were drawn from rates with seed {options.seed}{thinned}",
            count=tally.drawn,
            subject="arrived_at",
            action="prompt and output lengths are drawn apart from each other",
        )
    ]
    if tally.pooled:
        share = tally.pooled / max(tally.drawn, 1)
        found.append(
            Finding(
                "pooled_lengths",
                "warning",
                f"{len(tally.pooled_clients)} clients with {share:.1%} of the requests have rates but no lengths",
                count=tally.pooled,
                subject="prompt_tokens",
                action="drawn from the histogram of all clients together",
            )
        )
    return found


SERVEGEN = Source(
    name="servegen",
    title="ServeGen rates and lengths (drawn into requests)",
    suffixes=(".parquet",),
    detect=_detect,
    read=_read,
    draws=True,
    marks=("client", "window_start_s", "rate_rps"),
    example="client, window_start_s, rate_rps, iat_cv, iat_family, iat_p1, iat_p2",
    export="The rates of alibaba/ServeGen as `NAME.rates.parquet`, with `NAME.length_hist.parquet` or "
    "`NAME.length_stats.parquet` beside it.",
    load="--start TIME [--seed N] [--skip DURATION] [--span DURATION] [--share SHARE]",
    traps=(
        "There are no requests in it: they are drawn, the same ones for the same --seed.",
        "A whole trace may stand for more than a thousand million requests: draw a stretch or a share.",
        "Counts per window are the log's own; only their spacing and their lengths are drawn.",
        "Spacing varies as the fitted family does, which for Weibull windows is less than the measured iat_cv.",
        "The zone of second 0 is not published: hours of the day are relative to --start.",
    ),
)
