"""`signals pull` as a command: what it says, and what is left when it is killed, interrupted or refused."""

import json
import os
import re
import signal
from datetime import UTC, datetime, timedelta

import pytest

from signals.cli.app import run as call
from tests.builders_pull import started, stored
from tests.builders_servers import PATIENCE_S, Proxy, VictoriaMetrics, await_true, running

pytestmark = pytest.mark.prometheus

START = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
SAMPLES = 6_000
LINE = 'vllm:num_requests_waiting{pod="decode-0",job="llm"}'
WINDOW = (
    "--from",
    f"{START:%Y-%m-%dT%H:%M:%SZ}",
    "--to",
    f"{START + timedelta(hours=25):%Y-%m-%dT%H:%M:%SZ}",
)
WORDS = (*WINDOW, "--limit", "16KB", "--preset", "vllm")
"""A good many questions."""
FIRST_ANSWERS = 10
"""When this question is asked, answers with samples have come: before them go those for names and labels."""


@pytest.fixture(scope="module")
def victoria(tmp_path_factory):
    """A VictoriaMetrics with one gauge over a day."""
    server = VictoriaMetrics(tmp_path_factory.mktemp("victoria"))
    first = round(START.timestamp() * 1000)
    with running(server):
        server.fill("".join(f"{LINE} {n} {first + 15_000 * n}\n" for n in range(SAMPLES)))
        yield server


@pytest.fixture
def proxy(victoria):
    """In front of it."""
    between = Proxy(victoria.port)
    yield between
    between.close()


@pytest.fixture
def pull(capsys):
    """A function that runs it in this process: its exit code, what it printed, and what it said beside that."""

    def run(folder, *words):
        code = call(["--store", str(folder / "fleet.duckdb"), "pull", *words])
        out, err = capsys.readouterr()
        return code, out, err

    return run


def holding(number, _path):
    """A server that stops answering in the middle."""
    return "hold" if number > FIRST_ANSWERS else "pass"


def test_pull_and_its_repeat(victoria, pull, tmp_path):
    """JSON says what came; the second time nothing does."""
    words = (victoria.url, *WINDOW, "--json", "--preset", "vllm", "--service", "chat")
    code, out, err = pull(tmp_path, *words)
    assert code == 0, err
    first = json.loads(out)
    assert (first["rows_kept"], first["service"]) == (SAMPLES, "chat")
    assert first["sources"][0]["uri"].startswith(f"{victoria.url}/vllm-")
    second = json.loads(pull(tmp_path, *words)[1])
    assert (second["rows_kept"], second["selections"][0]["questions"]) == (0, 0)
    assert stored(tmp_path) == SAMPLES


def test_dry_run_counts_and_leaves_nothing(victoria, pull, tmp_path):
    """The server counts; neither store nor folder is made."""
    code, out, err = pull(tmp_path, victoria.url, *WINDOW, "--dry-run", "--json")
    assert code == 0, err
    (selection,) = json.loads(out)["selections"]
    assert selection["series"] == 1
    assert selection["samples"] == pytest.approx(SAMPLES, rel=0.25)
    assert list(tmp_path.iterdir()) == []
    assert "nothing is pulled" in pull(tmp_path, victoria.url, *WINDOW, "--dry-run")[1]


@pytest.mark.parametrize("words", [("--preset", "vllm", "--preset", "tgi"), ("--query", "nosuch")])
def test_what_the_server_does_not_have_is_told(victoria, pull, tmp_path, words):
    """A preset or a query: on the terminal, in JSON, and with a way to find the right name."""
    missing = words[-1]
    code, out, _ = pull(tmp_path, victoria.url, *WINDOW, *words)
    assert code == 0
    assert missing in out
    assert "match[]" in out.replace("\n", "")
    told = json.loads(pull(tmp_path, victoria.url, *WINDOW, *words, "--json")[1])
    remarks = [remark["text"] for remark in told["remarks"] if remark["code"] == "empty_result"]
    assert len(remarks) == 1
    assert missing in remarks[0]


def test_nothing_at_all_is_an_error_with_a_way_out(victoria, pull, tmp_path):
    """One preset of which there is nothing."""
    code, _, err = pull(tmp_path, victoria.url, *WINDOW, "--preset", "tgi")
    assert code == 3
    assert "no metrics of tgi" in err
    assert "match[]" in err


def test_spoilt_answer_is_told_and_asked_for_again(proxy, pull, tmp_path):
    """All others are stored; the error says which one it was, and the options that it names bring it."""
    proxy.mood = lambda number, _path: "spoil" if number == FIRST_ANSWERS else "pass"
    code, out, err = pull(tmp_path, proxy.url, *WORDS, "--json")
    assert code == 3
    report = json.loads(out)
    assert 0 < report["rows_kept"] == stored(tmp_path) < SAMPLES
    assert [(r["code"], r["severity"]) for r in report["remarks"]] == [("window_refused", "error")]
    assert f"{proxy.url}/vllm-" in err
    assert "fleet.pull" not in err
    assert not (tmp_path / "fleet.pull").exists()
    first, last = re.search(r"--from (\S+) --to ([^\s)]+)", err).groups()
    again = (proxy.url, "--from", first, "--to", last, "--preset", "vllm", "--max-reject", "0.5")
    code, _, err = pull(tmp_path, *again)
    assert code == 0, err
    assert stored(tmp_path) == SAMPLES


def test_killed_pull_is_completed_by_its_repeat(proxy, pull, tmp_path):
    """kill -9 in the middle: no sample is lost, none stored twice."""
    proxy.mood = holding
    with started(tmp_path, proxy.url, *WORDS) as process:
        await_true(lambda: process.poll() is not None or len(proxy.seen) > FIRST_ANSWERS)
        assert list((tmp_path / "fleet.pull").rglob("*.json.gz"))
        process.kill()
        process.communicate()
    proxy.mood = lambda _number, _path: "pass"
    code, _, err = pull(tmp_path, proxy.url, *WORDS)
    assert code == 0, err
    assert stored(tmp_path) == SAMPLES
    assert not (tmp_path / "fleet.pull").exists()


def sending(way, number):
    """A server at whose such-and-such question a signal comes; it does not answer it, nor those after it."""

    def mood(asked, _path):
        if asked == number:
            # while questions are asked the signals are in the hands of the command
            os.kill(os.getpid(), way)
        return "hold" if asked >= number else "pass"

    return mood


@pytest.mark.parametrize("way", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_pull_keeps_what_came(proxy, pull, tmp_path, way):
    """What arrived is stored and told, and the exit code says that it was not all."""
    proxy.mood = sending(way, FIRST_ANSWERS + 1)
    code, out, err = pull(tmp_path, proxy.url, *WORDS, "--json")
    assert code == 130
    report = json.loads(out)
    assert report["stopped"]
    assert 0 < report["rows_kept"] == stored(tmp_path) < SAMPLES
    assert f"{report['rows_kept']:,} rows came into the store" in err
    proxy.release()
    proxy.mood = lambda _number, _path: "pass"
    assert pull(tmp_path, proxy.url, *WORDS)[0] == 0
    assert stored(tmp_path) == SAMPLES


@pytest.mark.parametrize("more", [(), ("--dry-run",), ("--follow",)])
def test_interrupted_before_anything_came(proxy, pull, tmp_path, more):
    """Nothing is stored, and it says so."""

    def mood(asked, _path):
        if asked == 1:
            os.kill(os.getpid(), signal.SIGTERM)
        return "429 60"

    proxy.mood = mood
    words = WORDS if not more else ("--preset", "vllm", *more)
    code, _, err = pull(tmp_path, proxy.url, *words)
    assert code == 130
    assert "before anything was pulled" in err
    assert list(tmp_path.iterdir()) == []


def test_following_ends_well(victoria, tmp_path):
    """With a service manager's request, as with a Ctrl-C."""
    words = (victoria.url, "--from", f"{START:%Y-%m-%dT%H:%M:%SZ}", "--follow", "--every", "1s")
    with started(tmp_path, *words, "--preset", "vllm", "--json") as process:
        await_true(lambda: process.poll() is not None or stored(tmp_path) == SAMPLES)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, err
    assert json.loads(out)["rows_kept"] == SAMPLES


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        ((), 2, "url"),
        (("localhost:1",), 2, "not the address"),
        (("http://ann:hunter2@localhost",), 2, "carries a user"),
        (("http://localhost", "--preset", "vlm"), 2, "no preset"),
        (("http://localhost", "--limit", "1"), 2, "no size"),
        (("http://localhost", "--every", "5s"), 2, "--follow"),
        (("http://localhost", "--follow", "--dry-run"), 2, "exclude"),
        (("http://localhost", "--token-file", "/nowhere/token"), 3, "secret cannot be read"),
        (("http://localhost", "--query", "sum(up)"), 2, "--as"),
        (("http://localhost", "--settle", "soon"), 2, "--settle"),
        (("http://127.0.0.1:1",), 3, "refused"),
        (("http://localhost", "--max-reject", "2"), 2, "not a share"),
    ],
)
def test_refused_calls(tmp_path, capsys, words, code, text):
    """One block on stderr, the exit code, and nothing left behind."""
    assert call(["--store", str(tmp_path / "fleet.duckdb"), "pull", *words]) == code
    told = capsys.readouterr().err
    assert text in told
    assert "hunter2" not in told
    assert "bug" not in told
    assert list(tmp_path.iterdir()) == []


def test_secrets_stay_out_of_every_output(proxy, pull, tmp_path):
    """Also with --debug and --verbose, and when the door stays shut."""
    file = tmp_path / "token"
    file.write_text("hunter2hunter2")
    folder = tmp_path / "out"
    folder.mkdir()
    words = (proxy.url, *WINDOW, "--token-file", str(file), "--debug", "--verbose")
    for authorization, code in (("Bearer hunter2hunter2", 0), ("Bearer another", 3)):
        proxy.authorization = authorization
        proxy.text = "not you: {authorization}"
        exit_code, out, err = pull(folder, *words)
        assert exit_code == code, err
        assert "hunter2" not in out + err
    assert b"hunter2" not in (folder / "fleet.duckdb").read_bytes()
    assert not (folder / "fleet.pull").exists()
