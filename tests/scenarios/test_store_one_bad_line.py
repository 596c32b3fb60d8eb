"""One bad line among good ones is a counted reject of its line, in every format of lines."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from signals.errors import InputError
from signals.store import LoadOptions, create_store
from signals.store.parsed import NameChoice, ReadOptions

BASE = 1_760_000_000
BUCKET = "vllm:time_to_first_token_seconds_bucket"
WAITING = "vllm:num_requests_waiting"
CSV = "__name__,pod,le,__value__,__timestamp__:unix_ms"
ANNOTATIONS = (
    "#group,false,false,false,false,true,true,true,true\n"
    "#datatype,string,long,dateTime:RFC3339,double,string,string,string,string\n"
    "#default,_result,,,,,,,\n"
    ",result,table,_time,_value,_field,_measurement,pod,le\n"
)


@dataclass(frozen=True)
class Bad:
    """A format and a bad line of it.

    Attributes:
        form: name of the format.
        line: a good line of the format, `{k}` its number, `{s}`, `{ms}`, `{ns}` and `{iso}` its time.
        bad: the bad one, in the same words.
        reason: of the reject.
        head: what comes before all lines.
        options: of `ReadOptions`.
    """

    form: str
    line: str
    bad: str
    reason: str
    head: str = ""
    options: dict[str, Any] = field(default_factory=dict)

    def text(self, odd: range) -> str:
        """A hundred lines, those of `odd` bad."""
        return (
            self.head
            + "\n".join(self._line(k, self.bad if k in odd else self.line) for k in range(100))
            + "\n"
        )

    def _line(self, k: int, line: str) -> str:
        s = BASE + 15 * k
        iso = f"{datetime.fromtimestamp(s, UTC):%Y-%m-%dT%H:%M:%SZ}"
        words = {"k": k, "s": s, "ms": s * 1000, "ns": s * 10**9, "iso": iso, "local": iso[:-1]}
        for word, value in words.items():
            line = line.replace(f"<{word}>", str(value))
        return line


def jsonl(times: str = "<ms>", **labels: str) -> str:
    return json.dumps({"metric": labels, "values": [1], "timestamps": ["?"]}).replace('"?"', times)


OPENMETRICS = f'{BUCKET}{{le="0.5",pod="a"}} <k> <ms>'
DUMP = f'{{__name__="{BUCKET}", le="0.5", pod="a"}} <k> <ms>'
LINES = "prometheus,pod=a,le=0.5 vllm:time_to_first_token_seconds_bucket=<k> <ns>"
ROW = f",,0,<iso>,<k>,{BUCKET},prometheus,a,0.5"
LONG = "<s>,ttft,<k>,0.5,a"
LONG_HEAD = "ts,metric,value,le,instance\n"
LABELS_HEAD = "ts,metric,value,labels\n"
CASES = {
    "scrape, bound": Bad("openmetrics", OPENMETRICS, OPENMETRICS.replace("0.5", "abc"), "bad_line"),
    "scrape, NaN bound": Bad("openmetrics", OPENMETRICS, OPENMETRICS.replace("0.5", "NaN"), "bad_line"),
    "scrape, untimed": Bad("openmetrics", f"{WAITING} <k> <ms>", f"{WAITING} <k>", "bad_time"),
    "scrape, far time": Bad("openmetrics", f"{WAITING} <k> <ms>", f"{WAITING} <k> <ns>", "bad_time"),
    "dump, bound": Bad("tsdb-dump", DUMP, DUMP.replace("0.5", "1s"), "bad_line"),
    "dump, far time": Bad("tsdb-dump", DUMP, DUMP + "000000", "bad_time"),
    "lines, bound": Bad("influx-line", LINES, LINES.replace("0.5", "x"), "bad_line"),
    "lines, untimed": Bad("influx-line", "vllm,pod=a num_requests_waiting=<k> <ns>", "vllm,pod=a num_requests_waiting=<k>", "bad_time"),
    "JSONL, bound": Bad("victoriametrics-jsonl", jsonl(__name__=BUCKET, le="0.5"), jsonl(__name__=BUCKET, le="z"), "bad_series"),
    "JSONL, nameless": Bad("victoriametrics-jsonl", jsonl(__name__=WAITING, pod="<k>"), jsonl(pod="<k>"), "bad_series"),
    "CSV, bound": Bad("victoriametrics-csv", f"{BUCKET},a,0.5,<k>,<ms>", f"{BUCKET},a,-,<k>,<ms>", "bad_series"),
    "CSV, nameless": Bad("victoriametrics-csv", f"{WAITING},<k>,,<k>,<ms>", ",<k>,,<k>,<ms>", "bad_series"),
    "CSV, far time": Bad("victoriametrics-csv", f"{WAITING},a,,<k>,<ms>", f"{WAITING},a,,<k>,<ns>", "bad_time"),
    "annotated, bound": Bad("influx-csv", ROW, ROW.replace("0.5", "half"), "bad_series", ANNOTATIONS),
    "annotated, nameless": Bad("influx-csv", ROW.replace(",a,", ",<k>,"), ",,0,<iso>,<k>,,,<k>,0.5", "bad_series", ANNOTATIONS),
    "annotated, no zone": Bad("influx-csv", ROW, ROW.replace("<iso>", "<local>"), "bad_time", ANNOTATIONS),
    "long, bound": Bad("own-long", LONG, LONG.replace("0.5", "0#"), "bad_series", LONG_HEAD),
    "long, unit": Bad("own-long", "<s>,gpu_util [%],<k>,,<k>", "<s>,gpu_util [?],<k>,,<k>", "bad_series", LONG_HEAD),
    "long, labels": Bad("own-long", '<s>,gpu_util,<k>,"gpu=""<k>"""', "<s>,gpu_util,<k>,gpu=<k>", "bad_series", LABELS_HEAD),
    "long, no zone": Bad("own-long", LONG.replace("<s>", "<iso>"), LONG.replace("<s>", "<local>"), "bad_time", LONG_HEAD),
    "requests, zone": Bad("own-requests", "<local>,5,6", "<iso>,5,6", "bad_time", "arrived_at,prompt_tokens,output_tokens\n", options={"zone": "UTC"}),
}  # fmt: skip
SUFFIXES = {"influx-csv", "own-long", "own-requests", "victoriametrics-csv"}


def load(tmp_path: Path, case: Bad, odd: range):
    path = tmp_path / ("x.csv" if case.form in SUFFIXES else "x.txt")
    path.write_text(case.text(odd))
    columns = {"format": NameChoice(CSV, "")} if case.form == "victoriametrics-csv" else {}
    read = ReadOptions(service="svc", columns=columns, **case.options)
    options = LoadOptions(read=read, source_format=case.form)
    store = create_store(tmp_path / "fleet.duckdb")
    (source,) = store.load([path], options).sources
    return store, source


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_one_bad_line_costs_itself_alone(tmp_path: Path, case: Bad) -> None:
    store, source = load(tmp_path, case, range(40, 41))
    assert dict(source.rejects) == {case.reason: 1}
    assert (source.rows_read, source.rows_rejected, source.rows_kept) == (100, 1, 99)
    (line,) = store.query("rejects")["line"].to_list()
    assert line == case.head.count("\n") + 41


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_when_every_other_line_is_bad_the_file_is_refused(tmp_path: Path, case: Bad) -> None:
    with pytest.raises(InputError) as caught:
        load(tmp_path, case, range(0, 100, 2))
    assert "x." in str(caught.value.where)
    assert not (tmp_path / "fleet.duckdb").exists()
