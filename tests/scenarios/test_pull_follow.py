"""`signals pull --follow` in front of a Prometheus that goes on scraping."""

import gzip
import http.server
import itertools
import json
import signal
import threading

import pytest

from tests.builders_pull import started, stored
from tests.builders_servers import PATIENCE_S, Prometheus, await_true, fetch, running

pytestmark = pytest.mark.prometheus


class Exporter:
    """What Prometheus scrapes: a gauge that counts the scrapes."""

    def __init__(self):
        numbers = itertools.count(1)

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                text = f"# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running {next(numbers)}\n"
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


def scrapes(server, query="vllm:num_requests_running[1h]"):
    """What a Prometheus has of the gauge: times and values."""
    data = json.loads(fetch(f"{server.url}/api/v1/query?query={query}"))["data"]["result"]
    return data[0].get("values", [[]]) if data else []


def test_following_a_scraping_prometheus(tmp_path):
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
        await_true(lambda: scrapes(server, "vllm:num_requests_running%20offset%205s"))
        words = ("--since", "1h", "--follow", "--every", "1s", "--settle", "4s", "--preset", "vllm")
        with started(tmp_path, server.url, *words, "--keep", "--json") as process:
            await_true(lambda: process.poll() is not None or len(scraped(tmp_path)) >= 5)
            assert process.poll() is None, process.communicate()
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=PATIENCE_S)
        # a scrape that a busy machine made too late is missing there, too
        there = scrapes(server)
    exporter.close()
    assert process.returncode == 0, err
    pulled = scraped(tmp_path)
    assert len(pulled) >= 5
    assert len(answers(tmp_path)) > 1
    assert pulled == [(at, float(value)) for at, value in there[: len(pulled)]]
    targets = sum(len(scraped(tmp_path, name)) for name in ("vllm", "up"))
    assert json.loads(out)["rows_kept"] == stored(tmp_path) == targets


def answers(folder, name="vllm"):
    """The kept answers to one question, by time."""
    return sorted((folder / "fleet.pull").glob(f"*-{name}-*/*.json.gz"))


def scraped(folder, name="vllm"):
    """Times and values in the kept answers, by time."""
    found = []
    for path in answers(folder, name):
        for series in json.loads(gzip.decompress(path.read_bytes()))["data"]["result"]:
            found += [(at, float(value)) for at, value in series["values"]]
    return sorted(found)
