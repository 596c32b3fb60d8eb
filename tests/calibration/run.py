"""Draw the series of every setting and write the tables: `make calibrate`."""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import time
import zlib
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tests.calibration.document import page, section, sections_of
from tests.calibration.families import FAMILIES, chosen
from tests.calibration.table import Family, outcomes_of, row_from

__all__ = ["PAGE", "PART", "THREADS", "main"]

Array = npt.NDArray[np.float64]
Key = tuple[str, str]

PAGE = Path(__file__).parents[2] / "docs" / "calibration.md"
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "NUMBA_NUM_THREADS")
"""One each: the processes share the cores already."""
PART = 200
"""Series of every setting that are drawn before the next ones of any."""


def _draw(family: str, setting: str, numbers: range, kept: Path | None) -> dict[str, Array]:
    """In a worker: functions do not travel, names do. Series that are kept are not drawn again."""
    name = f"{family}-{zlib.crc32(setting.encode()):08x}-{numbers.start}-{numbers.stop}.npz"
    if kept is not None and (kept / name).exists():
        with np.load(kept / name) as file:
            return dict(file)
    whole = chosen([family])[0]
    outcomes = outcomes_of(whole, whole.setting(setting), numbers)
    if kept is not None:
        kept.mkdir(parents=True, exist_ok=True)
        np.savez(kept / name, **outcomes)  # type: ignore[arg-type]
    return outcomes


def _draw_all(
    families: Sequence[Family], numbers: range, pool: ProcessPoolExecutor, kept: Path | None
) -> dict[Key, dict[str, Array]]:
    """These series of every setting, with progress on stderr."""
    begin = time.monotonic()
    keys = [(family.name, setting.name) for family in families for setting in family.settings]
    jobs = {pool.submit(_draw, *key, numbers, kept): key for key in keys}
    drawn = {}
    for done, job in enumerate(as_completed(jobs), 1):
        drawn[jobs[job]] = job.result()
        sys.stderr.write(
            f"series {numbers.start} to {numbers.stop}, {done} of {len(jobs)}, "
            f"{time.monotonic() - begin:.0f} s: {', '.join(jobs[job])}\n"
        )
    return drawn


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the page, anew whenever some more series of every setting are drawn.

    Args:
        arguments: of the command line.
    """
    given = _parser().parse_args(arguments)
    for name in THREADS:
        os.environ.setdefault(name, "1")
    page_before = given.output.read_text(encoding="utf-8") if given.output.exists() else ""
    sections = sections_of(page_before)
    families = chosen(given.only)
    parts: dict[Key, list[dict[str, Array]]] = defaultdict(list)
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(given.workers, mp_context=context) as pool:
        for first in range(0, given.series, PART):
            numbers = range(first, min(first + PART, given.series))
            for key, outcomes in _draw_all(families, numbers, pool, given.keep).items():
                parts[key].append(outcomes)
            for family in families:
                rows = [
                    row_from(family, setting, parts[family.name, setting.name])
                    for setting in family.settings
                ]
                sections[family.title] = section(family, rows)
            given.output.write_text(page(sections, FAMILIES), encoding="utf-8")


def _parser() -> argparse.ArgumentParser:
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
        "--keep", type=Path, help="folder that keeps what is drawn, so that a stopped run goes on"
    )
    return parser


if __name__ == "__main__":
    main()
