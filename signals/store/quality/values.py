"""What values series have: restarts, dead metrics, doubtful names and units, copies."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from signals.schema import Finding
from signals.store.quality.figures import (
    ENOUGH,
    ENOUGH_AT_BOUND,
    Judge,
    by_metric,
    least,
    most,
    some,
    times,
    total,
)
from signals.units import format_quantity

__all__ = ["VALUES"]

# counters whose value moves only when a request ends
_LATE = (
    r"^(?:(?:ray_)?sglang[:_](?:prompt_tokens|generation_tokens|num_requests)(?:_total)?"
    r"|tgi_request_(?:generated_tokens|input_length)_sum|(?:aibrix[:_])?gateway_(?:in|out)put_tokens_total"
    r"|inference_objective_output_tokens_sum|gen_ai[._]client[._]token[._]usage_sum)$"
)
_REAL_TIME = "sglang[:_]realtime_tokens"
_SAID_RATIO = r"(?i)(?:_ratio|_fraction)(?:_|$)"
_SAID_PERCENT = r"(?i)_perc(?:ent)?(?:_|$)"
# two series that agree in all of these hold the same values
_SAME = (
    "target_id",
    "measurement",
    "part",
    "samples",
    "first_us",
    "last_us",
    "falls",
    "lowest",
    "highest",
    "longest_still",
)
# what stands at zero without being broken
_MAY_REST = ("preemptions_total", "queue_depth", "refused_total", "starting", "draining")
_FULL = 1.0
_MAY_STAY = ("ready", "desired", "fb_used", "fb_free", "fb_total", "sm_clock_mhz")


def _resets(frame: pl.DataFrame) -> Iterator[Finding]:
    counters = frame.filter((pl.col("kind") == "counter") & (pl.col("measurement") != ""))
    whole = counters.filter(pl.col("part") == "value")
    # sums and counts of histograms fall with the counters beside them
    counters = (counters if whole.is_empty() else whole).filter(pl.col("falls") > 0)
    often = pl.col("falls") > pl.max_horizontal(3, 0.05 * pl.col("samples"))
    for metric, rows in by_metric(counters.filter(~often)):
        falls = total(rows, "falls")
        yield Finding(
            "counter_reset",
            "info",
            f"{some(rows, 'counter')} of {metric} fell {times(falls)}, as after a restart",
            falls,
            metric,
            "the value after a fall is taken as the increase",
        )
    for metric, rows in by_metric(counters.filter(often)):
        falls, samples = total(rows, "falls"), total(rows, "samples")
        yield Finding(
            "counter_as_gauge",
            "warning",
            f"{metric} is a counter by its name or type, but fell at {falls} of {samples} samples of this load",
            falls,
            metric,
            "still read as a counter: each fall is taken as a restart, so its rate is no use if it is a gauge",
        )


def _gauges_that_only_rise(frame: pl.DataFrame) -> Iterator[Finding]:
    rising = frame.filter(
        (pl.col("kind") == "gauge")
        & (pl.col("measurement") != "")
        & (pl.col("samples") >= 2 * ENOUGH)
        & (pl.col("falls") == 0)
        & (pl.col("highest") > pl.col("lowest"))
        & (4 * pl.col("longest_still") < pl.col("samples"))
    )
    for metric, rows in by_metric(rising):
        yield Finding(
            "gauge_as_counter",
            "warning",
            f"{metric} is read as a gauge, but never falls in {some(rows, 'series')} of this load"
            f" ({least(rows):g} to {most(rows):g}), as a counter would",
            rows.height,
            metric,
            "still read as a gauge",
        )


def _still(frame: pl.DataFrame) -> Iterator[Finding]:
    mapped = frame.filter((pl.col("measurement") != "") & ~pl.col("part").is_in(["bucket", "sum"]))
    for metric, rows in by_metric(mapped):
        name, value = rows["measurement"][0], most(rows)
        is_full = value == _FULL and rows["unit_stored"][0] == "ratio"
        if least(rows) != value or most(rows, "samples") < (ENOUGH_AT_BOUND if is_full else ENOUGH):
            continue
        samples = f"all {total(rows, 'samples')} samples of this load"
        if value == 0:
            yield Finding(
                "always_zero",
                "info" if name in _MAY_REST else "warning",
                f"{metric} is 0 in {samples}",
                rows.height,
                metric,
                "kept; a metric that is declared but never set looks like this",
            )
        elif name not in _MAY_STAY:
            yield Finding(
                "constant",
                "info",
                f"{metric} is {value:g} in {samples}{', the most it can be' if is_full else ''}",
                rows.height,
                metric,
                "kept; a constant says nothing about load",
            )


def _misnamed(frame: pl.DataFrame) -> Iterator[Finding]:
    """Names that promise a ratio or a percentage, and values that cannot be one."""
    name, top = pl.col("metric"), pl.col("highest")
    wrong = (name.str.contains(_SAID_RATIO) & (top > 1.5)) | (
        name.str.contains(_SAID_PERCENT) & (top > 150)
    )
    for metric, rows in by_metric(frame.filter((pl.col("part") == "unmapped") & wrong)):
        yield Finding(
            "no_ratio",
            "info",
            f"{metric} is a share by its name, but reaches {most(rows):g}",
            rows.height,
            metric,
            "kept as it is, not used as a signal",
        )


def _units(frame: pl.DataFrame) -> Iterator[Finding]:
    """Values whose range does not suit the unit that their name says."""
    gauges = frame.filter((pl.col("kind") == "gauge") & (pl.col("measurement") != ""))
    top, unit = pl.col("highest"), pl.col("unit_stored")
    is_percent = pl.col("metric").str.contains(r"(?i)util")
    checks = (
        ("per cent of 0 to 100", "a share of 0 to 1", (unit == "ratio") & is_percent & (top > 0) & (top <= 0.0101)),
        ("seconds", "milliseconds", (unit == "s") & (top > 1000)),
        ("watts", "milliwatts", (unit == "W") & (top > 5000)),
    )  # fmt: skip
    for said, seems, doubtful in checks:
        for metric, rows in by_metric(gauges.filter(doubtful)):
            yield Finding(
                "unit_doubtful",
                "info",
                f"{metric} is in {said} by its name, but its largest value is"
                f" {format_quantity(most(rows), rows['unit_stored'][0])}, as if it were {seems}",
                rows.height,
                metric,
                "taken at its word; name the unit with --as or --map if it is another one",
            )


def _copies(frame: pl.DataFrame) -> Iterator[Finding]:
    """Series of one target and measurement with the same figures in every respect."""
    moving = frame.filter(
        (pl.col("measurement") != "")
        & (pl.col("part") != "bucket")
        & (pl.col("highest") > pl.col("lowest"))
        & (pl.col("samples") >= 5)
    )
    groups = moving.group_by(_SAME, maintain_order=True).agg(
        names=pl.col("metric").unique().sort(), count=pl.len().cast(pl.Int64)
    )
    several = groups.filter(pl.col("count") > 1).with_columns(
        names=pl.col("names").list.join(", "), one_name=pl.col("names").list.len() == 1
    )
    totals = several.group_by("names", "one_name").agg(pl.col("count").sum(), targets=pl.len())
    for names, one_name, count, targets in totals.sort("names").iter_rows():
        if one_name:
            yield Finding(
                "equal_series",
                "warning",
                f"{count} series of {names} move alike in {targets} targets: ranks or copies of one value",
                count - targets,
                names,
                "rank 0 speaks for its engine; other parts of a target are added up",
            )
        else:
            yield Finding(
                "metric_copy",
                "info",
                f"{names} hold the same values in {targets} targets",
                count - targets,
                names,
                "counted once",
            )


def _late(frame: pl.DataFrame) -> Iterator[Finding]:
    late = frame.filter(pl.col("metric").str.contains(_LATE))
    better = not frame.filter(pl.col("metric").str.contains(_REAL_TIME)).is_empty()
    for metric, rows in by_metric(late):
        real_time = better and "sglang" in metric and "num_requests" not in metric
        yield Finding(
            "moves_at_request_end",
            "info",
            f"{metric} moves only when a request ends",
            rows.height,
            metric,
            "the real-time counter is used where it says the same"
            if real_time
            else "its lag holds the whole request",
        )


VALUES: tuple[Judge, ...] = (
    _resets,
    _gauges_that_only_rise,
    _still,
    _misnamed,
    _units,
    _copies,
    _late,
)
