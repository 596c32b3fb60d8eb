"""What a user asks of a pull."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from signals.schema import Finding
from signals.store.pull.endpoint import Access, Endpoint
from signals.store.pull.selection import Wanted

__all__ = ["PullRequest"]


@dataclass(frozen=True)
class PullRequest:
    """What to pull, and how.

    Attributes:
        endpoint: the server.
        access: how to get in.
        wanted: presets and queries.
        service: name for the rows; empty for the server's host.
        pool_rules: as for a load.
        max_reject: share 0..1 of an answer's samples that may be unreadable; others are left out as a whole.
        first: begin, UTC; None to go on after what is stored, or a day back.
        last: end, UTC; None for as late as samples have settled.
        settle: how long after its time a sample may still arrive at the server.
        aim_bytes: wanted size of an answer.
        keep: True to keep the answers' files after they were loaded.
    """

    endpoint: Endpoint
    access: Access = field(default_factory=Access)
    wanted: Wanted = field(default_factory=Wanted)
    service: str = ""
    pool_rules: tuple[str, ...] = ()
    max_reject: float = 0.05
    first: datetime | None = None
    last: datetime | None = None
    settle: timedelta = timedelta(seconds=30)
    aim_bytes: int = 16 << 20
    keep: bool = False

    @property
    def name(self) -> str:
        """The service's name."""
        return self.service or self.endpoint.host

    def remarks(self) -> list[Finding]:
        """What is unsafe about it."""
        found = []
        if self.endpoint.in_clear and self.access.authorization():
            text = "the secret travels unencrypted: the address begins with http://"
            found.append(Finding("secret_in_clear", "warning", text))
        if self.access.insecure:
            text = "the server's certificate was not checked (--insecure)"
            found.append(Finding("certificate_unchecked", "warning", text))
        return found
