"""A server's address and what opens its door; secrets are read from files and live nowhere else."""

from __future__ import annotations

import base64
import os
import ssl
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from signals.errors import InputError, UsageError

__all__ = ["PASSWORD_VARIABLE", "TOKEN_VARIABLE", "Access", "Endpoint", "parse_endpoint"]

TOKEN_VARIABLE = "SIGNALS_PULL_TOKEN"  # noqa: S105 - the name of a variable
PASSWORD_VARIABLE = "SIGNALS_PULL_PASSWORD"  # noqa: S105 - the name of a variable
_MOST_SECRET_BYTES = 65_536
_LEAST_SCRUBBED = 4  # shorter ones would eat the words around them
_LEAST_BLANKED = 16
_API = "/api/v1"
_LOOPBACK = {"localhost", "127.0.0.1", "::1"}


@dataclass(frozen=True)
class Endpoint:
    """Where a server's API is.

    Attributes:
        base: address without `/api/v1`, for example `https://thanos.example/prometheus`.
        host: name or number of the machine.
        org_id: tenant, sent as `X-Scope-OrgID`; empty for none.
    """

    base: str
    host: str
    org_id: str = ""

    @property
    def in_clear(self) -> bool:
        """Whether what is sent can be read on the way."""
        return self.base.startswith("http:") and not self.is_near

    @property
    def is_near(self) -> bool:
        """Whether it is on this machine, as a forwarded port is: no proxy stands in between."""
        return self.host in _LOOPBACK


def parse_endpoint(url: str, *, org_id: str = "") -> Endpoint:
    """Read an address.

    Args:
        url: http or https, perhaps with a path; `/api/v1` and what follows is taken off.
        org_id: tenant.

    Raises:
        UsageError: it is no such address, or carries a secret.
    """
    try:
        parts = urlsplit(url.strip())
        host, port = parts.hostname or "", parts.port
    except ValueError:
        parts, host, port = urlsplit(""), "", None
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        # such an address may hold a password or a token, so it is not repeated
        raise UsageError(
            "the address carries a user, a password, or something after '?' or '#'",
            where="URL",
            expected="scheme, host, port and path alone",
            hint="--user with --password-file, or --token-file; arguments are seen by other users",
        )
    if parts.scheme not in {"http", "https"} or not host:
        raise UsageError(
            f"'{url}' is not the address of a server",
            where="URL",
            expected="such as http://localhost:9090 or https://thanos.example/prometheus",
        )
    if not org_id.isascii() or not org_id.isprintable():
        raise UsageError("the tenant is not plain text", where="--org-id")
    path = parts.path.split(_API, 1)[0].rstrip("/").removesuffix("/graph")
    shown = f"[{host}]" if ":" in host else host
    place = f"{shown}:{port}" if port else shown
    return Endpoint(f"{parts.scheme}://{place}{path}", host, org_id)


@dataclass(frozen=True)
class Access:
    """Files with secrets and certificates; nothing of their content is kept here.

    Attributes:
        token_file: bearer token; None to look into the environment.
        user: name of basic authentication; empty for none.
        password_file: its password; None to look into the environment.
        ca: certificates to trust, PEM, instead of the system's.
        cert: the client's certificate, PEM.
        key: its key, PEM; None if it stands in `cert`.
        insecure: True to trust any certificate.
    """

    token_file: Path | None = None
    user: str = ""
    password_file: Path | None = None
    ca: Path | None = None
    cert: Path | None = None
    key: Path | None = None
    insecure: bool = False

    def check(self) -> None:
        """Refuse options that contradict each other, and files that cannot be used.

        Raises:
            UsageError: options exclude or need each other.
            InputError: a file cannot be read or holds no secret.
        """
        if self.user and self.token_file:
            raise UsageError(
                "--user and --token-file exclude each other", where="--user", expected="one of them"
            )
        if self.password_file and not self.user:
            raise UsageError("--password-file needs --user", where="--password-file")
        if ":" in self.user:
            raise UsageError("a user's name holds no colon", where="--user")
        if self.key and not self.cert:
            raise UsageError("--key needs --cert", where="--key")
        if self.insecure and self.ca:
            raise UsageError("--insecure and --ca exclude each other", where="--insecure")
        self.authorization()

    def authorization(self) -> str:
        """The header that opens the door, read anew each time since tokens are renewed; empty for none."""
        if self.user:
            secret = _secret(self.password_file, PASSWORD_VARIABLE)
            if not secret:
                raise UsageError(
                    "the password is missing",
                    where="--user",
                    expected=f"--password-file, or {PASSWORD_VARIABLE} in the environment",
                )
            pair = base64.b64encode(f"{self.user}:{secret}".encode()).decode()
            return f"Basic {pair}"
        token = _secret(self.token_file, TOKEN_VARIABLE)
        if not token.isascii():
            raise InputError("the token is not ASCII", where=str(self.token_file or TOKEN_VARIABLE))
        return f"Bearer {token}" if token else ""

    def scrub(self, text: str) -> str:
        """A text of the server without the secrets that were sent to it, should it repeat them."""
        for secret in self._secrets():
            text = text.replace(secret, "***")
        return text

    def blank(self, body: bytes) -> bytes:
        """An answer without the secrets, before it is kept; short ones may be words of the data and stay."""
        for secret in self._secrets():
            if len(secret) >= _LEAST_BLANKED:
                body = body.replace(secret.encode(), b"***")
        return body

    def _secrets(self) -> list[str]:
        header = self.authorization()
        found = [header, header.partition(" ")[2]] if header else []
        if self.user:
            found.append(_secret(self.password_file, PASSWORD_VARIABLE))
        return [secret for secret in found if len(secret) >= _LEAST_SCRUBBED]

    def tls(self) -> ssl.SSLContext:
        """The rules of encrypted connections.

        Raises:
            InputError: a certificate or key cannot be used.
        """
        try:
            context = ssl.create_default_context(cafile=self.ca)
            if self.insecure:
                context.check_hostname = False
                context.verify_mode = ssl.CERT_NONE
        except (OSError, ssl.SSLError) as error:
            raise _unusable(self.ca, "--ca", error) from error
        if self.cert:
            try:
                context.load_cert_chain(self.cert, self.key, password=_no_password)
            except (OSError, ssl.SSLError, ValueError) as error:
                raise _unusable(self.cert, "--cert, --key", error) from error
        return context


def _no_password() -> str:
    raise ValueError("the key is encrypted")


def _unusable(path: Path | None, option: str, error: Exception) -> InputError:
    return InputError(
        "the certificate or key cannot be used",
        where=f"{option}: {path}",
        expected="PEM, the key without a password",
        hint=getattr(error, "reason", None) or getattr(error, "strerror", None) or str(error),
    )


def _secret(path: Path | None, variable: str) -> str:
    """A secret from a file, else from the environment; errors never repeat its text."""
    if path is None:
        text, where = os.environ.get(variable, ""), variable
        if not text:
            return ""
    else:
        where = str(path)
        try:
            with path.open("rb") as handle:
                raw = handle.read(_MOST_SECRET_BYTES)
        except (OSError, ValueError) as error:
            hint = getattr(error, "strerror", None) or type(error).__name__
            raise InputError("the secret cannot be read", where=where, hint=hint) from error
        text = raw.decode("utf-8", "replace")
    secret = text.strip()
    if not secret or not secret.isprintable():
        raise InputError(
            "there is no secret in it" if not secret else "this is no secret of one line",
            where=where,
            expected="one line of plain text",
        )
    return secret
