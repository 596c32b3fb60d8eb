"""Several services at once."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import numpy as np
import pytest

from signals.cli.app import run
from signals.errors import AnalysisError, SignalsError, UsageError
from signals.report.json_form import scorecard_json, survey_json
from signals.store import LoadOptions, Store, create_store
from signals.store.parsed import ReadOptions
from signals.usecases.api import evaluate_all
from signals.usecases.survey import (
    Question,
    Surveyed,
    _received,
    chosen_services,
    survey,
    worker_count,
)

GOOD = ("a", "b", "d")
SERVICES = ("a", "b", "c", "d")
"""Of service c nothing is known that can serve as load."""


def export(path: Path, seed: int, *, load: bool) -> Path:
    """Four hours of a pool of one instance."""
    rng = np.random.default_rng(seed)
    rows = ["ts_s,metric,instance,value"]
    for minute in range(240):
        height = 1.5 + np.sin(minute / 30.0)
        noisy = height * np.exp(0.03 * rng.standard_normal(2))
        values = {"running": 20 * noisy[0]} | ({"decode_tps": 3000 * noisy[1]} if load else {})
        rows += [f"{60 * minute},{name},i0,{value:.4f}" for name, value in values.items()]
    path.write_text("\n".join(rows) + "\n")
    return path


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Four services, one of which cannot be evaluated."""
    folder = tmp_path_factory.mktemp("survey")
    made = create_store(folder / "fleet.duckdb")
    for seed, name in enumerate(SERVICES):
        options = LoadOptions(read=ReadOptions(service=name))
        made.load([export(folder / f"{name}.csv", seed, load=name in GOOD)], options)
    return made


@pytest.fixture(scope="module")
def together(store: Store) -> tuple[Surveyed, ...]:
    """What two processes say of all services."""
    return evaluate_all(store, workers=2)


def test_one_service_does_not_stop_the_others(together: tuple[Surveyed, ...]) -> None:
    """Answers come in the order of the questions, each a scorecard or an error."""
    assert tuple(answer.service for answer in together) == SERVICES
    for answer in together:
        assert (answer.card is not None) == (answer.service in GOOD)
        assert (answer.error is None) == (answer.service in GOOD)
    error = together[2].error
    assert isinstance(error, AnalysisError)
    assert "'c'" in error.what
    assert error.hint


def test_the_number_of_processes_does_not_matter(
    store: Store, together: tuple[Surveyed, ...]
) -> None:
    """To the last digit."""
    alone = survey(store, [Question(name) for name in SERVICES], workers=1)
    for one, other in zip(alone, together, strict=True):
        assert (one.card is None) == (other.card is None)
        if one.card is not None and other.card is not None:
            assert scorecard_json(one.card) == scorecard_json(other.card)
        else:
            assert str(one.error) == str(other.error)


def test_scorecards_are_kept_beside_the_store(store: Store, together: tuple[Surveyed, ...]) -> None:
    """As those of a single evaluation are."""
    assert len(together) == 4
    assert set(store.runs.scores()["service"]) == set(GOOD)


def test_progress_tells_of_every_service(store: Store) -> None:
    """The share done grows to one."""
    told: list[tuple[str, float]] = []
    survey(
        store,
        [Question("a"), Question("c")],
        workers=1,
        progress=lambda name, share: told.append((name, share)),
    )
    assert told == [("a", 0.5), ("c", 1.0)]


def test_services_are_asked_about_once(store: Store) -> None:
    """In the order in which they are named; all, without a name."""
    assert chosen_services(store, ("b", "a", "b")) == ("b", "a")
    assert chosen_services(store) == SERVICES
    with pytest.raises(UsageError, match="'z' is not in the store"):
        chosen_services(store, ("a", "z"))


def test_an_empty_store_has_nothing_to_evaluate(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Said as for a single service."""
    monkeypatch.setattr(Store, "services", lambda _: [])
    with pytest.raises(AnalysisError, match="no service"):
        chosen_services(store)


def test_workers_are_never_idle_from_the_start() -> None:
    """As many as asked, but no more than services; at least one."""
    assert worker_count(4, 9) == 4
    assert worker_count(4, 2) == 2
    assert worker_count(None, 1) == 1
    assert 1 <= worker_count(None, 10_000) <= (os.cpu_count() or 1)
    with pytest.raises(UsageError, match="0 workers"):
        worker_count(0, 3)


def test_a_process_that_is_ended_from_outside_is_told() -> None:
    """The system does so where memory runs out."""
    future: Future[Surveyed] = Future()
    future.set_exception(BrokenProcessPool())
    answer = _received(Question("a"), future)
    assert answer.card is None
    assert isinstance(answer.error, SignalsError)
    assert "--workers" in answer.error.hint


def test_a_command_evaluates_all(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    """The document holds scorecards and errors; the exit code is that of the first error."""
    words = ["evaluate", "--store", str(store.path), "--workers", "1", "--quiet"]
    assert run([*words, "--all", "--json"]) == AnalysisError.exit_code
    found = json.loads(capsys.readouterr().out)
    assert [card["service"] for card in found["services"]] == list(GOOD)
    assert [(f["service"], f["error"]["kind"]) for f in found["failed"]] == [("c", "AnalysisError")]
    assert run([*words, "b", "a", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [card["service"] for card in found["services"]] == ["b", "a"]
    assert found["failed"] == survey_json([], {})["failed"]
    assert run([*words, "b", "a"]) == 0
    shown = capsys.readouterr().out
    assert shown.splitlines()[0].split() == ["service", "answer"]
    assert run([*words, "b", "a", "--fail-on", "*.verdict==nonsense"]) == 2
    assert run([*words, "b", "a", "--fail-on", "*.coverage>0"]) == 6


@pytest.mark.parametrize("words", [["a", "--all"], ["a", "b", "--tear-sheet", "pages"]])
def test_a_command_refuses_what_does_not_go_together(store: Store, words: list[str]) -> None:
    """Names beside --all, pages of several services."""
    assert run(["evaluate", "--store", str(store.path), *words]) == UsageError.exit_code


def alive(group: int) -> list[int]:
    """Processes of a group that still run; one that has ended but was not collected does not."""
    found = []
    for file in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, _, its_group = file.read_text().rpartition(") ")[2].split()[:3]
            if int(its_group) == group and state != "Z":
                found.append(int(file.parent.name))
    return found


def test_ctrl_c_leaves_no_process_behind(store: Store) -> None:
    """Exit 130 at once, though the processes that work were not told."""
    code = (
        "import sys, time\n"
        "from signals.usecases import survey as s\n"
        "def slow(path, question):\n"
        "    time.sleep(600)\n"
        "if __name__ == '__main__':\n"
        "    s._answer = slow\n"
        "    print('ready', flush=True)\n"
        "    from signals.cli import main\n"
        f"    sys.exit(main(['evaluate', '--store', {str(store.path)!r}, '--all', '--workers', '2']))\n"
    )
    script = store.path.with_name("slow.py")
    script.write_text(code)
    process = subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[3])},
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    while len(children.read_text().split()) < 3:
        time.sleep(0.05)
    time.sleep(1.0)
    os.kill(process.pid, signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert process.returncode == 130, told.decode()
    assert b"Traceback" not in told
    until = time.monotonic() + 20
    while (left := alive(process.pid)) and time.monotonic() < until:
        time.sleep(0.1)
    assert not left
