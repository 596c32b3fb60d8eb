"""What a broken file does to a load: one clear error, exit code 3, the store as before."""

from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path

import duckdb
import pytest

from signals.cli.app import run
from signals.errors import StoreError

GOOD = "ts,decode:decode_tps [tokens/s]\n2026-11-30T00:00:00Z,5\n2026-11-30T00:00:15Z,6\n"


def _matrix() -> bytes:
    series = {
        "metric": {"__name__": "vllm:generation_tokens_total", "pod": "decode-0"},
        "values": [[1764460800 + 15 * i, str(60 * i)] for i in range(400)],
    }
    return json.dumps(
        {"status": "success", "data": {"resultType": "matrix", "result": [series]}}
    ).encode()


def _unknown(folder: Path) -> Path:
    path = folder / "photo.dat"
    path.write_bytes(bytes(range(256)) * 8)
    return path


def _truncated_gzip(folder: Path) -> Path:
    path = folder / "matrix.json.gz"
    whole = gzip.compress(_matrix())
    path.write_bytes(whole[: len(whole) // 2])
    return path


def _half_json(folder: Path) -> Path:
    path = folder / "matrix.json"
    whole = _matrix()
    path.write_bytes(whole[: len(whole) // 2])
    return path


def _missing_column(folder: Path) -> Path:
    path = folder / "azure.csv"
    path.write_text("TIMESTAMP,ContextTokens\n2023-11-16 18:00:00.0010000,374\n", encoding="utf-8")
    return path


def _mixed_zones(folder: Path) -> Path:
    path = folder / "mixed.csv"
    path.write_text(
        "ts,decode:decode_tps [tokens/s]\n2026-11-30T00:00:00Z,5\n2026-11-30 00:00:15,6\n",
        encoding="utf-8",
    )
    return path


def _empty(folder: Path) -> Path:
    path = folder / "empty.csv"
    path.touch()
    return path


def _folder_of_other_things(folder: Path) -> Path:
    other = folder / "holiday"
    other.mkdir()
    (other / "a.jpg").write_bytes(b"\xff\xd8\xff\xe0" + bytes(200))
    (other / "notes.txt").write_text("sun, sea", encoding="utf-8")
    return other


def _huge_line(folder: Path) -> Path:
    path = folder / "huge.prom"
    with path.open("wb") as file:
        file.write(b'# TYPE up gauge\nup{a="')
        file.seek(1_000_000_000)
        file.write(b'"} 1\n')
    return path


BROKEN = [
    _unknown,
    _truncated_gzip,
    _half_json,
    _missing_column,
    _mixed_zones,
    _empty,
    _folder_of_other_things,
    _huge_line,
]


@pytest.mark.parametrize("make", BROKEN, ids=[f.__name__.strip("_") for f in BROKEN])
def test_a_broken_file_leaves_the_store_as_it_was(
    make, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "fleet.duckdb"
    good = tmp_path / "good.csv"
    good.write_text(GOOD, encoding="utf-8")
    assert run(["--store", str(store), "load", str(good), "--service", "chat"]) == 0
    before = hashlib.sha256(store.read_bytes()).hexdigest()
    capsys.readouterr()

    bad = make(tmp_path)
    code = run(["--store", str(store), "load", str(bad), "--service", "chat", "--json"])

    out, err = capsys.readouterr()
    assert code == 3, err
    assert out == ""
    assert err.startswith("error: ")
    assert "where: " in err
    assert bad.name in err or (bad.is_dir() and "a.jpg" in err)
    assert "expected: " in err or "hint: " in err
    assert "Traceback" not in err
    assert hashlib.sha256(store.read_bytes()).hexdigest() == before


def test_a_broken_file_among_good_ones_loads_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "fleet.duckdb"
    good = tmp_path / "good.csv"
    good.write_text(GOOD, encoding="utf-8")
    code = run(["--store", str(store), "load", str(good), str(_half_json(tmp_path)), "--json"])
    assert code == 3
    capsys.readouterr()
    assert run(["--store", str(store), "inventory", "--json"]) in {0, 4}
    out, _ = capsys.readouterr()
    assert not out or json.loads(out)["services"] == []


def test_a_file_or_store_without_permission_has_the_code_of_a_file_or_store(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    good = tmp_path / "good.csv"
    good.write_text(GOOD, encoding="utf-8")
    store = tmp_path / "fleet.duckdb"
    store.mkdir()
    # as someone who is not root is told
    monkeypatch.setattr("os.access", lambda *_, **__: False)
    assert run(["--store", str(store), "load", str(good)]) == 4
    assert "the store is a folder" in capsys.readouterr().err


def test_a_ctrl_c_that_spoils_the_rest_of_a_transaction_is_still_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def stopped_half_way(*_: object) -> None:
        try:
            raise duckdb.InterruptException("INTERRUPT Error: Interrupted!")
        except duckdb.Error:
            try:
                raise duckdb.TransactionException("current transaction is aborted")
            except duckdb.Error as later:
                raise StoreError("the store cannot be used") from later

    monkeypatch.setattr("signals.cli.app.build", lambda: lambda *_, **__: stopped_half_way())
    with pytest.raises(KeyboardInterrupt):
        run(["policies"])


@pytest.mark.parametrize(
    "target", ["good.csv/x.html", "there/is/none.html", "a" * 300 + ".json", "folder.html"]
)
def test_a_report_that_cannot_be_written_is_refused_at_once(
    target: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "fleet.duckdb"
    good = tmp_path / "good.csv"
    good.write_text(GOOD, encoding="utf-8")
    (tmp_path / "folder.html").mkdir()
    assert run(["--store", str(store), "load", str(good), "--service", "chat"]) == 0
    capsys.readouterr()
    assert run(["--store", str(store), "report", "chat", "-o", str(tmp_path / target)]) == 3
    assert capsys.readouterr().err.startswith("error: ")
    assert not list(tmp_path.glob(".*html*"))


@pytest.mark.parametrize("target", ["good.csv", "good.csv/x"])
def test_tear_sheets_need_a_folder(
    target: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "fleet.duckdb"
    good = tmp_path / "good.csv"
    good.write_text(GOOD, encoding="utf-8")
    assert run(["--store", str(store), "load", str(good), "--service", "chat"]) == 0
    capsys.readouterr()
    argv = [
        "--store",
        str(store),
        "evaluate",
        "chat",
        "--json",
        "--tear-sheet",
        str(tmp_path / target),
    ]
    assert run(argv) == 3
    assert capsys.readouterr().out == ""
