"""Answers wait in files that are whole, and whose names say what they are."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signals.errors import StoreError
from signals.store.parsed import NameChoice
from signals.store.pull.endpoint import parse_endpoint
from signals.store.pull.plan import Window
from signals.store.pull.selection import Selection
from signals.store.pull.spool import Spool, _stamp, question_of, window_of

UP = Selection("up", "up")
HOUR = Window(3_600_000, 7_200_000)


@pytest.fixture
def spool(tmp_path):
    """Beside a store that need not exist."""
    return Spool(tmp_path / "fleet.duckdb", parse_endpoint("http://metrics.example:9090"), "chat")


def test_answer_becomes_a_file_named_by_its_window(spool):
    """Equal answers make equal files, so that a second load recognises them."""
    path = spool.write(UP, HOUR, b"{}")
    assert path.name == "19700101T010000.000Z-19700101T020000.000Z.json.gz"
    assert path.parent.name.startswith("metrics.example-up-")
    first = path.read_bytes()
    assert gzip.decompress(first) == b"{}"
    assert spool.write(UP, HOUR, b"{}").read_bytes() == first
    assert spool.waiting(UP) == [path]


@given(st.integers(0, 7 * 10**12), st.integers(0, 7 * 10**12))
def test_name_tells_the_window(start, end):
    """To the millisecond."""
    assert window_of(f"{_stamp(start)}-{_stamp(end)}.json.gz") == Window(start, end)


@pytest.mark.parametrize("name", ["", "about.json", "a.json.gz", "19700101T010000.000Z.json.gz"])
def test_other_names_tell_nothing(name):
    """Files of others are left alone."""
    assert window_of(name) is None


def test_covered_is_what_is_stored_or_waits(spool):
    """By server, metric and window; older stores have the paths of files, wherever these were."""
    folder = spool.place(UP).name
    spool.write(UP, HOUR, b"{}")
    uris = [
        f"/elsewhere/fleet.pull/{folder}/19700101T000000.000Z-19700101T010000.000Z.json.gz",
        spool.uri(UP, Window(10_800_000, 14_400_000)),
        spool.uri(Selection("up", "up2"), Window(14_400_000, 18_000_000)),
        "/elsewhere/other/19700101T030000.000Z-19700101T040000.000Z.json.gz",
        "export.json",
    ]
    assert sorted(spool.covered(UP, uris)) == [
        Window(0, 3_600_000),
        HOUR,
        Window(10_800_000, 14_400_000),
    ]
    assert spool.covered(Selection("up", "up3"), uris) == []


@pytest.mark.parametrize(
    ("selection", "about"),
    [
        (Selection("vllm", '{__name__=~"vllm:.*"}'), "vllm"),
        (Selection("query1", 'node_load1{path="/a b"}'), "node_load1"),
        (Selection("query2", '{job="a/b"}'), "query2"),
        (Selection("query3", "sum(up)/2", 15_000, NameChoice("decode/tps", "")), "decode_tps"),
    ],
)
def test_name_in_the_store_tells_server_metric_and_window(spool, selection, about):
    """In letters that a path of an address may hold."""
    server, _, rest = spool.uri(selection, HOUR).partition("/" + about)
    assert server == "http://metrics.example:9090"
    key = spool.key(selection)
    assert rest == f"-{key}/19700101T010000.000Z-19700101T020000.000Z"
    assert question_of(spool.uri(selection, HOUR)) == (key, HOUR)


@pytest.mark.parametrize("uri", ["", "a.json", "http://a/up/x", "http://a/up-0123456789ab/x"])
def test_other_sources_are_no_answers(uri):
    """Files that were loaded into the same store."""
    assert question_of(uri) is None


def test_rest_of_a_killed_pull_is_no_answer(spool):
    """Half-written files go."""
    path = spool.write(UP, HOUR, b"{}")
    part = path.with_name(f"{path.name}.part")
    part.write_bytes(b"half")
    assert spool.waiting(UP) == [path]
    assert not part.exists()


def test_second_pull_is_kept_out(spool):
    """And may come when the first has ended."""
    with spool.locked(), pytest.raises(StoreError, match="another pull"), spool.locked():
        pass
    with spool.locked():
        pass
    assert not spool.folder.exists()


def test_folder_stays_while_answers_wait(spool):
    """With a note on what was asked."""
    with spool.locked():
        spool.describe(UP)
        path = spool.write(UP, HOUR, b"{}")
    assert path.exists()
    assert '"query": "up"' in (path.parent / "about.json").read_text()
    path.unlink()
    with spool.locked():
        pass
    assert not spool.folder.exists()


def test_folder_that_cannot_be_made_is_told(tmp_path):
    """As an error of the store."""
    (tmp_path / "fleet.pull").write_text("a file")
    spool = Spool(tmp_path / "fleet.duckdb", parse_endpoint("http://a"), "chat")
    with pytest.raises(StoreError, match="cannot be kept"), spool.locked():
        pass
    with pytest.raises(StoreError, match="cannot be kept"):
        spool.write(UP, HOUR, b"{}")
