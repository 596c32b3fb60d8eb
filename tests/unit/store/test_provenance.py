"""What results were made from."""

from __future__ import annotations

import platform
from pathlib import Path

import signals
from signals.store.provenance import identify, input_hashes, versions

SUMMARY: dict[str, object] = {
    "workload": {"load_factor": 2.0},
    "settings": {"seed": 0},
    "slo": {"ttft_s": 1.0},
    "span": {"first": "a", "last": "b"},
    "policies": [{"policy": "static", "label": "static", "params": {"n": 1}, "gpu_hours": 5.0}],
    "findings": [],
}


def test_what_was_asked_makes_the_name_and_what_was_found_does_not() -> None:
    name = identify("svc", [("a", "b")], SUMMARY)
    assert len(name) == 16
    again = {**SUMMARY, "policies": [{**SUMMARY["policies"][0], "gpu_hours": 6.0}]}  # type: ignore[index]
    assert identify("svc", [("a", "b")], {**again, "findings": [{"code": "x"}]}) == name
    others = [
        identify("svc2", [("a", "b")], SUMMARY),
        identify("svc", [("a", "c")], SUMMARY),
        identify("svc", [("a", "b")], {**SUMMARY, "settings": {"seed": 1}}),
        identify("svc", [("a", "b")], {**SUMMARY, "slo": {"ttft_s": 2.0}}),
        identify("svc", [("a", "b")], {**SUMMARY, "span": {"first": "a", "last": "c"}}),
        identify("svc", [("a", "b")], {**SUMMARY, "policies": []}),
    ]
    assert len({name, *others}) == 7


def test_a_store_that_is_not_there_holds_no_input(tmp_path: Path) -> None:
    assert input_hashes(tmp_path / "none.duckdb", "svc") == ()


def test_versions_name_this_program_first() -> None:
    found = versions()
    assert next(iter(found.items())) == ("autoscale-signals", signals.__version__)
    assert found["python"] == platform.python_version()
    assert {"duckdb", "numpy", "polars"} <= set(found)
