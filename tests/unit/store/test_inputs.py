"""The sources of a load."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

import pytest

from signals.errors import FormatError, InputError, UsageError
from signals.store import LoadOptions
from signals.store.inputs import identity, plan_inputs, plan_load, size_of
from signals.store.parsed import NameChoice, ReadOptions

WIDE = "ts,decode:running [count]\n2026-01-01T00:00:00Z,1\n"


def write(folder: Path, name: str, text: str = WIDE) -> Path:
    file = folder / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    return file


def test_a_service_is_named_by_the_user_the_folder_or_the_files_stem(tmp_path: Path) -> None:
    file = write(tmp_path, "fig2.wide.csv")
    write(tmp_path, "fleet/a.csv")
    assert [i.service for i in plan_inputs([file], LoadOptions())] == ["fig2"]
    assert [i.service for i in plan_inputs([tmp_path / "fleet"], LoadOptions())] == ["fleet"]
    named = LoadOptions(read=ReadOptions(service="svc"))
    assert [i.service for i in plan_inputs([file, tmp_path / "fleet"], named)] == ["svc", "svc"]


def test_a_named_format_is_not_questioned(tmp_path: Path) -> None:
    file = write(tmp_path, "odd.txt")
    assert plan_inputs([file], LoadOptions(source_format="own-wide"))[0].source.name == "own-wide"
    with pytest.raises(UsageError, match="format 'no-such' is not known"):
        plan_inputs([file], LoadOptions(source_format="no-such"))


def test_a_folder_of_timed_scrapes_is_one_input(tmp_path: Path) -> None:
    scrapes = tmp_path / "scrapes"
    for name in ("a_1760000000.prom", "a_1760000015.prom"):
        write(scrapes, name, "# TYPE up gauge\nup 1\n")
    (one,) = plan_inputs([scrapes], LoadOptions())
    assert (one.path, one.source.name, one.service) == (scrapes, "openmetrics", "scrapes")
    write(scrapes, "b.prom", "# TYPE up gauge\nup 1\n")
    assert len(plan_inputs([scrapes], LoadOptions())) == 3
    assert len(plan_inputs([scrapes], LoadOptions(source_format="openmetrics"))) == 1


def test_a_missing_path_and_an_empty_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        plan_inputs([tmp_path / "absent.csv"], LoadOptions())
    assert caught.value.where == str(tmp_path / "absent.csv")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError):
        plan_inputs([tmp_path / "empty"], LoadOptions())


def test_the_identity_is_content_and_options_not_the_path(tmp_path: Path) -> None:
    options = LoadOptions(read=ReadOptions(service="svc"))
    one, same, other = plan_inputs(
        [
            write(tmp_path, "a.csv"),
            write(tmp_path, "b.csv"),
            write(tmp_path, "c.csv", WIDE.replace(",1", ",2")),
        ],
        options,
    )
    assert identity(one, options) == identity(same, options)
    assert identity(one, options)[0] != identity(other, options)[0]
    ruled = LoadOptions(read=options.read, pool_rules=("decode=pod:a",))
    assert identity(one, options)[1] != identity(one, ruled)[1]
    assert identity(one, options)[0] == hashlib.sha256(one.path.read_bytes()).hexdigest()
    # how much may be rejected does not change what is read
    lenient = LoadOptions(read=options.read, max_reject=0.5)
    assert identity(one, options) == identity(one, lenient)


@pytest.mark.parametrize(
    "read", [{"seed": 1}, {"skip_s": 60.0}, {"span_s": 60.0}, {"share": 0.5}, {"zone": "UTC"}]
)
def test_another_draw_is_another_source(tmp_path: Path, read: dict[str, Any]) -> None:
    file = write(tmp_path, "a.csv")
    usual = LoadOptions(source_format="servegen")
    other = LoadOptions(read=ReadOptions(**read), source_format="servegen")
    hashes = {identity(plan_inputs([file], one)[0], one)[1] for one in (usual, other)}
    assert len(hashes) == 2


def test_sizes_of_folders_add_up(tmp_path: Path) -> None:
    write(tmp_path, "fleet/a.csv", "12345")
    write(tmp_path, "fleet/b.csv", "123")
    assert size_of(tmp_path / "fleet") == 8


@pytest.mark.parametrize("source_format", ["", "own-wide"])
def test_what_has_no_end_is_refused_before_it_is_read(tmp_path: Path, source_format: str) -> None:
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    (tmp_path / "link.csv").symlink_to("/dev/zero")
    for path in (pipe, Path("/dev/zero"), tmp_path / "link.csv"):
        with pytest.raises(InputError, match="no regular file") as caught:
            plan_inputs([path], LoadOptions(source_format=source_format))
        assert caught.value.where == str(path)


@pytest.mark.parametrize("name", ["n" * 300, "a\0b", "caf\udce9.csv"])
def test_names_that_cannot_be_stored_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError) as caught:
        plan_inputs([tmp_path / name], LoadOptions())
    str(caught.value).encode()


def test_a_folder_with_such_a_name_in_it_is_refused(tmp_path: Path) -> None:
    write(tmp_path, "fleet/caf\udce9.csv")
    with pytest.raises(InputError) as caught:
        plan_inputs([tmp_path / "fleet"], LoadOptions())
    assert "caf\\udce9.csv" in caught.value.where


@pytest.mark.parametrize(
    "options",
    [
        LoadOptions(read=ReadOptions(service="\udcff")),
        LoadOptions(pool_rules=("prefill=pod:\udcff",)),
        LoadOptions(source_format="\udcff"),
    ],
)
def test_options_that_are_not_utf8_are_refused(tmp_path: Path, options: LoadOptions) -> None:
    with pytest.raises(UsageError, match="not UTF-8") as caught:
        plan_inputs([write(tmp_path, "a.csv")], options)
    str(caught.value).encode()


@pytest.mark.parametrize("options", [{"skip_s": 60.0}, {"span_s": 60.0}, {"share": 0.5}])
def test_options_that_a_format_passes_over_are_refused(
    tmp_path: Path, options: dict[str, Any]
) -> None:
    file = tmp_path / "log.csv"
    file.write_text("arrived_at,prompt_tokens,output_tokens\n2026-03-01T00:00:00Z,1,1\n")
    with pytest.raises(UsageError, match="cannot leave out a part of this file"):
        plan_inputs([file], LoadOptions(read=ReadOptions(**options)))


def skipped(folder: Path, options: LoadOptions | None = None) -> dict[str, str]:
    plan = plan_load([folder], options or LoadOptions())
    return {one.path.relative_to(folder).as_posix(): one.why for one in plan.skipped}


def test_foreign_files_of_a_folder_are_skipped_and_named(tmp_path: Path) -> None:
    fleet = tmp_path / "fleet"
    write(fleet.parent, "fleet/a.csv")
    for name, text in (("README.md", "# a run\n"), ("run.yaml", "seed: 1\n"), ("meta.json", "{}")):
        write(fleet, name, text)
    write(fleet, ".DS_Store", "x")
    write(fleet, "empty.csv", "")
    (fleet / "model.bin").write_bytes(bytes(100))
    (fleet / "old.zip").write_bytes(b"PK\x03\x04")
    (fleet / "caf\udce9.txt").write_text("shopping: milk\n")
    os.mkfifo(fleet / "pipe.csv")
    plan = plan_load([fleet], LoadOptions())
    assert [item.path.name for item in plan.inputs] == ["a.csv"]
    unknown = "the format is not recognised"
    assert skipped(fleet) == {
        ".DS_Store": "hidden",
        "README.md": unknown,
        "caf\udce9.txt": unknown,
        "empty.csv": "empty",
        "meta.json": unknown,
        "model.bin": "holds a NUL byte",
        "old.zip": "a ZIP archive",
        "pipe.csv": "a pipe",
        "run.yaml": unknown,
    }


def test_tables_that_only_resemble_a_format_are_foreign_unless_they_open(tmp_path: Path) -> None:
    fleet = tmp_path / "fleet"
    write(tmp_path, "fleet/a.csv")
    write(fleet, "users.csv", "timestamp,user,seats\n2026-01-01T00:00:00Z,a,3\n")
    write(fleet, "cdf.csv", "metric,value,cdf_percent\npower,1,2\n")
    write(fleet, "own.csv", "ts,my_number\n2026-01-01T00:00:00Z,4\n")
    plan = plan_load([fleet], LoadOptions())
    assert [item.path.name for item in plan.inputs] == ["a.csv", "own.csv"]
    assert skipped(fleet) == {
        "cdf.csv": "like own-long, but column 'ts' is missing",
        "users.csv": "like own-wide, but column 'ts' is missing",
    }
    mapped = LoadOptions(read=ReadOptions(columns={"timestamp": NameChoice("ts", "")}))
    assert "users.csv" not in skipped(fleet, mapped)


def test_a_foreign_file_that_was_named_is_refused(tmp_path: Path) -> None:
    write(tmp_path, "fleet/a.csv")
    readme = write(tmp_path, "fleet/README.md", "# a run\n")
    with pytest.raises(FormatError, match="not recognised"):
        plan_load([tmp_path / "fleet", readme], LoadOptions())


def test_a_folder_of_nothing_known_says_what_it_saw(tmp_path: Path) -> None:
    fleet = tmp_path / "fleet"
    fleet.mkdir()
    for number in range(9):
        write(fleet, f"{number}.md", "# a run\n")
    write(fleet, ".DS_Store", "x")
    with pytest.raises(FormatError, match="no file of the folder has a known format") as caught:
        plan_load([fleet], LoadOptions())
    assert ".DS_Store (hidden), 0.md (the format is not recognised), " in caught.value.where
    assert caught.value.where.endswith("and 2 more")


def test_a_broken_file_of_a_folder_refuses_all_of_it(tmp_path: Path) -> None:
    write(tmp_path, "fleet/a.csv")
    (tmp_path / "fleet" / "b.csv.gz").write_bytes(b"\x1f\x8b\x08 cut short")
    with pytest.raises(InputError, match="damaged or cut short") as caught:
        plan_load([tmp_path / "fleet"], LoadOptions())
    assert not isinstance(caught.value, FormatError)
    assert "nothing of this load was stored" in caught.value.hint


def test_a_named_format_is_that_of_all_files_of_a_folder(tmp_path: Path) -> None:
    write(tmp_path, "fleet/a.csv")
    write(tmp_path, "fleet/b.odd", "x\n")
    write(tmp_path, "fleet/.hidden", "x\n")
    named = LoadOptions(source_format="own-wide")
    plan = plan_load([tmp_path / "fleet"], named)
    assert [item.source.name for item in plan.inputs] == ["own-wide", "own-wide"]
    assert skipped(tmp_path / "fleet", named) == {".hidden": "hidden"}


def test_scrapes_skip_what_lies_beside_them(tmp_path: Path) -> None:
    scrapes = tmp_path / "scrapes"
    for name in ("a_1760000000.prom", "a_1760000015.prom"):
        write(scrapes, name, "# TYPE up gauge\nup 1\n")
    write(scrapes, "README.md", "# a run\n")
    os.mkfifo(scrapes / "pipe")
    plan = plan_load([scrapes], LoadOptions())
    assert [item.path for item in plan.inputs] == [scrapes]
    assert skipped(scrapes) == {"pipe": "a pipe"}  # the others are told by the reader of the folder


def test_linked_folders_are_loaded_and_hashed(tmp_path: Path) -> None:
    write(tmp_path, "there/a.csv")
    fleet = tmp_path / "fleet"
    fleet.mkdir()
    (fleet / "link").symlink_to("../there")
    (fleet / "link" / "loop").symlink_to("..")
    (item,) = plan_load([fleet], LoadOptions()).inputs
    assert item.path == fleet / "link" / "a.csv"
    assert size_of(fleet) == len(WIDE)
