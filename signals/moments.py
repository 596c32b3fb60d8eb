"""Durations and moments as people write them on the command line."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from signals.errors import UsageError

__all__ = ["LONGEST_S", "parse_duration", "parse_moment", "parse_zone", "resolve_window"]

_UNIT_S = {
    "ms": 0.001,
    "s": 1.0,
    "m": 60.0,
    "h": 3600.0,
    "d": 86400.0,
    "w": 604800.0,
    "y": 31536000.0,
}
_PART = re.compile(r"(\d+)(ms|[smhdwy])")
_MOST_DIGITS = 15
LONGEST_S = 100 * 31536000.0
"""The longest duration that is taken, seconds: a hundred years."""
_EARLIEST, _LATEST = datetime(1970, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_EPOCH = re.compile(r"\d{9,10}(\.\d+)?")


def parse_duration(text: str, *, where: str) -> timedelta:
    """Parse a duration in Prometheus grammar, such as `15s`, `1h30m`, `14d`.

    Args:
        text: the duration as written.
        where: the option, for the error.

    Raises:
        UsageError: it is no duration, or zero.
    """
    parts = _PART.findall(text)
    if not parts or "".join(n + u for n, u in parts) != text:
        raise UsageError(
            f"'{text}' is not a duration",
            where=where,
            expected="a number with ms, s, m, h, d, w or y, such as 15s, 1h30m, 14d",
        )
    if any(len(n) > _MOST_DIGITS for n, _ in parts):
        raise _too_long(text, where)
    seconds = sum(int(n) * _UNIT_S[u] for n, u in parts)
    if seconds <= 0:
        raise UsageError(f"the duration '{text}' is zero", where=where, expected="more than zero")
    if seconds > LONGEST_S:
        raise _too_long(text, where)
    return timedelta(seconds=seconds)


def _too_long(text: str, where: str) -> UsageError:
    shown = text if len(text) <= 30 else f"{text[:30]}…"
    return UsageError(f"the duration '{shown}' is too long", where=where, expected="at most 100y")


def parse_zone(text: str, *, where: str) -> ZoneInfo:
    """The time zone of this name.

    Args:
        text: an IANA name.
        where: the option, for the error.

    Raises:
        UsageError: there is none.
    """
    try:
        return ZoneInfo(text)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise UsageError(
            f"time zone '{text}' is not known",
            where=where,
            expected="an IANA name such as Europe/Paris or UTC",
        ) from error


def parse_moment(text: str, *, where: str, now: datetime, zone: ZoneInfo | None = None) -> datetime:
    """Parse a moment: RFC 3339 with a zone, a day, an epoch in seconds, `now` or `now-6h`.

    A day is its first moment, in the zone if there is one, else in UTC. A time of a day is refused without a zone.

    Args:
        text: the moment as written.
        where: the option, for the error.
        now: what `now` means, UTC.
        zone: of what is written without one; None if it must be.

    Raises:
        UsageError: it is none of these, or has no zone.
    """
    if text == "now":
        return now
    if text.startswith("now-"):
        return now - parse_duration(text[4:], where=where)
    if _EPOCH.fullmatch(text):
        return datetime.fromtimestamp(float(text), tz=UTC)
    expected = "RFC 3339 with a zone (2026-11-30T12:00:00Z), a day (2026-11-30), epoch seconds, now, or now-6h"
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(f"'{text}' is not a moment", where=where, expected=expected) from None
    if moment.tzinfo is None and (zone is not None or _DAY.fullmatch(text)):
        moment = moment.replace(tzinfo=zone or UTC)
    if moment.tzinfo is None:
        raise UsageError(
            f"'{text}' has no zone",
            where=where,
            expected=expected,
            hint=f"{moment.isoformat()}Z for UTC",
        )
    if not _EARLIEST <= moment <= _LATEST:
        raise UsageError(f"'{text}' is no time of telemetry", where=where, expected="1970 to 2200")
    return moment.astimezone(UTC)


def resolve_window(
    since: str | None,
    first: str | None,
    last: str | None,
    *,
    now: datetime,
    data_end: datetime | None,
) -> tuple[datetime | None, datetime | None]:
    """The time window that the options ask for.

    Args:
        since: `--since`, a duration counted back from `--to`, or from the end of the data.
        first: `--from`.
        last: `--to`.
        now: the present, UTC.
        data_end: the end of the service's data, for `--since` without `--to`.

    Returns:
        First and last moment, None for an open end.

    Raises:
        UsageError: options that contradict each other, or a window that ends before it begins.
    """
    if since and first:
        raise UsageError(
            "--since and --from exclude each other", where="--since", expected="one of them"
        )
    begin = parse_moment(first, where="--from", now=now) if first else None
    end = parse_moment(last, where="--to", now=now) if last else None
    if since:
        begin = (end or data_end or now) - parse_duration(since, where="--since")
    if begin and end and begin >= end:
        raise UsageError(
            f"the window ends ({end.isoformat()}) before it begins ({begin.isoformat()})",
            where="--from, --to",
        )
    return begin, end
