"""Who may talk to the dashboard: a Host allow-list, a token that becomes a cookie, and response headers.

Binding to loopback does not keep other people's web pages out: a name that resolves to 127.0.0.1 after the
page has loaded (DNS rebinding) reaches this server with the attacker's origin. So every request must name a
host that is expected, and must prove that it knows the token.
"""

from __future__ import annotations

import hashlib
import hmac
import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

from flask import Flask, Response, redirect, request

if TYPE_CHECKING:
    from werkzeug.wrappers import Response as BaseResponse

__all__ = ["LOOPBACK_HOSTS", "SIGN_IN_PATH", "Guard", "protect"]

LOOPBACK_HOSTS = ("127.0.0.1", "localhost", "[::1]")
SIGN_IN_PATH = "/sign-in"
_COOKIE_PURPOSE = b"signals dashboard session"
_HOST = re.compile(r"(?P<name>[a-z0-9_][a-z0-9._-]*|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?", re.ASCII)
_ORIGIN = re.compile(r"https?://(?P<host>.+)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Guard:
    """The rules that a request is held to.

    Attributes:
        token: the secret of the launch link.
        hosts: names that the Host header may hold, lower case; with a port only that port passes.
        script_hashes: CSP sources of the page's inline scripts.
    """

    token: str
    hosts: tuple[str, ...]
    script_hashes: tuple[str, ...] = ()

    @property
    def cookie_name(self) -> str:
        """Differs between servers: browsers send cookies to every port of a host."""
        return f"signals-{hashlib.sha256(self.token.encode()).hexdigest()[:10]}"

    @property
    def cookie_value(self) -> str:
        """Proves knowledge of the token without being the token."""
        return hmac.new(self.token.encode(), _COOKIE_PURPOSE, hashlib.sha256).hexdigest()

    def knows_host(self, host: str) -> bool:
        """Whether a Host header (with or without port) is on the list."""
        told = host.lower()
        parts = _HOST.fullmatch(told)
        return parts is not None and (told in self.hosts or parts["name"] in self.hosts)

    def knows_token(self, token: str) -> bool:
        """Whether this is the token; takes the same time for every wrong one."""
        return hmac.compare_digest(token.encode(), self.token.encode())

    def knows_cookie(self, value: str) -> bool:
        """Whether this is the session cookie's value; takes the same time for every wrong one."""
        return hmac.compare_digest(value.encode(), self.cookie_value.encode())

    def policy(self) -> str:
        """The Content-Security-Policy: nothing from elsewhere, no inline scripts but the known ones.

        Styles are inline because React, plotly and AG Grid write them so.
        """
        scripts = " ".join(("'self'", *self.script_hashes))
        return "; ".join(
            (
                "default-src 'none'",
                f"script-src {scripts}",
                "style-src 'self' 'unsafe-inline'",
                "img-src 'self' data: blob:",
                "font-src 'self' data:",
                "connect-src 'self'",
                "form-action 'self'",
                "base-uri 'none'",
                "frame-ancestors 'none'",
            )
        )


def protect(server: Flask, guard: Guard) -> None:
    """Hold every request of a Flask server to a guard, assets and callbacks included.

    Args:
        server: the Flask application behind the Dash app.
        guard: the rules.
    """

    def check() -> BaseResponse | None:
        return _check_origin(guard) or _check_token(guard)

    def headers(response: Response) -> Response:
        return _with_headers(response, guard)

    # First in line: nothing that Dash or a page registers may answer before the check.
    server.before_request_funcs.setdefault(None, []).insert(0, check)
    server.after_request(headers)


def _check_origin(guard: Guard) -> BaseResponse | None:
    host = request.headers.get("Host", "")
    if not guard.knows_host(host):
        return _refuse(403, "This host name is not allowed. Open the link that was printed.")
    origin = request.headers.get("Origin")
    # Another port of the same machine counts as the same site for cookies, so the origin is checked as well.
    if origin is not None:
        parts = _ORIGIN.fullmatch(origin.lower())
        if parts is None or parts["host"] != host.lower():
            return _refuse(403, "This request comes from another site.")
    if any(ord(letter) < 32 for letter in request.path):
        return _refuse(400, "This address holds control characters.")
    return None


def _check_token(guard: Guard) -> BaseResponse | None:
    if request.path == SIGN_IN_PATH and request.method == "POST":
        return _sign_in(guard, request.form.get("token", "").strip(), "/")
    if request.method == "GET" and "token" in request.args:
        rest = [(k, v) for k, v in request.args.items(multi=True) if k != "token"]
        path = "/" + quote(request.path.lstrip("/"))  # `//host` and `/\\host` would leave this site
        target = f"{path}?{urlencode(rest)}" if rest else path
        return _sign_in(guard, request.args["token"], target)
    if guard.knows_cookie(request.cookies.get(guard.cookie_name, "")):
        return None
    return _refuse(401, "The token is missing or belongs to another run of the dashboard.")


def _sign_in(guard: Guard, token: str, target: str) -> BaseResponse:
    if not guard.knows_token(token):
        return _refuse(401, "This token is not the one of the running dashboard.")
    response = redirect(target, code=303)
    response.set_cookie(
        guard.cookie_name, guard.cookie_value, httponly=True, samesite="Strict", path="/"
    )
    return response


def _refuse(status: int, text: str) -> Response:
    form = _SIGN_IN_FORM if status == 401 else ""
    page = _REFUSAL_PAGE.format(text=html.escape(text), form=form)
    return Response(page, status=status, mimetype="text/html")


def _with_headers(response: Response, guard: Guard) -> Response:
    fixed: Sequence[tuple[str, str]] = (
        ("Content-Security-Policy", guard.policy()),
        ("X-Frame-Options", "DENY"),
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
    )
    for name, value in fixed:
        response.headers[name] = value
    if response.mimetype in {"text/html", "application/json"}:
        response.headers["Cache-Control"] = "no-store"
    return response


_SIGN_IN_FORM = f"""<form method="post" action="{SIGN_IN_PATH}">
<label for="token">Token</label>
<input id="token" name="token" type="password" autocomplete="off" required autofocus>
<button type="submit">Open the dashboard</button>
</form>"""

_REFUSAL_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>autoscale-signals</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
:root {{ color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }}
body {{ max-width: 34rem; margin: 12vh auto; padding: 0 1.25rem; }}
h1 {{ font-size: 1.25rem; }}
form {{ display: grid; gap: .5rem; margin-top: 1.5rem; }}
input, button {{ font: inherit; padding: .5rem .75rem; }}
</style></head>
<body><h1>autoscale-signals</h1>
<p>{text}</p>
<p>The launch link is printed once by <code>signals dashboard</code>.</p>
{form}
</body></html>
"""
