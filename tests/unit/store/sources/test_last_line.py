"""Files that end within a line."""

from __future__ import annotations

import gzip
from datetime import UTC, datetime
from pathlib import Path

import pytest

from signals.errors import InputError
from signals.store import LoadOptions, create_store
from signals.store.parsed import ReadOptions
from signals.store.sources import SOURCES
from signals.store.sources.last_line import open_end_findings

WIDE = "ts,decode:decode_tps,decode:batch_size\n2026-06-01T00:00:00Z,100,12\n"
CUT = WIDE + "2026-06-01T00:00:15Z,100,1"


def codes(path: Path) -> list[str]:
    return [finding.code for finding in open_end_findings(path, "info")]


def put(folder: Path, data: bytes, name: str = "x.csv") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("end", [b"1.2", b"1,", b" 1 1760000000", b"a|12.5%"])
def test_a_value_may_have_been_cut(tmp_path: Path, end: bytes) -> None:
    assert codes(put(tmp_path, b"a,b\n1,2\n" + end)) == ["last_line_open"]


@pytest.mark.parametrize(
    "end",
    [b"1,2\n", b"1,2\r\n", b"1,2\r", b"1,2\n  ", b'{"a": 1}', b"[1, 2]", b'"1","2"', b"# EOF"],
)
def test_a_whole_end_is_no_matter(tmp_path: Path, end: bytes) -> None:
    assert codes(put(tmp_path, b"a,b\n1,2\n" + end)) == []


def test_it_is_told_of_what_was_packed_or_written_wide(tmp_path: Path) -> None:
    assert codes(put(tmp_path, gzip.compress(CUT.encode()))) == ["last_line_open"]
    assert codes(put(tmp_path, gzip.compress(WIDE.encode()))) == []
    assert codes(put(tmp_path, CUT.encode("utf-16"))) == ["last_line_open"]
    assert codes(put(tmp_path, WIDE.encode("utf-16"))) == []


def test_parquet_has_no_lines(tmp_path: Path) -> None:
    assert codes(put(tmp_path, b"PAR1....PAR1")) == []


def test_a_long_last_line_counts_by_its_end(tmp_path: Path) -> None:
    assert codes(put(tmp_path, b"a\n" + b"1," * 100_000 + b"1")) == ["last_line_open"]


def test_a_file_that_is_gone_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read") as caught:
        open_end_findings(tmp_path / "x.csv", "info")
    assert caught.value.where.endswith("x.csv")


@pytest.mark.parametrize("name", ["fleet.csv", "fleet.csv.gz"])
def test_a_load_says_it_once_and_keeps_the_value(tmp_path: Path, name: str) -> None:
    data = gzip.compress(CUT.encode()) if name.endswith(".gz") else CUT.encode()
    store = create_store(tmp_path / "fleet.duckdb")
    options = LoadOptions(read=ReadOptions(service="chat"))
    report = store.load([put(tmp_path, data, name)], options).sources[0]
    assert report.rows_kept == 4
    found = [one for one in report.details if one.code == "last_line_open"]
    assert [(one.severity, one.count, one.subject) for one in found] == [("info", 1, name)]


def test_where_every_writer_ends_its_lines_it_is_a_warning(shared: Path, tmp_path: Path) -> None:
    """Every file of lines of numbers, cut by its last three bytes, is told of."""
    files = {
        "dcgmi_dmon.txt": ("warning", ReadOptions(start=_start(), interval_s=1.0)),
        "influx_line_protocol.txt": ("warning", ReadOptions()),
        "nvidia_smi_query.csv": ("warning", ReadOptions(zone="UTC")),
        "openmetrics_backfill.txt": ("info", ReadOptions(at=_start())),
        "promtool_query_range.txt": ("warning", ReadOptions()),
        "promtool_tsdb_dump.txt": ("warning", ReadOptions()),
        "grafana_unformatted_epoch_ms.csv": ("info", ReadOptions(zone="UTC")),
    }
    for name, (severity, read) in files.items():
        whole = (shared / "formats" / name).read_bytes()
        path = put(tmp_path, whole[:-3], name)
        store = create_store(tmp_path / f"{name}.duckdb")
        report = store.load([path], LoadOptions(read=read, max_reject=0.5)).sources[0]
        found = [one.severity for one in report.details if one.code == "last_line_open"]
        assert found == [severity], name


def _start() -> datetime:
    return datetime(2026, 6, 1, tzinfo=UTC)


def test_only_texts_that_end_in_a_mark_say_it_themselves() -> None:
    assert [source.name for source in SOURCES if source.open_end is None] == ["openmetrics"]
