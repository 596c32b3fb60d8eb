"""The `dashboard` command: who may listen where, with which token, and what it prints."""

from __future__ import annotations

import http.client
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from dashboard.commands import serve
from signals.errors import InputError, UsageError

ROOT = Path(__file__).parents[2]
SERVE = (
    "import sys, pathlib; from dashboard.commands import serve; "
    "serve(pathlib.Path(sys.argv[1]), port=int(sys.argv[2]))"
)


@pytest.fixture
def taken_port() -> Iterator[int]:
    """A port that somebody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener.getsockname()[1]


def test_taken_port_is_a_usage_error(tmp_path: Path, taken_port: int) -> None:
    """It says which address and how to get a free port."""
    with pytest.raises(UsageError) as caught:
        serve(tmp_path / "s.duckdb", port=taken_port, browser="none")
    assert str(taken_port) in caught.value.what
    assert "--port 0" in caught.value.hint


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7"])
def test_other_address_without_token_file_is_refused(tmp_path: Path, host: str) -> None:
    """Reachable from elsewhere only with a token that its owner chose."""
    with pytest.raises(UsageError) as caught:
        serve(tmp_path / "s.duckdb", host=host, browser="none")
    assert caught.value.where == "--host"


def test_host_name_is_refused(tmp_path: Path) -> None:
    """A name may resolve to anything."""
    with pytest.raises(UsageError, match="not an address"):
        serve(tmp_path / "s.duckdb", host="fleet.example", browser="none")


@pytest.mark.parametrize("text", ["", "short", "two words of enough length", "größe-größe-größe"])
def test_weak_token_is_refused(tmp_path: Path, text: str) -> None:
    """Too short, with spaces, or not ASCII."""
    path = tmp_path / "token"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError):
        serve(tmp_path / "s.duckdb", token_file=path, browser="none")


def test_missing_token_file_is_an_input_error(tmp_path: Path) -> None:
    """It names the file."""
    with pytest.raises(InputError) as caught:
        serve(tmp_path / "s.duckdb", token_file=tmp_path / "none", browser="none")
    assert caught.value.where.endswith("none")


def test_command_module_does_not_import_dash() -> None:
    """The command line imports it at every start."""
    code = "import sys, dashboard.commands; print(sorted({'dash', 'plotly', 'flask'} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.slow
def test_served_link_signs_in_and_nothing_else_does(tmp_path: Path) -> None:
    """A real server: the printed link leads in, the bare address does not, and it leaves nothing behind."""
    process = subprocess.Popen(
        [sys.executable, "-c", SERVE, str(tmp_path / "none.duckdb"), "0"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    try:
        assert process.stdout is not None
        link = _link(process)
        port, token = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\?token=(\S+)", link).groups()
        assert _status(int(port), "/") == 401
        assert _status(int(port), f"/?token={token}") == 303
        assert _status(int(port), f"/?token={token}x") == 401
        assert _status(int(port), "/", {"Host": "evil.example"}) == 403
    finally:
        process.terminate()
        process.communicate(timeout=120)
    assert process.returncode == 0
    assert list(tmp_path.iterdir()) == []


def _link(process: subprocess.Popen[str]) -> str:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        line = process.stdout.readline() if process.stdout else ""
        if "http://" in line:
            return line.strip()
    raise AssertionError("no launch link in time")


def _status(port: int, path: str, headers: dict[str, str] | None = None) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    try:
        connection.request("GET", path, headers=headers or {})
        return connection.getresponse().status
    finally:
        connection.close()
