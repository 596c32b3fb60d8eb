"""A recorded run of a prefill/decode fleet, put into a real Prometheus and pulled out again."""

import gzip
import json
from datetime import UTC, datetime, timedelta

import pytest

from signals.store import create_store
from signals.store.pull.endpoint import parse_endpoint
from signals.store.pull.selection import Wanted
from signals.usecases.load import clock
from signals.usecases.pull import Pull, PullRequest
from tests.builders_servers import Prometheus, running

pytestmark = pytest.mark.prometheus

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def read(folder):
    """Every sample of a folder of answers: labels and milliseconds to the value's text; none twice."""
    found = {}
    for path in sorted(folder.rglob("*.json.gz")):
        for series in json.loads(gzip.decompress(path.read_bytes()))["data"]["result"]:
            labels = tuple(sorted(series["metric"].items()))
            for at, value in series["values"]:
                key = labels, round(at * 1000)
                assert key not in found
                found[key] = value
    return found


@pytest.fixture(scope="module")
def recorded(shared):
    """The run as its own server returned it."""
    return read(shared / "data" / "dynamo_pd_run" / "prom_15s" / "raw_range_vector")


@pytest.fixture(scope="module")
def server(shared, tmp_path_factory):
    """A Prometheus with the run in its blocks."""
    text = shared / "data" / "dynamo_pd_run" / "prom_15s" / "openmetrics_all_series.txt.gz"
    made = Prometheus(tmp_path_factory.mktemp("prometheus"))
    made.fill(gzip.decompress(text.read_bytes()).decode())
    with running(made):
        yield made


def pull(server, folder, recorded, wanted):
    """All of its time."""
    times = [at for _, at in recorded]
    request = PullRequest(
        parse_endpoint(server.url),
        wanted=wanted,
        service="dynamo",
        first=EPOCH + timedelta(milliseconds=min(times)),
        last=EPOCH + timedelta(milliseconds=max(times) + 1),
        aim_bytes=1 << 20,
        keep=True,
    )
    puller = Pull(create_store(folder / "fleet.duckdb"), request, clock=clock)
    try:
        return puller.run(lambda _text, _share: None)
    finally:
        puller.close()


def test_every_sample_of_the_run_comes_back(server, recorded, tmp_path):
    """As the text it was, at the millisecond it was."""
    report = pull(server, tmp_path, recorded, Wanted(queries=('{__name__!=""}',)))
    assert read(tmp_path / "fleet.pull") == recorded
    assert report.rows_read == len(recorded)


def test_presets_bring_what_the_engines_say(server, recorded, tmp_path):
    """Engine, router and targets; the measurements of both pools are there."""
    report = pull(server, tmp_path, recorded, Wanted())
    assert {one.selection.name for one in report.selections} == {"dynamo", "up", "vllm"}
    assert read(tmp_path / "fleet.pull").items() <= recorded.items()
    signals = set(create_store(tmp_path / "fleet.duckdb").panel("dynamo").frame.columns)
    assert {"decode:decode_tps", "decode:kv_usage", "decode:running"} <= signals
