"""Encrypted connections: who is trusted, who is not, and what is said about it."""

import http.server
import shutil
import ssl
import subprocess
import threading

import pytest

from signals.store.pull.client import Client
from signals.store.pull.endpoint import Access, parse_endpoint
from signals.store.pull.faults import ServerError
from signals.usecases.load import clock


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A certificate for this machine that it signed itself, with its key."""
    if not shutil.which("openssl"):
        pytest.skip("needs openssl")
    folder = tmp_path_factory.mktemp("tls")
    words = [
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-days",
        "2",
        "-subj",
        "/CN=localhost",
        "-addext",
    ]
    files = ["-keyout", folder / "key.pem", "-out", folder / "cert.pem"]
    command = ["openssl", *words, "subjectAltName=IP:127.0.0.1,DNS:localhost", *files]
    subprocess.run(command, check=True, capture_output=True)
    return folder


class Api(http.server.BaseHTTPRequestHandler):
    """Answers every question alike."""

    def do_POST(self):
        body = b'{"status":"success","data":{"resultType":"scalar","result":[0,"0"]}}'
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


class Quiet(http.server.ThreadingHTTPServer):
    """Keeps failed handshakes to itself."""

    daemon_threads = True

    def handle_error(self, request, client_address):
        pass


@pytest.fixture(params=["anyone", "known clients"])
def server(request, certificate):
    """A server that lets anyone in, or only clients with the certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate / "cert.pem", certificate / "key.pem")
    if request.param == "known clients":
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(certificate / "cert.pem")
    made = Quiet(("127.0.0.1", 0), Api)
    made.socket = context.wrap_socket(made.socket, server_side=True, do_handshake_on_connect=False)
    made.closed_door = request.param != "anyone"
    threading.Thread(target=made.serve_forever, args=(0.02,), daemon=True).start()
    yield made
    made.shutdown()
    made.server_close()


def ask(server, access, *, scheme="https"):
    """First contact."""
    endpoint = parse_endpoint(f"{scheme}://127.0.0.1:{server.server_port}")
    client = Client(endpoint, access, clock=clock)
    try:
        return client.server_time()
    finally:
        client.close()


def test_who_is_trusted(server, certificate):
    """The authority that --ca names, or anyone; with a client's certificate where one is wanted."""
    own = {"cert": certificate / "cert.pem", "key": certificate / "key.pem"}
    own = own if server.closed_door else {}
    assert ask(server, Access(ca=certificate / "cert.pem", **own))
    assert ask(server, Access(insecure=True, **own))


def test_stranger_is_refused_and_the_way_out_told(server):
    """By name of the options."""
    with pytest.raises(ServerError, match="not trusted") as raised:
        ask(server, Access())
    assert "--ca" in raised.value.hint


def test_client_without_a_certificate_is_told(server, certificate):
    """Where one is wanted."""
    if not server.closed_door:
        pytest.skip("this one lets anyone in")
    with pytest.raises(ServerError) as raised:
        ask(server, Access(ca=certificate / "cert.pem"))
    assert "--cert" in str(raised.value)


def test_plain_server_is_told(certificate):
    """https:// where http:// is spoken."""
    made = Quiet(("127.0.0.1", 0), Api)
    threading.Thread(target=made.serve_forever, args=(0.02,), daemon=True).start()
    with pytest.raises(ServerError, match="TLS"):
        ask(made, Access(insecure=True))
    made.shutdown()
    made.server_close()
