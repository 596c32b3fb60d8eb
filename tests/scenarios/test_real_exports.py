"""What real servers and promtool print of series with hostile labels reads back as it was put in."""

from __future__ import annotations

import subprocess
import urllib.parse
from collections.abc import Iterator
from pathlib import Path

import pytest

from signals.store.parsed import NameChoice, ReadOptions
from signals.store.sources import detect
from tests.builders_servers import Prometheus, VictoriaMetrics, fetch, running

pytestmark = pytest.mark.prometheus

START_S = 1_780_300_800
END_S = START_S + 60
STEP_S = 15
NAME = "vllm:odd_total"
LABELS = (
    {"pod": "plain", "role": "decode"},
    {"pod": 'say "hi", {x}', "role": "a\\b"},
    {"pod": "} 1 2 => 3 @[4]", "role": "# EOF"},
    {"pod": "zwei\nZeilen", "role": "ä\t€😀"},
)
# VictoriaMetrics keeps the values of a block in decimal under one power of ten: digits enough for all of them
VALUES = (0.0, 0.1, 12.5, 0.333, float("inf"))
OFFSET_S = 0.123

Rows = list[tuple[str, tuple[tuple[str, str], ...], int, str]]


def rows(step_s: float = OFFSET_S) -> Rows:
    """Name, labels, milliseconds and value of all that is put in."""
    return sorted(
        (
            NAME,
            tuple(sorted(labels.items())),
            round((START_S + step_s + STEP_S * n) * 1000),
            value.hex(),
        )
        for labels in LABELS
        for n, value in enumerate(VALUES)
    )


def exposition(per_second: int) -> str:
    """The same as text whose times count seconds (1) or milliseconds (1000)."""
    lines = ["# TYPE vllm:odd counter"]
    for labels in LABELS:
        inside = ",".join(f'{key}="{escaped(text)}"' for key, text in labels.items())
        for n, value in enumerate(VALUES):
            at = round((START_S + OFFSET_S + STEP_S * n) * per_second, 3)
            lines.append(
                f"{NAME}{{{inside}}} {value!r} {at:.3f}"
                if per_second == 1
                else f"{NAME}{{{inside}}} {value!r} {at:.0f}"
            )
    return "\n".join([*lines, "# EOF", ""] if per_second == 1 else [*lines, ""])


def escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def read(path: Path, form: str, options: ReadOptions | None = None) -> Rows:
    source = detect(path)
    assert source.name == form
    found: Rows = []
    for chunk in source.read(path, options or ReadOptions()):
        assert chunk.rejects == ()
        if chunk.samples is None:
            continue
        for number, at, value in chunk.samples.rows():
            one = chunk.series[number]
            labels = tuple(sorted(one.labels.items()))
            found.append((one.metric, labels, round(at.timestamp() * 1000), value.hex()))
    return sorted(found)


@pytest.fixture(scope="module")
def prometheus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prometheus]:
    server = Prometheus(tmp_path_factory.mktemp("prometheus"))
    server.fill(exposition(1))
    with running(server):
        yield server


@pytest.fixture(scope="module")
def victoria(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VictoriaMetrics]:
    server = VictoriaMetrics(tmp_path_factory.mktemp("victoria"))
    with running(server):
        server.fill(exposition(1000))
        yield server


def promtool(path: Path, *words: str) -> Path:
    done = subprocess.run(["promtool", *words], check=True, capture_output=True)
    path.write_bytes(done.stdout)
    return path


def test_what_is_put_in(tmp_path: Path) -> None:
    for name, per_second in (("x.om", 1), ("x.prom", 1000)):
        (tmp_path / name).write_text(exposition(per_second))
        assert read(tmp_path / name, "openmetrics") == rows()


def test_a_block_dump(prometheus: Prometheus, tmp_path: Path) -> None:
    data = tmp_path / "data"
    (data / "wal").mkdir(parents=True)
    (tmp_path / "x.om").write_text(exposition(1))
    command = ("tsdb", "create-blocks-from", "openmetrics", str(tmp_path / "x.om"), str(data))
    promtool(tmp_path / "log", *command)
    assert read(promtool(tmp_path / "x.txt", "tsdb", "dump", str(data)), "tsdb-dump") == rows()


def test_a_printed_range_vector(prometheus: Prometheus, tmp_path: Path) -> None:
    query = ("query", "instant", f"--time={END_S + 60}", prometheus.url, f"{NAME}[1h]")
    assert read(promtool(tmp_path / "x.txt", *query), "promtool-text") == rows()


def test_a_printed_range_query(prometheus: Prometheus, tmp_path: Path) -> None:
    span = (f"--start={START_S + 1}", f"--end={END_S + 1}", f"--step={STEP_S}s")
    query = ("query", "range", *span, prometheus.url, NAME)
    assert read(promtool(tmp_path / "x.txt", *query), "promtool-text") == rows(step_s=1)


def test_a_printed_vector_and_a_scalar(prometheus: Prometheus, tmp_path: Path) -> None:
    query = ("query", "instant", f"--time={START_S + 1}", prometheus.url)
    found = read(promtool(tmp_path / "x.txt", *query, NAME), "promtool-text")
    assert found == [row for row in rows(step_s=1) if row[2] == (START_S + 1) * 1000]
    named = ReadOptions(as_name=NameChoice("up", ""))
    scalar = promtool(tmp_path / "y.txt", *query, f"scalar(count({NAME}))")
    assert [row[3] for row in read(scalar, "promtool-text", named)] == [float(len(LABELS)).hex()]


def export(server: VictoriaMetrics, place: str, path: Path, **asked: str) -> Path:
    query = urllib.parse.urlencode({"match[]": NAME, "start": START_S - 60, **asked})
    path.write_bytes(fetch(f"{server.url}/api/v1/export{place}?{query}"))
    return path


@pytest.mark.parametrize("per_line", ["0", "2"])
def test_json_lines(victoria: VictoriaMetrics, tmp_path: Path, per_line: str) -> None:
    asked = {"max_rows_per_line": per_line} if per_line != "0" else {}
    path = export(victoria, "", tmp_path / "x.jsonl", **asked)
    assert read(path, "victoriametrics-jsonl") == rows()


def test_csv_without_a_header(victoria: VictoriaMetrics, tmp_path: Path) -> None:
    form = "__name__,pod,role,__value__,__timestamp__:unix_ms"
    path = export(victoria, "/csv", tmp_path / "x.csv", format=form)
    options = ReadOptions(columns={"format": NameChoice(form, "")})
    assert read(path, "victoriametrics-csv", options) == rows()
