"""Columns of numbers as dashboards print them: each cell with a unit of its own, or with none."""

from __future__ import annotations

import math

import polars as pl

from signals.schema import Finding
from signals.store.sources.part import clip
from signals.store.sources.printed_unit import PrintedNumber, read_printed
from signals.units import Unit, parse_unit

__all__ = ["PrintedColumn"]

# what is counted is told by the name; printed units only say how fast or how many
_ALIKE = {"req/s": "count/s", "tokens/s": "count/s", "tokens": "count"}
_SCALES = ("K", "k", "M", "Mil", "Bil", "T", "Tri")
_PLAIN = Unit("", "", 1.0)
_NONE = PrintedNumber(None)
_CELLS = {"text": pl.String, "value": pl.Float64, "base": pl.String, "reason": pl.String}


class PrintedColumn:
    """One column of a file, read part by part.

    Attributes:
        unit: unit of the values that the last part gave; empty if neither the cells nor the user say.
    """

    def __init__(self, name: str, unit: str = "") -> None:
        """Start at the head of a file.

        Args:
            name: the column's header, for remarks.
            unit: spelling of the unit that the user or the header gives; a cell's own unit comes before it.
        """
        self.unit = unit
        self._name = clip(name)
        self._wanted = parse_unit(unit) if unit else None
        self._base = ""
        self._printed: dict[str, Unit] = {}
        self._cells = self._assumed = self._grouped = 0
        self._share = 0.0
        self._half = {True: 0.0, False: 0.0}

    def read(self, column: pl.Series) -> tuple[pl.Series, pl.Series]:
        """Numbers of one part.

        Args:
            column: String[n], blanks stripped, empty cells null.

        Returns:
            Float64[n] in `unit`, null where a cell is missing or bad; and String[n], why a cell is bad:
            `bad_number`, `unknown_unit`, `mixed_units` (the cell measures something else than the column) or
            `no_unit` (a bare number in a column of several units); null where it is fine.
        """
        values = column.cast(pl.Float64, strict=False)
        odd = values.is_null() & column.is_not_null()
        if not odd.any() and not self._base:
            return values, pl.Series([None], dtype=pl.String).new_from_index(0, len(column))
        frame = pl.DataFrame({"text": column, "plain": values, "odd": odd})
        cells = self._read_cells(column.filter(odd))
        frame = frame.join(cells, on="text", how="left", maintain_order="left").with_columns(
            pl.when("odd").then("base").otherwise(pl.lit("")).alias("base"),
            pl.when("odd").then("value").otherwise("plain").alias("value"),
        )
        bare = self._bare_unit()
        frame = frame.with_columns(self._reason(bare).alias("reason"))
        if bare is not None and self._wanted is None and self._base:
            self._assumed += frame.filter(_is_bare()).height
        factor = pl.when(pl.col("base") == "").then(bare.factor if bare else 1.0).otherwise(1.0)
        told = pl.when(pl.col("reason").is_null()).then(pl.col("value") * factor)
        return frame.select(told.alias("value"))["value"], frame["reason"]

    def findings(self) -> tuple[Finding, ...]:
        """Remarks about the whole column, once it has been read."""
        found = []
        if self._cells:
            half = f"{self._half[bool(self._base)]:.3g} {self.unit}".rstrip()
            text = f"{self._cells} cells of '{self._name}' are rounded as printed: to within {half}"
            found.append(
                Finding(
                    "formatted_cells",
                    "info",
                    f"{text}, up to {self._share:.2%} of the value",
                    count=self._cells,
                    subject=self._name,
                    action="kept; export without formatted data for all digits",
                )
            )
        if self._assumed:
            unit = next(iter(self._printed))
            found.append(
                Finding(
                    "unit_assumed",
                    "warning",
                    f"{self._assumed} cells of '{self._name}' have no unit and were read in {unit}, as the others",
                    count=self._assumed,
                    subject=self._name,
                )
            )
        if self._grouped:
            found.append(
                Finding(
                    "grouped_digits",
                    "info",
                    f"{self._grouped} cells of '{self._name}' have commas, read as between thousands",
                    count=self._grouped,
                    subject=self._name,
                )
            )
        return tuple(found)

    # --- cells with a unit ------------------------------------------------------------------------------

    def _read_cells(self, texts: pl.Series) -> pl.DataFrame:
        """Columns `_CELLS` of the distinct texts; settles what the column measures."""
        counts = texts.value_counts(name="rows").rows()
        bare_b = self._meaning_of_b([text for text, _ in counts])
        values: list[float | None] = []
        kinds: list[str | None] = []
        reasons: list[str | None] = []
        bases: dict[str, int] = {}
        for text, count in counts:
            cell = read_printed(text, bare_b=bare_b)
            told = cell if isinstance(cell, PrintedNumber) else _NONE
            values.append(told.value)
            kinds.append(told.base)
            reasons.append(None if told is cell else str(cell))
            if told.unit and told.value is not None:
                self._note(told, count)
                bases[told.base] = bases.get(told.base, 0) + count
            self._grouped += count if told.grouped else 0
        bases.pop("", None)
        if bases and not self._base:
            relative = self._wanted is not None and self._wanted.base == "rel"
            most = max(bases, key=lambda base: (bases[base], base))
            self._base = most if self._wanted is None or relative else self._wanted.base
            self.unit = "rel" if relative else self._base
        texts_read = [text for text, _ in counts]
        columns = (texts_read, values, kinds, reasons)
        return pl.DataFrame(dict(zip(_CELLS, columns, strict=True)), schema=_CELLS)

    def _meaning_of_b(self, texts: list[str]) -> str:
        """A lone `B`: bytes, unless the user says otherwise or there are thousands and millions beside it."""
        if self._wanted is not None and self._wanted.base != "rel":
            return "B" if self._wanted.base.startswith("B") else "count"
        return "count" if any(text.endswith(_SCALES) for text in texts) else "B"

    def _note(self, cell: PrintedNumber, count: int) -> None:
        """How far the printing may have moved the values."""
        self._cells += count
        if cell.base and cell.unit not in self._printed:
            self._printed[cell.unit] = Unit(cell.unit, cell.base, cell.scale)
        size = abs(cell.value or 0.0)
        if 0 < size < math.inf:
            based = cell.base != ""
            self._half[based] = max(self._half[based], cell.half)
            if cell.half > self._share * size:
                self._share = cell.half / size

    # --- numbers without one ----------------------------------------------------------------------------

    def _bare_unit(self) -> Unit | None:
        """The unit of bare numbers; None if nothing tells it."""
        if not self._base:
            return _PLAIN
        if self._wanted is not None:
            return self._wanted
        return next(iter(self._printed.values())) if len(self._printed) == 1 else None

    def _reason(self, bare: Unit | None) -> pl.Expr:
        measured = pl.col("base").replace(_ALIKE)
        other = (pl.col("base") != "") & (measured != _ALIKE.get(self._base, self._base))
        lone = _is_bare() if bare is None else pl.lit(value=False)
        return (
            pl.when(pl.col("reason").is_not_null() | pl.col("value").is_null())
            .then("reason")
            .when(other)
            .then(pl.lit("mixed_units"))
            .when(lone)
            .then(pl.lit("no_unit"))
        )


def _is_bare() -> pl.Expr:
    """Numbers without a unit, but for nothing and what is no quantity, which need none."""
    return (pl.col("base") == "") & pl.col("value").is_finite() & (pl.col("value") != 0)
