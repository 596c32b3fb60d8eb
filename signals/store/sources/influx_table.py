"""What the annotations and the header of one table of annotated CSV say about its columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from signals.errors import InputError
from signals.store.sources.part import clip

__all__ = ["ANNOTATIONS", "InfluxTable", "looks_like_header"]

ANNOTATIONS = ("#datatype", "#default", "#group")
"""How annotation rows begin."""

_NUMBERS = frozenset({"boolean", "double", "long", "unsignedLong"})
_OWN = frozenset({"_field", "_measurement", "_start", "_stop", "_time", "_value", "table"})
_UPLOAD = frozenset({"field", "ignored", "measurement", "tag", "time"})
_FIRST = "annotation"
_MAX_COLUMNS = 5000


@dataclass(frozen=True)
class InfluxTable:
    """One table's columns.

    Attributes:
        names: of the columns, in the file's order; one without a name, which holds annotations, is `annotation`.
        datatypes: by column, empty where nothing is said.
        defaults: what empty cells of a column stand for.
        fields: columns of values: `_value`, or one for each field of a pivoted table.
        labels: columns that tell series apart, but for measurement and field.
    """

    names: list[str]
    datatypes: Mapping[str, str]
    defaults: Mapping[str, str]
    fields: tuple[str, ...] = field(default=())
    labels: tuple[str, ...] = field(default=())

    @classmethod
    def of(
        cls, header: Sequence[str], notes: Mapping[str, Sequence[str]], where: str
    ) -> InfluxTable:
        """Read a header row.

        Args:
            header: its cells.
            notes: cells of the annotation rows before it, by annotation.
            where: file and line, for errors.

        Raises:
            InputError: it is no table of samples, or a column appears twice.
        """
        if len(header) > _MAX_COLUMNS:
            raise InputError(
                f"the header has more than {_MAX_COLUMNS} columns",
                where=f"{where}: {clip(','.join(header[:20]))}",
                expected="tags, and fields of a pivoted table",
            )
        names = [header[0] or _FIRST, *header[1:]]
        if len(set(names)) < len(names) or "" in names:
            raise InputError(
                "a column has no name, or the name of another one",
                where=f"{where}: {clip(','.join(header))}",
                expected="every column once",
            )

        def noted(annotation: str) -> dict[str, str]:
            cells = notes.get(annotation, ())
            return {name: cell for name, cell in zip(names[1:], cells[1:], strict=False) if cell}

        datatypes = noted("#datatype")
        _refuse_other_tables(names, datatypes, where)
        groups = noted("#group")
        fields = _fields(names, datatypes, groups)
        if not fields and "error" not in names:
            raise InputError(
                "no column holds values",
                where=f"{where}: {clip(','.join(header))}",
                expected="_value, or a pivoted table with #datatype and #group rows",
                hint="export it with annotations",
            )
        taken = {_FIRST, *_OWN, *fields}
        labels = tuple(name for name in names if name not in taken)
        return cls(names, datatypes, noted("#default"), fields, labels)


def looks_like_header(cells: Sequence[str]) -> bool:
    """Whether a row that no annotation announces is a header."""
    return len(_OWN.intersection(cells)) >= 2 or list(cells[:2]) == ["", "error"]


def _fields(
    names: Sequence[str], datatypes: Mapping[str, str], groups: Mapping[str, str]
) -> tuple[str, ...]:
    if "_value" in names:
        return ("_value",)
    return tuple(
        name
        for name in names
        if datatypes.get(name) in _NUMBERS and groups.get(name) != "true" and name not in _OWN
    )


def _refuse_other_tables(names: Sequence[str], datatypes: Mapping[str, str], where: str) -> None:
    if _UPLOAD.intersection(datatypes.values()):
        raise InputError(
            "the annotations are those of an upload",
            where=where,
            expected="datatypes of a query's result, such as double and dateTime:RFC3339",
            hint="upload it, and export what a query returns",
        )
    if "_time" not in names and "error" not in names:
        raise InputError(
            "the rows have no time (_time)",
            where=f"{where}: {clip(','.join(names[1:]))}",
            expected="samples, or windows that keep their time",
            hint="use aggregateWindow() instead of an aggregate of the whole range",
        )
