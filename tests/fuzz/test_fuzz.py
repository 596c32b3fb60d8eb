"""Damaged files of every format end in a clear error or in counted rejects; `make fuzz` loads 10,000."""

from __future__ import annotations

import gzip
import os
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from signals.errors import InputError
from signals.store import LoadOptions, create_store
from signals.store.parsed import ReadOptions
from signals.store.sources import SOURCES, detect, detect_folder, stream
from tests.fuzz import run
from tests.fuzz.corpus import Sample, own_samples
from tests.fuzz.mutate import MUTATIONS, mutate
from tests.fuzz.peak import forget_peak, peak_bytes
from tests.fuzz.run import fuzz, summary, table
from tests.fuzz.worker import LIMIT_BYTES, Bench, Outcome

SEED = 20261130
FILES = int(os.environ.get("FUZZ_FILES", "300"))


def test_every_format_has_a_sample() -> None:
    assert {sample.form for sample in own_samples()} == {source.name for source in SOURCES}


@pytest.mark.parametrize("sample", own_samples(), ids=lambda s: f"{s.form}-{next(iter(s.files))}")
def test_the_samples_are_whole(tmp_path: Path, sample: Sample) -> None:
    for name, content in sample.files.items():
        (tmp_path / name).write_bytes(content)
    path = tmp_path if sample.folder else tmp_path / next(iter(sample.files))
    source = detect_folder(path) if sample.folder else detect(path)
    assert source is not None
    assert source.name == sample.form
    chunks = list(source.read(path, ReadOptions(**sample.options)))
    assert sum(chunk.rows_read for chunk in chunks) > 0
    assert [reject for chunk in chunks for reject in chunk.rejects] == []


def test_a_seed_and_a_number_say_all_about_a_file() -> None:
    content = own_samples()[0].files["rounds.csv"]
    one, other = (mutate(content, np.random.default_rng([1, 2])) for _ in range(2))
    assert one == other
    assert one[0] != content


@pytest.mark.parametrize("name", sorted(MUTATIONS))
def test_whatever_is_damaged_can_be_damaged_again(name: str, rng: np.random.Generator) -> None:
    for content in (b"", b"\n", b"ts,a\n1,2\n", bytes(range(256))):
        assert isinstance(MUTATIONS[name](content, rng), bytes)


def test_damage_does_not_outgrow_the_file(rng: np.random.Generator) -> None:
    # a line of millions of bytes, thousands of times, is the memory of a machine
    content = (b"ab 1 " * 1_000 + b"\n") * 1_000
    for name in ("many_lines", "other_numbers", "other_texts", "repeat_part"):
        assert len(MUTATIONS[name](content, rng)) < 20_000_000


def test_the_memory_of_each_file_is_noted_and_bounded(tmp_path: Path) -> None:
    bench = Bench(tmp_path, SEED, limit_bytes=1)
    one = bench.take(1)
    assert (one.kind, one.fault) == ("broken", "memory")
    assert "MB of memory" in one.text
    bench.limit_bytes = LIMIT_BYTES
    other = bench.take(1)
    assert other.fault == ""
    assert 0 < other.peak_bytes < LIMIT_BYTES


def test_a_peak_is_that_of_its_own_time() -> None:
    forget_peak()
    before = peak_bytes()
    held = np.ones(50_000_000)
    assert peak_bytes() > before + held.nbytes // 2
    del held
    forget_peak()
    if os.access("/proc/self/clear_refs", os.W_OK):
        assert peak_bytes() < before + 200_000_000


def test_a_process_that_hangs_or_takes_all_memory_is_killed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # less than the process that starts for the first file takes to start
    for name, limit, fault in (("TIMEOUT_S", -300.0, "hang"), ("MOST_BYTES", 1_000, "memory")):
        with monkeypatch.context() as patch:
            patch.setattr(run, name, limit)
            (one,) = fuzz([0], seed=SEED, workers=1)
        assert (one.kind, one.fault) == ("broken", fault)
        assert "exit code -9" in one.text


def test_the_counts_say_what_is_broken() -> None:
    ends = [
        Outcome(0, "a", (), "loaded", peak_bytes=2_000_000),
        Outcome(1, "a", (), "rejected", rejects=7, seconds=2.0),
        Outcome(2, "b", (), "refused", text="why"),
        Outcome(3, "?", (), "broken", "hang"),
    ]
    text = summary(ends)
    assert "4 files: 1 loaded, 1 loaded with 7 rejects, 1 refused, 1 broken" in text
    assert "peak memory 2 MB (file 0), slowest 2.0 s (file 1)" in text
    assert "0 tracebacks" in text
    assert "1 hangs" in text
    assert table(ends).splitlines()[-1].split() == ["all", "1", "1", "1", "1", "2"]


@pytest.mark.slow
def test_damaged_files_are_refused_or_counted() -> None:
    outcomes = list(fuzz(range(FILES), seed=SEED))
    assert len(outcomes) == FILES
    broken = [f"{one.number} {one.form} {one.done}: {one.text}" for one in outcomes]
    assert not [text for text, one in zip(broken, outcomes, strict=True) if one.kind == "broken"]
    # most damage must not stop at the door, or nothing behind it is tried
    assert sum(one.kind != "refused" for one in outcomes) > FILES // 5, table(outcomes)


def test_a_bomb_leaves_no_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "_BOMB_BYTES", 6 << 20)
    path = tmp_path / "bomb.csv.gz"
    with gzip.open(path, "wb", compresslevel=9) as out:
        out.write(b"ts_s,decode:running [count]\n")
        out.write((b"1," + b"0" * 998 + b"\n") * 12_000)
    store = create_store(tmp_path / "fleet.duckdb")
    read = ReadOptions(service="svc", start=datetime(2026, 1, 1, tzinfo=UTC))
    with pytest.raises(InputError, match="times its compressed size"):
        store.load([path], LoadOptions(read=read))
    assert not store.path.exists()
