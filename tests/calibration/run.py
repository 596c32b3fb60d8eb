"""Draw the series of every setting and write the tables: `make calibrate`."""

from __future__ import annotations

import argparse
import multiprocessing
import os
import pickle
import sys
import time
import zlib
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from tests.calibration.document import page, section, sections_of
from tests.calibration.families import FAMILIES, chosen
from tests.calibration.table import Family, Row, row_of

__all__ = ["PAGE", "main", "rows_of"]

PAGE = Path(__file__).parents[2] / "docs" / "calibration.md"


def _row(family: str, setting: str, series: int, kept: Path | None) -> Row:
    """In a worker: functions do not travel, names do. A row that is kept is not drawn again."""
    name = f"{family}-{zlib.crc32(setting.encode()):08x}-{series}.pickle"
    if kept is not None and (kept / name).exists():
        return pickle.loads((kept / name).read_bytes())
    whole = chosen([family])[0]
    row = row_of(whole, whole.setting(setting), series)
    if kept is not None:
        kept.mkdir(parents=True, exist_ok=True)
        (kept / name).write_bytes(pickle.dumps(row))
    return row


def rows_of(
    family: Family, series: int, pool: ProcessPoolExecutor, *, kept: Path | None = None
) -> list[Row]:
    """The rows of one table, with progress on stderr.

    Args:
        family: the family.
        series: how many are drawn of each setting.
        pool: where.
        kept: folder of rows that were drawn before, and where new ones are kept.

    Returns:
        In the order in which they were done.
    """
    begin = time.monotonic()
    jobs = [
        pool.submit(_row, family.name, setting.name, series, kept) for setting in family.settings
    ]
    rows = []
    for done, job in enumerate(as_completed(jobs), 1):
        rows.append(job.result())
        state = "missed" if rows[-1].missed() else "met"
        sys.stderr.write(
            f"{family.name} {done}/{len(jobs)}, {time.monotonic() - begin:.0f} s: "
            f"{rows[-1].setting}: {state}\n"
        )
    return rows


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the page, table after table.

    Args:
        arguments: of the command line.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--series", type=int, default=1000, help="series a setting")
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        choices=[family.name for family in FAMILIES],
        help="a table to make anew; the others stay as they are. May be repeated",
    )
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--output", type=Path, default=PAGE)
    parser.add_argument(
        "--keep",
        type=Path,
        help="folder that keeps each row, so that a run that was stopped goes on",
    )
    given = parser.parse_args(arguments)
    # one thread each: the processes share the cores already
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "NUMBA_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    page_before = given.output.read_text(encoding="utf-8") if given.output.exists() else ""
    sections = sections_of(page_before)
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(given.workers, mp_context=context) as pool:
        for family in chosen(given.only):
            sections[family.title] = section(
                family, rows_of(family, given.series, pool, kept=given.keep)
            )
            given.output.write_text(page(sections, FAMILIES), encoding="utf-8")


if __name__ == "__main__":
    main()
