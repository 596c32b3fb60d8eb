"""`signals pull` as a process: killed, interrupted, refused, and in front of real servers that go on living."""

import gzip
import http.server
import json
import signal
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime, timedelta

import pytest

from signals.cli.app import run as call
from signals.store import create_store
from tests.builders_servers import Prometheus, Proxy, VictoriaMetrics, free_port, running

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
DEADLINE_S = 120


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


def command(folder, *words):
    """The arguments of a process."""
    store = ("--store", str(folder / "fleet.duckdb"))
    return [sys.executable, "-m", "signals.cli", *store, "pull", *words]


def run(folder, *words):
    """Run it to its end."""
    return subprocess.run(
        command(folder, *words), capture_output=True, text=True, check=False, timeout=DEADLINE_S
    )


@pytest.fixture
def start():
    """A function that runs it beside the test."""
    processes = []

    def begin(folder, *words):
        pipe = subprocess.PIPE
        process = subprocess.Popen(command(folder, *words), stdout=pipe, stderr=pipe, text=True)
        processes.append(process)
        return process

    yield begin
    for process in processes:
        if process.poll() is None:
            process.kill()
            process.communicate()


def stored(folder):
    """Rows in the store, by its sources."""
    if not (folder / "fleet.duckdb").exists():
        return 0
    rows = create_store(folder / "fleet.duckdb").query("mart/sources", {})
    return int(rows["rows_kept"].sum())


def await_true(condition):
    """Wait until something holds, or fail."""
    deadline = time.monotonic() + DEADLINE_S
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)


def test_pull_and_its_repeat(victoria, tmp_path):
    """JSON says what came; the second time nothing does."""
    done = run(tmp_path, victoria.url, *WINDOW, "--json", "--preset", "vllm", "--service", "chat")
    assert done.returncode == 0, done.stderr
    first = json.loads(done.stdout)
    assert (first["rows_kept"], first["service"]) == (SAMPLES, "chat")
    done = run(tmp_path, victoria.url, *WINDOW, "--json", "--preset", "vllm", "--service", "chat")
    second = json.loads(done.stdout)
    assert (second["rows_kept"], second["selections"][0]["questions"]) == (0, 0)
    assert stored(tmp_path) == SAMPLES


def test_dry_run_counts_and_leaves_nothing(victoria, tmp_path):
    """The server counts; neither store nor folder is made."""
    done = run(tmp_path, victoria.url, *WINDOW, "--dry-run", "--json")
    assert done.returncode == 0, done.stderr
    (selection,) = json.loads(done.stdout)["selections"]
    assert selection["series"] == 1
    assert selection["samples"] == pytest.approx(SAMPLES, rel=0.25)
    assert list(tmp_path.iterdir()) == []
    text = run(tmp_path, victoria.url, *WINDOW, "--dry-run").stdout
    assert "nothing is pulled" in text


@pytest.mark.parametrize("after", [8, 11])
def test_killed_pull_is_completed_by_its_repeat(proxy, start, tmp_path, after):
    """kill -9 in the middle: no sample is lost, none stored twice."""
    proxy.mood = lambda number, _path: "slow" if number > 4 else "pass"
    words = (proxy.url, *WINDOW, "--limit", "16KB", "--preset", "vllm")
    process = start(tmp_path, *words)
    await_true(lambda: len(proxy.seen) > after)
    process.kill()
    process.communicate()
    proxy.mood = lambda _number, _path: "pass"
    done = run(tmp_path, *words)
    assert done.returncode == 0, done.stderr
    assert stored(tmp_path) == SAMPLES
    assert not (tmp_path / "fleet.pull").exists()


def test_interrupted_pull_keeps_what_came(proxy, start, tmp_path):
    """Ctrl-C: what arrived is stored, the exit code says that it was not all."""
    proxy.mood = lambda number, _path: "slow" if number > 4 else "pass"
    words = (proxy.url, *WINDOW, "--limit", "16KB", "--preset", "vllm", "--json")
    process = start(tmp_path, *words)
    await_true(lambda: len(proxy.seen) > 9)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == 130
    report = json.loads(out)
    assert report["stopped"]
    assert 0 < report["rows_kept"] == stored(tmp_path) < SAMPLES
    assert run(tmp_path, *words).returncode == 0
    assert stored(tmp_path) == SAMPLES


@pytest.mark.parametrize("way", [signal.SIGINT, signal.SIGTERM])
def test_following_ends_well(victoria, start, tmp_path, way):
    """Ctrl-C and a service manager's request alike."""
    words = (victoria.url, "--from", f"{START:%Y-%m-%dT%H:%M:%SZ}", "--follow", "--every", "1s")
    process = start(tmp_path, *words, "--preset", "vllm", "--json")
    await_true(lambda: stored(tmp_path) == SAMPLES)
    time.sleep(0.5)
    process.send_signal(way)
    out, err = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == 0, err
    assert json.loads(out)["rows_kept"] == SAMPLES


class Exporter:
    """What Prometheus scrapes: a counter that counts the scrapes."""

    def __init__(self):
        self.scrapes = 0
        exporter = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                exporter.scrapes += 1
                text = f"# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running {exporter.scrapes}\n"
                self.send_response(200)
                self.send_header("Content-Type", "text/plain; version=0.0.4")
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *args):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()


def test_following_a_scraping_prometheus(start, tmp_path):
    """Each scrape is stored once, in order, while the server goes on scraping."""
    exporter = Exporter()
    (tmp_path / "server").mkdir()
    config = (
        "global: {scrape_interval: 1s}\n"
        f"scrape_configs: [{{job_name: llm, static_configs: [{{targets: ['127.0.0.1:{exporter.port}']}}]}}]\n"
    )
    server = Prometheus(tmp_path / "server", config)
    with running(server):
        # a first round that finds nothing settled ends the command
        await_true(lambda: exporter.scrapes >= 8)
        words = ("--since", "1m", "--follow", "--every", "1s", "--settle", "2s", "--preset", "vllm")
        process = start(tmp_path, server.url, *words, "--keep", "--json")
        await_true(lambda: process.poll() is not None or len(answers(tmp_path)) >= 5)
        assert process.poll() is None, process.communicate()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=DEADLINE_S)
    exporter.close()
    assert process.returncode == 0, err
    values = scraped(tmp_path)
    assert values == [float(n) for n in range(1, len(values) + 1)]
    assert len(values) >= 5
    targets = sum(len(scraped(tmp_path, name)) for name in ("vllm", "up"))
    assert json.loads(out)["rows_kept"] == stored(tmp_path) == targets


def answers(folder, name="vllm"):
    """The kept answers to one question, by time."""
    return sorted((folder / "fleet.pull").glob(f"*-{name}-*/*.json.gz"))


def scraped(folder, name="vllm"):
    """The values in the kept answers, by time."""
    found = []
    for path in answers(folder, name):
        for series in json.loads(gzip.decompress(path.read_bytes()))["data"]["result"]:
            found += [(at, float(value)) for at, value in series["values"]]
    return [value for _, value in sorted(found)]


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
        ((f"http://127.0.0.1:{free_port()}",), 3, "refused"),
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


def test_secrets_stay_out_of_every_output(proxy, tmp_path):
    """Also with --debug and --verbose, and when the door stays shut."""
    file = tmp_path / "token"
    file.write_text("hunter2hunter2")
    folder = tmp_path / "out"
    folder.mkdir()
    words = (proxy.url, *WINDOW, "--token-file", str(file), "--debug", "--verbose")
    for authorization, code in (("Bearer hunter2hunter2", 0), ("Bearer another", 3)):
        proxy.authorization = authorization
        proxy.text = "not you: {authorization}"
        done = run(folder, *words)
        assert done.returncode == code, done.stderr
        assert "hunter2" not in done.stdout + done.stderr
    assert b"hunter2" not in (folder / "fleet.duckdb").read_bytes()
    assert not (folder / "fleet.pull").exists()
