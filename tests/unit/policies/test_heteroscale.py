"""HeteroScale's proportional control and latency guard."""

import pytest

from signals.errors import UsageError
from signals.policies import parse_policy
from signals.policies.heteroscale import Memory
from signals.policies.policy import Reason


def decide(policy, observation, memory=None):
    return policy.decide(observation, policy.start() if memory is None else memory)


def test_decode_is_sized_by_tokens_and_prefill_follows(make, observe):
    """4,000 tokens/s over 0.8 of 1,000 each: 5 decode; two thirds of it, rounded up: 4 prefill."""
    policy = make("heteroscale:load_ratio=0.8,theta_in=0.1")
    decision, memory = decide(policy, observe(policy, {"decode:decode_tps": 4000.0}))
    assert decision.desired == {"decode": 5, "prefill": 4}
    assert decision.reasons == {"decode": Reason.SCALE_UP, "prefill": Reason.FOLLOWS_RATIO}
    assert memory == Memory(grew_s=1000.0, changed_s=1000.0)


@pytest.mark.parametrize(
    ("tps", "decode", "reason"),
    [
        (2600.0, 3, Reason.WITHIN_TOLERANCE),  # 3.25 needed: 8 % above
        (2641.0, 4, Reason.SCALE_UP),  # just over 10 % above
        (2200.0, 3, Reason.WITHIN_TOLERANCE),  # 8 % below
        (1500.0, 2, Reason.SCALE_DOWN),  # 1.9 needed
        (9000.0, 6, Reason.SCALE_UP),  # 12 needed, at most doubled
        (0.0, 2, Reason.SCALE_DOWN),  # nothing needed, but never more than the largest cut
    ],
)
def test_thresholds_and_step_limits(make, observe, tps, decode, reason):
    """Target 800 tokens/s each, three instances."""
    policy = make("heteroscale:load_ratio=0.8,theta_in=0.1")
    decision, _ = decide(policy, observe(policy, {"decode:decode_tps": tps}))
    assert (decision.desired["decode"], decision.reasons["decode"]) == (decode, reason)


@pytest.mark.parametrize(
    ("memory", "tps", "reason"),
    [
        (Memory(grew_s=900.0, changed_s=900.0), 4000.0, Reason.COOLDOWN),
        (Memory(grew_s=820.0, changed_s=820.0), 4000.0, Reason.SCALE_UP),
        (Memory(grew_s=None, changed_s=500.0), 1500.0, Reason.COOLDOWN),
        (Memory(grew_s=None, changed_s=400.0), 1500.0, Reason.SCALE_DOWN),
        (Memory(grew_s=None, changed_s=990.0), 4000.0, Reason.SCALE_UP),
    ],
)
def test_cooldowns_differ_by_direction(make, observe, memory, tps, reason):
    """180 s since it grew before it grows again, 600 s since any change before it shrinks; now is 1,000."""
    policy = make("heteroscale:load_ratio=0.8,theta_in=0.1")
    decision, after = decide(policy, observe(policy, {"decode:decode_tps": tps}), memory)
    assert decision.reasons["decode"] is reason
    assert (after == memory) == (reason is Reason.COOLDOWN)


@pytest.mark.parametrize(
    ("ttft", "itl", "decode"), [(1.09, 0.02, 10), (1.1, 0.02, 11), (0.5, 0.06, 12), (2.0, 0.02, 12)]
)
def test_latency_steps_up_by_ten_or_twenty_per_cent(make, observe, ttft, itl, decode):
    """Ten decode instances at their target; TTFT objective 1 s, inter-token 50 ms."""
    policy = make("heteroscale:load_ratio=0.8,theta_in=0.1")
    seen = {"decode:decode_tps": 8000.0, "prefill:ttft_p90": ttft, "decode:itl_p90": itl}
    decision, _ = decide(policy, observe(policy, seen, decode=10, prefill=7))
    assert decision.desired["decode"] == decode
    assert (decision.reasons["decode"] is Reason.LATENCY_GUARD) == (decode > 10)


def test_guard_overrules_shrinking_and_works_without_tokens(make, observe):
    """Low throughput because nothing gets through is no reason to shrink."""
    policy = make("heteroscale:load_ratio=0.8,theta_in=0.1")
    for seen in ({"decode:decode_tps": 100.0}, {}):
        decision, _ = decide(policy, observe(policy, {**seen, "prefill:ttft_p90": 5.0}))
        assert decision.desired["decode"] == 4


def test_guard_never_takes_less_than_load_asks_for(make, observe):
    """12,000 tokens/s at 800 each need 15 of ten; the guard's 12 may not hold that back."""
    policy = make("heteroscale:load_ratio=0.8,theta_in=0.1")
    seen = {"decode:decode_tps": 12000.0, "prefill:ttft_p90": 5.0}
    decision, _ = decide(policy, observe(policy, seen, decode=10, prefill=7))
    assert (decision.desired["decode"], decision.reasons["decode"]) == (15, Reason.SCALE_UP)


@pytest.mark.parametrize(("now_s", "decode"), [(30.0, 3), (599.0, 3), (600.0, 2)])
def test_start_counts_as_a_change(make, observe, now_s, decode):
    """An idle fleet does not shrink within the first ten minutes, when load has hardly been seen."""
    policy = make("heteroscale:load_ratio=0.8,theta_in=0.1")
    seen = observe(policy, {"decode:decode_tps": 100.0}, now_s=now_s)
    decision, _ = decide(policy, seen)
    assert decision.desired["decode"] == decode


def test_guard_can_be_left_out(make, observe):
    """guard=off reads no latency."""
    policy = make("heteroscale:guard=off")
    assert [r.signal for r in policy.requests] == ["decode_tps"]


@pytest.mark.parametrize(
    ("seen", "age_s", "reason"),
    [({}, 0.0, Reason.MISSING_SIGNAL), ({"decode:decode_tps": 9000.0}, 121.0, Reason.STALE_SIGNAL)],
)
def test_missing_and_stale_data_hold(make, observe, seen, age_s, reason):
    """No reading, or one older than two minutes."""
    policy = make("heteroscale:load_ratio=0.8,theta_in=0.1")
    decision, _ = decide(policy, observe(policy, seen, age_s=age_s))
    assert (decision.desired["decode"], decision.reasons["decode"]) == (3, reason)


def test_limits_are_kept_and_named(make, observe):
    """At most four decode instances."""
    policy = make("heteroscale:load_ratio=0.8,theta_in=0.1")
    decision, _ = decide(policy, observe(policy, {"decode:decode_tps": 9000.0}, high=4))
    assert (decision.desired["decode"], decision.reasons["decode"]) == (4, Reason.CAPPED_MAX)


def test_target_and_ratio_can_be_given(make, observe):
    """500 tokens/s each and one prefill for each decode."""
    policy = make("heteroscale:target=500,pd_ratio=1/1")
    decision, _ = decide(policy, observe(policy, {"decode:decode_tps": 2500.0}))
    assert decision.desired == {"decode": 5, "prefill": 5}
    assert decision.targets["decode:decode_tps"] == 1500.0


@pytest.mark.parametrize("ratio", ["3", "0/1", "a/b", "1:2:3"])
def test_a_wrong_ratio_is_refused_before_anything_runs(ratio):
    """At parsing."""
    with pytest.raises(UsageError, match="not a P/D ratio"):
        parse_policy(f"heteroscale:pd_ratio={ratio}")
