"""Which columns of a wide table are its time, its labels and its numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from signals.catalog.naming import match
from signals.catalog.pools import POOLS
from signals.errors import InputError
from signals.schema import Finding
from signals.store.parsed import Series
from signals.store.sources.cells import numbers_of
from signals.store.sources.header import (
    SeriesHeader,
    TimeHeader,
    label_of_header,
    parse_series_header,
    parse_time_header,
)
from signals.store.sources.table import clip, is_row_number, row_number_findings

__all__ = [
    "WideLayout",
    "is_known",
    "label_of_column",
    "no_time_column",
    "time_like",
    "wide_layout",
]

# columns of these names say what a row is about, also where they hold numbers
_LABELS = frozenset(
    {
        "GPU_I_ID",
        "GPU_I_PROFILE",
        "Hostname",
        "ReplicaId",
        "UUID",
        "cluster",
        "component",
        "container",
        "deployment",
        "device",
        "dp_rank",
        "dynamo_component",
        "dynamo_namespace",
        "endpoint",
        "engine",
        "engine_type",
        "exported_container",
        "exported_instance",
        "exported_job",
        "exported_namespace",
        "exported_pod",
        "gpu",
        "gpu_index",
        "gpu_name",
        "gpu_uuid",
        "host",
        "host_name",
        "hostname",
        "instance",
        "job",
        "k8s_namespace_name",
        "k8s_node_name",
        "k8s_pod_name",
        "kubernetes_namespace",
        "kubernetes_node",
        "kubernetes_pod_name",
        "le",
        "modelName",
        "model_name",
        "moe_ep_rank",
        "namespace",
        "node",
        "node_name",
        "pci_bus_id",
        "pod",
        "pod_name",
        "pod_namespace",
        "pool",
        "pp_rank",
        "replica",
        "role",
        "service",
        "service_instance_id",
        "statefulset",
        "tp_rank",
        "uuid",
        "worker_id",
        "worker_type",
    }
)
# as data frames and NVIDIA's tools write them
_SPELLINGS = {
    "gpu_id": "gpu",
    "gpu_model": "modelName",
    "model": "model_name",
    "node_name": "node",
    "pool_name": "pool",
}
_TIME_LIKE = re.compile(
    r"(?:^|[\W_])(?:timestamp|datetime)(?:$|[\W_])|^(?:time|date|event_time|record_time)$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class WideLayout:
    """Columns of a wide table by what they hold.

    Attributes:
        time: the time column.
        labels: label by column; rows with equal labels are about the same thing.
        numbers: parsed header by column.
        findings: remarks on the header.
    """

    time: TimeHeader
    labels: Mapping[str, str]
    numbers: Mapping[str, SeriesHeader]
    findings: tuple[Finding, ...] = ()

    def series(self, cells: Mapping[str, str | None], column: str) -> Series:
        """The series of a row's labels and a column; the column's own pool, instance and GPU come first."""
        header = self.numbers[column]
        told = {name: cells[key] for key, name in self.labels.items()}
        labels = {name: value for name, value in told.items() if value is not None}
        labels |= header.labels()
        return Series(header.name, labels, unit=header.unit, pool=labels.get("pool", ""))


def wide_layout(names: Sequence[str], head: pl.DataFrame, path: Path) -> WideLayout:
    """Find out what each column of a wide table is.

    Args:
        names: the header, with the names that the user gave.
        head: the first rows, by which columns of text are told from columns of numbers.
        path: the table, for errors.

    Raises:
        InputError: there is no time column or no other one, a unit is not known, or two columns are one series.
    """
    time = parse_time_header(list(names))
    if time is None:
        raise no_time_column(names, path, "the wide form: a column `ts` and columns of numbers")
    rest = [name for name in names if name != time.column and not is_row_number(name)]
    labels = {name: label for name in rest if (label := label_of_column(name))}
    headers = {
        name: parse_series_header(name, where=str(path)) for name in rest if name not in labels
    }
    _refuse_same(labels, path, "the same label", "every label once")
    texts = [name for name, header in headers.items() if _is_text(head[name], header)]
    numbers = {name: header for name, header in headers.items() if name not in texts}
    if not numbers:
        raise InputError(
            "no column holds numbers",
            where=f"{path}, header: {clip(', '.join(names))}",
            expected="a column of numbers for each signal, measurement or metric",
            hint="a table with a metric's name in each row is the long form: --format own-long",
        )
    _refuse_same(
        {name: replace(header, unit="") for name, header in numbers.items()},
        path,
        "the same series",
        "every series once",
    )
    findings = [*row_number_findings(names), *_left_out(texts), *_odd_pools(numbers)]
    return WideLayout(time, labels, numbers, tuple(findings))


def label_of_column(name: str) -> str:
    """The label that a column holds: `label:NAME`, or a name that has a meaning as label; empty if none."""
    told = label_of_header(name)
    if told:
        return told
    label = _SPELLINGS.get(name, name)
    return label if label in _LABELS else ""


def is_known(header: SeriesHeader) -> bool:
    """Whether the catalog knows what a column is."""
    return match(header.name, header.labels(), "") is not None


def time_like(names: Sequence[str]) -> str:
    """The one column that is named as a time but not `ts`; empty if there is none, or several."""
    found = [name for name in names if _TIME_LIKE.search(name)]
    return found[0] if len(found) == 1 else ""


def no_time_column(names: Sequence[str], path: Path, form: str) -> InputError:
    """What to say of a table without a time column."""
    near = time_like(names)
    return InputError(
        "column 'ts' is missing",
        where=f"{path}, header: {clip(', '.join(names))}",
        expected=form,
        hint=f"name the time column with --map '{clip(near)}=ts'"
        if near
        else "name the time column with --map 'COLUMN=ts'; a table without times, such as a distribution or "
        "a summary, cannot be loaded",
    )


def _is_text(column: pl.Series, header: SeriesHeader) -> bool:
    """Whether a column of no known metric holds cells, none of which is a number."""
    if is_known(header) or column.dtype.is_numeric() or column.null_count() == len(column):
        return False
    values, _ = numbers_of(column)
    return values.null_count() == len(values)


def _left_out(texts: Sequence[str]) -> list[Finding]:
    return [
        Finding(
            "text_column",
            "info",
            f"column '{clip(name)}' holds text",
            subject=clip(name),
            action=f"left out; as a label: --map '{clip(name)}=label:NAME'",
        )
        for name in texts
    ]


def _odd_pools(headers: Mapping[str, SeriesHeader]) -> list[Finding]:
    return [
        Finding(
            "unknown_pool",
            "warning",
            f"pool '{header.pool}' of column '{clip(column)}' is none of {', '.join(POOLS)}",
            subject=clip(column),
            action="kept; signals are computed for the pools named",
        )
        for column, header in headers.items()
        if header.pool and header.pool not in POOLS
    ]


def _refuse_same(columns: Mapping[str, object], path: Path, what: str, expected: str) -> None:
    seen: dict[object, str] = {}
    for column, meaning in columns.items():
        first = seen.setdefault(meaning, column)
        if first != column:
            raise InputError(
                f"columns '{clip(first)}' and '{clip(column)}' name {what}",
                where=f"{path}, header",
                expected=expected,
                hint="tell them apart by their instance: pool/instance#gpu:name",
            )
