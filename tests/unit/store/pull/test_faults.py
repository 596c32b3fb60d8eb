"""Each failure has its remedy and its words."""

import json
from datetime import UTC, datetime

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from signals.store.pull.endpoint import parse_endpoint
from signals.store.pull.faults import of_answer, of_error, retry_after_s

SERVER = parse_endpoint("https://metrics.example")


def said(text, kind="execution"):
    """A server's error."""
    return json.dumps({"status": "error", "errorType": kind, "error": text}).encode()


@pytest.mark.parametrize(
    ("status", "body", "remedy"),
    [
        (401, b"", "none"),
        (403, b"", "none"),
        (404, b"404 page not found", "none"),
        (405, b"", "none"),
        (501, b"", "none"),
        (413, b"", "less"),
        (422, said("query processing would load too many samples into memory"), "less"),
        (422, said("the query exceeded the maximum number of series (limit: 100)"), "less"),
        (400, said("exceeded maximum resolution of 11,000 points per timeseries"), "less"),
        (400, said("1:5: parse error: unexpected end of input", "bad_data"), "none"),
        (422, said('unexpected token ""; want "("', "422"), "none"),
        (503, said("query timed out in expression evaluation", "timeout"), "less"),
        (504, b"<html>gateway timeout</html>", "less"),
        (429, b"too many outstanding requests", "again"),
        (500, b"", "again"),
        (502, b"", "again"),
        (503, b"not ready", "again"),
        (302, b"", "none"),
        (418, b"", "none"),
    ],
)
def test_remedy_of_a_status(status, body, remedy):
    """Ask again, ask for less, or give up."""
    fault = of_answer(status, {}, body, SERVER)
    assert fault is not None
    assert fault.remedy == remedy
    assert SERVER.base in str(fault.error)


def test_good_answer_is_no_fault():
    """200 and its kin."""
    assert of_answer(200, {}, b"", SERVER) is None


@pytest.mark.parametrize("status", [404, 405, 501])
def test_an_address_that_is_no_api_says_what_was_expected(status):
    error = of_answer(status, {}, b"", SERVER).error
    assert str(status) in error.what
    assert "query API" in error.expected
    assert error.where == SERVER.base
    assert "path" in error.hint


def test_redirect_tells_where_without_its_query():
    """Login pages put tokens behind the question mark."""
    fault = of_answer(302, {"location": "https://login.example/x?ticket=secret#y"}, b"", SERVER)
    assert "https://login.example/x" in fault.error.hint
    assert "secret" not in str(fault.error)


def test_words_of_the_server_are_one_short_line():
    """No page of HTML, no control characters, no end."""
    fault = of_answer(500, {}, b"a\x1b[31mb\nc" + b"d" * 5_000, SERVER)
    assert "\x1b" not in str(fault.error)
    assert len(fault.error.what) < 400
    assert "without a word" in of_answer(500, {}, b"<html>", SERVER).error.what


@pytest.mark.parametrize(
    ("error", "remedy", "early", "word"),
    [
        (httpx.ConnectError("[Errno 111] Connection refused"), "again", True, "refused"),
        (httpx.ConnectError("[Errno -2] Name or service not known"), "again", True, "not known"),
        (
            httpx.ConnectError(
                "[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed (_ssl.c:1)"
            ),
            "none",
            False,
            "self-signed",
        ),
        (httpx.ConnectError("[SSL: WRONG_VERSION_NUMBER] wrong version"), "none", False, "TLS"),
        (httpx.ConnectError("[SSL: TLSV13_ALERT_CERTIFICATE_REQUIRED]"), "none", False, "--cert"),
        (httpx.ReadError("[SSL: TLSV13_ALERT_CERTIFICATE_REQUIRED]"), "none", False, "--cert"),
        (httpx.ConnectError("network is unreachable"), "again", True, "reached"),
        (httpx.ConnectTimeout("slow"), "again", True, "in time"),
        (httpx.ReadTimeout("slow"), "less", False, "too long"),
        (httpx.RemoteProtocolError("peer closed"), "again", False, "broke"),
        (httpx.ReadError("reset"), "again", False, "broke"),
        (httpx.ProxyError("403"), "again", True, "proxy"),
        (httpx.LocalProtocolError("illegal header"), "none", False, "cannot be asked"),
    ],
)
def test_remedy_of_a_failed_exchange(error, remedy, early, word):
    """A wrong address is told at once, a lost connection is tried again."""
    fault = of_error(error, SERVER)
    assert (fault.remedy, fault.early) == (remedy, early)
    assert word in str(fault.error)


def test_wish_of_the_server_to_wait():
    """Seconds or a date; never longer than five minutes."""
    now = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
    assert retry_after_s({"retry-after": "7"}, now) == 7
    assert retry_after_s({"retry-after": "Mon, 02 Mar 2026 08:00:30 GMT"}, now) == 30
    assert retry_after_s({"retry-after": "Mon, 02 Mar 2026 07:00:30 GMT"}, now) == 0
    assert retry_after_s({"retry-after": "9" * 40}, now) == 300
    assert retry_after_s({"retry-after": "soon"}, now) == 0
    assert retry_after_s({}, now) == 0
    assert retry_after_s({"retry-after": f"Mon, 02 Mar 2026 08:00:30 +{'9' * 30}"}, now) == 0


ERRORS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["error", "errorType", "message", "a"]), inner)
    ),
    max_leaves=6,
).map(lambda value: json.dumps(value).encode())


@given(st.integers(100, 999), st.binary(max_size=60) | ERRORS, st.text(max_size=40))
def test_no_answer_does_harm(status, body, word):
    """Whatever a server says there is a fault or none, and seconds to wait."""
    headers = {"location": word, "retry-after": word}
    fault = of_answer(status, headers, body, SERVER)
    assert (fault is None) == (200 <= status < 300)
    assert 0 <= retry_after_s(headers, datetime(2026, 3, 2, tzinfo=UTC)) <= 300
