"""What a folder holds: files by their own paths, links followed once, everything else named."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from signals.errors import InputError
from signals.store.tree import walk


def put(folder: Path, *names: str) -> None:
    for name in names:
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x")


def files(folder: Path) -> list[str]:
    return [file.relative_to(folder).as_posix() for file in walk(folder).files]


def skipped(folder: Path) -> dict[str, str]:
    return {one.path.relative_to(folder).as_posix(): one.why for one in walk(folder).skipped}


def test_files_stand_in_order_of_their_paths(tmp_path: Path) -> None:
    put(tmp_path, "b.csv", "sub/deep/a.csv", "a.csv")
    assert files(tmp_path) == ["a.csv", "b.csv", "sub/deep/a.csv"]
    assert skipped(tmp_path) == {}


def test_links_to_files_and_folders_are_followed(tmp_path: Path) -> None:
    here = tmp_path / "here"
    put(tmp_path, "there/a.csv", "there/sub/b.csv", "one.csv", "here/own.csv")
    (here / "folder").symlink_to("../there")
    (here / "file.csv").symlink_to("../one.csv")
    assert files(here) == ["file.csv", "folder/a.csv", "folder/sub/b.csv", "own.csv"]
    assert skipped(here) == {}
    (tmp_path / "entrance").symlink_to(here)
    assert len(files(tmp_path / "entrance")) == 4


def test_no_folder_is_read_twice_and_none_without_end(tmp_path: Path) -> None:
    put(tmp_path, "x/a.csv", "z/b.csv")
    (tmp_path / "a_link").symlink_to(
        "z"
    )  # before the folder by name, yet its files keep their own paths
    (tmp_path / "x" / "loop").symlink_to("..")
    (tmp_path / "x" / "self").symlink_to(".")
    (tmp_path / "x" / "top").symlink_to(tmp_path.parent)
    (tmp_path / "x" / "other").symlink_to("../z")
    (tmp_path / "z" / "other").symlink_to("../x")
    assert files(tmp_path) == ["x/a.csv", "z/b.csv"]
    around = "a link to a folder around it"
    assert skipped(tmp_path) == {"x/loop": around, "x/self": around, "x/top": around}


def test_two_links_to_one_folder_outside_count_once(tmp_path: Path) -> None:
    put(tmp_path, "there/a.csv", "there/back.csv")
    here = tmp_path / "here"
    here.mkdir()
    for name in ("one", "two"):
        (here / name).symlink_to("../there")
    (tmp_path / "there" / "again").symlink_to("../here/one")
    assert files(here) == ["one/a.csv", "one/back.csv"]


def test_what_is_no_file_is_named(tmp_path: Path) -> None:
    put(tmp_path, "a.csv", ".DS_Store", ".git/config", ".git/hooks/x")
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "gone.csv").symlink_to("nowhere")
    (tmp_path / "round.csv").symlink_to("round.csv")
    (tmp_path / "null.csv").symlink_to("/dev/null")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "s"))
        assert skipped(tmp_path) == {
            ".DS_Store": "hidden",
            ".git": "hidden",
            "gone.csv": "a link that leads nowhere",
            "null.csv": "a device",
            "pipe.csv": "a pipe",
            "round.csv": "a link that leads nowhere",
            "s": "a socket",
        }
    assert files(tmp_path) == ["a.csv"]


def test_a_hidden_folder_that_was_asked_for_is_read(tmp_path: Path) -> None:
    put(tmp_path, ".run/a.csv")
    assert files(tmp_path / ".run") == ["a.csv"]


def test_a_folder_that_cannot_be_read_is_told(tmp_path: Path, monkeypatch) -> None:
    put(tmp_path, "closed/a.csv")

    def refuse(_folder: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("signals.store.tree.os.scandir", refuse)
    with pytest.raises(InputError, match="Permission denied"):
        walk(tmp_path)
