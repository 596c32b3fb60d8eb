"""Real metric servers on this machine's loopback, and a proxy in front of them that misbehaves on purpose."""

from __future__ import annotations

import http.client
import http.server
import os
import random
import re
import shutil
import socket
import subprocess
import threading
import time
import urllib.request
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

PATIENCE_S = 120.0
"""A machine that is busy with other tests is no reason to fail."""
_ATTEMPTS = 5
# below those that the system hands out to clients: nobody takes one by chance while a server starts
_PORTS = (20_000, 32_000)
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def require(*commands: str) -> None:
    """Skip the test where a server is not installed; in CI fail."""
    missing = [command for command in commands if not shutil.which(command)]
    if missing:
        text = f"needs {', '.join(missing)}, which `make prometheus` installs"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(text)


def free_port() -> int:
    """A port on the loopback that nobody listens on, and that no client is given."""
    while True:
        port = random.SystemRandom().randrange(*_PORTS)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port


def fetch(url: str, body: bytes | None = None) -> bytes:
    """The body of an answer of a loopback server."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(urllib.request.Request(url, data=body), timeout=PATIENCE_S) as answer:
        return answer.read()


def await_true(condition: Callable[[], object], *, doing: str = "it") -> None:
    """Wait until something holds, or fail."""
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, f"{doing} did not happen in time"
        time.sleep(0.02)


class Server(ABC):
    """A program that listens on the loopback; it can be killed and started again at the same address.

    Attributes:
        port: where it listens, from its first start on.
        process: the program; None before.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = 0
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}"

    @abstractmethod
    def command(self) -> list[str]:
        """What to run."""

    @abstractmethod
    def is_ready(self) -> bool:
        """Whether it answers."""

    def start(self) -> None:
        """Run until `kill`."""
        ports = [self.port] if self.port else [free_port() for _ in range(_ATTEMPTS)]
        for self.port in ports:
            self.process = subprocess.Popen(self.command(), **QUIET)
            process = self.process
            await_true(lambda: process.poll() is not None or self.is_ready(), doing="a start")  # noqa: B023
            if process.poll() is None:
                return
        pytest.fail("the server did not start")

    def kill(self) -> None:
        """End it without a word, as a lost machine does."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()


def answers(url: str) -> bool:
    """Whether an address answers well."""
    try:
        fetch(url)
    except OSError:
        return False
    return True


class Prometheus(Server):
    """A Prometheus over a folder of blocks."""

    def __init__(
        self, folder: Path, config: str = "global: {}\n", flags: tuple[str, ...] = ()
    ) -> None:
        require("prometheus", "promtool")
        super().__init__(folder)
        self._flags = flags
        (folder / "prometheus.yml").write_text(config, encoding="utf-8")

    def fill(self, exposition: str) -> None:
        """Make blocks of OpenMetrics text."""
        text = self.folder / "samples.om"
        text.write_text(exposition, encoding="utf-8")
        command = ["promtool", "tsdb", "create-blocks-from", "openmetrics", text]
        subprocess.run([*command, self.folder / "data"], check=True, capture_output=True)

    def command(self) -> list[str]:
        """What to run."""
        return [
            "prometheus",
            f"--config.file={self.folder / 'prometheus.yml'}",
            f"--storage.tsdb.path={self.folder / 'data'}",
            "--storage.tsdb.retention.time=100y",
            f"--web.listen-address=127.0.0.1:{self.port}",
            "--log.level=error",
            *self._flags,
        ]

    def is_ready(self) -> bool:
        """Whether its blocks are open."""
        return answers(f"{self.url}/-/ready")


class VictoriaMetrics(Server):
    """A VictoriaMetrics with an empty folder."""

    def __init__(self, folder: Path) -> None:
        require("victoria-metrics")
        super().__init__(folder)

    def command(self) -> list[str]:
        """What to run."""
        return [
            "victoria-metrics",
            f"-storageDataPath={self.folder / 'victoria'}",
            f"-httpListenAddr=127.0.0.1:{self.port}",
            "-retentionPeriod=100y",
            "-loggerLevel=ERROR",
        ]

    def is_ready(self) -> bool:
        """Whether it takes samples."""
        return answers(f"{self.url}/health")

    def fill(self, exposition: str) -> None:
        """Import Prometheus text whose times are milliseconds, and make it visible."""
        fetch(f"{self.url}/api/v1/import/prometheus", exposition.encode())
        fetch(f"{self.url}/internal/force_flush")


@contextmanager
def running(server: Server) -> Iterator[None]:
    """Start a server and see to its end."""
    try:
        server.start()
        yield
    finally:
        server.kill()


class Proxy:
    """Stands between the client and a server.

    Attributes:
        url: its address.
        seen: method, path and headers of each request, in order.
        most_at_once: most requests that were under way together.
        mood: told the number of a request and its path; gives what to do with it: `pass`, `garbage`, `half`,
            `drop`, `slow`, `hold` (until `release`), `spoil` (no value is a number), or a status such as `503`, perhaps with seconds to wait: `429 0`.
        authorization: header that is demanded; empty for none.
        text: what an error answers with; `{authorization}` stands for the header that was sent.
    """

    def __init__(self, upstream: int) -> None:
        self._upstream = upstream
        self._lock = threading.Lock()
        self._under_way: set[int] = set()
        self._released = threading.Event()
        self.seen: list[tuple[str, str, dict[str, str]]] = []
        self.most_at_once = 0
        self.mood: Callable[[int, str], str] = lambda _number, _path: "pass"
        self.authorization = ""
        self.text = "not now"
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                proxy._serve(self)

            do_POST = do_GET  # noqa: N815 - the library's name

            def log_message(self, *args: object) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def release(self) -> None:
        """Let go of what was held."""
        self._released.set()

    def close(self) -> None:
        """Stop listening."""
        self.release()
        self._server.shutdown()
        self._server.server_close()

    def _serve(self, handler: http.server.BaseHTTPRequestHandler) -> None:
        body = handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
        with self._lock:
            self._under_way.add(id(handler))
            self.most_at_once = max(self.most_at_once, len(self._under_way))
            self.seen.append((handler.command, handler.path, dict(handler.headers)))
            number = len(self.seen)
        try:
            self._answer(handler, number, body)
        except OSError:
            handler.close_connection = True
        finally:
            self._end(handler)

    def _end(self, handler: http.server.BaseHTTPRequestHandler) -> None:
        """Count a request as answered: before the last of it is sent, for then the next may come already."""
        with self._lock:
            self._under_way.discard(id(handler))

    def _answer(
        self, handler: http.server.BaseHTTPRequestHandler, number: int, body: bytes
    ) -> None:
        sent = handler.headers.get("Authorization", "")
        if self.authorization and sent != self.authorization:
            self._reply(handler, 401, self.text.replace("{authorization}", sent).encode())
            return
        mood = self.mood(number, handler.path)
        if mood == "hold":
            self._released.wait(PATIENCE_S)
        if mood == "drop":
            self._end(handler)
            handler.close_connection = True
            handler.connection.close()
        elif mood == "garbage":
            self._reply(handler, 200, b"<html>welcome</html>")
        elif mood[0].isdigit():
            status, _, wait = mood.partition(" ")
            text = self.text.replace("{authorization}", sent).encode()
            self._reply(handler, int(status), text, {"Retry-After": wait} if wait else {})
        else:
            if mood == "slow":
                time.sleep(0.2)
            status, answer = self._ask(handler, body)
            if mood == "spoil":
                answer = re.sub(rb',"[^"]*"\]', b',"?"]', answer)
            self._reply(handler, status, answer, cut=mood == "half")

    def _ask(self, handler: http.server.BaseHTTPRequestHandler, body: bytes) -> tuple[int, bytes]:
        upstream = http.client.HTTPConnection("127.0.0.1", self._upstream, timeout=PATIENCE_S)
        kind = handler.headers.get("Content-Type")
        try:
            headers = {"Content-Type": kind} if kind else {}
            upstream.request(handler.command, handler.path, body=body or None, headers=headers)
            answer = upstream.getresponse()
            return answer.status, answer.read()
        except OSError:
            return 502, b"upstream is gone"
        finally:
            upstream.close()

    def _reply(
        self,
        handler: http.server.BaseHTTPRequestHandler,
        status: int,
        body: bytes,
        headers: dict[str, str] | None = None,
        *,
        cut: bool = False,
    ) -> None:
        self._end(handler)
        handler.send_response(status)
        for name, value in (headers or {}).items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body[: len(body) // 2] if cut else body)
        handler.close_connection = True
