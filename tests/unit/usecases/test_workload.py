"""From what a store holds to the requests of a replay."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from signals.errors import AnalysisError
from signals.store import LoadOptions, Store, create_store
from signals.store.parsed import ReadOptions
from signals.usecases.workload import find_workload

FIRST = datetime(2026, 3, 2, 10, 0, tzinfo=UTC)


def loaded(folder: Path, name: str, lines: list[str]) -> Store:
    """A store of one file."""
    path = folder / name
    path.write_text("".join(f"{line}\n" for line in lines))
    store = create_store(folder / "fleet.duckdb")
    store.load([path], LoadOptions(read=ReadOptions(service="chat")))
    return store


def at(seconds: float) -> str:
    return (FIRST + timedelta(seconds=seconds)).isoformat()


def test_a_log_is_replayed_with_what_it_lacks_filled_in_or_left_out(tmp_path):
    store = loaded(
        tmp_path,
        "requests.csv",
        [
            "arrived_at,prompt_tokens,output_tokens,cached_tokens,asked_output_tokens",
            f"{at(3)},100,20,,",
            f"{at(0)},200,40,500,",
            f"{at(1)},,10,,",
            f"{at(2)},300,,,",
            f"{at(4)},50,6,,60",
        ],
    )
    found = find_workload(store, "chat")
    assert found.source == "request log"
    assert found.start == FIRST
    assert found.workload.arrival_s.tolist() == [0.0, 2.0, 3.0, 4.0]
    assert found.workload.prompt_tokens.tolist() == [200, 300, 100, 50]
    # the length that is missing is the median of 20, 40 and the asked 60
    assert found.workload.output_tokens.tolist() == [40, 40, 20, 60]
    # no more can be cached than was asked
    assert found.workload.cached_tokens.tolist() == [200, 0, 0, 0]
    told = {finding.code: finding.count for finding in found.findings}
    assert told == {"request_without_prompt": 1, "request_without_output": 1}


def test_a_log_without_any_prompt_length_cannot_be_replayed(tmp_path):
    lines = ["arrived_at,prompt_tokens,output_tokens", f"{at(0)},,5"]
    store = loaded(tmp_path, "requests.csv", lines)
    with pytest.raises(AnalysisError, match="no request of service 'chat' has a prompt length"):
        find_workload(store, "chat")


def test_without_a_log_requests_are_drawn_from_rates(tmp_path):
    """Two requests a second, 100 and 30 tokens long on average, for half an hour."""
    names = "service:request_rate [req/s]", "service:offered_prompt_tps [tokens/s]"
    header = f"ts,{','.join(names)},decode:decode_tps [tokens/s]"
    store = loaded(
        tmp_path, "rates.csv", [header, *(f"{at(15 * n)},2,200,60" for n in range(1, 121))]
    )
    found = find_workload(store, "chat", seed=3)
    assert found.source == "rates"
    assert [finding.code for finding in found.findings] == ["workload_from_rates"]
    work = found.workload
    # four standard deviations of a Poisson count of 3,600
    assert abs(len(work.arrival_s) - 3600) <= 240
    assert np.mean(work.prompt_tokens) == pytest.approx(100, rel=0.1)
    assert np.mean(work.output_tokens) == pytest.approx(30, rel=0.1)
    again = find_workload(store, "chat", seed=3).workload
    assert again.arrival_s.tobytes() == work.arrival_s.tobytes()
    assert find_workload(store, "chat", seed=4).workload.arrival_s.tobytes() != (
        work.arrival_s.tobytes()
    )


def test_with_neither_the_error_says_what_is_missing(tmp_path):
    lines = ["ts,service:request_rate [req/s]", *(f"{at(15 * n)},2" for n in range(1, 9))]
    with pytest.raises(AnalysisError, match="no rate of prompt tokens, output tokens"):
        find_workload(loaded(tmp_path, "rates.csv", lines), "chat")
