"""Questions are repeated where it helps, and only there."""

import gzip
import json
import socket
import threading
from contextlib import contextmanager, suppress
from datetime import timedelta

import pytest

from signals.store.pull import client as client_module
from signals.store.pull.client import Client
from signals.store.pull.endpoint import Access, parse_endpoint
from signals.store.pull.faults import ServerError, Stopped, TooMuch
from signals.store.pull.plan import Window
from signals.usecases.load import clock
from tests.builders_servers import free_port

HOUR = Window(3_600_000, 7_200_000)
MATRIX = json.dumps(
    {
        "status": "success",
        "data": {
            "resultType": "matrix",
            "result": [{"metric": {"__name__": "up"}, "values": [[3600, "1"]]}],
        },
    }
)


def script(server, *moods, text=MATRIX):
    """Answer with these one after the other, then with the last again and again."""
    server.text = text
    server.mood = lambda number, _path: moods[min(number, len(moods)) - 1]


def test_matrix_is_asked_as_a_form(server, client):
    """POST, so that long selectors fit; a server that could ask only a part of itself must say no."""
    script(server, "200")
    answer, size = client.matrix("up", HOUR)
    assert (answer.samples, size) == (1, len(MATRIX))
    method, path, headers = server.seen[0]
    assert (method, path) == ("POST", "/api/v1/query")
    assert "Authorization" not in headers


@pytest.mark.parametrize("mood", ["503", "429 0", "500", "502", "drop"])
def test_passing_failures_are_repeated(server, client, mood):
    """The third answer counts."""
    script(server, mood, mood, "200")
    client._met = True
    assert client.matrix("up", HOUR)[0].samples == 1
    assert (client.questions, client.repeats) == (3, 2)


def test_garbage_is_repeated(server, client):
    """An answer that is none may have come from a gateway in between."""
    script(server, "garbage", "200")
    assert client.matrix("up", HOUR)[0].samples == 1


def test_lasting_failure_is_told(server, client):
    """After seven attempts."""
    script(server, "503", text="maintenance")
    with pytest.raises(ServerError, match="maintenance") as raised:
        client.matrix("up", HOUR)
    assert len(server.seen) == 7
    assert "goes on" in raised.value.hint


def test_lasting_garbage_is_told(server, client):
    """Also after seven."""
    script(server, "garbage")
    with pytest.raises(ServerError):
        client.matrix("up", HOUR)
    assert len(server.seen) == 7


@pytest.mark.parametrize("status", ["401", "403", "404"])
def test_lasting_refusal_is_told_at_once(server, client, status):
    """No door opens by knocking again."""
    script(server, status)
    with pytest.raises(ServerError, match=status):
        client.matrix("up", HOUR)
    assert len(server.seen) == 1


def test_server_that_takes_no_forms_is_asked_by_address(server, client):
    """Some gateways let GET alone through."""
    script(server, "405", "200")
    assert client.matrix("up", HOUR)[0].samples == 1
    assert client.matrix("up", HOUR)[0].samples == 1
    assert [method for method, *_ in server.seen] == ["POST", "GET", "GET"]


def test_too_large_an_answer_asks_for_less(server):
    """It is not even read to its end."""
    small = Client(parse_endpoint(server.url), Access(), clock=clock, most_bytes=20)
    script(server, "200")
    with pytest.raises(TooMuch):
        small.matrix("up", HOUR)
    small.close()


def test_wish_to_wait_is_granted(server, client, monkeypatch):
    """Retry-After outweighs our own shorter pause."""
    waited = []
    monkeypatch.setattr(client._stop, "wait", waited.append)
    script(server, "429 3", "200")
    client.matrix("up", HOUR)
    assert waited == [3]


def test_pauses_grow(server, client, monkeypatch):
    """Each at least half of what doubling gives, none longer than the bound."""
    waited = []
    monkeypatch.setattr("signals.store.pull.client._FIRST_PAUSE_S", 1.0)
    monkeypatch.setattr("signals.store.pull.client._LONGEST_PAUSE_S", 8.0)
    monkeypatch.setattr(client._stop, "wait", waited.append)
    script(server, "503")
    with pytest.raises(ServerError):
        client.matrix("up", HOUR)
    assert all(b / 2 <= s <= b for s, b in zip(waited, [1, 2, 4, 8, 8, 8], strict=True))


def test_stop_ends_a_pause(server):
    """Nobody waits for a minute to end a pull."""
    stop = threading.Event()
    client = Client(parse_endpoint(server.url), Access(), clock=clock, stop=stop)
    script(server, "429 60")
    threading.Timer(0.1, stop.set).start()
    with pytest.raises(Stopped):
        client.matrix("up", HOUR)
    client.close()


def test_server_time_is_its_clock(server, client):
    """From the Date header, whatever our own clock says."""
    script(server, "200", text='{"status":"success","data":{}}')
    assert abs(client.server_time() - clock()) < timedelta(seconds=10)


def test_first_contact_names_what_is_there(server, client):
    """A web page is no Prometheus, a closed port no server."""
    script(server, "garbage")
    with pytest.raises(ServerError, match="no Prometheus"):
        client.server_time()
    lost = Client(
        parse_endpoint(f"http://127.0.0.1:{free_port()}"),
        Access(),
        clock=clock,
    )
    with pytest.raises(ServerError, match="refused"):
        lost.server_time()
    assert lost.questions == 1
    lost.close()


def test_label_values_are_sorted(server, client):
    """By address, since servers take no form there."""
    script(server, "200", text='{"status":"success","data":["b","a"]}')
    assert client.label_values("job", "up", HOUR) == ["a", "b"]
    method, path, _ = server.seen[0]
    assert method == "GET"
    assert path.startswith("/api/v1/label/job/values?match")


@pytest.mark.parametrize("data", ["5", '["\\ud800"]', "[1]"])
def test_odd_listing_is_told(server, client, data):
    """As an answer that cannot be used, not as an error of ours."""
    client._met = True
    script(server, "200", text=f'{{"status":"success","data":{data}}}')
    with pytest.raises(ServerError, match="cannot be used"):
        client.label_values("job", "up", HOUR)


def test_counts_are_told_or_the_oddity_is(server, client):
    """A number that is none is the server's fault."""
    client._met = True
    answer = '{{"status":"success","data":{{"result":[{{"value":[1,"{}"]}}]}}}}'
    script(server, "200", text=answer.format("7"))
    assert client.counts("count(up)", 0) == [7]
    script(server, "200", text=answer.format("seven"))
    with pytest.raises(ServerError, match="seven"):
        client.counts("count(up)", 0)


@pytest.mark.parametrize(
    "date", ["", "soon", "Mon, 01 Jan 0101 00:00:00 GMT", f"Mon, 01 Jan 2026 00:00:00 +{'9' * 30}"]
)
def test_odd_date_is_not_believed(date):
    """Our own clock has to do."""
    body = b'{"status":"success","data":{}}'
    with asking(body, f"Date: {date}\r\n") as client:
        assert abs(client.server_time() - clock()) < timedelta(minutes=1)


@pytest.mark.parametrize("host", ["a..b", "\x00", "xn--", "a" * 300])
def test_address_that_cannot_be_sent_is_told(host):
    """Whatever the libraries below call it."""
    lost = Client(parse_endpoint(f"http://{host}/"), Access(), clock=clock)
    with pytest.raises(ServerError, match="cannot be sent"):
        lost.server_time()
    lost.close()


def test_tenant_is_sent(server):
    """Mimir and Loki-like servers ask for it."""
    client = Client(parse_endpoint(server.url, org_id="team-a"), Access(), clock=clock)
    script(server, "200")
    client.matrix("up", HOUR)
    assert server.seen[0][2]["X-Scope-OrgID"] == "team-a"
    client.close()


def test_forwarded_port_needs_no_proxy(server, monkeypatch):
    """Whatever the environment says about the way to the outside."""
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{free_port()}")
    client = Client(parse_endpoint(server.url), Access(), clock=clock)
    script(server, "200")
    assert client.matrix("up", HOUR)[0].samples == 1
    client.close()


def test_secret_is_not_repeated(server, tmp_path):
    """Not even when the server says it back."""
    file = tmp_path / "token"
    file.write_text("hunter2hunter2")
    client = Client(parse_endpoint(server.url), Access(token_file=file), clock=clock)
    script(server, "400", text="bad {authorization}")
    with pytest.raises(ServerError, match=r"\*\*\*") as raised:
        client.matrix("up", HOUR)
    assert "hunter2" not in str(raised.value)
    client.close()


def test_expression_without_a_point_in_the_window_is_not_asked(server, client):
    """A step of an hour meets few short windows."""
    answer, size = client.matrix("sum(up)", Window(1, 1000), step_ms=3_600_000)
    assert (answer.samples, size, server.seen) == (0, 0, [])


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
