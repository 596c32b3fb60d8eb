"""Loads: whole or not at all, once, merged with what is there."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import duckdb
import polars as pl
import pytest

from signals.errors import InputError, UsageError
from signals.schema import Finding
from signals.store import LoadOptions, create_store
from signals.store.inputs import Input
from signals.store.load import load_inputs
from signals.store.parsed import Chunk, NameChoice, ReadOptions, Reject, Series, Source
from signals.store.tree import Skipped
from tests.sql.hand import Hand, at, chunk_of

TOKENS = Series("vllm:generation_tokens_total", {"pod": "decode-0"})
RUNNING = Series("vllm:num_requests_running", {"pod": "decode-0"})


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def samples(hand: Hand) -> list[tuple[float, float]]:
    with duckdb.connect(str(hand.path), read_only=True) as connection:
        connection.execute("set TimeZone = 'UTC'")
        rows = connection.execute("select ts, value from sample order by ts").fetchall()
    return [((ts - at(0)).total_seconds(), value) for ts, value in rows]


def test_a_load_says_what_became_of_every_row(hand: Hand) -> None:
    points = [(0, 100), (15, 130), (45, 190), (30, 160), (60, 220), (60, 220)]
    points += [(75, 250), (75, 251), (90, 280)]
    report = hand.load(chunk_of((TOKENS, points))).sources[0]
    assert (report.rows_read, report.rows_kept, report.series) == (9, 7, 1)
    assert report.findings == {"conflict": 1, "duplicate": 1, "out_of_order": 1}
    assert (report.first, report.last) == (at(0), at(90))
    assert not report.already_loaded
    assert dict(samples(hand))[75] == 250


def test_the_same_content_is_loaded_once(hand: Hand) -> None:
    chunk = chunk_of((RUNNING, [(0, 1), (15, 2)]))
    hand.load(chunk, name="a")
    before = digest(hand.path)
    again = hand.load(chunk, name="a").sources[0]
    assert again.already_loaded
    assert again.rows_kept == 0
    assert digest(hand.path) == before


def test_other_options_read_again_and_merge(hand: Hand) -> None:
    chunk = chunk_of((RUNNING, [(0, 1), (15, 2)]))
    hand.load(chunk, name="a")
    again = hand.load(chunk, name="a", pool_rules=("prefill=pod:decode-0",)).sources[0]
    assert not again.already_loaded
    assert again.rows_kept == 0
    assert again.findings == {"overlap": 2}
    assert hand.store.inventory().pools["pool"].to_list() == ["prefill"]


def test_overlaps_fill_and_conflicts_keep_the_first(hand: Hand) -> None:
    hand.load(chunk_of((RUNNING, [(0, 1), (15, 2)])))
    second = hand.load(chunk_of((RUNNING, [(15, 2), (30, 3)]))).sources[0]
    third = hand.load(chunk_of((RUNNING, [(30, 9), (45, 4)]))).sources[0]
    assert (second.rows_kept, second.findings) == (1, {"overlap": 1})
    assert (third.rows_kept, third.findings) == (1, {"conflict": 1})
    assert samples(hand) == [(0, 1), (15, 2), (30, 3), (45, 4)]


def test_series_keep_their_extent_over_loads(hand: Hand) -> None:
    hand.load(chunk_of((TOKENS, [(30, 5), (45, 9)])))
    hand.load(chunk_of((TOKENS, [(0, 1), (15, 3), (60, 2)])))
    with duckdb.connect(str(hand.path), read_only=True) as connection:
        row = connection.execute(
            "select samples, resets, resolution_s, epoch(last_at) - epoch(first_at) from series"
        ).fetchall()
    assert row == [(5, 1, 15.0, 60.0)]


def test_equal_requests_of_a_source_are_real(hand: Hand) -> None:
    row = {"arrived_s": 1, "prompt_tokens": 7, "output_tokens": 3}
    report = hand.load(chunk_of(requests=[row, row, row])).sources[0]
    assert report.rows_kept == 3
    assert hand.store.requests("svc").height == 3


def test_a_later_export_of_a_log_adds_only_what_is_new(hand: Hand) -> None:
    rows = [{"arrived_s": s, "prompt_tokens": 7, "output_tokens": 3} for s in (1, 1, 2, 3)]
    hand.load(chunk_of(requests=rows))
    more = hand.load(chunk_of(requests=[*rows, {"arrived_s": 9, "prompt_tokens": 1}])).sources[0]
    assert more.rows_kept == 1
    assert hand.store.requests("svc").height == 5


def test_two_logs_of_one_time_are_both_real(hand: Hand) -> None:
    first = [{"arrived_s": s, "prompt_tokens": 10 * s} for s in range(1, 9)]
    other = [{"arrived_s": s + 0.5, "prompt_tokens": 10 * s} for s in range(1, 8)]
    hand.load(chunk_of(requests=first))
    report = hand.load(chunk_of(requests=[*other, first[0]])).sources[0]
    assert report.rows_kept == 8


def test_markers_and_blanks_are_dropped_and_counted(hand: Hand) -> None:
    util = Series("DCGM_FI_DEV_GPU_UTIL", {"gpu": "0", "Hostname": "node"})
    nan = float("nan")
    points = [(0, 40), (15, 4294967295), (30, nan), (45, 9223372036854775794), (60, 808334905)]
    report = hand.load(chunk_of((util, points))).sources[0]
    assert report.findings == {"not_a_number": 1, "sentinel": 3}
    assert samples(hand) == [(0, 0.4)]


def test_a_contradicting_range_is_a_finding_and_the_value_stays(hand: Hand) -> None:
    usage = Series("vllm:kv_cache_usage_perc", {"pod": "p"})
    report = hand.load(chunk_of((usage, [(0, 0.5), (15, 55.0)]))).sources[0]
    assert report.findings == {"out_of_range": 1}
    assert samples(hand) == [(0, 0.5), (15, 55.0)]


def test_a_counter_below_zero_is_left_out_and_is_no_restart(hand: Hand) -> None:
    tokens = Series("vllm:generation_tokens_total", {"pod": "p"})
    points = [(15 * i, 3000 + 600 * i) for i in range(20)]
    hand.load(chunk_of((tokens, [*points[:7], (105, -5), *points[8:]])))
    found = {one["code"]: one["count"] for one in hand.store.inventory().findings.to_dicts()}
    assert found.get("out_of_range") == 1
    assert "counter_reset" not in found
    rates = hand.store.panel("svc").frame["unified:decode_tps"].drop_nulls().to_list()
    assert rates == pytest.approx([40.0] * len(rates))


def test_times_that_cannot_be_read_say_how_to_write_them(hand: Hand) -> None:
    late = tuple(Reject(line, "bad_time", "01/06/2026 08:00") for line in range(3))
    with pytest.raises(InputError) as caught:
        hand.load(chunk_of((RUNNING, [(0, 1)]), rejects=late))
    assert "2026-06-01T08:00:00Z" in caught.value.hint


def test_too_many_rejects_fail_and_change_nothing(hand: Hand) -> None:
    hand.load(chunk_of((RUNNING, [(0, 1)])))
    before = digest(hand.path)
    bad = tuple(Reject(line, "bad_number", "x") for line in range(1, 3))
    chunk = chunk_of((RUNNING, [(s, 1) for s in range(100, 130)]), rejects=bad)
    with pytest.raises(InputError) as caught:
        hand.load(chunk)
    assert caught.value.what == "2 of 32 records (6.2%) cannot be read"
    assert "line 1: bad_number: x" in caught.value.where
    assert digest(hand.path) == before
    report = hand.load(chunk, max_reject=0.1).sources[0]
    assert report.rejects == {"bad_number": 2}
    assert hand.store.query("rejects").height == 2


def test_an_error_amid_a_file_changes_nothing(hand: Hand) -> None:
    hand.load(chunk_of((RUNNING, [(0, 1)])))
    before = digest(hand.path)

    def read(path: Path, _options: ReadOptions) -> Iterator[Chunk]:
        yield chunk_of((RUNNING, [(15, 2)]))
        raise InputError("half a file", where=str(path))

    source = Source("hand", "", (), lambda _head, _path: 0.0, read)
    file = hand.folder / "broken"
    file.write_text("broken")
    with pytest.raises(InputError):
        load_inputs(hand.path, [Input(file, source, "svc", file)], LoadOptions())
    assert digest(hand.path) == before
    assert sorted(p.name for p in hand.folder.iterdir() if "writing" in p.name) == []


def test_a_first_load_that_fails_makes_no_store(hand: Hand) -> None:
    with pytest.raises(InputError, match="holds no sample"):
        hand.load(Chunk())
    assert not hand.path.exists()


def test_a_folder_is_loaded_whole_or_not_at_all(tmp_path: Path) -> None:
    folder = tmp_path / "exports"
    folder.mkdir()
    (folder / "a.csv").write_text("ts,decode:running [count]\n2026-01-01T00:00:00Z,1\n")
    (folder / "b.csv").write_text("ts,decode:kv_usage [%]\n2026-01-01T00:00:00Z,50\n")
    store = create_store(tmp_path / "fleet.duckdb")
    report = store.load([folder])
    assert [(s.service, s.rows_kept) for s in report.sources] == [("exports", 1), ("exports", 1)]
    before = digest(store.path)
    (folder / "c.csv").write_text("ts,decode:kv_usage [%]\n2026-01-01T00:00:00Z,x\n")
    with pytest.raises(InputError, match="1 of 1 records") as caught:
        store.load([folder])
    assert "c.csv" in caught.value.where
    assert caught.value.hint.endswith(
        "nothing of this load was stored: mend or move this file, then load again"
    )
    assert digest(store.path) == before


def test_foreign_files_of_a_folder_are_reported(tmp_path: Path) -> None:
    folder = tmp_path / "exports"
    folder.mkdir()
    (folder / "a.csv").write_text("ts,decode:running [count]\n2026-01-01T00:00:00Z,1\n")
    (folder / "c.txt").write_text("shopping: milk\n")
    store = create_store(tmp_path / "fleet.duckdb")
    for _ in range(2):
        report = store.load([folder])
        assert [source.uri for source in report.sources] == [str(folder / "a.csv")]
        assert report.skipped == (Skipped(folder / "c.txt", "the format is not recognised"),)


@pytest.mark.parametrize(
    ("cells", "hint"),
    [
        (("412 ms", "97%", "50%", "1.02 s"), "a column of its own"),
        (("97%", "50%"), "correct the unit in --map or --as"),
        (("412 ms", "1.02 s", "3.2"), "name the unit of bare numbers with --map"),
        (("412 ms", "1.02 furlong"), "switch formatted data off"),
        (("412 ms", "x"), "check the format (--format), or allow more with --max-reject"),
    ],
)
def test_what_to_do_about_rejects_depends_on_the_reason(
    tmp_path: Path, cells: tuple[str, ...], hint: str
) -> None:
    rows = [f"2026-06-01 08:00:{n:02},{cell}" for n, cell in enumerate(cells)]
    file = tmp_path / "p99.csv"
    file.write_text("\n".join(["Time,p99", *rows, ""]))
    name = "decode:ttft_p99" if "3.2" in cells else "decode:ttft_p99[s]"
    unit = "" if "3.2" in cells else "s"
    options = LoadOptions(
        read=ReadOptions(as_name=NameChoice(name.partition("[")[0], unit), zone="UTC")
    )
    with pytest.raises(InputError, match="cannot be read") as caught:
        create_store(tmp_path / "fleet.duckdb").load([file], options)
    assert hint in caught.value.hint


def test_equal_files_of_one_load_count_once(tmp_path: Path) -> None:
    text = "ts,decode:running [count]\n2026-01-01T00:00:00Z,1\n"
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text(text)
    store = create_store(tmp_path / "fleet.duckdb")
    options = LoadOptions(read=ReadOptions(service="svc"))
    report = store.load([tmp_path / "a.csv", tmp_path / "b.csv"], options)
    assert [source.already_loaded for source in report.sources] == [False, True]


def test_rules_are_checked_before_anything_is_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not understood"):
        create_store(tmp_path / "s.duckdb").load(
            [tmp_path / "absent"], LoadOptions(pool_rules=("prefill",))
        )


def test_progress_ends_at_one(hand: Hand) -> None:
    told: list[float] = []
    file = hand.folder / "x"
    file.write_text("x")

    def read(_path: Path, _options: ReadOptions) -> Iterator[Chunk]:
        yield chunk_of((RUNNING, [(0, 1)]))

    source = Source("hand", "", (), lambda _head, _path: 0.0, read)
    load_inputs(
        hand.path,
        [Input(file, source, "svc", file)],
        LoadOptions(),
        lambda _text, share: told.append(share),
    )
    assert told == sorted(told)
    assert told[-1] == 1.0


def test_a_reader_that_breaks_its_contract_is_named(hand: Hand) -> None:
    chunk = chunk_of((RUNNING, [(0, 1)]))
    assert chunk.samples is not None
    broken = replace(
        chunk, samples=chunk.samples.with_columns(pl.lit(7, pl.UInt32).alias("series"))
    )
    with pytest.raises(InputError, match="without a series"):
        hand.load(broken)


def test_a_file_that_is_read_with_another_one_may_hold_nothing_itself(tmp_path: Path) -> None:
    beside = Chunk(findings=(Finding("lengths_only", "info", "read with the rates"),))

    def inputs(**chunks: Chunk) -> list[Input]:
        made = []
        for name, chunk in chunks.items():
            file = tmp_path / name
            file.write_text(name)
            source = Source(
                "hand", "by hand", (), lambda _h, _p: 0.0, lambda _p, _o, c=chunk: iter([c])
            )
            made.append(Input(file, source, "svc", file))
        return made

    options = LoadOptions(read=ReadOptions(service="svc"))
    both = inputs(lengths=beside, rates=chunk_of((RUNNING, [(0, 1)])))
    report = load_inputs(tmp_path / "s.duckdb", both, options)
    assert [source.rows_kept for source in report.sources] == [0, 1]
    with pytest.raises(InputError, match="no sample and no request") as caught:
        load_inputs(tmp_path / "t.duckdb", inputs(lengths=beside), options)
    assert "rates of the same name" in caught.value.hint


def test_an_empty_file_of_a_folder_is_remarked(tmp_path: Path) -> None:
    made = []
    for name, chunk in {"full": chunk_of((RUNNING, [(0, 1)])), "empty": chunk_of()}.items():
        file = tmp_path / name
        file.write_text(name)
        source = Source(
            "hand", "by hand", (), lambda _h, _p: 0.0, lambda _p, _o, c=chunk: iter([c])
        )
        made.append(Input(file, replace(source, open_end=None), "svc", tmp_path))
    report = load_inputs(tmp_path / "s.duckdb", made, LoadOptions(read=ReadOptions(service="svc")))
    assert [source.findings for source in report.sources] == [{}, {"empty_source": 1}]


def test_an_error_of_one_file_is_not_its_own_cause(tmp_path: Path) -> None:
    file = tmp_path / "gpus.csv"
    file.write_text("timestamp, index, utilization.gpu [%]\n2025/03/04 10:00:00.120, 0, 35 %\n")
    with pytest.raises(InputError, match="no zone") as caught:
        create_store(tmp_path / "fleet.duckdb").load([file], LoadOptions())
    assert caught.value.__cause__ is not caught.value
