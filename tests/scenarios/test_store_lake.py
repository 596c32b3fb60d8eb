"""A lake answers every question as one file does, whatever comes and goes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from signals.cli.app import run as run_command
from signals.store import LoadOptions, Store, create_lake, create_store, open_store
from signals.store.parsed import ReadOptions
from signals.store.sql import load_query

MIDNIGHT = datetime(2026, 3, 2, tzinfo=UTC)
STEP_S = 300


class Pair:
    """The same loads, into a file and into a lake."""

    def __init__(self, folder: Path) -> None:
        self.file = create_store(folder / "fleet.duckdb")
        self.lake = create_lake(folder / "lake")
        self.folder = folder / "lake"

    def load(self, paths: Sequence[Path], service: str = "svc") -> None:
        options = LoadOptions(read=ReadOptions(service=service))
        reports = [store.load(paths, options) for store in (self.file, self.lake)]
        assert reports[0] == reports[1]

    def forget(self, what: str) -> None:
        assert self.file.forget(what) == self.lake.forget(what)

    def compare(self) -> None:
        """Hold every answer of the lake to that of the file, to the last bit."""
        lake = open_store(self.folder)
        names = self.file.query_names()
        for service in self.file.services():
            base = parameters(self.file, service)
            for name in names:
                for part in spans(base, load_query(name).params):
                    same(self.file.query(name, part), lake.query(name, part), f"{name} {part}")
            same(self.file.requests(service), lake.requests(service), "requests")
            if self.file.query("panel_stock", {"service": service}).height:
                mine, other = self.file.panel(service), lake.panel(service)
                assert_frame_equal(mine.frame, other.frame, check_exact=True)
                assert mine.columns == other.columns
                assert mine.findings == other.findings
        mine_stock, other_stock = self.file.inventory(), lake.inventory()
        for one in fields(mine_stock):
            same(getattr(mine_stock, one.name), getattr(other_stock, one.name), one.name)


def same(mine: pl.DataFrame, other: pl.DataFrame, what: str) -> None:
    frames = [frame.drop("loaded_at", strict=False) for frame in (mine, other)]
    try:
        assert_frame_equal(*frames, check_exact=True)
    except AssertionError as error:
        raise AssertionError(what) from error


def parameters(store: Store, service: str) -> Mapping[str, object]:
    row = store.query("services").filter(service=service).row(0, named=True)
    tick_us = 15_000_000
    return {
        "service": service,
        "tick_us": tick_us,
        "phase_us": 0,
        "first_us": int(row["first_at"].timestamp()) * 1_000_000 // tick_us * tick_us,
        "last_us": int(row["last_at"].timestamp()) * 1_000_000 // tick_us * tick_us,
        "gap_us": 300_000_000,
        "window_ticks": 4,
        "first": None,
        "last": row["last_at"],
    }


def spans(base: Mapping[str, object], names: Mapping[str, str]) -> Iterator[dict[str, object]]:
    """Parameters for all that there is, for its first and last third, and for three hours from a midnight on."""
    yield {key: base[key] for key in names}
    begin, end = (int(str(base[key])) for key in ("first_us", "last_us"))
    third, hour_us = (end - begin) // 3, 3_600_000_000
    midnight = (begin // (24 * hour_us) + 1) * 24 * hour_us
    for first, last in (
        (begin, begin + third),
        (end - third, end),
        (midnight, midnight + 3 * hour_us),
    ):
        moments = [datetime.fromtimestamp(mark / 1e6, UTC) for mark in (first, last)]
        if "first_us" in names:
            yield {key: base[key] for key in names} | {"first_us": first, "last_us": last}
        elif "first" in names:
            yield {key: base[key] for key in names} | {"first": moments[0], "last": moments[1]}


def fleet(path: Path, first: datetime, hours: float, *, pods: Sequence[str] = ("a", "b")) -> Path:
    """Scrapes of a fleet: columns of a family, a name of its own, a histogram."""
    begin = int(first.timestamp())
    times = range(begin, begin + int(hours * 3600), STEP_S)
    lines = []
    for k, pod in enumerate(pods):
        label = f'pod="decode-{pod}"'
        for n, t in enumerate(times):
            since = (t - int(MIDNIGHT.timestamp())) // STEP_S + 2000
            lines += [
                f"vllm:num_requests_running{{{label}}} {(since * (k + 3)) % 17} {t}",
                f"vllm:num_requests_waiting{{{label}}} {(since * (k + 5)) % 7 / 3!r} {t}",
                f"vllm:generation_tokens_total{{{label}}} {since * 1000 + k} {t}",
                f'DCGM_FI_DEV_POWER_USAGE{{{label},gpu="0"}} {100 + n % 11} {t}',
                f"someones_own_gauge{{{label}}} {n / 7!r} {t}",
                f'vllm:time_to_first_token_seconds_bucket{{{label},le="0.1"}} {since} {t}',
                f'vllm:time_to_first_token_seconds_bucket{{{label},le="1"}} {since * 3} {t}',
                f'vllm:time_to_first_token_seconds_bucket{{{label},le="+Inf"}} {since * 4} {t}',
                f"vllm:time_to_first_token_seconds_sum{{{label}}} {since * 1.7!r} {t}",
                f"vllm:time_to_first_token_seconds_count{{{label}}} {since * 4} {t}",
            ]
    path.write_text("\n".join(lines) + "\n# EOF\n")
    return path


def log(path: Path, first: datetime, rows: int, *, step_s: float = 70.0) -> Path:
    """Requests, some at one moment."""
    lines = ["arrived_at,prompt_tokens,output_tokens,ttft_s,session"]
    for i in range(rows):
        moment = first + timedelta(seconds=step_s * (i // 2))
        lines.append(f"{moment.isoformat()},{100 + i % 13},{10 + i % 5},{0.1 * (i % 9)},s{i % 4}")
    path.write_text("\n".join(lines) + "\n")
    return path


def parquet_files(folder: Path) -> set[str]:
    return {file.relative_to(folder).as_posix() for file in folder.rglob("*.parquet")}


def test_a_live_run_in_its_exported_form(shared: Path, tmp_path: Path) -> None:
    run = shared / "data" / "dynamo_pd_run"
    pair = Pair(tmp_path)
    pair.load(
        [run / "prom_15s/raw_range_vector", run / "ground_truth/requests.own_form.csv.gz"], "dyn"
    )
    pair.compare()


def test_three_days_over_midnight(tmp_path: Path) -> None:
    pair = Pair(tmp_path)
    first = MIDNIGHT - timedelta(hours=12)
    pair.load([fleet(tmp_path / "fleet.om", first, 60), log(tmp_path / "log.csv", first, 4000)])
    pair.compare()
    days = {path.split("/")[2] for path in parquet_files(pair.folder)}
    assert days == {f"day=2026-03-0{n}" for n in (1, 2, 3)}
    tables = {path.split("/")[0] for path in parquet_files(pair.folder)}
    assert tables == {"sample_engine", "sample_gpu", "sample_other", "histogram", "request"}


def test_loads_that_overlap_and_one_that_is_forgotten(tmp_path: Path) -> None:
    pair = Pair(tmp_path)
    pair.load([fleet(tmp_path / "a.om", MIDNIGHT - timedelta(hours=6), 12)])
    pair.load([fleet(tmp_path / "b.om", MIDNIGHT, 12, pods=("a", "b", "c"))])
    pair.load([log(tmp_path / "a.csv", MIDNIGHT, 900), log(tmp_path / "b.csv", MIDNIGHT, 1200)])
    pair.load([fleet(tmp_path / "other.om", MIDNIGHT, 6)], "another")
    pair.compare()
    pair.forget("a.om")
    pair.load([tmp_path / "b.om"])  # had left rows to the one that went
    pair.compare()
    pair.load([tmp_path / "a.om"])
    pair.forget("a.csv")
    pair.load([tmp_path / "b.csv"])
    pair.compare()
    pair.load([tmp_path / "b.csv"])  # again
    pair.forget("svc")
    assert pair.lake.services() == ["another"]
    pair.forget("another")
    assert parquet_files(pair.folder) == set()
    assert pair.lake.services() == []
    pair.load([fleet(tmp_path / "c.om", MIDNIGHT, 3)])
    pair.compare()


def test_many_sources_of_one_load_share_files(tmp_path: Path) -> None:
    folder = tmp_path / "parts"
    folder.mkdir()
    for k in range(6):
        fleet(folder / f"{k}.om", MIDNIGHT + timedelta(hours=2 * k), 2)
    pair = Pair(tmp_path)
    pair.load([folder])
    assert len(parquet_files(pair.folder)) == 4
    pair.forget(str(folder / "3.om"))
    pair.compare()
    assert len(parquet_files(pair.folder)) == 4


@pytest.mark.parametrize(
    "service",
    ["../../x", "a=b/c", " ", "..", "naïve/服务 %2F", "x" * 4000, "service=a", "'\";--"],
)
def test_names_of_services_that_are_no_names_of_folders(tmp_path: Path, service: str) -> None:
    pair = Pair(tmp_path)
    path = fleet(tmp_path / "a.om", MIDNIGHT, 1)
    pair.load([path], service)
    pair.load([log(tmp_path / "a.csv", MIDNIGHT, 20)], service)
    assert pair.lake.services() == [service]
    same(pair.file.panel(service).frame, pair.lake.panel(service).frame, "panel")
    assert {path.parent for path in tmp_path.rglob("*.parquet")} == {
        path.parent for path in pair.folder.glob("*/service=*/day=2026-03-02/*.parquet")
    }
    pair.forget("a.om")
    assert pair.lake.services() == [service]
    same(pair.file.requests(service), pair.lake.requests(service), "requests")


def test_every_command_takes_a_lake(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, store = str(tmp_path / "lake"), str(tmp_path / "fleet.duckdb")
    inputs = [
        str(fleet(tmp_path / "svc.om", MIDNIGHT, 6)),
        str(log(tmp_path / "log.csv", MIDNIGHT, 600)),
    ]
    where = ["--service", "svc", "--json"]
    assert run_command(["load", "--lake", folder, *inputs, *where]) == 0
    assert run_command(["load", "--store", store, *inputs, *where]) == 0
    capsys.readouterr()
    for words in (
        ["inventory"],
        ["panel", "svc", "--tick", "5m"],
        ["query", "gauge_per_tick"],
        ["evaluate", "svc"],
        ["query", "services"],
        ["doctor"],
        ["forget", "log.csv"],
        ["load", inputs[1], "--service", "svc"],
    ):
        told = []
        for place in (folder, store):
            code = run_command([*words, "--store", place, "--json"])
            out = capsys.readouterr().out
            told.append((code, without_times(json.loads(out) if out else None, place)))
        assert told[0] == told[1], words


def without_times(document: object, place: str) -> object:
    """A document without what tells two runs of one command apart."""
    if isinstance(document, dict):
        return {
            key: without_times(value, place)
            for key, value in document.items()
            if key not in ("loaded_at", "made_at")
        }
    if isinstance(document, list):
        return [without_times(value, place) for value in document]
    return document.replace(place, "STORE") if isinstance(document, str) else document
