"""The `dashboard` command, which reaches the command line through the entry-point group `signals.commands`.

Imported whenever the command line starts, so Dash itself is imported only when the server does.
"""

from __future__ import annotations

import ipaddress
import logging
import os
import secrets
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from signals.cli.session import Session, command
from signals.errors import InputError, UsageError

if TYPE_CHECKING:
    from waitress.server import BaseWSGIServer  # type: ignore[import-untyped]

__all__ = ["DEFAULT_HOST", "DEFAULT_PORT", "dashboard", "serve"]

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8050
SHORTEST_TOKEN = 16
THREADS = 8


def dashboard(app: typer.Typer) -> None:
    """Register the command."""
    command(app, "dashboard", panel="Answers")(_dashboard)


def _dashboard(
    session: Session,
    *,
    host: Annotated[
        str, typer.Option(help="Address to listen on. Other than loopback needs --token-file.")
    ] = DEFAULT_HOST,
    port: Annotated[
        int, typer.Option(help="Port to listen on; 0 for any free one.", min=0, max=65535)
    ] = DEFAULT_PORT,
    token_file: Annotated[
        Path | None,
        typer.Option(
            help="File that holds the token. Default: a new token for every run.",
            show_default=False,
        ),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            help="Name under which browsers reach the server (repeatable).", show_default=False
        ),
    ] = None,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the launch link in a browser.")
    ] = True,
) -> None:
    """Look at signals and backtests in the browser."""
    session.open()  # says at once what is wrong with the store
    serve(
        session.store_path,
        host=host,
        port=port,
        token_file=token_file,
        allowed_hosts=allow_host or (),
        browser="open" if browser else "none",
        announce=_as_json(session) if session.as_json else _print_link,
    )


def _as_json(session: Session) -> Callable[[Path, str], None]:
    from signals.report.json_values import SCHEMA_VERSION

    def announce(store_path: Path, link: str) -> None:
        session.emit({"schema_version": SCHEMA_VERSION, "store": str(store_path), "link": link})
        sys.stdout.flush()

    return announce


def _print_link(store_path: Path, link: str) -> None:
    sys.stdout.write(
        f"Dashboard of {store_path}\n  {link}\nThe link works as long as this runs. Ctrl-C ends it.\n"
    )
    sys.stdout.flush()


def serve(
    store_path: Path,
    *,
    host: str = DEFAULT_HOST,
    port: int = DEFAULT_PORT,
    token_file: Path | None = None,
    allowed_hosts: Sequence[str] = (),
    browser: Literal["open", "none"] = "open",
    announce: Callable[[Path, str], None] = _print_link,
) -> None:
    """Serve the dashboard of a store until the process is interrupted; prints the launch link once.

    Args:
        store_path: the DuckDB store.
        host: address to listen on.
        port: port to listen on; 0 for any free one.
        token_file: file with the token; None to make one for this run.
        allowed_hosts: further names that the Host header may hold.
        browser: whether to open the launch link; without a screen it is only printed.
        announce: told the store and the launch link, once.

    Raises:
        UsageError: the address is taken or not ours, or it is not loopback and no token file is given.
        InputError: the token file cannot be read or is too short.
    """
    from dashboard.jobs import end_jobs

    address = _address(host)
    token = _token(address, token_file)
    server = _listen(address, port)
    try:
        _attach(server, store_path, token, (*allowed_hosts, *_own_names(address)))
        link = f"http://{_shown(address)}:{server.effective_port}/?token={token}"
        announce(store_path, link)
        if browser == "open" and _has_screen():
            opener = threading.Timer(0.5, webbrowser.open, args=(link,))
            opener.daemon = True
            opener.start()
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, _leave)
        server.run()
    finally:
        end_jobs()
        server.close()


def _leave(_signal: int, _frame: object) -> None:
    """End like Ctrl-C does, so that jobs and temporary files go as well."""
    raise SystemExit(0)


def _address(host: str) -> str:
    """The address to bind; a name could stand for several, and for others tomorrow."""
    bare = host.strip("[]")
    try:
        return "127.0.0.1" if bare == "localhost" else str(ipaddress.ip_address(bare))
    except ValueError:
        raise UsageError(
            f"'{host}' is not an address", where="--host", expected="an IP address or localhost"
        ) from None


def _token(host: str, token_file: Path | None) -> str:
    if token_file is None:
        if not _is_loopback(host):
            raise UsageError(
                f"'{host}' can be reached from other machines",
                where="--host",
                expected="--token-file FILE with a token of your own, or a loopback address",
                hint="python -c 'import secrets; print(secrets.token_urlsafe())' > FILE",
            )
        return secrets.token_urlsafe(24)
    try:
        token = token_file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"the token file cannot be read: {error}", where=str(token_file)
        ) from error
    if len(token) < SHORTEST_TOKEN or not token.isascii() or any(c.isspace() for c in token):
        raise InputError(
            "the token is too short or holds spaces",
            where=str(token_file),
            expected=f"one word of at least {SHORTEST_TOKEN} ASCII characters",
        )
    return token


def _listen(address: str, port: int) -> BaseWSGIServer:
    from waitress import create_server  # type: ignore[import-untyped]

    # A page asks more at once than there are threads; that is no news for the terminal.
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    # Bound here, not by waitress, which leaves its sockets open when an address is taken.
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    listener = socket.socket(family)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((address, port))
        listener.listen()
    except OSError as error:
        listener.close()
        raise UsageError(
            f"cannot listen on {address}:{port}: {error.strerror or error}",
            where="--port",
            expected="a free port of this machine",
            hint="signals dashboard --port 0 takes any free one",
        ) from error
    return create_server(_not_ready, sockets=[listener], threads=THREADS, ident=None)


def _has_screen() -> bool:
    """Whether somebody sits in front: output goes to a terminal, and there is a display to open a window on."""
    if not sys.stdout.isatty():
        return False
    return sys.platform != "linux" or bool(
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )


def _not_ready(
    _environ: object, _start: object
) -> list[bytes]:  # pragma: no cover - replaced before run
    return [b""]


def _attach(server: BaseWSGIServer, store_path: Path, token: str, hosts: Sequence[str]) -> None:
    from dashboard.app import create_app
    from dashboard.source import StoreSource

    app = create_app(StoreSource(store_path), token=token, allowed_hosts=tuple(hosts))
    server.application = app.server


def _is_loopback(host: str) -> bool:
    return ipaddress.ip_address(host).is_loopback


def _own_names(host: str) -> tuple[str, ...]:
    from dashboard.security import LOOPBACK_HOSTS

    own = () if _is_loopback(host) else (_shown(host), socket.gethostname())
    return (*LOOPBACK_HOSTS, *own)


def _shown(host: str) -> str:
    """The host as it stands in an address: the machine's name for all interfaces, IPv6 in brackets."""
    address = ipaddress.ip_address(host)
    if address.is_unspecified:
        return socket.gethostname()
    return f"[{host}]" if address.version == 6 else host
