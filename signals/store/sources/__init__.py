"""Readers, one file per format."""

from __future__ import annotations

import difflib
from pathlib import Path

from signals.errors import FormatError, InputError, UsageError
from signals.store.parsed import Source
from signals.store.sources.aibrix_regression import AIBRIX_REGRESSION
from signals.store.sources.aibrix_trace import AIBRIX_TRACE
from signals.store.sources.aiperf import AIPERF
from signals.store.sources.azure_trace import AZURE_TRACE
from signals.store.sources.burstgpt import BURSTGPT
from signals.store.sources.cloudwatch_csv import CLOUDWATCH_CSV
from signals.store.sources.cloudwatch_json import CLOUDWATCH_JSON
from signals.store.sources.datadog_csv import DATADOG_CSV
from signals.store.sources.datadog_json import DATADOG_JSON
from signals.store.sources.dcgmi_dmon import DCGMI_DMON
from signals.store.sources.genai_perf import GENAI_PERF
from signals.store.sources.grafana_csv import GRAFANA_CSV
from signals.store.sources.guidellm import GUIDELLM
from signals.store.sources.inference_perf import INFERENCE_PERF
from signals.store.sources.influx_csv import INFLUX_CSV
from signals.store.sources.influx_line import INFLUX_LINE
from signals.store.sources.json_table import is_json
from signals.store.sources.llmservingsim_requests import LLMSERVINGSIM_REQUESTS
from signals.store.sources.llmservingsim_timeseries import LLMSERVINGSIM_TIMESERIES
from signals.store.sources.mooncake_jsonl import MOONCAKE_JSONL
from signals.store.sources.nearest import nearest_formats
from signals.store.sources.nvidia_smi_csv import NVIDIA_SMI_CSV
from signals.store.sources.openmetrics import OPENMETRICS
from signals.store.sources.otlp_jsonl import OTLP_JSONL
from signals.store.sources.own_lifetimes import OWN_LIFETIMES
from signals.store.sources.own_long import OWN_LONG
from signals.store.sources.own_requests import OWN_REQUESTS
from signals.store.sources.own_wide import OWN_WIDE
from signals.store.sources.parquet import PARQUET_MAGIC, is_parquet
from signals.store.sources.prometheus_matrix import PROMETHEUS_MATRIX
from signals.store.sources.promtool_text import PROMTOOL_TEXT
from signals.store.sources.scrape_folder import tells_times
from signals.store.sources.servegen import SERVEGEN
from signals.store.sources.stream import read_head, refuse_bare_returns
from signals.store.sources.table import clip, open_table
from signals.store.sources.tsdb_dump import TSDB_DUMP
from signals.store.sources.victoriametrics_csv import VICTORIAMETRICS_CSV
from signals.store.sources.victoriametrics_jsonl import VICTORIAMETRICS_JSONL
from signals.store.sources.vllm_bench import VLLM_BENCH
from signals.store.sources.vllm_detail_log import VLLM_DETAIL_LOG
from signals.store.sources.vllm_log import VLLM_LOG
from signals.store.tree import walk

__all__ = [
    "RESEMBLES",
    "SOURCES",
    "detect",
    "detect_folder",
    "find_source",
    "input_files",
    "recognise",
]

SOURCES: tuple[Source, ...] = (
    AIBRIX_REGRESSION,
    AIBRIX_TRACE,
    AIPERF,
    AZURE_TRACE,
    BURSTGPT,
    CLOUDWATCH_CSV,
    CLOUDWATCH_JSON,
    DATADOG_CSV,
    DATADOG_JSON,
    DCGMI_DMON,
    GENAI_PERF,
    GRAFANA_CSV,
    GUIDELLM,
    INFERENCE_PERF,
    INFLUX_CSV,
    INFLUX_LINE,
    LLMSERVINGSIM_REQUESTS,
    LLMSERVINGSIM_TIMESERIES,
    MOONCAKE_JSONL,
    NVIDIA_SMI_CSV,
    OPENMETRICS,
    OTLP_JSONL,
    OWN_LIFETIMES,
    OWN_LONG,
    OWN_REQUESTS,
    OWN_WIDE,
    PROMETHEUS_MATRIX,
    PROMTOOL_TEXT,
    SERVEGEN,
    TSDB_DUMP,
    VICTORIAMETRICS_CSV,
    VICTORIAMETRICS_JSONL,
    VLLM_BENCH,
    VLLM_DETAIL_LOG,
    VLLM_LOG,
)
"""Known formats, alphabetical."""

RESEMBLES = 0.5
"""As sure of a file's format as this and less, the file may be something else: its reader has the last word."""
_SURE = 0.3
_CLEAR = 0.05
_SEEN = 80
_LISTED = f"one of the {len(SOURCES)} that `signals formats` lists"


def find_source(name: str, *, where: str = "--format") -> Source:
    """The format with this name.

    Args:
        name: as written.
        where: the option or argument, for the error.

    Raises:
        UsageError: there is none.
    """
    for source in SOURCES:
        if source.name == name.replace("_", "-"):
            return source
    near = difflib.get_close_matches(name, [source.name for source in SOURCES], n=1)
    raise UsageError(
        f"format '{name}' is not known",
        where=where,
        expected=_LISTED,
        hint=f"did you mean '{near[0]}'?" if near else "",
    )


def detect(path: Path) -> Source:
    """Tell a file's format from its first bytes; see `recognise`."""
    return recognise(path)[0]


def recognise(path: Path) -> tuple[Source, float]:
    """Tell a file's format from its first bytes, and how sure that is.

    Args:
        path: a file.

    Returns:
        The format, and 0..1.

    Raises:
        FormatError: no format fits: the file is empty, no text, or something else.
        InputError: the file cannot be read, or more than one format fits.
    """
    if path.is_dir():
        raise InputError("this is a folder", where=str(path), expected="a file")
    if path.exists() and not path.is_file():
        raise InputError("this is no regular file", where=str(path), expected="a file on disk")
    columns: list[str] = []
    if _is_parquet_file(path):
        head = PARQUET_MAGIC
        columns, _ = open_table(path)  # a broken one says here what is wrong with it
    else:
        head = read_head(path)
    if not head.strip():
        raise FormatError("the file is empty", where=str(path), expected="samples or requests")
    scores = sorted(((source.detect(head, path), source) for source in SOURCES), key=_score)
    best, source = scores[-1]
    if best < _SURE:
        if b"\n" not in head and not is_json(head):
            refuse_bare_returns(head, path)
        raise _unknown(path, head, columns)
    if best - scores[-2][0] < _CLEAR:
        either = (source.name, scores[-2][1].name)
        raise InputError(
            f"the format could be {either[0]} or {either[1]}",
            where=_seen(path, head, columns),
            expected="a file that only one format fits",
            hint=f"name it: --format {either[0]}, or --format {either[1]}",
        )
    return source, best


def detect_folder(path: Path) -> Source | None:
    """The format of a folder that is one input: scrapes with an index, or with times in their names.

    Args:
        path: a folder; files of no known format do not count.

    Returns:
        The format, or None if each file is an input of its own.
    """
    files = walk(path).files
    timed, others = tells_times(path, files)
    if any(_knows(file) is not None for file in others):
        return None
    first = next((source for file in timed if (source := _knows(file)) is not None), None)
    return first if first is not None and first.folder else None


def _knows(file: Path) -> Source | None:
    try:
        return detect(file)
    except InputError:  # told again, with its place, when the files are read one by one
        return None


def input_files(path: Path) -> list[Path]:
    """The files that a path stands for: itself, or all files of a folder, by name.

    Raises:
        InputError: the path does not exist, or the folder cannot be read or holds no file.
    """
    if not path.exists():
        raise InputError("there is no such file or folder", where=str(path))
    if not path.is_dir():
        return [path]
    files = list(walk(path).files)
    if not files:
        raise InputError(
            "the folder holds no file", where=str(path), expected="files of a known format"
        )
    return files


def _score(item: tuple[float, Source]) -> float:
    return item[0]


def _is_parquet_file(path: Path) -> bool:
    try:
        with path.open("rb") as raw:
            return is_parquet(raw.read(len(PARQUET_MAGIC)))
    except OSError as error:
        raise InputError(
            f"the file cannot be read: {error.strerror or error}", where=str(path)
        ) from error


def _seen(path: Path, head: bytes, columns: list[str]) -> str:
    if columns:
        return f"{path}, Parquet with columns {clip(', '.join(columns))}"
    lines = head[:_SEEN].decode("utf-8", errors="replace").splitlines()
    return f"{path}, which begins {clip(repr(lines[0] if lines else ''))}"


def _unknown(path: Path, head: bytes, columns: list[str]) -> FormatError:
    near = nearest_formats(head, columns, SOURCES)
    return FormatError(
        "the format is not recognised",
        where=_seen(path, head, columns),
        expected=f"{_LISTED}; nearest: {', '.join(near)}" if near else _LISTED,
        hint="name it with --format; a table with headers of its own takes --format own-requests, own-wide or "
        "own-long and --map 'COLUMN=NAME[unit]'",
    )
