"""Bounds of buckets that are no numbers."""

from __future__ import annotations

from math import isnan

from signals.catalog.naming import match
from signals.store.parsed import Series

__all__ = ["has_bad_bound"]

_BOUND = "le"
_BUCKET = "bucket"


def has_bad_bound(series: Series) -> bool:
    """Whether a series is a bucket of a known histogram, and its bound (`le`) is no number.

    The store has no place for such a bucket, so that the records that name it are rejects. What the catalog does
    not know is kept under its labels, whatever they say.
    """
    text = series.labels.get(_BOUND)
    if text is None or _is_bound(text):
        return False
    found = match(series.metric, series.labels, series.kind)
    return found is not None and found.part == _BUCKET


def _is_bound(text: str) -> bool:
    try:
        return not isnan(float(text))
    except ValueError:
        return False
