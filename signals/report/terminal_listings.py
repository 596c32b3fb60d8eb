"""Tables for a terminal of what there is: signals, policies, profiles, query results, checks."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import polars as pl
from rich.console import RenderableType
from rich.text import Text

from signals.catalog import MEASUREMENTS, SIGNALS
from signals.policies.policy import Parameter
from signals.report.grid import Column, Grid, chip, note, title
from signals.report.json_listings import CheckLike
from signals.report.words import MISSING, quantity, share_text

__all__ = [
    "catalog_tables",
    "checks_table",
    "frame_table",
    "policies_tables",
    "profiles_tables",
]

_MOST_ROWS = 1000


def catalog_tables() -> list[RenderableType]:
    """The declared signals and measurements."""
    signals = Grid(
        (
            Column("signal"),
            Column("unit"),
            Column("role", keep=1),
            Column("from", keep=2),
            Column("what it says, and when it moves", wrap=24),
        ),
        tuple(
            (
                spec.name,
                spec.unit,
                spec.role,
                spec.how,
                f"{spec.measures}; {spec.moves}" if spec.moves else spec.measures,
            )
            for spec in SIGNALS
        ),
    )
    measurements = Grid(
        (
            Column("measurement"),
            Column("kind"),
            Column("unit"),
            Column("family", keep=1),
            Column("what", wrap=24),
        ),
        tuple((m.name, m.kind, m.unit, m.family, m.title) for m in MEASUREMENTS),
    )
    return [
        title("signals, per pool: prefill, decode, unified or service"),
        signals,
        title("measurements, from which signals are computed"),
        measurements,
    ]


def policies_tables() -> list[RenderableType]:
    """The policies with their parameters."""
    from signals.policies import POLICIES

    parts: list[RenderableType] = []
    for entry in POLICIES:
        spec = entry.spec
        parts += [title(spec.name), Text(spec.summary), note(f"after {spec.source}")]
        rows = tuple(
            (
                parameter.name,
                _default(parameter),
                parameter.unit or MISSING,
                _range(parameter.low, parameter.high, parameter.choices),
                parameter.text,
            )
            for parameter in spec.parameters
        )
        columns = (
            Column("parameter"),
            Column("default", right=True),
            Column("unit", keep=2),
            Column("range", keep=1),
            Column("what", wrap=24),
        )
        parts.append(Grid(columns, rows))
    return parts


def _default(parameter: Parameter) -> str:
    value = parameter.default
    if value is None:
        return MISSING
    if isinstance(value, str | bool) or parameter.unit not in {"s", "ratio"}:
        return f"{value:g}" if isinstance(value, float) else str(value)
    return quantity(float(value), parameter.unit)


def _range(low: float | None, high: float | None, choices: tuple[str, ...]) -> str:
    if choices:
        return "|".join(choices)
    if low is None and high is None:
        return MISSING
    ends = ("" if end is None else f"{end:g}" for end in (low, high))
    return " to ".join(ends).strip()


def profiles_tables() -> list[RenderableType]:
    """The shipped profiles with their source and how far the fit is from the measured points."""
    from signals.profiles import load_profile, profile_names

    parts: list[RenderableType] = []
    for name in profile_names():
        profile = load_profile(name)
        price = profile.price_per_gpu_hour
        parts += [
            title(f"{profile.name}: {profile.title}"),
            Text(
                f"{profile.gpus_per_instance} × {profile.gpu} per instance, KV cache of "
                f"{profile.kv_capacity_tokens:,} tokens, decode batch up to {profile.max_num_seqs}, "
                f"measured up to {profile.valid_prompt_tokens[1]:,} prompt tokens and batch "
                f"{profile.valid_batch[1]}" + ("" if price is None else f", {price:g} per GPU-hour")
            ),
            note(profile.source),
            Grid(
                (
                    Column("fitted curve"),
                    Column("points", right=True),
                    Column("median error", right=True),
                    Column("largest error", right=True),
                ),
                tuple(
                    (
                        error.curve,
                        str(error.points),
                        share_text(error.median_ratio),
                        share_text(error.max_ratio),
                    )
                    for error in profile.fit_errors
                ),
            ),
        ]
    return parts


def frame_table(name: str, data: pl.DataFrame | Sequence[str]) -> Grid:
    """The rows of a query, at most 1,000, or the names of all queries.

    Args:
        name: of the query; the heading where `data` is a list of names.
        data: the rows, or names.
    """
    if not isinstance(data, pl.DataFrame):
        return Grid((Column(name),), tuple((text,) for text in data))
    columns = tuple(
        Column(column, right=dtype.is_numeric(), wrap=8) for column, dtype in data.schema.items()
    )
    rows = tuple(tuple(_plain(v) for v in row) for row in data.head(_MOST_ROWS).iter_rows())
    return Grid(columns, rows)


def _plain(value: object) -> str:
    if value is None:
        return MISSING
    if isinstance(value, float):
        return f"{value:.6g}"
    return value.isoformat(" ") if isinstance(value, datetime) else str(value)


def checks_table(checks: Sequence[CheckLike]) -> Grid:
    """The checks of the installation."""
    columns = (Column("check"), Column("state"), Column("found", wrap=24))
    return Grid(columns, tuple((c.name, chip(c.state, c.state), c.text) for c in checks))
