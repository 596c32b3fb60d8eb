"""A service that policies are built for, and observations of it."""

import pytest

from signals.policies import PolicyContext, build, parse_policy
from signals.policies.policy import Observation, PoolState, Reading
from signals.schema import Slo


@pytest.fixture
def context():
    """Two prefill to three decode; a decode instance sustains 1,000 tokens/s."""
    return PolicyContext(
        pd_ratio=(2, 3),
        per_instance={"prefill": 8000.0, "decode": 1000.0},
        initial={"prefill": 2, "decode": 3},
        peak={"prefill": 4, "decode": 6},
        slo=Slo(ttft_s=1.0, tpot_s=0.05),
    )


@pytest.fixture
def make(context):
    """Build a policy from its text."""

    def build_policy(text):
        return build(parse_policy(text), context)

    return build_policy


@pytest.fixture
def observe():
    """An observation; readings by `pool:signal`, everything else is missing."""

    def observation(
        policy, readings, *, now_s=1000.0, prefill=2, decode=3, low=1, high=64, age_s=0.0
    ):
        def reading(request):
            value = readings.get(f"{request.pool}:{request.signal}")
            count = {"prefill": prefill, "decode": decode}[request.pool]
            each = {} if value is None else {f"i{k:03}": value for k in range(count)}
            return Reading(value, None if value is None else age_s, each)

        return Observation(
            now_s,
            {
                "prefill": PoolState(prefill, prefill, 0, 0, low, high),
                "decode": PoolState(decode, decode, 0, 0, low, high),
            },
            {request: reading(request) for request in policy.requests},
        )

    return observation
