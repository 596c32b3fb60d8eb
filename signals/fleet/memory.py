"""The tables of one fleet: building them, making room in them, and telling the engine where they are."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from signals.fleet.histograms import BOUNDS_S, HISTOGRAMS
from signals.fleet.spec import FleetSpec
from signals.fleet.state import GLOBALS, LISTS_PER_INSTANCE, NEVER, TABLES
from signals.fleet.steptime import step_times, to_picoseconds
from signals.fleet.workload import Workload

__all__ = ["Memory"]

_PER_INSTANCE = ("instances", "slots", "phases", "live", "hits")
_PER_SCRAPE = ("ticks", "tick_counts", "tick_sums")


class Memory:
    """A fleet's tables and scalars.

    Args:
        spec: sizes and times.
        workload: the requests.
        longest_run: most steps in one run; 1 steps one by one.

    Attributes:
        globals: GLOBALS [1], scalars and the tables' addresses, what the engine gets.
    """

    def __init__(self, spec: FleetSpec, workload: Workload, *, longest_run: int) -> None:
        self.globals: npt.NDArray[np.void] = np.zeros(1, GLOBALS)
        profile = spec.profile
        buckets = max(len(bounds) for bounds in BOUNDS_S) + 1
        shapes: dict[str, tuple[int, ...]] = {
            "slots": (0, profile.max_num_seqs),
            "phases": (0, profile.kv_block_tokens),
            "lists": (1,),
            "counts": (len(HISTOGRAMS), buckets),
            "sums": (len(HISTOGRAMS),),
            "tick_counts": (0, len(HISTOGRAMS), buckets),
            "tick_sums": (0, len(HISTOGRAMS)),
        }
        self._tables: dict[str, npt.NDArray[np.void]] = {
            name: np.zeros(shapes.get(name, (0,)), dtype) for name, dtype in TABLES.items()
        }
        self._tables["lists"]["head"] = self._tables["lists"]["tail"] = -1
        self._tables["requests"] = _requests(workload)
        self._tables["bounds"] = _bounds(buckets)
        self._fill_settings(spec, len(workload), buckets, longest_run)
        self._publish()

    def _fill_settings(
        self, spec: FleetSpec, requests: int, buckets: int, longest_run: int
    ) -> None:
        profile = spec.profile
        times = step_times(profile)
        for name, durations in (
            ("prefill_times", times.prefill_ps),
            ("decode_times", times.decode_ps),
            ("saturations", times.saturation),
        ):
            self._tables[name] = np.zeros(len(durations), TABLES[name])
            self._tables[name]["ps"] = durations
        settings = {
            "clock": -1,
            "total": requests,
            "longest_run": longest_run,
            "block": profile.kv_block_tokens,
            "blocks": profile.kv_capacity_tokens // profile.kv_block_tokens,
            "budget": profile.max_batched_tokens,
            "seqs": profile.max_num_seqs,
            "buckets": buckets,
            "context_ps": times.context_ps,
            "fixed_ps": times.fixed_ps,
            "link_ps": times.link_ps,
            "latency_ps": times.latency_ps,
            "scrape_ps": max(int(to_picoseconds(spec.scrape_interval_s)), 1),
            "delay_ps": int(to_picoseconds(spec.exporter_delay_s)),
            # with a delay the exporter's sample for the scrape at time 0 would lie before time
            "exports": 1 if spec.exporter_delay_s > 0 else 0,
        }
        for name, setting in settings.items():
            self.globals[name] = setting

    def _publish(self) -> None:
        for name, table in self._tables.items():
            self.globals[f"{name}_address"] = table.ctypes.data

    def __getitem__(self, table: str) -> npt.NDArray[Any]:
        """A table by its name; valid until the next call that makes room."""
        return self._tables[table]

    @property
    def address(self) -> int:
        """Where the engine finds everything."""
        return int(self.globals.ctypes.data)

    def scalar(self, name: str) -> int:
        """A scalar of the engine by its name."""
        return int(self.globals[name][0])

    @property
    def instances(self) -> npt.NDArray[np.void]:
        """INSTANCE, every instance ordered so far."""
        return self["instances"][: self.scalar("instances")]

    @property
    def live(self) -> npt.NDArray[np.int64]:
        """Numbers of the instances that are not gone."""
        return np.asarray(self["live"]["instance"][: self.scalar("live")])

    def room_for_instances(self, added: int) -> None:
        """Make room for `added` more instances."""
        rows = self.scalar("instances") + added
        if rows <= len(self["instances"]):
            return
        for name in _PER_INSTANCE:
            self._tables[name] = _grown(self[name], rows)
        lists = 1 + LISTS_PER_INSTANCE * len(self["instances"])
        self._tables["lists"] = _grown(self["lists"], lists)
        self._publish()

    def room_for_scrapes(self, until: int) -> None:
        """Make room for all scrapes up to and with `until`, picoseconds.

        Between two calls of the engine instances only get fewer, so that those of now bound the rows.
        """
        scrapes = self.scalar("scrapes")
        added = max(until // self.scalar("scrape_ps") + 1 - scrapes, 0)
        rows = self.scalar("samples") + added * self.scalar("live")
        if rows <= len(self["samples"]) and scrapes + added <= len(self["ticks"]):
            return
        self._tables["samples"] = _grown(self["samples"], rows)
        for name in _PER_SCRAPE:
            self._tables[name] = _grown(self[name], scrapes + added)
        self._publish()


def _grown(table: npt.NDArray[Any], rows: int) -> npt.NDArray[Any]:
    if rows <= len(table):
        return table
    # doubling keeps the copies of a long replay cheap
    larger = np.zeros((max(rows, 2 * len(table)), *table.shape[1:]), table.dtype)
    larger[: len(table)] = table
    return larger


def _requests(workload: Workload) -> npt.NDArray[np.void]:
    table = np.zeros(len(workload), TABLES["requests"])
    table["arrival"] = to_picoseconds(workload.arrival_s)
    table["prompt"] = workload.prompt_tokens
    table["output"] = workload.output_tokens
    table["cached"] = workload.cached_tokens
    for name in ("next", "target", "prefill_start", "first", "done", "last_token"):
        table[name] = -1
    return table


def _bounds(buckets: int) -> npt.NDArray[np.void]:
    table = np.zeros((len(HISTOGRAMS), buckets), TABLES["bounds"])
    table["ps"] = NEVER
    for row, bounds in enumerate(BOUNDS_S):
        table["ps"][row, : len(bounds)] = to_picoseconds(bounds)
    return table
