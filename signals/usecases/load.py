"""Turning what a user says about a load into options of the store; and the only clock."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from signals.errors import UsageError
from signals.store import LoadOptions
from signals.store.parsed import NameChoice, ReadOptions
from signals.units import parse_unit

__all__ = ["check_max_reject", "clock", "name_choice", "options"]

_NAMED = re.compile(r"(?P<name>[^\[\]]+?)\s*(?:\[(?P<unit>[^\[\]]*)\])?")


def clock() -> datetime:
    """The present, UTC; the one place that reads the clock for analysis windows."""
    return datetime.now(UTC)  # noqa: TID251 - the edge, where `now` gets its meaning


def options(
    *,
    service: str = "",
    source_format: str = "",
    pool_rules: tuple[str, ...] = (),
    as_name: str = "",
    columns: tuple[str, ...] = (),
    zone: str = "",
    at: datetime | None = None,
    start: datetime | None = None,
    interval_s: float | None = None,
    seed: int = 0,
    skip_s: float = 0.0,
    span_s: float | None = None,
    share: float = 1.0,
    max_reject: float = 0.05,
) -> LoadOptions:
    """Options of a load from the words of the command line.

    Args:
        service: name for all rows; empty for each file's stem.
        source_format: name of the format; empty to detect it.
        pool_rules: `pool=label:value` or `pool=label:~regex`.
        as_name: `name[unit]` of a nameless result.
        columns: `column=name[unit]`.
        zone: IANA zone of naive times.
        at: time of scrapes without times.
        start: time zero of relative times.
        interval_s: spacing of samples in formats without times, seconds.
        seed: of requests that are drawn from a log of rates, 0 and up.
        skip_s: seconds to leave out at the head of a log of rates.
        span_s: seconds to draw of it; None for all.
        share: of its requests to keep, above 0 and at most 1.
        max_reject: share 0..1 of unreadable records above which the load fails.

    Raises:
        UsageError: a word is not understood.
    """
    check_max_reject(max_reject)
    if seed < 0:
        raise UsageError(f"--seed {seed} is negative", where="--seed", expected="0 or more")
    if not 0 < share <= 1:
        raise UsageError(
            f"--share {share} is not a share of the requests",
            where="--share",
            expected="above 0, at most 1",
        )
    mapping = {}
    for text in columns:
        # headers such as {pod="a"} have signs of their own; names and units have none
        column, equals, named = text.rpartition("=")
        if not equals or not column:
            raise UsageError(
                f"'{text}' does not name a column", where="--map", expected="COLUMN=NAME[unit]"
            )
        mapping[column] = name_choice(named, where="--map")
    return LoadOptions(
        read=ReadOptions(
            service=service,
            as_name=name_choice(as_name, where="--as") if as_name else None,
            columns=mapping,
            zone=zone,
            at=at,
            start=start,
            interval_s=interval_s,
            seed=seed,
            skip_s=skip_s,
            span_s=span_s,
            share=share,
        ),
        source_format=source_format,
        pool_rules=pool_rules,
        max_reject=max_reject,
    )


def check_max_reject(share: float) -> None:
    """Refuse what is no share.

    Raises:
        UsageError: it does not lie between 0 and 1.
    """
    if not 0 <= share <= 1:
        raise UsageError(
            f"--max-reject {share} is not a share", where="--max-reject", expected="0 to 1"
        )


def name_choice(text: str, *, where: str) -> NameChoice:
    """A name with its unit, as `NAME` or `NAME[unit]`.

    Args:
        text: as written.
        where: the option, for the error.

    Raises:
        UsageError: it is none, or the unit is not known.
    """
    match = _NAMED.fullmatch(text.strip())
    if match is None:
        raise UsageError(f"'{text}' is not a name", where=where, expected="NAME or NAME[unit]")
    unit = match["unit"] or ""
    return NameChoice(match["name"], parse_unit(unit, where=where).name if unit else "")
