"""What the plain Python fleet is made of."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Request:
    number: int
    arrival: int
    prompt: int
    output: int
    cached: int
    state: str = "future"
    generated: int = 0
    left: int = 0  # tokens to compute before it decodes
    chunk: int = 0  # of these, in the step in progress
    blocks: int = 0  # held on its prefill instance
    prefill_start: int = -1
    first: int = -1
    done: int = -1
    last_token: int = -1
    where: Instance | None = None

    @property
    def size(self) -> int:
        return self.prompt + self.generated

    @property
    def held(self) -> int:
        """Tokens in the KV cache of the decode instance whose batch it is in."""
        return self.size if self.left else self.size - 1


@dataclass
class Instance:
    pool: str
    number: int
    state: str
    ordered: int
    ready: int
    queue: list[Request] = field(default_factory=list)
    batch: list[Request] = field(default_factory=list)  # prefill: started ones, wherever they are
    step_end: int | None = None
    step_start: int = 0
    step: list[Request] = field(default_factory=list)
    link: list[Request] = field(default_factory=list)
    on_link: Request | None = None
    link_end: int | None = None
    incoming: list[Request] = field(default_factory=list)
    grace_end: int | None = None
    drained_from: int | None = None
    gone: int | None = None
    cut: int = 0
    counters: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(
            ("prefill", "prompt", "decode", "completions", "preemptions", "busy"), 0
        )
    )
