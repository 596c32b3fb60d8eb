"""What the parameters of `hpa` mean together."""

from signals.policies import find_policy, parse_policy
from signals.policies.hpa_rules.rates import RatePolicy
from signals.policies.hpa_rules.settings import read_settings


def settings(text):
    choice = parse_policy(f"hpa:signal=decode:gpu_util,target=70%{text}")
    return read_settings(find_policy("hpa").params(choice.params))


def test_defaults_are_those_of_kubernetes():
    """Tolerance 10 %, windows 0 and 300 s, double or four pods up, everything down per 15 s."""
    got = settings("")
    assert (got.rules.tolerance.up, got.rules.tolerance.down, got.rules.tolerance.test) == (
        0.1,
        0.1,
        "range",
    )
    assert (got.up_window_s, got.down_window_s, got.interval_s) == (0.0, 300.0, 15.0)
    assert got.up == (RatePolicy("Percent", 100, 15.0), RatePolicy("Pods", 4, 15.0))
    assert got.down == (RatePolicy("Percent", 100, 15.0),)


def test_zero_leaves_a_rate_policy_out():
    """No per cent policy, two pods a minute."""
    got = settings(",up_percent=0,up_pods=2,up_pods_period=1m,down_percent=0,down_pods=1")
    assert got.up == (RatePolicy("Pods", 2, 60.0),)
    assert got.down == (RatePolicy("Pods", 1, 15.0),)


def test_tolerances_by_direction_replace_the_common_one():
    """One of them, or both."""
    got = settings(",tolerance=0.2,tolerance_up=0.05").rules.tolerance
    assert (got.up, got.down) == (0.05, 0.2)


def test_metrics_are_read_from_the_scaled_pool_or_where_the_signal_says():
    """A signal of prefill can scale decode."""
    metrics = settings(",scales=decode").metrics_of(("prefill", "decode"))
    assert list(metrics) == ["decode"]
    choice = parse_policy("hpa:signal=prefill:queue_depth,target=5,scales=decode")
    other = read_settings(find_policy("hpa").params(choice.params)).metrics_of(
        ("prefill", "decode")
    )
    assert other["decode"][0].request.pool == "prefill"
