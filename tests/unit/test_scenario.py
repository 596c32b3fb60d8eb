"""Scenario files and the texts they share with the command line."""

from pathlib import Path

import pytest

from signals.errors import InputError, UsageError
from signals.scenario import Scenario, parse_initial, parse_slo, read_scenario
from signals.schema import Slo


def _write(folder: Path, text: str) -> Path:
    path = folder / "week.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_scenario_is_read(tmp_path: Path) -> None:
    path = _write(
        tmp_path,
        'workload = "chat"\npolicies = ["static"]\nload_factor = 2\nseed = 7\nmax_gpus = 64\n',
    )
    wanted = Scenario(workload="chat", policies=("static",), load_factor=2.0, seed=7, max_gpus=64)
    assert read_scenario(path) == wanted


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("workload = ", "not valid TOML"),
        ('workload = "chat"\npolices = []', "key 'polices' is not known"),
        ('workload = "chat"\nseed = "7"', "wrong type"),
        ('workload = "chat"\nseed = true', "wrong type"),
        ('workload = "chat"\npolicies = "static"', "not a list"),
        ("seed = 1", "names no workload"),
        ("seed = " + "9" * 5000, "not valid TOML"),
        ("a = " + "[" * 5000, "not valid TOML"),
    ],
)
def test_a_broken_scenario_names_the_file(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        read_scenario(_write(tmp_path, text))
    assert "week.toml" in caught.value.where


def test_objectives() -> None:
    assert parse_slo("ttft=1s,tpot=50ms") == Slo(1.0, 0.05)
    assert parse_slo("tpot=40ms") == Slo(1.0, 0.04)


@pytest.mark.parametrize("text", ["ttft", "ttft=0s", "itl=5ms", "ttft=1m", "ttft=-1s"])
def test_what_is_no_objective_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        parse_slo(text)


def test_start_sizes() -> None:
    assert parse_initial("") is None
    assert parse_initial("4P2D") == {"prefill": 4, "decode": 2}
    with pytest.raises(UsageError):
        parse_initial("4P0D")
