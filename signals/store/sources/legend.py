"""Series of exports whose columns or results are called what a person wrote on a chart."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath

from signals.catalog.naming import match
from signals.errors import InputError
from signals.schema import Finding
from signals.store.parsed import NameChoice, ReadOptions, Series
from signals.store.sources.exposition import parse_series
from signals.store.sources.header import SeriesHeader, parse_series_header
from signals.store.sources.part import clip

__all__ = ["Legend", "name_legends", "read_legend"]

_NAMELESS = re.compile(r"(?:value|series)(?: ?#?[A-Z0-9]{1,3})?", re.IGNORECASE)
_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Legend:
    """What a chart calls one series.

    Attributes:
        text: as written; what `--map` goes by.
        name: metric, if the text holds one; empty for words of a person's own.
        labels: labels that belong to the series.
        unit: spelling of a known unit, if the text or the export says it.
        pool: if the text names one in the project's own way.
        nameless: True for results of expressions, which have no name by nature.
        beside: True for a further aggregate of a series that has another one; it stays under its text.
        aliases: other texts that `--map` may go by, such as a result's id.
    """

    text: str
    name: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    unit: str = ""
    pool: str = ""
    nameless: bool = False
    beside: bool = False
    aliases: tuple[str, ...] = ()


def read_legend(text: str) -> Legend:
    """Read a column's header: `metric{pod="a"}`, `{pod="a"}`, `decode:ttft_p99 [s]`, `Value`, or words."""
    if _NAMELESS.fullmatch(text):
        return Legend(text, nameless=True)
    if text.endswith("}"):
        parsed = parse_series(text)
        if parsed is not None:
            name, labels = parsed
            nameless = not name or bool(_NAMELESS.fullmatch(name))
            return Legend(text, "" if nameless else name, labels, nameless=nameless)
    try:
        header = parse_series_header(text, where="")
    except InputError:  # brackets with words of a person's own in them
        return Legend(text)
    if match(header.name, _place(header), "") is None:
        return Legend(text)
    return Legend(text, header.name, _place(header), header.unit, header.pool)


def _place(header: SeriesHeader) -> dict[str, str]:
    pairs = {"pool": header.pool, "instance": header.instance, "gpu": header.gpu}
    return {name: value for name, value in pairs.items() if value}


def _chosen(choice: NameChoice, legend: Legend) -> Series:
    """The series that the user names as headers of the own wide form do; what the export says comes after it."""
    header = parse_series_header(choice.name, where="--map")
    return Series(
        header.name,
        {**legend.labels, **_place(header)},
        unit=choice.unit or header.unit or legend.unit,
        pool=header.pool or legend.pool,
    )


def name_legends(
    legends: Sequence[Legend], options: ReadOptions, where: str
) -> tuple[list[Series], list[Finding]]:
    """Say what each of a file's series is.

    Args:
        legends: all of them.
        options: the user's `--map`, by legend or by the file's name up to its first dot, and `--as`.
        where: the file's path.

    Returns:
        One series for each, in their order, all step-aligned; and remarks about those without a name, which stay
        under their legend.

    Raises:
        InputError: not one of them has a name, or two of them come out as the same series.
    """
    mapped = [_mapped(legend, options.columns) for legend in legends]
    loose = [
        number
        for number, legend in enumerate(legends)
        if mapped[number] is None and not legend.name and not legend.beside
    ]
    findings = _apply_as(
        legends, mapped, loose, options.as_name or options.columns.get(_stem(where))
    )
    unnamed = [number for number in loose if mapped[number] is None]
    if unnamed and len(unnamed) == sum(not legend.beside for legend in legends):
        raise _nothing_named([legends[number] for number in unnamed], where)
    series = [
        _stored(one or _as_exported(legend)) for one, legend in zip(mapped, legends, strict=True)
    ]
    _refuse_same(series, legends, where)
    findings += [_unnamed(legends[number]) for number in unnamed]
    return series, findings


def _stem(where: str) -> str:
    """What `--map` calls a file."""
    return PurePath(where).name.partition(".")[0]


def _mapped(legend: Legend, columns: Mapping[str, NameChoice]) -> Series | None:
    for key in (legend.text, *legend.aliases, legend.name):
        if key and key in columns:
            return _chosen(columns[key], legend)
    return None


def _apply_as(
    legends: Sequence[Legend],
    mapped: list[Series | None],
    loose: Sequence[int],
    choice: NameChoice | None,
) -> list[Finding]:
    """Give the file's one name to nameless results; if there are none, to all legends as its instances."""
    if choice is None:
        return []
    nameless = [number for number in loose if legends[number].nameless]
    for number in nameless or loose:
        mapped[number] = _chosen(choice, legends[number])
    if nameless or len(loose) < 2:
        return []
    for number in loose:
        one = mapped[number]
        if one is not None and "instance" not in one.labels:
            labels = {**one.labels, "instance": legends[number].text}
            mapped[number] = replace(one, labels=labels)
    return [
        Finding(
            "legend_as_instance",
            "info",
            f"{len(loose)} legends were taken for the instances of {choice.name}",
            count=len(loose),
            subject=choice.name,
            action="name them one by one with --map 'LEGEND=NAME[unit]' if they are something else",
        )
    ]


def _as_exported(legend: Legend) -> Series:
    return Series(legend.name or legend.text, legend.labels, unit=legend.unit, pool=legend.pool)


def _stored(one: Series) -> Series:
    """A series of consolidated points, without halves of surrogate pairs, which JSON allows and no database does."""
    labels = {_sound(name): _sound(value) for name, value in one.labels.items()}
    return replace(one, metric=_sound(one.metric), labels=labels, sampling="step_aligned")


def _sound(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _unnamed(legend: Legend) -> Finding:
    return Finding(
        "unnamed_column",
        "warning",
        f"'{clip(legend.text)}' is no metric's name",
        subject=clip(legend.text),
        action="kept under that name, used for no signal; name it with --map "
        f"'{clip(legend.text)}=NAME[unit]'",
    )


def _nothing_named(legends: Sequence[Legend], where: str) -> InputError:
    shown = ", ".join(repr(clip(legend.text)) for legend in legends[:_SHOWN])
    more = f" and {len(legends) - _SHOWN} more" if len(legends) > _SHOWN else ""
    hint = f"name them with --map '{clip(legends[0].text)}=NAME[unit]', for example NAME decode:ttft_p99[s]"
    if len(legends) == 1 or all(legend.nameless for legend in legends):
        hint = (
            "say what it is with --as NAME[unit], for example --as 'decode:ttft_p99[s]', "
            f"or of several files this one with --map '{clip(_stem(where))}=NAME[unit]'; signals catalog has the names"
        )
    return InputError(
        "no series has the name of a metric, only what a chart calls it",
        where=f"{where}: {shown}{more}",
        expected="names of metrics, or what the legends stand for",
        hint=hint,
    )


def _refuse_same(series: Sequence[Series], legends: Sequence[Legend], where: str) -> None:
    seen: dict[tuple[str, str, frozenset[tuple[str, str]]], str] = {}
    for one, legend in zip(series, legends, strict=True):
        key = (one.metric, one.pool, frozenset(one.labels.items()))
        first = seen.setdefault(key, legend.text)
        if first != legend.text:
            raise InputError(
                f"'{clip(first)}' and '{clip(legend.text)}' come out as the same series {one.metric}",
                where=where,
                expected="every series once",
                hint="tell them apart: --map 'LEGEND=pool/instance#gpu:name[unit]'",
            )
