"""Answers that are meant to hurt: bombs, drips, words for a terminal, secrets repeated."""

import gzip
import json
import socket
import threading
from contextlib import contextmanager, suppress

import pytest

from signals.store.pull import client as client_module
from signals.store.pull.client import Client
from signals.store.pull.endpoint import Access, parse_endpoint
from signals.store.pull.faults import ServerError, TooMuch
from signals.store.pull.plan import Window
from signals.usecases.load import clock

HOUR = Window(3_600_000, 7_200_000)


class Raw:
    """Answers every question with the same bytes, and closes."""

    def __init__(self, answer: bytes) -> None:
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        self._answer = answer
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                with self._listening.accept()[0] as peer, suppress(OSError):
                    peer.recv(65_536)
                    peer.sendall(self._answer)

    def close(self) -> None:
        self._listening.close()


@contextmanager
def asking(body: bytes, headers: str = "", access: Access | None = None, **changes):
    """A client of a server that sends a body."""
    head = f"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {len(body)}\r\n{headers}\r\n"
    raw = Raw(head.encode() + body)
    client = Client(parse_endpoint(raw.url), access or Access(), clock=clock, **changes)
    client._met = True
    yield client
    client.close()
    raw.close()


def test_answer_packed_twice_is_not_unpacked():
    """A few kilobytes would become gigabytes in one go."""
    packed = gzip.compress(gzip.compress(b"{}" * 1000))
    with (
        asking(packed, "Content-Encoding: gzip, gzip\r\n") as client,
        pytest.raises(ServerError) as caught,
    ):
        client.matrix("up", HOUR)
    assert "packed as gzip, gzip" in caught.value.hint


def test_answer_that_drips_ends_in_time(monkeypatch):
    """Each read is quick, but there is no end of them."""
    monkeypatch.setattr(client_module, "_ANSWER_S", -1.0)
    with asking(b"{}") as client, pytest.raises(TooMuch) as caught:
        client.matrix("up", HOUR)
    assert caught.value.slow


def test_too_large_a_first_answer_is_told(monkeypatch):
    """Before anything is pulled there is no smaller question to try."""
    monkeypatch.setattr(client_module, "_MOST_LISTING", 100)
    with asking(b" " * 1000) as client, pytest.raises(ServerError, match="larger than"):
        client.server_time()


def test_words_of_an_answer_that_cannot_be_used_are_short_and_plain():
    """They go to a terminal."""
    kind = "\x1b[31m" + "x" * 10_000
    body = json.dumps({"status": "success", "data": {"resultType": kind}}).encode()
    with asking(body) as client, pytest.raises(ServerError) as caught:
        client.matrix("up", HOUR)
    assert "\x1b" not in str(caught.value)
    assert len(str(caught.value)) < 1_000


def test_secret_that_a_server_repeats_is_not_kept(tmp_path):
    """Answers lie beside the store, and warnings go into it."""
    secret = "abcdefghijklmnopqrstuvwxyz"
    (tmp_path / "token").write_text(secret)
    series = {"metric": {"said": f"Bearer {secret}"}, "values": [[HOUR.start_ms / 1000, "1"]]}
    data = {"resultType": "matrix", "result": [series]}
    document = {"status": "success", "data": data, "warnings": [secret]}
    with asking(json.dumps(document).encode(), "", Access(tmp_path / "token")) as client:
        text = client.matrix("up", HOUR)[0].text
    assert secret.encode() not in text
    assert b'"warnings":["***"]' in text
