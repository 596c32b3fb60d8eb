"""What can go wrong between a server and us: ask again, ask for less, or tell the user."""

from __future__ import annotations

import json
import re
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Literal

import httpx

from signals.errors import InputError, SignalsError
from signals.store.pull.endpoint import Endpoint

__all__ = [
    "Fault",
    "RefusedError",
    "ServerError",
    "Stopped",
    "TooMuch",
    "of_answer",
    "of_error",
    "one_line",
    "retry_after_s",
]

Remedy = Literal["again", "less", "none"]
_MOST_TEXT = 300
_TOO_MUCH = re.compile(
    r"too (many|large|long|big)|exceed|limit|maximum|cannot select more|timeout|timed out",
    re.IGNORECASE,
)
_LONGEST_WAIT_S = 300.0
_UNSENT = (httpx.UnsupportedProtocol, httpx.InvalidURL, httpx.LocalProtocolError, UnicodeError)
_RESUME = "run the same command again: it goes on after the last stored window"


class ServerError(InputError):
    """A server cannot be asked, or does not answer."""


class RefusedError(InputError):
    """Answers of a server cannot be stored."""


class Stopped(Exception):  # noqa: N818 - no error: the user wants to end
    """The pull was asked to end."""


class TooMuch(Exception):  # noqa: N818 - no error yet: a smaller question may do
    """An answer would be larger, or take longer, than one side allows.

    Attributes:
        error: what to tell if no smaller question is possible.
        slow: True if time ran out rather than space.
    """

    def __init__(self, error: SignalsError, *, slow: bool = False) -> None:
        super().__init__(error.what)
        self.error = error
        self.slow = slow


@dataclass(frozen=True)
class Fault:
    """One failure.

    Attributes:
        remedy: `again` after a pause, `less` with a smaller question, `none`.
        error: what to tell the user if the remedy does not help.
        early: True if trying again is of no use before the server has answered once (a wrong address).
        slow: True if time ran out.
    """

    remedy: Remedy
    error: SignalsError
    early: bool = False
    slow: bool = False


def of_error(error: httpx.HTTPError | httpx.InvalidURL | UnicodeError, endpoint: Endpoint) -> Fault:
    """What a failed exchange means; texts that cannot be sent are none yet."""
    base = endpoint.base
    text = f"{error}"
    if isinstance(error, httpx.ConnectTimeout | httpx.PoolTimeout):
        return Fault(
            "again", ServerError("the server cannot be reached in time", where=base), early=True
        )
    if isinstance(error, httpx.TimeoutException):
        slow = ServerError("the server takes too long to answer", where=base, hint=_RESUME)
        return Fault("less", slow, slow=True)
    if isinstance(error, httpx.ConnectError):
        return _of_connection(error, text, endpoint)
    if isinstance(error, httpx.ProxyError):
        return Fault("again", ServerError("the proxy refuses", where=base, hint=text), early=True)
    if isinstance(error, _UNSENT):
        unsent = "the server cannot be asked: the address or the question cannot be sent"
        return Fault("none", ServerError(unsent, where=base, hint=one_line(text)))
    if "ALERT" in text and "CERTIFICATE" in text:
        # TLS 1.3 tells only with the first answer that a client's certificate is missing
        return Fault("none", _tls(text, base))
    broken = ServerError(
        "the connection broke inside an answer", where=base, hint=f"{_RESUME} ({text})"
    )
    return Fault("again", broken)


def _of_connection(error: httpx.ConnectError, text: str, endpoint: Endpoint) -> Fault:
    base = endpoint.base
    if _is_tls(error, text):
        return Fault("none", _tls(text, base))
    if re.search(r"name or service|name resolution|nodename|getaddrinfo|Errno -[25]\b", text):
        unknown = ServerError(
            f"the name '{endpoint.host}' is not known", where=base, hint="check the address"
        )
        return Fault("again", unknown, early=True)
    if "refused" in text:
        refused = ServerError(
            "nothing answers there: the connection is refused",
            where=base,
            expected="a Prometheus-compatible server",
            hint="check host and port; in a cluster, kubectl port-forward makes it reachable",
        )
        return Fault("again", refused, early=True)
    return Fault(
        "again", ServerError("the server cannot be reached", where=base, hint=text), early=True
    )


def _is_tls(error: BaseException, text: str) -> bool:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLError):
            return True
        cause = cause.__cause__ or cause.__context__
    return "SSL" in text or "CERTIFICATE" in text


def _tls(text: str, base: str) -> ServerError:
    if "CERTIFICATE_VERIFY_FAILED" in text:
        reason = re.search(r"certificate verify failed: ([^(]+)", text)
        return ServerError(
            f"the server's certificate is not trusted: {reason[1].strip() if reason else text}",
            where=base,
            hint="--ca FILE names the authority that signed it; --insecure trusts anyone",
        )
    if "WRONG_VERSION_NUMBER" in text or "RECORD_LAYER" in text:
        return ServerError(
            "the server does not speak TLS there", where=base, hint="try http:// or another port"
        )
    hint = "a server that asks for a client certificate takes --cert and --key"
    return ServerError(f"the encrypted connection fails: {text}", where=base, hint=hint)


def of_answer(
    status: int, headers: Mapping[str, str], body: bytes, endpoint: Endpoint
) -> Fault | None:
    """What an HTTP status means; None for a good answer.

    Args:
        status: HTTP status.
        headers: of the answer, names in lower case.
        body: its begin, for the server's own words.
        endpoint: the server.
    """
    if 200 <= status < 300:
        return None
    base = endpoint.base
    kind, said = _words(body)
    if status in _PLAIN:
        what, hint = _PLAIN[status]
        wanted = "the query API of a Prometheus-compatible server" if status in _NO_API else ""
        return Fault("none", ServerError(what, where=base, expected=wanted, hint=hint or said))
    if 300 <= status < 400:
        return Fault("none", _redirected(headers, base))
    refused = ServerError(
        f"the server answers {status}: {said or 'without a word'}", where=base, hint=_RESUME
    )
    if status == 413 or (status in {400, 422} and _TOO_MUCH.search(said)):
        return Fault("less", refused)
    if status == 504 or (status == 503 and kind in {"timeout", "canceled"}):
        return Fault("less", refused, slow=True)
    if status in {408, 425, 429} or status >= 500:
        return Fault("again", refused)
    if status in {400, 422}:
        wrong = f"the server does not accept the query: {said or 'without a word'}"
        return Fault("none", ServerError(wrong, where=base, hint="check --query and --match"))
    return Fault("none", refused)


_NO_API = frozenset({404, 405, 501})
_PLAIN: Mapping[int, tuple[str, str]] = {
    401: (
        "the server wants to know who asks (401)",
        "--token-file FILE, or --user NAME with --password-file FILE; a token may have expired",
    ),
    403: ("the server forbids this (403)", "these credentials may not read metrics there"),
    404: (
        "there is no Prometheus API at this address (404)",
        "the path may lack a prefix: /prometheus for Mimir and Thanos behind a proxy, "
        "/select/0/prometheus for a VictoriaMetrics cluster",
    ),
    405: (
        "the server takes questions neither by POST nor by GET (405)",
        "this may be no Prometheus API: check the address and its path",
    ),
    407: ("the proxy wants to know who asks (407)", "HTTPS_PROXY and NO_PROXY name the proxy"),
    501: (
        "the server does not know such questions (501)",
        "this may be no Prometheus API, or one for writing only: check the address and its path",
    ),
}


def _redirected(headers: Mapping[str, str], base: str) -> ServerError:
    target = headers.get("location", "").split("?", 1)[0].split("#", 1)[0][:_MOST_TEXT]
    return ServerError(
        "the server sends us elsewhere, as login pages do",
        where=base,
        expected="an answer of the API",
        hint=f"give the final address: {target}" if target else "",
    )


def _words(body: bytes) -> tuple[str, str]:
    """The server's error type and text, from JSON or plain text."""
    text = body.decode("utf-8", "replace").strip()
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        document = None
    if isinstance(document, dict):
        said = document.get("error") or document.get("message") or ""
        return str(document.get("errorType", "")), one_line(str(said))
    return "", "" if text.startswith("<") else one_line(text)


def one_line(text: str) -> str:
    """A server's own words, fit to be shown: no signs that steer a terminal, and not many."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= _MOST_TEXT else f"{line[:_MOST_TEXT]}…"


def retry_after_s(headers: Mapping[str, str], now: datetime) -> float:
    """Seconds that a server asks to wait, at most five minutes; 0 if it does not say."""
    text = headers.get("retry-after", "").strip()
    if text.isdecimal():
        return min(float(text[:9]), _LONGEST_WAIT_S)
    try:
        moment = parsedate_to_datetime(text)
    except (TypeError, ValueError, OverflowError):
        return 0.0
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return min(max((moment - now).total_seconds(), 0.0), _LONGEST_WAIT_S)
