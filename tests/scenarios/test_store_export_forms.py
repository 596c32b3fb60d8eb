"""One Prometheus, exported in every form people use: the samples are the same to the last bit.

The run's servers scraped a live fleet every 5 s and every 15 s. What a form cannot carry is said here: range
vectors, OpenMetrics and VictoriaMetrics leave out the staleness markers that a block dump prints as NaN, and a range
query shows each sample at its step, not at its own time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from signals.schema import Panel
from signals.store import LoadOptions, LoadReport, create_store
from signals.store.parsed import ReadOptions
from signals.store.sources import detect, input_files

FORMS_15S = (
    "promtool_tsdb_dump.txt.gz",
    "victoriametrics_export.jsonl.gz",
    "openmetrics_all_series.txt.gz",
)
FORMS_5S = ("promtool_tsdb_dump.txt.gz", "victoriametrics_export.jsonl.gz")
SAMPLES = {"prom_15s": 146_353, "prom_5s": 439_157}
STALE = {"prom_15s": 272, "prom_5s": 276}
TWICE = {"prom_15s": 206, "prom_5s": 623}
STEP_US = 15_000_000
LOOK_BACK_US = 300_000_000


def parts(path: Path) -> Iterator[pl.DataFrame]:
    """Frames of `key` (name and labels), `sampling`, `us` and `bits` (of the value), in the file's order."""
    for file in input_files(path):
        for chunk in detect(file).read(file, ReadOptions()):
            assert chunk.rejects == ()
            if chunk.samples is None or not chunk.samples.height:
                continue
            keys = [f"{one.metric} {sorted(one.labels.items())}" for one in chunk.series]
            series = pl.DataFrame(
                {
                    "series": pl.Series(range(len(keys)), dtype=pl.UInt32),
                    "key": keys,
                    "sampling": [one.sampling for one in chunk.series],
                }
            )
            yield chunk.samples.join(series, on="series", maintain_order="left").select(
                "key",
                "sampling",
                pl.col("ts").dt.epoch("us").alias("us"),
                pl.col("value"),
                pl.col("value").reinterpret(signed=False).alias("bits"),
            )


def samples(path: Path) -> pl.DataFrame:
    """All samples of a path, each series in the order of its file."""
    return pl.concat(parts(path)).sort("key", maintain_order=True)


@pytest.fixture(scope="module")
def run(shared: Path) -> Path:
    return shared / "data" / "dynamo_pd_run"


@pytest.fixture(scope="module", params=["prom_15s", "prom_5s"])
def server(request: pytest.FixtureRequest, run: Path) -> Path:
    return run / str(request.param)


def test_every_form_holds_the_same_samples(server: Path) -> None:
    forms = FORMS_15S if server.name == "prom_15s" else FORMS_5S
    vectors = server / "raw_range_vector"
    found = {name: samples(server / name) for name in forms}
    expected = samples(vectors)
    assert expected.height == SAMPLES[server.name]
    for name, frame in found.items():
        assert frame["sampling"].unique().to_list() == ["raw"]
        kept = frame.filter(pl.col("value").is_not_nan()) if "dump" in name else frame
        # a measured NaN would be one in every form; here only markers of the dump are
        assert frame.height - kept.height == (STALE[server.name] if "dump" in name else 0), name
        assert kept.select("key", "us", "bits").equals(expected.select("key", "us", "bits")), name


def test_query_range_shows_at_every_step_the_latest_sample_before_it(run: Path) -> None:
    server = run / "prom_5s"
    steps = samples(server / "query_range_step15s")
    assert steps["sampling"].unique().to_list() == ["step_aligned"]
    grid = steps["us"].unique().sort()
    assert set(grid.diff().drop_nulls()) == {STEP_US}
    # with the dump's markers, since a series that ended is not looked back for
    raw = samples(server / "promtool_tsdb_dump.txt.gz").rename({"us": "sampled_us"})
    moments = raw.select(pl.col("key").unique()).join(grid.to_frame(), how="cross")
    expected = (
        moments.sort("us")
        .join_asof(
            raw.select("key", "sampled_us", "value", "bits").sort("sampled_us"),
            left_on="us",
            right_on="sampled_us",
            by="key",
            check_sortedness=False,
        )
        .filter(pl.col("value").is_not_nan() & (pl.col("us") - pl.col("sampled_us") < LOOK_BACK_US))
        .select("key", "us", "bits")
        .sort("key", "us")
    )
    assert steps.select("key", "us", "bits").sort("key", "us").equals(expected)


# --- the store ------------------------------------------------------------------------------------------


def stored(source: Path, folder: Path) -> tuple[Panel, LoadReport]:
    """The signals of one export, loaded by itself."""
    store = create_store(folder / "fleet.duckdb")
    report = store.load([source], LoadOptions(read=ReadOptions(service="dyn")))
    return store.panel("dyn", tick_s=STEP_US / 1e6), report


def remarks(report: LoadReport) -> Counter[str]:
    counts: Counter[str] = Counter()
    for source in report.sources:
        counts.update(source.findings)
    return counts


def test_every_form_gives_the_same_signals(server: Path, tmp_path: Path) -> None:
    forms = FORMS_15S if server.name == "prom_15s" else FORMS_5S
    # hundreds of files, so for one server only
    vectors = ("raw_range_vector",) if server.name == "prom_15s" else ()
    panels = {}
    for name in (*forms, *vectors):
        (tmp_path / name).mkdir()
        panels[name], report = stored(server / name, tmp_path / name)
        # the dump's staleness markers are left out, and a gauge that has its old name too is kept once
        found = remarks(report)
        assert found["not_a_number"] == (STALE[server.name] if "dump" in name else 0), name
        kept = sum(source.rows_kept for source in report.sources)
        assert (kept, found["old_name"]) == (SAMPLES[server.name] - TWICE[server.name], 2), name
    first = panels[forms[0]]
    assert len(first.columns) > 30
    for name, panel in panels.items():
        assert panel.frame.equals(first.frame, null_equal=True), name
        assert panel.columns == first.columns, name


def test_signals_of_a_range_query_are_marked_and_late_by_less_than_a_step(
    run: Path, tmp_path: Path
) -> None:
    for name in ("raw", "steps"):
        (tmp_path / name).mkdir()
    raw, _ = stored(run / "prom_5s" / FORMS_5S[0], tmp_path / "raw")
    steps, _ = stored(run / "prom_5s" / "query_range_step15s", tmp_path / "steps")
    for panel, sampling in ((raw, "raw"), (steps, "step_aligned")):
        # who was ready is told by who was scraped, whatever the form
        measured = [column for column in panel.columns if column.signal != "ready"]
        assert {column.sampling for column in measured} == {sampling}
    assert [column.name for column in steps.columns] == [column.name for column in raw.columns]
    both = raw.frame.join(steps.frame, on="tick", suffix=" steps")
    for name in ("decode:decode_tps", "service:request_rate"):
        # the same is counted in all, and a step moves no more than one tick's worth at any moment
        counts = both.select(pl.col(name, f"{name} steps").fill_null(0).cum_sum() * raw.tick_s)
        apart = (counts[name] - counts[f"{name} steps"]).abs()
        assert apart.to_numpy().max() <= both[name].drop_nulls().to_numpy().max() * raw.tick_s
        assert apart[-1] == pytest.approx(0, abs=1e-3 * counts[name][-1])
