"""Whatever is wrong with an input, the store stays as it was."""

from __future__ import annotations

import gzip
import hashlib
from pathlib import Path

import pytest

from signals.errors import InputError, SignalsError
from signals.store import LoadOptions, create_store
from signals.store.parsed import ReadOptions

WIDE = "ts,decode:running [count]\n2026-01-01T00:00:00Z,1\n"
MATRIX = (
    '{"status":"success","data":{"resultType":"matrix","result":[{"metric":'
    '{"__name__":"vllm:num_requests_running","pod":"a"},"values":[[1760000000,"1"],'
)
BAD: dict[str, bytes] = {
    "empty.csv": b"",
    "half.json": MATRIX.encode(),
    "header_only.csv": b"ts,decode:running [count]\n",
    "mixed.csv": (WIDE + "2026-01-01 00:00:15,2\n").encode(),
    "no_column.csv": b"arrived_at,prompt_tokens\n2026-01-01T00:00:00Z,5\n",
    "no_format.txt": b"milk, bread and eggs\n" * 5,
    "truncated.csv.gz": gzip.compress((WIDE * 2000).encode())[:-20],
    "unknown_unit.csv": b"ts,decode:running [furlong]\n2026-01-01T00:00:00Z,1\n",
}


@pytest.mark.parametrize("name", sorted(BAD))
def test_a_bad_input_is_an_error_of_its_own_and_changes_nothing(tmp_path: Path, name: str) -> None:
    good, bad = tmp_path / "good.csv", tmp_path / name
    good.write_text(WIDE)
    bad.write_bytes(BAD[name])
    store = create_store(tmp_path / "fleet.duckdb")
    options = LoadOptions(read=ReadOptions(service="svc"))
    with pytest.raises(SignalsError) as first:
        store.load([bad], options)
    assert isinstance(first.value, InputError)
    assert name in first.value.where
    assert not store.path.exists()
    store.load([good], options)
    before = hashlib.sha256(store.path.read_bytes()).digest()
    more = tmp_path / "more.csv"
    more.write_text(WIDE.replace("00:00Z", "00:30Z"))
    with pytest.raises(InputError):
        store.load([more, bad], options)
    assert hashlib.sha256(store.path.read_bytes()).digest() == before
    assert store.query("services")["samples"].to_list() == [1]
