"""Folders of scrapes: times from an index or from names, targets told apart, nothing guessed."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from signals.errors import InputError
from signals.store.parsed import ReadOptions
from signals.store.sources.scrape_folder import open_folder

BASE = 1_760_000_000


def opened(folder: Path, options: ReadOptions | None = None):
    return open_folder(folder, options or ReadOptions(), lambda head, _: head.startswith(b"up"))


def found(folder: Path, options: ReadOptions | None = None):
    """(name, seconds after BASE, labels) of the folder's scrapes, in order."""
    return [
        (
            one.path.relative_to(folder).as_posix(),
            None if one.at is None else one.at.timestamp() - BASE,
            dict(one.labels),
        )
        for one in opened(folder, options).scrapes
    ]


@pytest.fixture
def folder(tmp_path):
    """Makes files of one sample each in a folder."""

    def make(*names: str) -> Path:
        for name in names:
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("up 1\n")
        return tmp_path

    return make


@pytest.mark.parametrize(
    ("name", "seconds"),
    [
        ("1760000000.prom", 0),
        ("decode-0_1760000015.prom.gz", 15),
        ("scrape.1760000000.25.txt", 0.25),
        ("1760000000123.om", 0.123),
        ("m_1760000000000000123.txt", 0),
        ("2025-10-09T08:53:20Z.prom", 0),
        ("2025-10-09T10-53-20+0200.prom", 0),
        ("metrics-20251009T085335Z.txt", 15),
        ("a/20251009085335.5Z.txt", 15.5),
        ("decode-0.prom", None),
        ("pod-5584444550-x.prom", None),
        ("1234567.prom", None),
    ],
)
def test_times_in_names(folder, name, seconds):
    assert [one[1] for one in found(folder(name))] == [
        None if seconds is None else pytest.approx(seconds, abs=1e-6)
    ]


def test_local_times_in_names_need_a_zone(folder):
    path = folder("2025-10-09T10:53:20.prom", "2025-10-09T10:53:35.prom")
    with pytest.raises(InputError, match="no zone"):
        found(path)
    assert [one[1] for one in found(path, ReadOptions(zone="Europe/Paris"))] == [0, 15]


def test_scrapes_come_in_order_of_time(folder):
    path = folder("b_1760000000.prom", "a_1760000015.prom", "c_1759999985.prom", "z.prom")
    assert [one[0][0] for one in found(path)] == ["c", "b", "a", "z"]


def test_targets_that_come_back_are_told_apart(folder):
    path = folder(*(f"decode-{n}_{BASE + t}.prom" for n in (0, 1) for t in (0, 15)))
    assert [one[2] for one in found(path)] == [
        {"instance": "decode-0"},
        {"instance": "decode-1"},
    ] * 2
    assert {one.code: one.count for one in opened(path).findings} == {"targets_from_names": 2}


def test_targets_in_folders(folder):
    path = folder(*(f"pod-{n}/{BASE + t}.prom" for n in "ab" for t in (0, 15)))
    assert [one[2]["instance"] for one in found(path)] == ["pod-a", "pod-b"] * 2


def test_one_round_through_all_targets(folder):
    path = folder(f"a_{BASE}.prom", f"b_{BASE + 1}.prom")
    assert [one[2]["instance"] for one in found(path)] == ["a", "b"]


def test_counted_scrapes_of_one_target(folder):
    path = folder(*(f"scrape-{n:03}_{BASE + 15 * n}.prom" for n in range(4)))
    assert [one[2] for one in found(path)] == [{}] * 4
    assert opened(path).findings == ()


@pytest.mark.parametrize("key", ["time", "ts", "unix", "timestamp"])
def test_an_index_of_files(folder, key):
    path = folder("a.prom", "sub/b.prom", "late.prom")
    rows = [
        {"file": "sub/b.prom", key: BASE, "pod": "decode-0", "other": 1},
        {"file": "a.prom", key: "2025-10-09T08:53:35Z", "pod": None},
    ]
    (path / "index.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n\n")
    assert found(path) == [
        ("sub/b.prom", 0, {"pod": "decode-0"}),
        ("a.prom", 15, {}),
        ("late.prom", None, {}),
    ]


def test_an_index_in_csv(folder):
    path = folder("a.prom", "b.prom")
    (path / "index.csv").write_text("file,time,pod\na.prom,1760000015,x\nb.prom,1760000000,\n")
    assert found(path) == [("b.prom", 0, {}), ("a.prom", 15, {"pod": "x"})]


def test_an_index_of_words(folder):
    path = folder("idle_decode-1.prom", "idle_decode-10.prom", "idle_decode-10.openmetrics.txt")
    plain, marked = "text/plain", "application/openmetrics-text"
    rows = [
        {"unix": BASE, "tag": "idle", "pod": "decode-1", "accept": plain},
        {"unix": BASE + 1, "tag": "idle", "pod": "decode-10", "accept": plain},
        {"unix": BASE + 2, "tag": "idle", "pod": "decode-10", "accept": marked},
        {"unix": BASE + 3, "tag": "busy", "pod": "decode-10", "accept": plain},
    ]
    (path / "index.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert [one[:2] for one in found(path)] == [
        ("idle_decode-1.prom", 0),
        ("idle_decode-10.prom", 1),
        ("idle_decode-10.openmetrics.txt", 2),
    ]


@pytest.mark.parametrize(
    ("index", "what"),
    [
        ('{"file": "a.prom"}', "names no times"),
        ("", "names no times"),
        ("{", "no JSON"),
        ('{"file": "a.prom", "time": 1}\n{"file": "a.prom", "time": 2}', "2 times for one file"),
        ('{"file": "a.prom", "time": "2025-10-09T08:53:35"}', "no zone"),
    ],
)
def test_a_broken_index(folder, index, what):
    path = folder("a.prom")
    (path / "index.jsonl").write_text(index)
    with pytest.raises(InputError, match=what) as caught:
        found(path)
    assert "index.jsonl" in caught.value.where


def test_other_files_are_named(folder):
    path = folder("a_1760000000.prom")
    (path / "README.md").write_text("# scrapes\n")
    (path / ".hidden").write_text("x")
    assert [one.code for one in opened(path).findings] == ["file_skipped"]
    assert "README.md" in opened(path).findings[0].text


def test_no_scrape_at_all(tmp_path):
    (tmp_path / "README.md").write_text("# nothing\n")
    with pytest.raises(InputError, match="no scrape"):
        opened(tmp_path)


def test_the_files_date_is_no_time(folder):
    path = folder("a.prom")
    assert found(path) == [("a.prom", None, {})]
    assert "--at" in opened(path).ask


def test_the_real_folder(shared):
    folder = shared / "data" / "dynamo_pd_run" / "raw_scrapes"
    scrapes = open_folder(folder, ReadOptions(), lambda *_: True).scrapes
    assert len(scrapes) == 20
    first = datetime(2026, 11, 30, 16, 28, 23, 629_000, tzinfo=UTC)
    assert (scrapes[0].path.name, scrapes[0].at) == ("idle_frontend-0.prom.txt", first)
    pods = {f"{role}-{n}" for role in ("prefill", "decode") for n in (0, 1)} | {"frontend-0"}
    assert {one.labels["pod"] for one in scrapes} == pods
    assert all(one.labels["pod"] in one.path.name for one in scrapes)
