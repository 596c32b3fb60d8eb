"""Public bug reports about autoscalers, each as a small input with the right answer.

Numbers as in the case folder: 18 empty result, 19 tolerance, 20 stabilisation, 21 unready pods, 24 pinned
utilisation. Inputs are written out here; where the folder is present, they are compared with it.
"""

import csv
import json
import math
import re

import pytest

from signals.policies import PolicyContext, build, parse_policy
from signals.policies.hpa_rules.proposal import (
    PodSamples,
    Tolerance,
    average_value_proposal,
    pods_proposal,
)
from signals.policies.hpa_rules.stabilise import Recommendation, stabilise
from signals.policies.policy import Observation, PoolState, Reading, Reason
from signals.schema import Slo

TOLERANCE_ROWS = (
    (9, 37, 4, 2, 40),
    (9, 39, 4, 2, 40),
    (10, 44, 4, 2, 40),
    (10, 45, 4, 2, 40),
    (10, 36, 4, 2, 40),
    (10, 35, 4, 2, 40),
    (20, 250, 4, 2, 40),
    (3, 0, 4, 2, 40),
)


def right_answer(shared, folder):
    text = (shared / "cases" / folder / "case.md").read_text()
    return json.loads(re.search(r"```json\n(.*?)```", text, re.DOTALL)[1])


def policy(text, pools=("decode",)):
    context = PolicyContext(
        pd_ratio=(1, 1),
        per_instance=dict.fromkeys(pools, 1000.0),
        initial=dict.fromkeys(pools, 1),
        peak=dict.fromkeys(pools, 8),
        slo=Slo(),
    )
    return build(parse_policy(text), context)


def drive(law, ticks, *, start, low=1, high=20):
    """Feed one reading per tick to a law that scales `decode`; starting instances are ready at once."""
    memory, current, out = law.start(), start, []
    (request,) = law.requests
    for now_s, value in ticks:
        instances = {} if value is None else {f"i{k:03}": value for k in range(current)}
        age = None if value is None else 0.0
        observation = Observation(
            float(now_s),
            {"decode": PoolState(current, current, 0, 0, low, high)},
            {request: Reading(value, age, instances)},
        )
        decision, memory = law.decide(observation, memory)
        current = decision.desired["decode"]
        out.append((current, decision.reasons["decode"]))
    return out


@pytest.mark.parametrize(
    ("test", "expected"),
    [("abs", [9, 9, 11, 12, 10, 9, 40, 2]), ("range", [9, 9, 10, 12, 10, 9, 40, 2])],
)
def test_19_tolerance_edge_depends_on_the_form_of_the_test(test, expected):
    """A ratio of exactly 1.1 holds in the range form and moves in the older absolute form."""
    got = [
        min(
            max(
                average_value_proposal(
                    total * 1000, target * 1000, status=current, tolerance=Tolerance(test=test)
                ),
                low,
            ),
            high,
        )
        for current, total, target, low, high in TOLERANCE_ROWS
    ]
    assert got == expected


def test_19_input_and_answer_are_those_of_the_case(shared):
    """The rows above are the case's."""
    with (shared / "cases" / "19-hpa-tolerance" / "input.csv").open() as file:
        rows = [
            tuple(int(row[k]) for k in ("current", "total", "target_average", "min", "max"))
            for row in csv.DictReader(file)
        ]
    assert tuple(rows) == TOLERANCE_ROWS
    answer = right_answer(shared, "19-hpa-tolerance")
    assert answer["abs_test"] == [9, 9, 11, 12, 10, 9, 40, 2]
    assert answer["range_test"] == [9, 9, 10, 12, 10, 9, 40, 2]


def test_20_stabilisation_is_a_maximum_over_recommendations():
    """Shrinking goes to the highest recommendation of the window; growing is immediate."""
    raw = [10, 4, 4, 4, 4, 4, 4, 9, 3, 3, 3, 3, 3, 3]
    current, past, got = 10, (), []
    for index, desired in enumerate(raw):
        now_s = 60.0 * index
        current = stabilise(
            desired, past, current=current, now_s=now_s, up_window_s=0.0, down_window_s=300.0
        )
        past = (*past, Recommendation(now_s, desired))
        got.append(current)
    assert got == [10, 10, 10, 10, 10, 4, 4, 9, 9, 9, 9, 9, 3, 3]


def test_20_the_policy_does_the_same_through_its_memory():
    """The whole law, with a Value metric that asks for the case's recommendations."""
    raw = [10, 4, 4, 4, 4, 4, 4, 9, 3, 3, 3, 3, 3, 3]
    # the case has no rate policies: the default ones would allow 8 at 420 s
    law = policy("hpa:signal=decode:running,target=1,type=AverageValue,tolerance=0,up_pods=20")
    got = drive(law, [(60 * i, float(n)) for i, n in enumerate(raw)], start=10)
    assert [count for count, _ in got] == [10, 10, 10, 10, 10, 4, 4, 9, 9, 9, 9, 9, 3, 3]
    assert got[1][1] is Reason.STABILISED


def test_20_answer_is_that_of_the_case(shared):
    """The series above is the case's."""
    answer = right_answer(shared, "20-hpa-stabilization")
    assert answer["replicas"] == [10, 10, 10, 10, 10, 4, 4, 9, 9, 9, 9, 9, 3, 3]


def test_21_starting_pods_are_ordered_once_and_serve_only_when_ready():
    """A total shared out among pods does not cascade while they start; capacity comes when they do."""
    law = policy("hpa:signal=decode:running,target=20,type=AverageValue")
    (request,) = law.requests
    memory, desired, births = law.start(), 2, []
    wanted, capacity = [], []
    for now_s in (0.0, 15.0, 30.0, 45.0, 60.0):
        ready = 2 + sum(1 for born_s in births if now_s - born_s >= 60.0)
        capacity.append(10 * ready)
        observation = Observation(
            now_s,
            {"decode": PoolState(desired, ready, desired - ready, 0, 1, 32)},
            {request: Reading(80.0, 0.0)},
        )
        decision, memory = law.decide(observation, memory)
        births += [now_s] * (decision.desired["decode"] - desired)
        desired = decision.desired["decode"]
        wanted.append(desired)
    assert wanted == [4, 4, 4, 4, 4]
    assert capacity == [20, 20, 20, 20, 40]
    assert len(births) == 2


def test_21_missing_pods_hold_a_pods_metric():
    """Average 40 on two ready pods of four, target 20: with zeros for the silent two it is on target."""
    samples = PodSamples(ready_milli=(40_000, 40_000), missing=2)
    assert pods_proposal(samples, 20_000, current=4, tolerance=Tolerance()) == 4


def test_24_pinned_utilisation_only_climbs():
    """100 % against a target of 80 % grows by a quarter each tick until the cap."""
    law = policy("hpa:signal=decode:gpu_util,target=80%")
    got = drive(law, [(15 * i, 1.0) for i in range(6)], start=4)
    assert [count for count, _ in got] == [5, 7, 9, 12, 15, 19]


def test_18_missing_data_hold_unless_zero_is_asked_for():
    """Blank readings keep the count and are named; read as zero they shrink to the minimum."""
    ticks = [(0, 40.0), (30, 40.0), (60, None), (90, None), (120, 40.0)]
    options = "signal=decode:running,target=10,type=AverageValue,down_window=0,interval=30s"
    hold = drive(policy(f"hpa:{options}"), ticks, start=4, high=10)
    assert [count for count, _ in hold] == [4, 4, 4, 4, 4]
    assert sum(reason is Reason.MISSING_SIGNAL for _, reason in hold) == 2
    zero = drive(policy(f"hpa:{options},on_missing=zero"), ticks, start=4, high=10)
    assert [count for count, _ in zero] == [4, 4, 1, 1, 4]
    assert all(math.isfinite(count) for count, _ in zero)
