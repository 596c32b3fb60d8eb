"""Small whole files of every format, to be damaged: our own, and those of the shared folder where it is."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl

from signals.store.parsed import NameChoice

__all__ = ["Sample", "own_samples", "shared_samples"]

FOLDER = Path(__file__).parent / "samples"
START = datetime(2026, 6, 1, tzinfo=UTC)
ZONED: dict[str, Any] = {"zone": "Europe/Paris", "at": START, "start": START}
VICTORIA = "__name__,pod,role,__value__,__timestamp__:unix_ms"
# beside what all are read with
OPTIONS: Mapping[str, dict[str, Any]] = {
    "cloudwatch-json": {
        "columns": {
            f"vllm-{pool} GPUUtilization": NameChoice("gpu_util", "%")
            for pool in ("prefill", "decode")
        }
    },
    "dcgmi-dmon": {"interval_s": 1.0},
    "grafana-csv": {
        "columns": {"TTFT p99": NameChoice("ttft_p99", ""), "Value": NameChoice("gpu_util", "%")}
    },
    "own-lifetimes": {"interval_s": 60.0},
    "victoriametrics-csv": {"columns": {"format": NameChoice(VICTORIA, "")}},
}
# the shared folder's files whose name does not begin with that of their format
SHARED_FORMATS = {
    "cloudwatch_console": "cloudwatch-csv",
    "cloudwatch_get": "cloudwatch-json",
    "datadog_query": "datadog-json",
    "datadog_timeseries": "datadog-csv",
    "dcgm_exporter": "openmetrics",
    "dcgmi": "dcgmi-dmon",
    "grafana": "grafana-csv",
    "influx_annotated": "influx-csv",
    "influx_line": "influx-line",
    "mimir": "prometheus-matrix",
    "nvidia_smi": "nvidia-smi-csv",
    "openmetrics": "openmetrics",
    "otlp": "otlp-jsonl",
    "prometheus": "prometheus-matrix",
    "promtool_query_range.json": "prometheus-matrix",
    "promtool_query_range.txt": "promtool-text",
    "promtool_tsdb": "tsdb-dump",
    "thanos": "prometheus-matrix",
    "victoriametrics_export.csv": "victoriametrics-csv",
    "victoriametrics_export.jsonl": "victoriametrics-jsonl",
}


@dataclass(frozen=True)
class Sample:
    """A whole input.

    Attributes:
        form: its format.
        files: content by name; the first is the one to load and to damage, the others lie beside it.
        folder: True if the folder of all files is the input.
        options: of `ReadOptions`.
    """

    form: str
    files: Mapping[str, bytes]
    folder: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)


def own_samples() -> tuple[Sample, ...]:
    """Our own, at least one of each format, in a stable order."""
    texts = sorted(path for path in FOLDER.rglob("*") if path.is_file())
    samples = [_sample(path.parent.name, {path.name: path.read_bytes()}) for path in texts]
    return (*samples, *_several_files(), *_tables())


def shared_samples(shared: Path) -> tuple[Sample, ...]:
    """The small exports of the shared folder; none where it is absent."""
    folder = shared / "formats"
    files = sorted(folder.iterdir()) if folder.is_dir() else []
    return tuple(_sample(_form_of(path.name), {path.name: path.read_bytes()}) for path in files)


def _form_of(name: str) -> str:
    return next(form for begin, form in SHARED_FORMATS.items() if name.startswith(begin))


def _sample(form: str, files: Mapping[str, bytes], *, folder: bool = False) -> Sample:
    options = {**ZONED, **OPTIONS.get(form, {})}
    if next(iter(files)).startswith("mimir"):
        options["as_name"] = NameChoice("ttft", "s")
    return Sample(form, files, folder, options)


def _several_files() -> list[Sample]:
    scrape = b'# TYPE vllm:num_requests_waiting gauge\nvllm:num_requests_waiting{pod="a"} %d\n'
    index = b'{"file":"a.prom","time":1760000000}\n{"file":"b.prom","time":1760000015}\n'
    series = (FOLDER / "llmservingsim-timeseries" / "run_timeseries.csv").read_bytes()
    meta = b'{"started_at":"2026-06-01T08:00:00Z"}\n'
    return [
        _sample(
            "openmetrics",
            {"a.prom": scrape % 3, "b.prom": scrape % 4, "index.jsonl": index},
            folder=True,
        ),
        _sample(
            "openmetrics",
            {"index.jsonl": index, "a.prom": scrape % 3, "b.prom": scrape % 4},
            folder=True,
        ),
        _sample("llmservingsim-timeseries", {"r_timeseries.csv": series, "r_meta.json": meta}),
    ]


def _tables() -> list[Sample]:
    rates = pl.DataFrame(
        [(0, 0, 0.05, 2.0, "Gamma", 0.25, 8.0), (1, 600, 0.02, 1.0, "Weibull", 1.0, 4.0)],
        schema=[
            *("client", "window_start_s", "rate_rps"),
            *("iat_cv", "iat_family", "iat_p1", "iat_p2"),
        ],
        orient="row",
    )
    names = ("input_tokens", "output_tokens")
    bins = pl.DataFrame(
        [(0, name, low, low + 10, 1.0) for name in names for low in (10, 100)],
        schema=["window_start_s", "field", "bin_lo", "bin_hi", "est_requests"],
        orient="row",
    )
    long = pl.DataFrame(
        {"ts": [1_760_000_000, 1_760_000_015], "metric": ["gpu_util"] * 2, "value": [0.5, None]}
    )
    wide = pl.DataFrame({"ts": [START, START], "decode/a#0:gpu_util [%]": [50.0, None]})
    log = pl.DataFrame({"arrived_at": [START], "prompt_tokens": [5], "output_tokens": [6]})
    return [
        _sample("own-long", {"long.parquet": _parquet(long)}),
        _sample("own-requests", {"log.parquet": _parquet(log)}),
        _sample("own-wide", {"wide.parquet": _parquet(wide)}),
        _sample(
            "servegen",
            {"m.rates.parquet": _parquet(rates), "m.length_hist.parquet": _parquet(bins)},
        ),
        _sample("servegen", {"m.rates.csv": rates.write_csv().encode()}),
    ]


def _parquet(frame: pl.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    return buffer.getvalue()
