"""Every request trace of the shared data, loaded as a user would, has the statistics that its description names."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from signals.errors import InputError
from signals.store import LoadOptions, LoadReport, Store, create_store
from signals.store.parsed import ReadOptions

START = datetime(2025, 10, 9, tzinfo=UTC)
TRACES = "data/traces"


@dataclass
class Loaded:
    """A file in a store of its own."""

    store: Store
    report: LoadReport

    @property
    def log(self) -> pl.DataFrame:
        return self.store.requests("svc")

    @property
    def findings(self) -> dict[str, int]:
        return dict(self.report.sources[0].findings)

    def per_minute(self) -> np.ndarray:
        """Arrivals in each minute after the first one, the last and partial minute left out."""
        seconds = (self.log["arrived_at"] - self.log["arrived_at"][0]).dt.total_microseconds() / 1e6
        whole = int(seconds.max() // 60)  # type: ignore[operator]
        return np.bincount((seconds // 60).cast(pl.Int64).to_numpy(), minlength=whole)[:whole]

    def variation(self) -> float:
        """Coefficient of variation of the gaps between arrivals."""
        gaps = np.diff(self.log["arrived_at"].dt.timestamp("us").to_numpy())
        return float(gaps.std() / gaps.mean())


@pytest.fixture
def load(shared: Path, tmp_path: Path) -> Any:
    """Load one file of the shared data."""

    def run(name: str, **read: Any) -> Loaded:
        store = create_store(tmp_path / "fleet.duckdb")
        options = LoadOptions(read=ReadOptions(service="svc", **read))
        return Loaded(store, store.load([shared / name], options))

    return run


def lengths(log: pl.DataFrame, name: str) -> tuple[float, float, float]:
    column = log[name].drop_nulls()
    return column.mean(), column.quantile(0.5, "linear"), column.quantile(0.99, "linear")  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("name", "rows", "minute", "variation", "prompt", "output", "tens"),
    [
        (
            "azure_llm_2023_code_first40min.csv.gz",
            7_491,
            (187, 632, 0),
            12.6,
            (2040, 1465, 7436),
            (28, 13, 248),
            (1482, 2146, 2112, 1751),
        ),
        (
            "azure_llm_2023_conv_first40min.csv.gz",
            14_176,
            (354, 507, 191),
            1.08,
            (1195, 1015, 4121),
            (201, 115, 598),
            (2867, 3118, 4123, 4068),
        ),
    ],
)
def test_azure(
    load: Any,
    name: str,
    rows: int,
    minute: tuple[int, int, int],
    variation: float,
    prompt: tuple[int, int, int],
    output: tuple[int, int, int],
    tens: tuple[int, ...],
) -> None:
    loaded = load(f"{TRACES}/{name}")
    assert loaded.log.height == rows
    counts = loaded.per_minute()
    assert (counts.max(), counts.min()) == pytest.approx(minute[1:], rel=0.02)
    assert rows / 40 == pytest.approx(minute[0], abs=0.5)
    assert loaded.variation() == pytest.approx(variation, rel=0.01)
    assert lengths(loaded.log, "prompt_tokens") == pytest.approx(prompt, abs=1)
    assert lengths(loaded.log, "output_tokens") == pytest.approx(output, abs=1)
    seconds = (loaded.log["arrived_at"] - loaded.log["arrived_at"][0]).dt.total_seconds()
    assert np.bincount((seconds // 600).to_numpy()).tolist() == pytest.approx(tens, abs=15)


def test_mooncake(load: Any) -> None:
    loaded = load(f"{TRACES}/mooncake_fast25_conversation_trace.jsonl.gz", start=START)
    log, counts = loaded.log, loaded.per_minute()
    assert log.height == 12_031
    assert (counts.mean(), counts.max(), counts.min()) == pytest.approx((204, 247, 144), abs=1)
    assert lengths(log, "prompt_tokens") == pytest.approx((12_035, 6909, 85_400), rel=0.001)
    assert lengths(log, "output_tokens") == pytest.approx((343, 350, 1119), abs=1)
    assert log["arrived_at"].n_unique() == 1180
    span = log["arrived_at"].max() - log["arrived_at"].min()  # type: ignore[operator]
    assert span.total_seconds() / 3600 == pytest.approx(0.98, abs=0.005)  # type: ignore[union-attr]
    assert loaded.findings["quantised_times"] == 12_031 - 1180
    # 0.37 of the blocks, told and not stored as what a server had cached
    assert loaded.findings["prefix_cache_bound"] / log["block_hashes"].list.len().sum() == (
        pytest.approx(0.37, abs=0.005)
    )
    assert log["cached_tokens"].null_count() == log.height


def test_aibrix_ramp(load: Any) -> None:
    loaded = load(f"{TRACES}/aibrix_autoscaling_8min_up_and_down.csv.gz", start=START)
    assert loaded.log.height == 2026
    assert loaded.findings == {"no_output_length": 2}
    span = loaded.log["arrived_at"].max() - loaded.log["arrived_at"].min()
    assert span.total_seconds() / 60 == pytest.approx(7.6, abs=0.05)
    thirds = loaded.per_minute()
    assert thirds[3:5].mean() > 2 * thirds[0]  # up and down


def test_burstgpt_head(load: Any) -> None:
    loaded = load(f"{TRACES}/burstgpt_head_fixture.csv", start=START)
    assert loaded.log.height == 61
    assert loaded.findings == {"failed_requests": 4, "near_idle": 61}
    failed = loaded.log.filter(pl.col("status") == "error")
    assert failed.select("prompt_tokens", "output_tokens").sum().row(0) == (0, 0)


# --- per-request logs of serving runs ------------------------------------------------------------------


def test_aibrix_regression(load: Any) -> None:
    loaded = load("data/vllm_requests/aibrix_regression_v0.2.1_20250323.csv.gz")
    log = loaded.log
    assert log.height == 14_374
    assert loaded.findings == {"mixed_runs": 66}
    assert lengths(log, "prompt_tokens")[0] == pytest.approx(21_000, rel=0.01)
    assert log["output_tokens"].unique().to_list() == [100]
    assert (log["e2e_s"] >= log["ttft_s"]).all()


@pytest.mark.parametrize(
    "name", ["RTX4090_Llama-3.1-8B", "RTXPRO6000_Llama-3.1-8B", "RTXPRO6000_Qwen3-32B"]
)
def test_llmservingsim(load: Any, shared: Path, name: str) -> None:
    loaded = load(f"data/llmservingsim_vllm/{name}_requests.jsonl.gz")
    meta = json.loads((shared / f"data/llmservingsim_vllm/{name}_meta.json").read_text())
    begin, end = (datetime.fromisoformat(meta[key]) for key in ("started_at", "finished_at"))
    log = loaded.log
    assert log.height == meta["num_requests"] == 300
    assert log["arrived_at"].min() > begin  # type: ignore[operator]
    last = log.select(
        (pl.col("arrived_at") + pl.duration(microseconds=pl.col("e2e_s") * 1e6)).max()
    ).item()
    # with the clocks taken as one, the last token would be years away
    assert begin < last < end
    assert loaded.findings == {"two_clocks": 300}


def test_vllm_burstgpt_replays(shared: Path, tmp_path: Path) -> None:
    spans = []
    for scale in (100, 300, 400, 500, 700, 800, 900, 1500):
        name = f"detail_log_scale{scale}_prompt500.json.gz"
        store = create_store(tmp_path / f"{scale}.duckdb")
        read = ReadOptions(service="svc", start=START)
        path = shared / "data" / "vllm_burstgpt_scales" / name
        report = store.load([path], LoadOptions(read=read))
        assert report.sources[0].rows_kept == 500
        arrivals = store.requests("svc")["arrived_at"]
        assert arrivals.min() == START
        spans.append(scale * (arrivals.max() - START).total_seconds())  # type: ignore[operator,union-attr]
    # the same arrivals, only faster
    assert spans == pytest.approx([38_966] * 8, rel=0.002)


# --- rates ---------------------------------------------------------------------------------------------


def test_servegen_r1_is_drawn_whole(load: Any) -> None:
    loaded = load("data/servegen/deepseek-r1.rates.parquet", start=START, seed=7)
    log = loaded.log
    assert log.height == 1_383_669
    seconds = (log["arrived_at"] - START).dt.total_seconds().to_numpy()
    rates = np.bincount(seconds // 600, minlength=144) / 600
    assert (rates.mean(), rates.max(), rates.min()) == pytest.approx((16, 42.5, 4.3), abs=0.03)
    assert lengths(log, "prompt_tokens") == pytest.approx((1269, 205, 23_624), rel=0.03)
    assert lengths(log, "output_tokens") == pytest.approx((1528, 796, 12_832), rel=0.03)
    assert loaded.findings == {"drawn_requests": 1_383_669}


@pytest.mark.parametrize(
    ("name", "histogram", "read"),
    [
        ("m-large.rates.d0-9", "m-large.length_hist.d0-9", {"skip_s": 86_400.0, "share": 0.05}),
        ("m-small.rates", "m-small.length_hist", {"skip_s": 86_400.0, "share": 0.02}),
    ],
)
def test_servegen_stretches(
    load: Any, shared: Path, name: str, histogram: str, read: dict[str, Any]
) -> None:
    folder = shared / "data" / "servegen"
    loaded = load(f"data/servegen/{name}.parquet", start=START, span_s=6 * 3600.0, **read)
    begin = pl.col("window_start_s").is_between(86_400, 86_400 + 6 * 3600 - 1)
    rates = pl.read_parquet(folder / f"{name}.parquet").filter(begin)
    expected = rates.group_by("window_start_s").agg(pl.col("rate_rps").sum()).sort("window_start_s")
    seconds = (loaded.log["arrived_at"] - START).dt.total_seconds() - 86_400
    drawn = np.bincount((seconds // 600).to_numpy(), minlength=36) / 600 / read["share"]
    wanted = expected["rate_rps"].to_numpy()
    # five times the spread of the thinning
    spread = 5 * np.sqrt(wanted / (600 * read["share"]))
    assert (np.abs(drawn - wanted) < spread).all()
    assert loaded.findings["pooled_lengths"] > 0
    bins = pl.read_parquet(folder / f"{histogram}.parquet").filter(
        begin & (pl.col("field") == "input_tokens")
    )
    pooled = np.average(
        (bins["bin_lo"] + bins["bin_hi"] - 1) / 2, weights=bins["est_requests"].to_numpy()
    )
    # clients of one kind are more or less of the arrivals than of the lengths
    assert lengths(loaded.log, "prompt_tokens")[0] == pytest.approx(pooled, rel=0.1)


@pytest.mark.slow
def test_servegen_m_large_in_a_share(load: Any) -> None:
    loaded = load("data/servegen/m-large.rates.d0-9.parquet", start=START, share=0.02)
    log = loaded.log
    seconds = (log["arrived_at"] - START).dt.total_seconds().to_numpy()
    rates = np.bincount(seconds // 600, minlength=1440) / 600 / 0.02
    # thinned counts of some 2,500 a window spread by 2 %, and their extremes by some 6 %
    assert rates.mean() == pytest.approx(213, rel=0.002)
    assert (rates.max(), rates.min()) == pytest.approx((583, 83), rel=0.08)
    assert lengths(log, "prompt_tokens")[0] == pytest.approx(912, rel=0.03)
    assert lengths(log, "output_tokens")[0] == pytest.approx(148, rel=0.08)
    pooled = loaded.findings["pooled_lengths"] / log.height
    assert pooled == pytest.approx(0.39, abs=0.01)


def test_servegen_m_small_is_refused_whole(load: Any, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="1,420,558,786 requests") as caught:
        load("data/servegen/m-small.rates.parquet", start=START)
    assert "--span" in caught.value.hint


def test_a_folder_of_rates_and_lengths_loads_as_one(shared: Path, tmp_path: Path) -> None:
    folder = tmp_path / "r1"
    folder.mkdir()
    for file in (shared / "data" / "servegen").glob("deepseek-r1.*"):
        (folder / file.name).symlink_to(file)
    store = create_store(tmp_path / "fleet.duckdb")
    read = ReadOptions(service="svc", start=START, span_s=600.0)
    report = store.load([folder], LoadOptions(read=read))
    assert len(report.sources) == 3
    assert sum("lengths_only" in source.findings for source in report.sources) == 2
    assert store.requests("svc")["prompt_tokens"].null_count() == 0


# --- public bug reports --------------------------------------------------------------------------------


def expected_of(shared: Path, case: str) -> dict[str, Any]:
    text = next((shared / "cases" / case).glob("*.md")).read_text()
    answer: dict[str, Any] = json.loads(text.split("```json")[1].split("```")[0])
    return answer


def test_case_15_seven_digits(load: Any, shared: Path) -> None:
    right = expected_of(shared, "15-azure-seven-digits")
    log = load("cases/15-azure-seven-digits/input.csv").log
    offsets = (log["arrived_at"] - log["arrived_at"][0]).dt.total_microseconds().to_list()
    assert offsets == pytest.approx(right["offset_us"], abs=right["tolerance_us"])
    assert log["arrived_at"].n_unique() == right["distinct"]
    assert log["prompt_tokens"].sum() == right["context_tokens"]
    assert log["output_tokens"].sum() == right["generated_tokens"]


def test_case_16_failures_without_tokens(load: Any, shared: Path) -> None:
    right = expected_of(shared, "16-burstgpt-zero-tokens")
    loaded = load("cases/16-burstgpt-zero-tokens/input.csv", start=START)
    log = loaded.log
    done = log.filter(pl.col("status") == "ok")
    assert log.height == right["arrivals"]
    assert log.height - done.height == right["failed"]
    assert done.height == right["completed"]
    assert done["output_tokens"].mean() == right["mean_output_completed"]
    assert log["prompt_tokens"].sum() == right["prompt_tokens_all"]
    assert done["prompt_tokens"].sum() == right["prompt_tokens_completed"]
    assert 1 - done.height / log.height == pytest.approx(right["failure_share"], abs=1e-6)
    assert log["arrived_at"].to_list().count(START.replace(second=5)) == 2
    # the load that was offered counts failures, and nothing in the panel is infinite
    panel = loaded.store.panel("svc", tick_s=5.0)
    assert panel.frame["service:request_rate"].sum() * panel.tick_s == pytest.approx(6)
    numbers = panel.frame.select(pl.col(pl.Float64))
    assert numbers.select(pl.all().is_finite().fill_null(value=True).all()).row(0) == (
        (True,) * numbers.width
    )


def test_case_17_milliseconds(load: Any, shared: Path) -> None:
    right = expected_of(shared, "17-mooncake-ms")
    loaded = load("cases/17-mooncake-ms/input.jsonl", start=START)
    log = loaded.log
    seconds = (log["arrived_at"] - START).dt.total_seconds().to_numpy()
    assert seconds.max() == right["span_s"]
    assert log.height / right["span_s"] == pytest.approx(right["rps"], abs=1e-6)
    assert np.bincount(seconds // 3).tolist() == right["bins_3s"]
    assert log["prompt_tokens"].sum() / right["span_s"] == right["prompt_tps"]
    assert loaded.findings["quantised_times"] == 2


def test_case_17_without_a_start_says_that_1970_is_no_real_date(load: Any) -> None:
    assert load("cases/17-mooncake-ms/input.jsonl").findings["start_assumed"] == 1
