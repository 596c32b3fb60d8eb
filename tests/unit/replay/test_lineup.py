"""Who takes part in a comparison."""

import pytest

from signals.errors import UsageError
from signals.policies import parse_policy
from signals.profiles import load_profile
from signals.replay.lineup import line_up
from signals.schema import Slo


def lined_up(*texts):
    return line_up(
        [parse_policy(text) for text in texts], profile=load_profile("llama2-70b-h100"), slo=Slo()
    )


@pytest.mark.parametrize(
    ("texts", "labels"),
    [
        (("heteroscale",), ["heteroscale", "static"]),
        (("static:decode=9,label=nine",), ["nine"]),
        (("heteroscale:label=static",), ["static", "static peak"]),
    ],
)
def test_peak_provisioning_always_takes_part(texts, labels):
    """Added last if it was not asked for, never twice; its name gives way."""
    assert [choice.label for choice in lined_up(*texts)] == labels


@pytest.mark.parametrize(
    ("texts", "what"),
    [
        ((), "there is no policy to replay"),
        (("static", "static"), "two policies are called 'static'"),
        (("hpa:signal=prefill:itl_p90,target=50ms",), "the fleet has no histogram"),
        (("hpa:signal=decode:prefix_hit_ratio,target=50%",), "the simulated fleet does not export"),
        (("hpa:signal=unified:gpu_util,target=50%",), "the fleet has no pool 'unified'"),
    ],
)
def test_what_cannot_be_replayed_is_refused_with_its_place(texts, what):
    """Before anything is simulated."""
    with pytest.raises(UsageError, match=what) as caught:
        lined_up(*texts)
    assert caught.value.where
