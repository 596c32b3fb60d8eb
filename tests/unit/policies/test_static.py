"""Static provisioning."""

from signals.policies import find_policy
from signals.policies.policy import Reason


def test_default_is_the_peak(make, observe):
    """Whatever is observed, it asks for the pressure test's peak."""
    policy = make("static")
    decision, _ = policy.decide(observe(policy, {}), policy.start())
    assert decision.desired == {"prefill": 4, "decode": 6}
    assert set(decision.reasons.values()) == {Reason.STATIC}


def test_a_given_count_replaces_its_pool_only(make, observe):
    """decode=9 leaves prefill at the peak."""
    policy = make("static:decode=9")
    decision, _ = policy.decide(observe(policy, {}), policy.start())
    assert decision.desired == {"prefill": 4, "decode": 9}


def test_it_starts_at_its_own_size(context):
    """Peak provisioning does not begin with a cold start."""
    entry = find_policy("static")
    assert entry.initial(entry.params({"decode": 9}), context) == {"prefill": 4, "decode": 9}
