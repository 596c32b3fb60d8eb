"""Addresses and secrets: what is accepted, and what is never shown."""

import base64
import ssl

import pytest

from signals.errors import InputError, UsageError
from signals.store.pull.endpoint import (
    PASSWORD_VARIABLE,
    TOKEN_VARIABLE,
    Access,
    parse_endpoint,
)


@pytest.mark.parametrize(
    ("url", "base"),
    [
        ("http://localhost:9090", "http://localhost:9090"),
        ("http://localhost:9090/", "http://localhost:9090"),
        ("https://a.example/prometheus/api/v1/query", "https://a.example/prometheus"),
        ("http://a.example/graph", "http://a.example"),
        ("http://[::1]:9090/x/", "http://[::1]:9090/x"),
    ],
)
def test_address_is_cut_to_its_base(url, base):
    """What stands in a browser's address bar works too."""
    assert parse_endpoint(url).base == base


@pytest.mark.parametrize(
    "url", ["", "localhost:9090", "ftp://a", "http://", "http://a:port", "http://[x"]
)
def test_no_address(url):
    """Told with an example."""
    with pytest.raises(UsageError, match="not the address"):
        parse_endpoint(url)


@pytest.mark.parametrize(
    "url",
    ["http://ann:hunter2@a", "http://a/?token=hunter2", "http://a/#hunter2", "http://hunter2@a"],
)
def test_secret_in_the_address_is_refused_and_not_repeated(url):
    """Arguments are seen by every user of the machine."""
    with pytest.raises(UsageError) as raised:
        parse_endpoint(url)
    assert "hunter2" not in str(raised.value)


def test_clear_text_is_known():
    """Loopback is no way on which anybody listens."""
    assert parse_endpoint("http://a.example").in_clear
    assert not parse_endpoint("http://127.0.0.1:9090").in_clear
    assert not parse_endpoint("https://a.example").in_clear


@pytest.fixture(autouse=True)
def bare(monkeypatch):
    """No secret in the environment."""
    monkeypatch.delenv(TOKEN_VARIABLE, raising=False)
    monkeypatch.delenv(PASSWORD_VARIABLE, raising=False)


def test_token_is_read_anew(tmp_path):
    """Tokens of service accounts are renewed while a pull follows."""
    file = tmp_path / "token"
    file.write_text("one\n")
    access = Access(token_file=file)
    assert access.authorization() == "Bearer one"
    file.write_text("two\n")
    assert access.authorization() == "Bearer two"
    assert "two" not in repr(access)


def test_environment_holds_secrets_too(monkeypatch):
    """For containers that get them so."""
    assert Access().authorization() == ""
    monkeypatch.setenv(TOKEN_VARIABLE, "abc")
    assert Access().authorization() == "Bearer abc"
    with pytest.raises(UsageError, match="password is missing"):
        Access(user="ann").check()
    monkeypatch.setenv(PASSWORD_VARIABLE, "pä:ss")
    header = Access(user="ann").authorization()
    assert base64.b64decode(header.removeprefix("Basic ")).decode() == "ann:pä:ss"


@pytest.mark.parametrize(
    "content", [b"", b"  \n", b"two\nlines", b"a\0b", "tök".encode(), b"\xff\xfe"]
)
def test_file_without_a_token(tmp_path, content):
    """Told by its name, without its text."""
    file = tmp_path / "token"
    file.write_bytes(content)
    with pytest.raises(InputError) as raised:
        Access(token_file=file).check()
    assert "lines" not in str(raised.value)
    assert str(file) in str(raised.value)


def test_missing_file(tmp_path):
    """As any other file."""
    with pytest.raises(InputError, match="cannot be read"):
        Access(token_file=tmp_path / "none").check()


@pytest.mark.parametrize(
    "words",
    [
        {"user": "a", "token_file": "t"},
        {"password_file": "p"},
        {"user": "a:b", "password_file": "p"},
        {"key": "k"},
        {"insecure": True, "ca": "c"},
    ],
)
def test_options_that_contradict_each_other(words):
    """Refused before anything is sent."""
    with pytest.raises(UsageError):
        Access(**words).check()


def test_secrets_are_scrubbed_from_texts(tmp_path):
    """A server may repeat what it was sent."""
    file = tmp_path / "secret"
    file.write_text("hunter2")
    pair = base64.b64encode(b"ann:hunter2").decode()
    access = Access(user="ann", password_file=file)
    assert access.scrub(f"no {pair}, no hunter2") == "no ***, no ***"


def test_certificates(tmp_path):
    """Broken ones are told; --insecure trusts anyone."""
    file = tmp_path / "ca.pem"
    file.write_text("no certificate")
    with pytest.raises(InputError, match="certificate or key"):
        Access(ca=file).tls()
    with pytest.raises(InputError, match="certificate or key"):
        Access(cert=file).tls()
    with pytest.raises(InputError, match="certificate or key"):
        Access(ca=tmp_path / "none").tls()
    assert Access(insecure=True).tls().verify_mode == ssl.CERT_NONE
    assert Access().tls().verify_mode == ssl.CERT_REQUIRED
