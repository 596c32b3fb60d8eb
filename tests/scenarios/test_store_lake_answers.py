"""Everything that is asked of a store is answered by a lake with the same bits, for the same inputs."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from dashboard.source import BacktestRequest, StoreSource
from signals.cli.app import run as run_command
from signals.scenario import Scenario
from signals.schema import Slo
from signals.store import LoadOptions, Store, create_lake, create_store, open_store
from signals.store.parsed import ReadOptions
from signals.usecases import backtest, demo, demo_day, evaluate
from signals.usecases.load import clock
from signals.usecases.pull import Pull
from tests.builders_servers import Prometheus
from tests.scenarios.test_pull import asked, hasty, prometheus
from tests.scenarios.test_store_lake import without_times

__all__ = ["hasty", "prometheus"]

POLICIES = ("static", "heteroscale")


@dataclass(frozen=True)
class Twins:
    """One demo's files in a store of one file and in a lake."""

    file: Path
    lake: Path

    def each(self) -> Iterator[Path]:
        yield from (self.file, self.lake)


@pytest.fixture(scope="module")
def exports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One and a half hours of a simulated fleet: its telemetry and its request log."""
    folder = tmp_path_factory.mktemp("demo")
    demo._generate(demo_day.DemoDay(hours=1.5), 0, folder)
    return folder


@pytest.fixture(scope="module")
def loaded(exports: Path, tmp_path_factory: pytest.TempPathFactory) -> Twins:
    folder = tmp_path_factory.mktemp("stores")
    twins = Twins(folder / "fleet.duckdb", folder / "lake")
    options = LoadOptions(read=ReadOptions(service="demo"))
    files = [exports / name for name in demo.FILES[2:4]]
    for store in (create_store(twins.file), create_lake(twins.lake)):
        # in two loads, so that the lake has days of several files
        store.load(files[:1], options)
        store.load(files[1:], options)
    return twins


@pytest.fixture
def twins(loaded: Twins, tmp_path: Path) -> Twins:
    """The same in stores of their own."""
    shutil.copy(loaded.file, tmp_path)
    shutil.copytree(loaded.lake, tmp_path / "lake")
    return Twins(tmp_path / "fleet.duckdb", tmp_path / "lake")


def both(twins: Twins, ask: Callable[[Store], object]) -> list[object]:
    return [ask(open_store(place)) for place in twins.each()]


def test_the_scorecard(loaded: Twins) -> None:
    cards = both(loaded, lambda store: evaluate.evaluate(store, "demo"))
    assert cards[0] == cards[1]


def test_a_part_of_the_time(loaded: Twins) -> None:
    log = open_store(loaded.file).query("request_span", {"service": "demo"}).row(0, named=True)
    first = log["first_at"] + timedelta(minutes=20)
    panels = both(
        loaded, lambda store: store.panel("demo", first=first, last=first + timedelta(minutes=40))
    )
    assert_frame_equal(panels[0].frame, panels[1].frame, check_exact=True)
    assert panels[0].findings == panels[1].findings


def test_a_backtest_and_where_it_is_kept(twins: Twins) -> None:
    asked_for = Scenario(policies=POLICIES, seed=3)
    answers = both(twins, lambda store: backtest.run(store, "demo", asked_for))
    (mine, run_id), (other, other_id) = answers
    assert run_id == other_id
    for name in ("ticks", "readings", "events", "minutes"):
        assert_frame_equal(getattr(mine, name), getattr(other, name), check_exact=True)
    assert mine.policies == other.policies
    assert mine.findings == other.findings
    assert (twins.lake / "lake.runs.duckdb").is_file()
    kept = both(twins, lambda store: store.runs.load(run_id))
    assert kept[0].policies == kept[1].policies
    assert_frame_equal(kept[0].ticks, kept[1].ticks, check_exact=True)


def test_a_report(twins: Twins, tmp_path: Path) -> None:
    told = []
    for place in twins.each():
        page = tmp_path / "report.json"
        assert run_command(["report", "demo", "--store", str(place), "--output", str(page)]) == 0
        document = without_times(json.loads(page.read_text()), str(place))
        assert isinstance(document, dict)
        assert document.pop("generated_at")
        told.append(document)
    assert told[0] == told[1]


@pytest.mark.parametrize(
    "words",
    [
        ["evaluate", "demo"],
        ["inventory"],
        ["backtest", "demo", "--policy", "static"],
        ["query", "requests_per_tick"],
        ["doctor"],
    ],
    ids=lambda words: words[0],
)
def test_a_command(twins: Twins, words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    told = []
    for place in twins.each():
        capsys.readouterr()
        code = run_command([*words, "--store", str(place), "--json"])
        out = capsys.readouterr().out
        told.append((code, without_times(json.loads(out) if out else None, str(place))))
    assert told[0] == told[1]


def test_the_dashboard(twins: Twins) -> None:
    sources = [StoreSource(place) for place in twins.each()]
    assert sources[0].services() == sources[1].services() == ["demo"]
    for name in ("services", "pools", "targets", "signals", "findings"):
        frames = [getattr(source.overview(), name) for source in sources]
        assert_frame_equal(*frames, check_exact=True)
    cards = [source.scorecard("demo", None) for source in sources]
    assert cards[0] == cards[1]
    signal = cards[0].signals[0].signal
    details = [source.detail("demo", signal, None) for source in sources]
    assert repr(details[0]) == repr(details[1])
    request = BacktestRequest("demo", POLICIES[:1], Slo(ttft_s=2.0, tpot_s=0.1), 1.0)
    runs = [source.start_backtest(request, lambda _text, _share: None) for source in sources]
    assert runs[0] == runs[1]
    ticks = [source.comparison(run_id).ticks for source, run_id in zip(sources, runs, strict=True)]
    assert_frame_equal(*ticks, check_exact=True)
    assert [source.runs("demo")["run_id"].to_list() for source in sources] == [runs[:1], runs[:1]]


def test_the_dashboard_sees_what_comes_and_goes(twins: Twins, exports: Path) -> None:
    source = StoreSource(twins.lake)
    assert source.services() == ["demo"]
    options = LoadOptions(read=ReadOptions(service="again"))
    open_store(twins.lake).load([exports / demo.FILES[3]], options)
    assert source.services() == ["again", "demo"]
    open_store(twins.lake).forget("again")
    assert source.services() == ["demo"]


def test_what_is_forgotten_leaves_the_same(twins: Twins) -> None:
    names = open_store(twins.file).query("sources")["uri"].to_list()
    for name in names:
        reports = both(twins, lambda store, name=name: store.forget(name))
        assert reports[0] == reports[1]
        stocks = both(twins, lambda store: store.inventory())
        assert_frame_equal(stocks[0].services, stocks[1].services, check_exact=True)
        assert_frame_equal(stocks[0].findings, stocks[1].findings, check_exact=True)


@pytest.mark.prometheus
def test_a_pull_that_is_repeated_and_forgotten(prometheus: Prometheus, tmp_path: Path) -> None:
    stores = [create_store(tmp_path / "fleet.duckdb"), create_lake(tmp_path / "lake")]
    for _ in range(2):
        reports = []
        for store in stores:
            puller = Pull(store, asked(prometheus.url, keep=False), clock=clock)
            try:
                reports.append(puller.run(lambda _text, _share: None))
            finally:
                puller.close()
        counts = [[(one.samples, one.stored_ms) for one in told.selections] for told in reports]
        assert counts[0] == counts[1]
        panels = [store.panel("chat") for store in stores]
        assert_frame_equal(panels[0].frame, panels[1].frame, check_exact=True)
        sources = [
            store.query("sources").drop("loaded_at", strict=False).sort(pl.all())
            for store in stores
        ]
        assert_frame_equal(*sources, check_exact=True)
    gone = [store.forget("chat") for store in stores]
    assert gone[0] == gone[1]
    assert not list((tmp_path / "lake").rglob("*.parquet"))
