"""What is told with a comparison."""

import dataclasses

import pytest

from signals.policies import PolicyContext
from signals.profiles import load_profile
from signals.replay.capacity_account import CapacityAccount
from signals.replay.frames import RUN_EVENT, RUN_READING, RUN_TICK
from signals.replay.loop import Trace
from signals.replay.pressure import Pressure
from signals.replay.remarks import comparison_findings, describe_settings, run_findings
from signals.replay.settings import ReplaySettings
from signals.schema import Slo

PROFILE = load_profile("llama2-70b-h100")
PRESSURE = Pressure(
    (1, 2),
    9000.0,
    600.0,
    {"prefill": 4, "decode": 8},
    {"prefill": (0.0, 600.0), "decode": (60.0, 660.0)},
    {"ttft": 1.0, "tpot": 0.995, "both": 0.995},
    (),
)
CONTEXT = PolicyContext(
    (1, 2),
    {"prefill": 9000.0, "decode": 600.0},
    {"prefill": 1, "decode": 2},
    {"prefill": 4, "decode": 6},
    Slo(),
)
TRACE = Trace(
    RUN_TICK.empty(), RUN_READING.empty(), RUN_EVENT.empty(), {"decode:gpu_util": 2}, {"decode": 7}
)
ACCOUNT = CapacityAccount(1.0, {}, {}, 0, 0, 0.0, {}, {}, 64.0)


def test_settings_tell_sizes_and_ratio_in_the_forms_users_write():
    """4P2D, 1:2."""
    told = describe_settings(ReplaySettings(), PROFILE, PRESSURE, CONTEXT)
    assert (told["initial"], told["peak"], told["pd_ratio"]) == ("1P2D", "4P8D", "1:2")
    assert told["initial_from"] == "pressure test, prefill by the P/D ratio"


def test_a_peak_above_the_limits_is_told_for_its_pool():
    """Eight needed, six allowed."""
    (finding,) = comparison_findings(PRESSURE, CONTEXT)
    assert (finding.code, finding.subject) == ("peak_above_limit", "decode")
    assert "needs 8 decode instances, the limits allow 6" in finding.text


def test_missing_signals_and_caps_are_counted():
    """Two decisions without a value, seven held back."""
    findings = run_findings(TRACE, ACCOUNT, PROFILE)
    assert [(f.code, f.subject, f.count) for f in findings] == [
        ("signal_missing", "decode:gpu_util", 2),
        ("order_capped", "decode", 7),
    ]


@pytest.mark.parametrize(("batch", "told"), [(64.0, False), (65.0, True)])
def test_batches_beyond_the_measured_range_are_told(batch, told):
    """The profile was measured up to 64."""
    findings = run_findings(TRACE, dataclasses.replace(ACCOUNT, largest_batch=batch), PROFILE)
    assert ("profile_extrapolated" in {f.code for f in findings}) == told


def test_one_decision_is_no_plural():
    """Counts are read by people."""
    trace = dataclasses.replace(TRACE, missing={"decode:gpu_util": 1}, capped={"decode": 1})
    assert [finding.text for finding in run_findings(trace, ACCOUNT, PROFILE)] == [
        "decode:gpu_util had no value at 1 decision",
        "decode: limits held orders back at 1 decision",
    ]
