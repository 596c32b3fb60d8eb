"""Lines of `series value [time]`, taken apart a block at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from signals.store.parsed import Reject
from signals.store.sources.exposition import split_sample
from signals.store.sources.part import clip
from signals.store.sources.stream import LineBlock

__all__ = ["SampleLines", "reject_lines", "split_block", "text_lines"]

_AFTER_LABELS = r"([^}]*)$"
_NAME = r"^(\S+)"
_NUMBERS = r"^\s*(\S+)(?:\s+(\S+))?$"
_HISTOGRAM = "{count:"
_FIELDS = ("key", "number", "time")


@dataclass(frozen=True, slots=True)
class SampleLines:
    """What a block of lines holds.

    Attributes:
        rows: `line` Int64, `text` (blanks stripped) and its parts `key` (name and labels), `number` and `time`,
            all String; a part that is not there is null. In the file's order.
        comments: lines that begin with `#`.
    """

    rows: pl.DataFrame
    comments: list[str]


def text_lines(block: LineBlock) -> pl.DataFrame:
    """`line` Int64 and `text` String, blanks stripped, of all lines that hold something."""
    texts = pl.Series("text", [block.data.decode("utf-8")]).str.split("\n").explode()
    lines = pl.int_range(block.first_line, block.first_line + len(texts), eager=True).alias("line")
    rows = pl.DataFrame([lines, texts.str.strip_chars()])
    return rows.filter(pl.col("text") != "")


def split_block(block: LineBlock) -> SampleLines:
    """Take the lines of a block apart.

    Only the last closing brace is looked for, from the line's end; whether the labels are well-formed is asked once
    per distinct text (`SampleChunks`). Lines with a `#` in them, which may have an exemplar, go one by one.
    """
    rows = text_lines(block)
    marked = rows["text"].str.contains("#", literal=True)
    if not marked.any():
        return SampleLines(_take_apart(rows), [])
    comment = rows["text"].str.starts_with("#")
    comments = rows["text"].filter(comment).to_list()
    odd = marked & ~comment
    plain = _take_apart(rows.filter(~marked))
    if not odd.any():
        return SampleLines(plain, comments)
    return SampleLines(pl.concat([plain, _one_by_one(rows.filter(odd))]).sort("line"), comments)


def _take_apart(rows: pl.DataFrame) -> pl.DataFrame:
    rows = rows.with_columns(pl.col("text").str.extract(_AFTER_LABELS, 1).alias("rest"))
    rows = rows.with_columns(pl.col("text").str.strip_suffix(pl.col("rest")).alias("key"))
    bare = rows["key"] == ""
    if bare.any():
        name = pl.col("text").str.extract(_NAME, 1)
        rows = rows.with_columns(
            pl.when(bare).then(name).otherwise("key").alias("key"),
            pl.when(bare)
            .then(pl.col("text").str.strip_prefix(name))
            .otherwise("rest")
            .alias("rest"),
        )
    numbers = rows["rest"].str.extract_groups(_NUMBERS).struct.unnest()
    numbers.columns = list(_FIELDS[1:])
    return pl.concat([rows.select("line", "text", "key"), numbers], how="horizontal")


def _one_by_one(rows: pl.DataFrame) -> pl.DataFrame:
    parts = [split_sample(text) or (None, None, None) for text in rows["text"]]
    columns = [
        pl.Series(name, values, dtype=pl.String)
        for name, values in zip(_FIELDS, zip(*parts, strict=True), strict=True)
    ]
    return rows.with_columns(columns)


def reject_lines(rows: pl.DataFrame, reason: str) -> Iterator[Reject]:
    """One reject per row of `line` and `text`; histograms in one value have a reason of their own."""
    for line, text in rows.select("line", "text").iter_rows():
        yield Reject(line, "native_histogram" if _HISTOGRAM in text else reason, clip(text))
