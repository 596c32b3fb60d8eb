"""The options that commands which bring data in share."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["AS_HELP", "MAX_REJECT", "POOL", "SERVICE"]

AS_HELP = "Name and unit of a result without a name: 'decode_tps\\[tokens/s]'"
SERVICE = Annotated[
    str,
    typer.Option(help="Name of the service. Default: the file's stem, or the server's host."),
]
POOL = Annotated[
    list[str] | None,
    typer.Option(
        help="Rule that names a pool: prefill=pod:~.*prefill.* (repeatable).", show_default=False
    ),
]
MAX_REJECT = Annotated[
    float,
    typer.Option(
        help="Share of a file's records, or an answer's samples, that may be unreadable before it is refused."
    ),
]
