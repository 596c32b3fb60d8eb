"""Scaling laws, one file each, and their registry; knows nothing of the fleet."""

from __future__ import annotations

from signals.errors import UsageError
from signals.policies import heteroscale, hpa, static
from signals.policies.choice import (
    ParameterValue,
    PolicyChoice,
    PolicyContext,
    PolicyEntry,
    parse_choice,
)
from signals.policies.policy import Policy

__all__ = [
    "POLICIES",
    "ParameterValue",
    "PolicyChoice",
    "PolicyContext",
    "PolicyEntry",
    "build",
    "find_policy",
    "parse_policy",
]

POLICIES: tuple[PolicyEntry, ...] = (heteroscale.ENTRY, hpa.ENTRY, static.ENTRY)


def parse_policy(text: str) -> PolicyChoice:
    """Read `NAME[:key=value,...]`.

    Args:
        text: for example `hpa:signal=decode:gpu_util,target=70%`.

    Returns:
        The choice, with values in base units.

    Raises:
        UsageError: an unknown name, or a value that cannot be read, is out of range or contradicts another.
    """
    return parse_choice(text, POLICIES)


def find_policy(name: str) -> PolicyEntry:
    """The registry's row.

    Args:
        name: registry name.

    Raises:
        UsageError: there is no such policy.
    """
    for entry in POLICIES:
        if entry.spec.name == name:
            return entry
    raise UsageError(
        f"policy '{name}' is not known",
        expected=f"one of {', '.join(entry.spec.name for entry in POLICIES)}",
    )


def build(choice: PolicyChoice, context: PolicyContext) -> Policy:
    """Make the policy.

    Args:
        choice: what was asked for.
        context: what it may know of the service.

    Returns:
        The policy, ready to decide.

    Raises:
        UsageError: the choice does not fit the service.
    """
    entry = find_policy(choice.name)
    return entry.build(entry.resolve(entry.params(choice.params), context), context)
