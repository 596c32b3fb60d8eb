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
from tests.fuzz.corpus import Sample, own_samples
from tests.fuzz.mutate import MUTATIONS, mutate
from tests.fuzz.run import fuzz, table

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
