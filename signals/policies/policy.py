"""The contract of a policy: what it may see, what it answers, how it declares itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, Protocol

__all__ = [
    "Decision",
    "Observation",
    "Parameter",
    "Policy",
    "PolicySpec",
    "PoolState",
    "Reading",
    "Reason",
    "SignalRequest",
]


class Reason(StrEnum):
    """Why a policy asked for what it asked; closed and append-only."""

    SCALE_UP = "scale_up"
    SCALE_DOWN = "scale_down"
    WITHIN_TOLERANCE = "within_tolerance"
    COOLDOWN = "cooldown"
    STABILISED = "stabilised"
    RATE_LIMITED = "rate_limited"
    CAPPED_MAX = "capped_max"
    CAPPED_MIN = "capped_min"
    MISSING_SIGNAL = "missing_signal"
    STALE_SIGNAL = "stale_signal"
    STARTING_UP = "starting_up"
    LATENCY_GUARD = "latency_guard"
    FOLLOWS_RATIO = "follows_ratio"
    STATIC = "static"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A declared setting of a policy, with its unit and range."""

    name: str
    unit: str
    default: float | int | str | bool | None
    text: str
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PolicySpec:
    """What a policy declares about itself."""

    name: str
    title: str
    summary: str
    parameters: tuple[Parameter, ...]
    source: str


@dataclass(frozen=True, slots=True)
class SignalRequest:
    """A signal that a policy wants to see.

    Attributes:
        signal: catalog name.
        pool: pool it is read from.
        window_s: trailing window it is averaged over, seconds; 0 for the last sample.
        per_instance: True if the policy needs the value of every instance.
    """

    signal: str
    pool: str
    window_s: float
    per_instance: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """What was visible of one requested signal.

    Attributes:
        value: the pool's value, in the base unit; None if nothing was visible.
        age_s: seconds since the newest sample in it; None without a value.
        instances: value by instance name, for requests with `per_instance`; instances without a sample
            are absent.
    """

    value: float | None
    age_s: float | None = None
    instances: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PoolState:
    """Instance counts of one pool, as an orchestrator reports them (no delay).

    Attributes:
        desired: last order after limits.
        ready: instances that serve.
        starting: instances in cold start.
        draining: instances that finish their requests.
        min_instances, max_instances: the replay's limits, for laws that know their own bounds.
    """

    desired: int
    ready: int
    starting: int
    draining: int
    min_instances: int
    max_instances: int


@dataclass(frozen=True, slots=True)
class Observation:
    """All that a policy may see at one decision.

    Attributes:
        now_s: seconds since the start of the replay.
        pools: instance counts by pool.
        readings: by request; a request without data has a Reading with value None.
    """

    now_s: float
    pools: Mapping[str, PoolState]
    readings: Mapping[SignalRequest, Reading]


@dataclass(frozen=True, slots=True)
class Decision:
    """What a policy asks for.

    Attributes:
        desired: instances by pool; a pool that is absent keeps its count.
        reasons: why, by pool.
        targets: the target value by `pool:signal`, for the record.
        detail: figures behind the decision, each with its unit in its name.
    """

    desired: Mapping[str, int]
    reasons: Mapping[str, Reason]
    targets: Mapping[str, float] = field(default_factory=dict)
    detail: Mapping[str, float] = field(default_factory=dict)


class Policy(Protocol):
    """A scaling law: a pure step from observation and memory to decision and memory.

    Attributes:
        interval_s: time between decisions, seconds.
        requests: the signals it wants to see.
    """

    @property
    def interval_s(self) -> float:
        """Time between decisions, seconds."""
        ...

    @property
    def requests(self) -> tuple[SignalRequest, ...]:
        """The signals it wants to see."""
        ...

    def start(self) -> Any:  # noqa: ANN401 - the memory's type is the policy's own
        """Memory before the first decision."""
        ...

    def decide(self, observation: Observation, memory: Any) -> tuple[Decision, Any]:  # noqa: ANN401
        """One decision; must not read anything but its arguments."""
        ...


Pool = Literal["prefill", "decode", "unified"]
