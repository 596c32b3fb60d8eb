"""Every request names an expected host and proves that it knows the token."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from dashboard.security import Guard
from tests.dashboard.conftest import TOKEN

HOST = {"Host": "localhost:8050"}
PATHS = (
    "/",
    "/signals",
    "/assets/1-base.css",
    "/_dash-layout",
    "/_dash-dependencies",
    "/_favicon.ico",
    "/_dash-component-suites/dash/deps/react@18.v3_1_1m1.min.js",
)


@pytest.mark.parametrize("path", PATHS)
def test_request_without_token_is_refused(stranger: FlaskClient, path: str) -> None:
    """Nothing is served to those who do not know the token: pages, assets and Dash's own routes."""
    assert stranger.get(path, headers=HOST).status_code == 401


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "10.0.0.1:8050", ""])
def test_request_for_another_host_is_refused_even_with_cookie(
    client: FlaskClient, path: str, host: str
) -> None:
    """A name that was rebound to 127.0.0.1 does not reach anything."""
    assert client.get(path, headers={"Host": host}).status_code == 403


def test_callback_without_token_is_refused(stranger: FlaskClient) -> None:
    """Callbacks are requests like others."""
    answer = stranger.post("/_dash-update-component", json={}, headers=HOST)
    assert answer.status_code == 401


@pytest.mark.parametrize("host", ["localhost:8050", "127.0.0.1", "LOCALHOST:1", "[::1]:8050"])
def test_loopback_names_are_allowed(stranger: FlaskClient, host: str) -> None:
    """All names of this machine's loopback pass the host check, with any port."""
    assert stranger.get("/", headers={"Host": host}).status_code == 401


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1:evil.com",
        "127.0.0.1:8977/x",
        "127.0.0.1:",
        "[::1",
        "a@127.0.0.1",
        "127.0.0.1:1:2",
    ],
)
def test_host_that_is_no_name_with_a_port_is_refused(client: FlaskClient, host: str) -> None:
    """What follows the colon is digits, or it is no port and the name is no name."""
    assert client.get("/", headers={"Host": host}).status_code == 403


@pytest.mark.parametrize("origin", ["http://[::1", "http://[x]", "//", "null", "localhost:8050"])
def test_origin_that_cannot_be_read_is_another_origin(client: FlaskClient, origin: str) -> None:
    """Half an address is refused like the wrong one."""
    assert client.get("/", headers={**HOST, "Origin": origin}).status_code == 403


@pytest.mark.parametrize("path", ["/%0d%0aSet-Cookie:x", "/%00"])
def test_address_with_control_characters_is_refused(stranger: FlaskClient, path: str) -> None:
    """No line break gets as far as the redirect's header."""
    answer = stranger.get(f"{path}?token={TOKEN}", headers=HOST)
    assert answer.status_code == 400
    assert "Set-Cookie" not in answer.headers


def test_launch_link_sets_cookie_and_drops_token(stranger: FlaskClient) -> None:
    """The token leaves the address at once; what stays is a cookie that scripts cannot read."""
    answer = stranger.get(f"/signals?service=chat&token={TOKEN}", headers=HOST)
    assert answer.status_code == 303
    assert answer.headers["Location"] == "/signals?service=chat"
    cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert TOKEN not in cookie
    assert stranger.get("/signals", headers=HOST).status_code == 200


def test_wrong_token_is_refused_and_sets_nothing(stranger: FlaskClient) -> None:
    """A wrong token is told so; the page offers a form."""
    answer = stranger.get("/?token=wrong", headers=HOST)
    assert answer.status_code == 401
    assert "Set-Cookie" not in answer.headers
    assert "<form" in answer.get_data(as_text=True)


def test_sign_in_form_accepts_the_token(stranger: FlaskClient) -> None:
    """The form of the refusal page leads to the overview."""
    answer = stranger.post("/sign-in", data={"token": TOKEN}, headers=HOST)
    assert (answer.status_code, answer.headers["Location"]) == (303, "/")
    assert stranger.get("/", headers=HOST).status_code == 200


def test_sign_in_redirect_stays_on_this_site(stranger: FlaskClient) -> None:
    """A path that starts with two slashes is not taken for another host."""
    answer = stranger.get(f"//evil.example/?token={TOKEN}", headers=HOST)
    assert answer.headers.get("Location", "/").startswith("/")
    assert not answer.headers.get("Location", "/").startswith("//")
    answer = stranger.get(f"/%5cevil.example/?token={TOKEN}", headers=HOST)
    assert answer.headers["Location"] == "/%5Cevil.example/"


def test_request_from_another_origin_is_refused(client: FlaskClient) -> None:
    """Cookies do not tell ports apart, so the origin must be this very server."""
    other = {**HOST, "Origin": "http://localhost:9999"}
    assert client.post("/_dash-update-component", json={}, headers=other).status_code == 403
    own = {**HOST, "Origin": "http://localhost:8050"}
    assert client.get("/", headers=own).status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "/assets/../app.py",
        "/assets/%2e%2e/app.py",
        "/assets/..%2fapp.py",
        "/assets//etc/passwd",
        "/_dash-component-suites/dash/../../../etc/passwd",
    ],
)
def test_no_file_outside_the_assets_is_served(client: FlaskClient, path: str) -> None:
    """Paths cannot climb out; an unknown path is the page frame at most."""
    answer = client.get(path, headers=HOST)
    text = answer.get_data(as_text=True)
    assert "def create_app" not in text
    assert "root:" not in text


def test_every_answer_carries_the_security_headers(
    client: FlaskClient, stranger: FlaskClient
) -> None:
    """Refusals and assets as well as pages."""
    for answer in (
        client.get("/", headers=HOST),
        client.get("/assets/1-base.css", headers=HOST, buffered=True),
        stranger.get("/", headers={"Host": "evil.example"}),
    ):
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe-eval" not in policy
        assert "script-src 'self' 'sha256-" in policy
        assert answer.headers["X-Frame-Options"] == "DENY"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Referrer-Policy"] == "no-referrer"


def test_host_with_port_allows_that_port_only() -> None:
    """An entry with a port is exact."""
    guard = Guard(token="t", hosts=("fleet.example:8443",))
    assert guard.knows_host("fleet.example:8443")
    assert not guard.knows_host("fleet.example:80")
    assert not guard.knows_host("fleet.example")


def test_two_runs_use_different_cookies() -> None:
    """Servers on two ports of one host do not sign each other's users out."""
    assert Guard("a", ()).cookie_name != Guard("b", ()).cookie_name


def test_odd_tokens_are_wrong_not_errors() -> None:
    """Bytes outside ASCII compare like any other wrong token."""
    guard = Guard("secret", ())
    assert not guard.knows_token(
        "sécret\udcff".encode("utf-8", "surrogateescape").decode("latin-1")
    )
    assert not guard.knows_cookie("")
