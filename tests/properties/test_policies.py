"""Properties that hold for every policy, whatever it sees.

- Clamp: every answer lies within the pool's limits (a policy may know its bounds; static stands at its peak).
- Purity: the same observation and memory give the same decision and memory, and change neither.
- Monotony: a higher reading of a signal that rises with load never asks for fewer instances.
- Missing data: without any reading, no policy changes the count of the pool it scales.
- Future: decisions up to a time do not depend on what is observed after it.
"""

import copy
import dataclasses

from hypothesis import given
from hypothesis import strategies as st

from signals.policies import PolicyContext, build, parse_policy
from signals.policies.policy import Observation, PoolState, Reading
from signals.schema import Slo

LOW, HIGH = 1, 20

CONTEXT = PolicyContext(
    pd_ratio=(2, 3),
    per_instance={"prefill": 8000.0, "decode": 1000.0},
    initial={"prefill": 2, "decode": 3},
    peak={"prefill": 8, "decode": 12},
    slo=Slo(),
)

READING_POLICIES = (
    "heteroscale",
    "heteroscale:guard=off,theta_in=0.3,max_in=0.5",
    "hpa:signal=decode:gpu_util,target=0.7",
    "hpa:signal=gpu_util,target=0.7,down_window=0",
    "hpa:signal=decode:decode_tps,target=800,up_window=60,down_pods=1,down_select=Min",
    "hpa:signal=prefill:ttft_p90,target=0.5,tolerance_test=abs",
    "hpa:signal=decode:running+decode:kv_usage,target=20+0.8,starting=unready",
)
POLICIES = ("static", *READING_POLICIES)

SCALES = {
    "decode_tps": 30_000.0,
    "gpu_util": 1.0,
    "kv_usage": 1.0,
    "running": 400.0,
    "ttft_p90": 3.0,
    "itl_p90": 0.2,
}

policies = st.sampled_from([build(parse_policy(text), CONTEXT) for text in POLICIES])
reading_policies = st.sampled_from(
    [build(parse_policy(text), CONTEXT) for text in READING_POLICIES]
)


@st.composite
def pool_states(draw):
    ready = draw(st.integers(0, 12))
    starting = draw(st.integers(0, 8))
    if ready + starting == 0:
        ready = 1
    return PoolState(ready + starting, ready, starting, draw(st.integers(0, 3)), LOW, HIGH)


@st.composite
def observations(draw, policy, now_s):
    pools = {"prefill": draw(pool_states()), "decode": draw(pool_states())}
    readings = {}
    for request in policy.requests:
        share = draw(st.none() | st.floats(0, 1))
        readings[request] = reading(request, share, pools)
    return Observation(now_s, pools, readings)


def reading(request, share, pools):
    if share is None:
        return Reading(None)
    value = share * SCALES[request.signal]
    names = [f"i{k}" for k in range(pools[request.pool].ready)] if request.per_instance else []
    return Reading(value, 5.0, dict.fromkeys(names, value))


def warmed(draw, policy):
    """A memory after a few decisions, and the time of the next one."""
    memory, now_s = policy.start(), 0.0
    for _ in range(draw(st.integers(0, 3))):
        now_s += policy.interval_s * draw(st.integers(1, 40))
        _, memory = policy.decide(draw(observations(policy, now_s)), memory)
    return memory, now_s + policy.interval_s


@given(st.data())
def test_answers_lie_within_the_limits(data):
    policy = data.draw(policies)
    memory, now_s = warmed(data.draw, policy)
    decision, _ = policy.decide(data.draw(observations(policy, now_s)), memory)
    scaled = getattr(policy, "metrics", {"decode": ()})
    for pool, count in decision.desired.items():
        assert count >= LOW
        # a pool that follows is held to its limits by the replay
        assert count <= HIGH or pool not in scaled


@given(st.data())
def test_a_decision_is_a_pure_step(data):
    policy = data.draw(policies)
    memory, now_s = warmed(data.draw, policy)
    observation = data.draw(observations(policy, now_s))
    seen, remembered = copy.deepcopy(observation), copy.deepcopy(memory)
    first, second = policy.decide(observation, memory), policy.decide(observation, memory)
    assert first == second
    assert (observation, memory) == (seen, remembered)


@given(st.data())
def test_more_of_a_rising_signal_never_asks_for_less(data):
    policy = data.draw(reading_policies)
    memory, now_s = warmed(data.draw, policy)
    observation = data.draw(observations(policy, now_s))
    request = data.draw(st.sampled_from(policy.requests))
    low, high = sorted([data.draw(st.floats(0, 1)), data.draw(st.floats(0, 1))])
    asked = []
    for share in (low, high):
        readings = {**observation.readings, request: reading(request, share, observation.pools)}
        changed = dataclasses.replace(observation, readings=readings)
        asked.append(policy.decide(changed, memory)[0].desired)
    assert all(asked[0][pool] <= asked[1][pool] for pool in asked[0])


@given(st.data())
def test_without_readings_nothing_changes(data):
    policy = data.draw(reading_policies)
    memory, now_s = warmed(data.draw, policy)
    observation = data.draw(observations(policy, now_s))
    blind = dataclasses.replace(
        observation, readings={request: Reading(None) for request in policy.requests}
    )
    decision, _ = policy.decide(blind, memory)
    for pool in getattr(policy, "metrics", {"decode": ()}):
        assert decision.desired[pool] == observation.pools[pool].desired


@given(st.data())
def test_what_is_observed_later_does_not_change_earlier_decisions(data):
    policy = data.draw(reading_policies)
    steps = data.draw(st.integers(1, 6))
    times = [policy.interval_s * (k + 1) for k in range(steps + 3)]
    past = [data.draw(observations(policy, t)) for t in times[:steps]]
    futures = [[data.draw(observations(policy, t)) for t in times[steps:]] for _ in range(2)]
    runs = []
    for future in futures:
        memory, decisions = policy.start(), []
        for observation in (*past, *future):
            decision, memory = policy.decide(observation, memory)
            decisions.append(decision)
        runs.append(decisions[:steps])
    assert runs[0] == runs[1]
