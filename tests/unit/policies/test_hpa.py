"""The whole HPA: signals to metrics, pools, memory."""

import pytest

from signals.errors import UsageError
from signals.policies import find_policy
from signals.policies.policy import Reason


def once(policy, observation):
    return policy.decide(observation, policy.start())[0]


@pytest.mark.parametrize(
    ("signal", "kind"),
    [
        ("decode:gpu_util", "Pods"),
        ("decode:decode_tps", "AverageValue"),
        ("decode:itl_p90", "Value"),
    ],
)
def test_type_follows_from_the_signal(make, signal, kind):
    """Averages are Pods metrics, totals are shared out, latencies are plain ratios."""
    policy = make(f"hpa:signal={signal},target=0.5")
    assert policy.metrics["decode"][0].kind == kind
    assert policy.requests[0].per_instance == (kind == "Pods")


def test_pooled_signal_scales_its_pool_and_the_other_follows(make, observe):
    """Decode utilisation of 100 % over a target of 50 %: 6 decode, then 4 prefill."""
    policy = make("hpa:signal=decode:gpu_util,target=50%")
    decision = once(policy, observe(policy, {"decode:gpu_util": 1.0}))
    assert decision.desired == {"decode": 6, "prefill": 4}
    assert decision.reasons == {"decode": Reason.SCALE_UP, "prefill": Reason.FOLLOWS_RATIO}


def test_prefill_can_lead(make, observe):
    """4 prefill, and three halves of it decode."""
    policy = make("hpa:signal=prefill:gpu_util,target=50%")
    decision = once(policy, observe(policy, {"prefill:gpu_util": 1.0}))
    assert decision.desired == {"prefill": 4, "decode": 6}


def test_the_other_pool_can_stand_at_its_peak(make, observe, context):
    """other=static also starts there."""
    policy = make("hpa:signal=decode:gpu_util,target=50%,other=static")
    decision = once(policy, observe(policy, {"decode:gpu_util": 1.0}))
    assert decision.desired == {"decode": 6, "prefill": 4}
    assert decision.reasons["prefill"] is Reason.STATIC
    params = find_policy("hpa").params(
        {"signal": "decode:gpu_util", "target": 0.5, "other": "static"}
    )
    assert find_policy("hpa").initial(params, context) == {"prefill": 4}


def test_bare_signal_scales_each_pool_from_its_own(make, observe):
    """Prefill is on target and stands; decode doubles."""
    policy = make("hpa:signal=gpu_util,target=50%")
    decision = once(policy, observe(policy, {"decode:gpu_util": 1.0, "prefill:gpu_util": 0.5}))
    assert decision.desired == {"decode": 6, "prefill": 2}
    assert decision.reasons["prefill"] is Reason.WITHIN_TOLERANCE


def test_service_signal_scales_decode(make):
    """Unless told otherwise."""
    assert list(make("hpa:signal=service:request_rate,target=2").metrics) == ["decode"]
    assert list(make("hpa:signal=service:request_rate,target=2,scales=prefill").metrics) == [
        "prefill"
    ]


def test_unknown_pool_is_refused(make):
    """This fleet has no unified pool."""
    with pytest.raises(UsageError, match="no pool 'unified'"):
        make("hpa:signal=unified:gpu_util,target=50%")


def test_several_signals_take_the_largest_and_block_shrinking_when_one_is_missing(make, observe):
    """Running asks for 5, utilisation for fewer; without running, nothing shrinks."""
    policy = make("hpa:signal=decode:running+decode:gpu_util,target=10+50%")
    seen = {"decode:running": 50.0, "decode:gpu_util": 0.1}
    assert once(policy, observe(policy, seen)).desired["decode"] == 5
    hold = once(policy, observe(policy, {"decode:gpu_util": 0.1}))
    assert (hold.desired["decode"], hold.reasons["decode"]) == (3, Reason.MISSING_SIGNAL)


def test_stale_data_are_missing(make, observe):
    """Two minutes old."""
    policy = make("hpa:signal=decode:gpu_util,target=50%")
    decision = once(policy, observe(policy, {"decode:gpu_util": 1.0}, age_s=121.0))
    assert decision.reasons["decode"] is Reason.MISSING_SIGNAL


def test_first_sync_does_not_shrink_below_what_it_found(make, observe):
    """The count at the start is the first recommendation: it holds for the down window."""
    policy = make("hpa:signal=decode:gpu_util,target=50%")
    memory = policy.start()
    counts = []
    for now_s in (0.0, 150.0, 299.0, 300.0):
        decision, memory = policy.decide(
            observe(policy, {"decode:gpu_util": 0.1}, now_s=now_s), memory
        )
        counts.append(decision.desired["decode"])
    assert counts == [3, 3, 3, 1]


def test_counts_outside_the_limits_are_corrected_at_once(make, observe):
    """Before any metric is looked at."""
    policy = make("hpa:signal=decode:gpu_util,target=50%")
    decision = once(policy, observe(policy, {}, decode=9, high=8))
    assert (decision.desired["decode"], decision.reasons["decode"]) == (8, Reason.CAPPED_MAX)
    decision = once(policy, observe(policy, {}, decode=1, low=2))
    assert (decision.desired["decode"], decision.reasons["decode"]) == (2, Reason.CAPPED_MIN)


def test_totals_are_compared_with_target_times_instances(make, observe):
    """The recorded target can be drawn beside the recorded value."""
    policy = make("hpa:signal=decode:decode_tps,target=800")
    decision = once(policy, observe(policy, {"decode:decode_tps": 2400.0}))
    assert decision.targets == {"decode:decode_tps": 2400.0}
