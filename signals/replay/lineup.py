"""Who takes part in a comparison: policies that can run here, told apart, and the baseline beside them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from signals.errors import UsageError
from signals.fleet import FleetSpec, Workload
from signals.policies import PolicyChoice, PolicyContext, build
from signals.profiles import Profile
from signals.replay.visibility import Visibility
from signals.schema import Slo

__all__ = ["BASELINE", "line_up"]

BASELINE = "static"
"""Peak provisioning, which every comparison includes."""


def line_up(
    choices: Sequence[PolicyChoice], *, profile: Profile, slo: Slo
) -> tuple[PolicyChoice, ...]:
    """Check the policies before anything is simulated, and add the baseline if it was not asked for.

    Args:
        choices: as asked.
        profile: of the fleet.
        slo: the objectives.

    Returns:
        The choices in their order, then the baseline.

    Raises:
        UsageError: no policy, two with the same label, or one that reads what the fleet does not export.
    """
    labels = [choice.label for choice in choices]
    double = sorted({label for label in labels if labels.count(label) > 1})
    if not labels:
        raise UsageError("there is no policy to replay", where="--policy")
    if double:
        raise UsageError(
            f"two policies are called '{double[0]}'",
            where="--policy",
            hint="tell repeats apart with label=",
        )
    _check_signals(choices, profile, slo)
    if any(choice.name == BASELINE for choice in choices):
        return tuple(choices)
    label = f"{BASELINE} peak" if BASELINE in labels else BASELINE
    return (*choices, PolicyChoice(BASELINE, label, {}))


def _check_signals(choices: Sequence[PolicyChoice], profile: Profile, slo: Slo) -> None:
    from signals.fleet import Fleet

    nothing = Workload(np.empty(0), *(np.empty(0, np.int64) for _ in range(3)))
    seen = Visibility(Fleet(FleetSpec(profile, 1, 1), nothing, 0).scrapes, 0.0)
    ones = {"prefill": 1, "decode": 1}
    rates = {"prefill": 1.0, "decode": 1.0}
    context = PolicyContext((1, 1), rates, ones, ones, slo)
    for choice in choices:
        policy = build(choice, context)
        try:
            seen.readings(policy.requests, now_s=0.0, hidden={})
        except UsageError as error:
            raise UsageError(
                error.what,
                where=f"--policy {choice.label}",
                expected=error.expected,
                hint=error.hint,
            ) from error
