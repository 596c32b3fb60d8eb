"""The command that the documentation gives for a format loads a file of it."""

from __future__ import annotations

import json
import os
import re
import shlex
from pathlib import Path

import pytest

from signals.cli.app import run
from signals.report.formats import needed_options
from signals.store.parsed import Source
from signals.store.sources import SOURCES, detect

VALUES = {
    "DURATION": "1s",
    "N": "7",
    "SHARE": "0.5",
    "TIME": "2026-06-01T08:00:00Z",
    "ZONE": "Europe/Paris",
}
"""What a user would write for the words of the options."""

DEPENDS = {
    "cloudwatch_get_metric_data.json": (
        "--map 'vllm-prefill GPUUtilization=prefill:gpu_util[%]'",
        "--map 'vllm-decode GPUUtilization=decode:gpu_util[%]'",
    ),
    "dcgm_exporter_metrics.txt": ("--at 2026-06-01T08:00:00Z",),
    "grafana_excel_single_series.csv": ("--tz Europe/Paris", "--map 'Value=kv_usage[%]'"),
    "grafana_series_joined_by_time.csv": (
        "--tz Europe/Paris",
        "--map 'vllm-prefill-0=prefill:gpu_util[%]'",
        "--map 'vllm-decode-0=decode:gpu_util[%]'",
        "--map 'TTFT p99=decode:ttft_p99[s]'",
    ),
    "mimir_query_range_native_histogram.json": ("--as 'ttft[s]'",),
}
"""Options in brackets that a sample needs."""


def filled(option: str) -> list[str]:
    """An option with a user's values, as the shell hands it over."""
    name, _, value = option.partition(" ")
    return [name, VALUES.get(value, shlex.split(value)[0])]


def samples() -> list[str]:
    """Names of the samples, as far as they are here; the fixture skips where there are none."""
    root = Path(__file__).parents[2]
    folder = Path(os.environ.get("SIGNALS_SHARED", root.parent / "shared")) / "formats"
    return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else ["none"]


@pytest.mark.parametrize("name", samples())
def test_sample_loads_with_the_options_of_its_format(
    name: str, shared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the format needs, and of what it may need only options that it names."""
    path = shared / "formats" / name
    source = detect(path)
    more = DEPENDS.get(name, ())
    assert {option.split()[0] for option in more} <= set(re.findall(r"--[a-z]+", source.load))
    words = [word for option in (*needed_options(source), *more) for word in filled(option)]
    store = ["--store", str(tmp_path / "fleet.duckdb"), "--json"]
    assert run([*store, "load", str(path), *words]) == 0, capsys.readouterr().err
    (loaded,) = json.loads(capsys.readouterr().out)["sources"]
    assert loaded["format"] == source.name
    assert loaded["rows_kept"] > 0
    assert loaded["rows_rejected"] == 0


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.name)
def test_options_are_ones_that_load_understands(
    source: Source, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All of them, brackets or none: the missing file is what is wrong, not the command."""
    whole = re.sub(r"\[(--[^'\]]*(?:'[^']*')?)\]", r"\1", source.load)
    words = [VALUES.get(word, word) for word in shlex.split(whole.replace("[unit]", "[s]"))]
    assert not any(word.startswith("[") for word in words)
    store = ["--store", str(tmp_path / "fleet.duckdb")]
    missing = tmp_path / f"missing{source.suffixes[0]}"
    assert run([*store, "load", str(missing), *words]) == 3
    assert "there is no such file" in capsys.readouterr().err
