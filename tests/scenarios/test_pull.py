"""Pulling from a real Prometheus and a real VictoriaMetrics: every sample once, whatever happens on the way."""

import gzip
import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from signals.errors import StoreError
from signals.store import create_store
from signals.store.pull import client as client_module
from signals.store.pull.endpoint import Access, parse_endpoint
from signals.store.pull.faults import ServerError
from signals.store.pull.selection import Wanted
from signals.usecases.load import clock
from signals.usecases.pull import Pull, PullRequest
from tests.builders_servers import Prometheus, Proxy, VictoriaMetrics, await_true, running

pytestmark = pytest.mark.prometheus

START = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
END = START + timedelta(hours=2)
START_MS = round(START.timestamp() * 1000)
SCRAPE_MS = 15_000
SCRAPES = 480
OFFSETS_MS = {"prefill-0": 4_321, "decode-0": 0}
"""One instance is scraped on the very edges of windows, the other between them."""
METRICS = {
    "vllm:generation_tokens_total": "counter",
    "vllm:num_requests_waiting": "gauge",
    "ray_vllm_prompt_tokens_total": "counter",
    "up": "gauge",
}
OTHERS = {"node_load1": "gauge"}

Samples = Counter[tuple[str, str, int, float]]


def samples() -> Samples:
    """Name, pod, time and value of all that is put in."""
    found = Counter()
    for number, name in enumerate([*METRICS, *OTHERS]):
        for pod, offset in OFFSETS_MS.items():
            for scrape in range(SCRAPES):
                value = scrape * (number + 0.25) if name != "up" else 1.0
                found[name, pod, START_MS + offset + scrape * SCRAPE_MS, value] += 1
    return found


ALL = samples()
WANTED = Counter({key: count for key, count in ALL.items() if key[0] in METRICS})


def labels(pod: str) -> str:
    return f'{{job="llm",namespace="chat",instance="{pod}:8000",pod="{pod}",engine="0"}}'


def openmetrics() -> str:
    """The samples in OpenMetrics, by family."""
    lines = []
    for name, kind in {**METRICS, **OTHERS}.items():
        lines.append(f"# TYPE {name.removesuffix('_total')} {kind}")
        lines += [
            f"{name}{labels(pod)} {value} {at / 1000:.3f}"
            for one, pod, at, value in ALL
            if one == name
        ]
    return "\n".join([*lines, "# EOF", ""])


def text_format() -> str:
    """The samples in Prometheus' text format, times in milliseconds."""
    return "\n".join(f"{n}{labels(p)} {v} {at}" for n, p, at, v in ALL) + "\n"


@pytest.fixture(scope="module")
def prometheus(tmp_path_factory):
    """A Prometheus with two hours of samples."""
    server = Prometheus(tmp_path_factory.mktemp("prometheus"))
    server.fill(openmetrics())
    with running(server):
        yield server


@pytest.fixture(scope="module")
def victoria(tmp_path_factory):
    """A VictoriaMetrics with the same."""
    server = VictoriaMetrics(tmp_path_factory.mktemp("victoria"))
    with running(server):
        server.fill(text_format())
        yield server


@pytest.fixture(params=["prometheus", "victoria"])
def server(request):
    """Each of the two servers."""
    return request.getfixturevalue(request.param)


@pytest.fixture
def proxy(server):
    """A proxy in front of each."""
    between = Proxy(server.port)
    yield between
    between.close()


@pytest.fixture(autouse=True)
def hasty(monkeypatch):
    """Pauses between attempts that a test can wait for."""
    monkeypatch.setattr(client_module, "_FIRST_PAUSE_S", 0.01)
    monkeypatch.setattr(client_module, "_LONGEST_PAUSE_S", 0.05)


def asked(url: str, **changes) -> PullRequest:
    """A request for the two hours, its files kept."""
    words = {"first": START, "last": END, "service": "chat", "keep": True, **changes}
    return PullRequest(endpoint=parse_endpoint(url), **words)


def pull(folder, request):
    """Pull once; gives the report."""
    puller = Pull(create_store(folder / "fleet.duckdb"), request, clock=clock)
    try:
        return puller.run(lambda _text, _share: None)
    finally:
        puller.close()


def kept(folder) -> Samples:
    """Every sample of the files beside the store, as often as it is there."""
    found = Counter()
    for path in sorted((folder / "fleet.pull").rglob("*.json.gz")):
        for series in json.loads(gzip.decompress(path.read_bytes()))["data"]["result"]:
            name, pod = series["metric"]["__name__"], series["metric"]["pod"]
            for at, value in series["values"]:
                found[name, pod, round(at * 1000), float(value)] += 1
    return found


def stored_rows(folder) -> int:
    """Rows of the store, by its sources."""
    rows = create_store(folder / "fleet.duckdb").query("mart/sources", {})
    return int(rows["rows_kept"].sum())


def test_every_sample_arrives_once_and_nothing_else(server, tmp_path):
    """Presets find their metrics and those beside them; samples equal the blocks' to the last bit."""
    report = pull(tmp_path, asked(server.url))
    assert kept(tmp_path) == WANTED
    assert {one.selection.name for one in report.selections} == {"vllm", "up"}
    assert report.rows_kept == WANTED.total() == stored_rows(tmp_path)


@pytest.mark.parametrize(("aim", "minutes", "questions"), [(1_000, 20, 40), (20_000, 120, 5)])
def test_tiny_answers_bring_the_same(server, tmp_path, aim, minutes, questions):
    """However small the windows, no sample is lost or doubled at their edges."""
    last = START + timedelta(minutes=minutes)
    report = pull(tmp_path, asked(server.url, aim_bytes=aim, last=last))
    wanted = Counter({k: n for k, n in WANTED.items() if k[2] < START_MS + minutes * 60_000})
    assert kept(tmp_path) == wanted
    assert report.rows_kept == wanted.total()
    assert sum(one.questions for one in report.selections) > questions


def test_second_pull_asks_nothing_again(proxy, tmp_path):
    """What is stored tells what is missing; a longer time is filled at both ends."""
    hour = timedelta(hours=1)
    pull(tmp_path, asked(proxy.url, first=START + hour / 2, last=START + hour, keep=False))
    assert not (tmp_path / "fleet.pull").exists()
    report = pull(tmp_path, asked(proxy.url, keep=False))
    assert stored_rows(tmp_path) == WANTED.total()
    assert [one.stored_ms for one in report.selections] == [1_800_000, 1_800_000]
    report = pull(tmp_path, asked(proxy.url, keep=False))
    assert [one.questions for one in report.selections] == [0, 0]
    assert stored_rows(tmp_path) == WANTED.total()


def test_failures_on_the_way_leave_no_trace(proxy, tmp_path):
    """503, 429, garbage, cut and dropped answers are asked again; at most two questions run together."""
    moods = ["503", "429 0", "garbage", "half", "drop", "500", "504", "slow"]

    def mood(number, path):
        return "pass" if number <= 20 or number % 3 else moods[number // 3 % len(moods)]

    proxy.mood = mood
    report = pull(tmp_path, asked(proxy.url, aim_bytes=2_000))
    assert kept(tmp_path) == WANTED
    assert report.rows_kept == WANTED.total()
    assert report.repeats > 5
    assert proxy.most_at_once <= 2


def test_lost_server_is_told_and_the_repeat_completes(proxy, tmp_path):
    """What arrived stays; the same command fetches the rest."""
    proxy.mood = lambda number, _path: "pass" if number <= 30 else "503"
    with pytest.raises(ServerError, match="503"):
        pull(tmp_path, asked(proxy.url, aim_bytes=2_000))
    before = kept(tmp_path)
    assert 0 < before.total() < WANTED.total()
    assert stored_rows(tmp_path) == before.total()
    proxy.mood = lambda _number, _path: "pass"
    pull(tmp_path, asked(proxy.url, aim_bytes=2_000))
    assert kept(tmp_path) == WANTED
    assert stored_rows(tmp_path) == WANTED.total()


def test_killed_prometheus_comes_back(tmp_path):
    """A server that dies in the middle, and is started again, costs nothing but the wait."""
    (tmp_path / "server").mkdir()
    server = Prometheus(tmp_path / "server")
    server.fill(openmetrics())
    with running(server):
        between = Proxy(server.port)

        def mood(number, _path):
            if number == 30:
                server.kill()
            return "pass"

        between.mood = mood
        with pytest.raises(ServerError):
            pull(tmp_path, asked(between.url, aim_bytes=2_000))
        assert 0 < stored_rows(tmp_path) < WANTED.total()
        server.start()
        pull(tmp_path, asked(between.url, aim_bytes=2_000))
        between.close()
    assert kept(tmp_path) == WANTED
    assert stored_rows(tmp_path) == WANTED.total()


def test_limits_of_the_server_make_the_windows_smaller(tmp_path):
    """A Prometheus that loads few samples per query is asked for less at once."""
    (tmp_path / "server").mkdir()
    server = Prometheus(tmp_path / "server", flags=("--query.max-samples=200",))
    server.fill(openmetrics())
    with running(server):
        pull(tmp_path, asked(server.url))
    assert kept(tmp_path) == WANTED


def test_selectors_and_expressions(server, tmp_path):
    """A selector brings raw samples of any metric, an expression values at steps of its own grid."""
    names = (client_name("decode_tps", "tokens/s"),)
    wanted = Wanted(
        queries=('node_load1{pod="decode-0"}', "sum(rate(vllm:generation_tokens_total[1m]))"),
        names=names,
        step_ms=15_000,
    )
    report = pull(tmp_path, asked(server.url, wanted=wanted))
    raw, steps = report.selections
    assert raw.samples == SCRAPES
    assert 470 <= steps.samples <= 480
    assert report.rows_kept == raw.samples + steps.samples


def client_name(name, unit):
    """A name with its unit, as --as gives it."""
    from signals.store.parsed import NameChoice

    return NameChoice(name, unit)


def test_cost_is_counted_by_the_server(server, tmp_path):
    """A dry run counts series and samples, and leaves nothing behind."""
    puller = Pull(create_store(tmp_path / "fleet.duckdb"), asked(server.url), clock=clock)
    costs = {cost.selection.name: cost for cost in puller.costs()}
    puller.close()
    assert (costs["vllm"].series, costs["vllm"].samples) == (6, 6 * SCRAPES)
    assert (costs["up"].series, costs["up"].samples) == (2, 2 * SCRAPES)
    assert costs["vllm"].exact
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["token", "basic"])
def test_secrets_from_files_open_the_door(proxy, tmp_path, kind):
    """The right secret lets in, the wrong one is told without being shown, none is stored."""
    secret = tmp_path / "secret"
    secret.write_text("s3cr3t-word\n", encoding="utf-8")
    if kind == "token":
        proxy.authorization = "Bearer s3cr3t-word"
        access = Access(token_file=secret)
    else:
        proxy.authorization = "Basic YW5uOnMzY3IzdC13b3Jk"
        access = Access(user="ann", password_file=secret)
    folder = tmp_path / "out"
    folder.mkdir()
    pull(folder, asked(proxy.url, access=access))
    assert kept(folder) == WANTED
    for path in folder.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            data += gzip.decompress(data) if path.suffix == ".gz" else b""
            assert b"s3cr3t-word" not in data
            assert b"YW5uOnM" not in data

    secret.write_text("wr0ng-word", encoding="utf-8")
    proxy.text = "you sent {authorization}"
    with pytest.raises(ServerError, match="401") as raised:
        pull(tmp_path, asked(proxy.url, access=access))
    assert "wr0ng-word" not in f"{raised.value}"


def test_follow_takes_what_is_new(tmp_path):
    """New samples come into the store as they come to the server, and Ctrl-C ends it well."""
    (tmp_path / "server").mkdir()
    server = VictoriaMetrics(tmp_path / "server")
    with running(server):
        now = clock()
        at = round(now.timestamp() * 1000)
        line = f"vllm:num_requests_waiting{labels('decode-0')}"
        server.fill("".join(f"{line} {n} {at - 60_000 + 1000 * n}\n" for n in range(60)))
        request = asked(server.url, first=now - timedelta(minutes=2), last=None)
        request = PullRequest(**{**vars(request), "settle": timedelta(0)})
        puller = Pull(create_store(tmp_path / "fleet.duckdb"), request, clock=clock)
        told = []

        def tell(text):
            told.append(text)
            if len(told) == 3:
                raise KeyboardInterrupt
            at = round(clock().timestamp() * 1000)
            server.fill(f"{line} {100 + len(told)} {at + 300}\n")

        report = puller.follow(0.5, tell)
        puller.close()
    assert report.stopped
    found = kept(tmp_path)
    assert [v for *_, v in sorted(found, key=lambda k: k[2])] == [*map(float, range(60)), 101, 102]
    assert set(found.values()) == {1}
    assert report.rows_kept == 62


def test_two_pulls_into_one_store_do_not_meet(proxy, tmp_path):
    """The second is told to wait."""
    proxy.mood = lambda _number, _path: "hold"
    with ThreadPoolExecutor() as threads:
        first = threads.submit(pull, tmp_path, asked(proxy.url))
        try:
            await_true(lambda: proxy.seen or first.done())
            with pytest.raises(StoreError, match="another pull"):
                pull(tmp_path, asked(proxy.url))
        finally:
            proxy.release()
        first.result()
    assert kept(tmp_path) == WANTED
