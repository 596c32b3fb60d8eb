"""A disk that is full: a clear error, and the store as it was."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from signals.cli.app import run as run_command
from signals.errors import StoreError
from signals.store import LoadOptions, Store, connect, create_store
from signals.store.parsed import ReadOptions
from tests.builders import make_comparison

OPTIONS = LoadOptions(read=ReadOptions(service="svc"))
Disk = Callable[[float], Path]


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    """Makes file systems of a given size, MB, in memory; the test is skipped where none may be mounted."""
    mounted: list[Path] = []

    def make(size_mb: float) -> Path:
        folder = tmp_path / f"disk{len(mounted)}"
        folder.mkdir()
        size = f"size={int(size_mb * 1024)}k"
        made = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", size, "tmpfs", str(folder)],
            capture_output=True,
            text=True,
            check=False,
        )
        if made.returncode != 0:
            pytest.skip(f"no file system can be mounted here: {made.stderr.strip()}")
        mounted.append(folder)
        return folder

    yield make
    for folder in mounted:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def export(path: Path, first_s: int = 0, rows: int = 10) -> Path:
    """A table whose numbers do not compress."""
    lines = ["ts_s,decode/a:running [count],decode/b:running [count]"]
    lines += [
        f"{first_s + 15 * i},{i * 7919 % 99991},{i * 104729 % 99991}.{i * 31 % 997}"
        for i in range(rows)
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


def buckets(path: Path, rows: int) -> Path:
    """A histogram, whose buckets are gathered in DuckDB before they are stored."""
    lines = ["ts,metric,value,pool,le"]
    lines += [
        f"{1_760_000_000 + i},ttft,{i + k},p{i % 7},{bound}"
        for i in range(rows)
        for k, bound in enumerate(("0.1", "0.2", "0.4", "0.8", "+Inf"))
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


def loaded(folder: Path, file: Path) -> Store:
    store = create_store(folder / "fleet.duckdb")
    store.load([file], OPTIONS)
    return store


def fill(folder: Path, *, leave_kb: int) -> None:
    """Take the space of a disk but for a rest."""
    import shutil

    free = shutil.disk_usage(folder).free
    (folder / "other").write_bytes(bytes(max(0, free - leave_kb * 1024)))


def check_error(error: StoreError, store: Path, cause: str = "No space left") -> None:
    assert str(store) in error.where
    assert error.exit_code == 4
    assert cause in error.hint
    assert "space" in f"{error.expected} {error.hint}"


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {"other"}


def test_a_new_store(tmp_path: Path, disk: Disk) -> None:
    folder = disk(0.5)
    with pytest.raises(StoreError) as caught:
        loaded(folder, export(tmp_path / "a.csv"))
    check_error(caught.value, folder / "fleet.duckdb")
    assert names(folder) == {".fleet.duckdb.lock"}


@pytest.mark.parametrize("leave_kb", [100, 2_500])
def test_a_store_that_is_copied(tmp_path: Path, disk: Disk, leave_kb: int) -> None:
    """The copy finds no room, or it does and cannot grow."""
    folder = disk(12)
    store = loaded(folder, export(tmp_path / "a.csv"))
    fill(folder, leave_kb=leave_kb)
    before, held = store.path.read_bytes(), names(folder)
    with pytest.raises(StoreError) as caught:
        store.load([export(tmp_path / "b.csv", 10_000, 300_000)], OPTIONS)
    check_error(caught.value, store.path)
    assert store.path.read_bytes() == before
    assert names(folder) == held
    (folder / "other").unlink()
    store.load([export(tmp_path / "c.csv", 10_000, 20)], OPTIONS)
    assert store.query("services")["samples"].to_list() == [60]


@pytest.mark.parametrize("leave_kb", [16, 1_000])
def test_a_store_that_is_written_in_place(
    tmp_path: Path, disk: Disk, monkeypatch: pytest.MonkeyPatch, leave_kb: int
) -> None:
    monkeypatch.setattr(connect, "IN_PLACE_BYTES", 0)
    folder = disk(12)
    store = loaded(folder, export(tmp_path / "a.csv"))
    store.load([export(tmp_path / "b.csv", 10_000, 10)], OPTIONS)
    fill(folder, leave_kb=leave_kb)
    with pytest.raises(StoreError) as caught:
        store.load([export(tmp_path / "c.csv", 20_000, 300_000)], OPTIONS)
    check_error(caught.value, store.path)
    assert store.query("services")["samples"].to_list() == [40]
    (folder / "other").unlink()
    store.load([export(tmp_path / "d.csv", 20_000, 20)], OPTIONS)
    assert store.query("services")["samples"].to_list() == [80]
    for check in ("lost_samples", "repeated_samples", "wrong_extents"):
        assert store.query(f"checks/{check}").is_empty()


def test_what_does_not_fit_into_memory_finds_no_room_either(
    tmp_path: Path, disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connect, "MEMORY", "40MB")
    folder = disk(8)
    store = loaded(folder, export(tmp_path / "a.csv"))
    before, held = store.path.read_bytes(), names(folder)
    with pytest.raises(StoreError) as caught:
        store.load([buckets(tmp_path / "b.csv", 200_000)], OPTIONS)
    check_error(caught.value, store.path, "failed to offload data")
    assert store.path.read_bytes() == before
    assert names(folder) == held


def test_results_beside_the_store(tmp_path: Path, disk: Disk) -> None:
    folder = disk(4)
    store = loaded(folder, export(tmp_path / "a.csv"))
    fill(folder, leave_kb=300)
    before, held = store.path.read_bytes(), names(folder)
    with pytest.raises(StoreError) as caught:
        store.runs.save("svc", make_comparison())
    check_error(caught.value, store.runs.path)
    assert store.path.read_bytes() == before
    assert names(folder) - held <= {f".{store.runs.path.name}.lock"}
    assert store.runs.list().is_empty()


def test_the_command_says_it_in_its_exit_code(
    tmp_path: Path, disk: Disk, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = disk(0.5)
    code = run_command(
        ["load", str(export(tmp_path / "a.csv")), "--store", str(folder / "fleet.duckdb")]
    )
    told = capsys.readouterr().err
    assert code == 4
    assert str(folder / "fleet.duckdb") in told
    assert "no space left" in told.lower()
    assert "Traceback" not in told
