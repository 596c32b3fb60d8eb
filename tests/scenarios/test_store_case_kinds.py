"""Each public bug report as a kind: other numbers, more pods, other labels than the report's own."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from signals.schema import Panel
from signals.store import LoadOptions, LoadReport, Store, create_store
from signals.store.parsed import ReadOptions

T0 = 1_760_000_000
SEEDS = range(3)
Row = Sequence[object]


def load(
    tmp_path: Path, header: str, rows: Iterable[Row], *pool_rules: str
) -> tuple[Store, LoadReport]:
    """Load a long table, as a user would."""
    file = tmp_path / "input.csv"
    lines = [",".join("" if cell is None else str(cell) for cell in row) for row in rows]
    file.write_text("\n".join([header, *lines]) + "\n")
    store = create_store(tmp_path / "fleet.duckdb")
    read = ReadOptions(service="svc", start=datetime.fromtimestamp(T0, UTC))
    return store, store.load([file], LoadOptions(read=read, pool_rules=pool_rules))


def total(panel: Panel, name: str) -> float:
    return float(panel.frame[name].sum()) * panel.tick_s


def codes(store: Store) -> dict[str, int]:
    """Counts of all findings by code."""
    found: dict[str, int] = {}
    for code, count in store.inventory().findings.select("code", "count").iter_rows():
        found[code] = found.get(code, 0) + count
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_03_pods_come_and_go_and_only_their_own_steps_count(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    step_s = draw.choice([15, 30])
    rows, expected, late = [], 0, 0
    for pod in range(draw.randint(3, 8)):
        first, length = (0, 12) if pod == 0 else (draw.randint(0, 7), draw.randint(3, 6))
        # who misses but the last scrape may be there still: see the next test
        length = 12 - first if first + length > 10 else length
        value = draw.randint(1, 90_000)
        late += first > 1
        for i in range(first, first + length):
            rows.append((i * step_s, f"pod-{pod}", "vllm:prompt_tokens_total", value))
            increase = draw.randint(0, 500)
            expected += increase if i < first + length - 1 else 0
            value += increase
    draw.shuffle(rows)
    store, _ = load(tmp_path, "ts_s,pod,metric,value", rows)
    panel = store.panel("svc", tick_s=float(step_s))
    assert total(panel, "unified:prompt_tps") == pytest.approx(expected)
    assert panel.frame["unified:prompt_tps"].min() >= 0
    assert sum(f.count for f in panel.findings if f.code == "late_counter") == late
    assert "counter_reset" not in codes(store)


@pytest.mark.parametrize("missed", [1, 2, 7])
def test_03_a_pod_is_gone_when_two_scrapes_pass_without_it(tmp_path: Path, missed: int) -> None:
    rows = [
        (15 * i, f"pod-{pod}", "vllm:generation_tokens_total", 150 * i)
        for pod in range(4)
        for i in range(41 - (missed if pod == 3 else 0))
    ]
    store, _ = load(tmp_path, "ts_s,pod,metric,value", rows)
    found = store.panel("svc", tick_s=15.0).frame["unified:decode_tps"].drop_nulls().to_list()
    assert found == [40.0] * (40 - missed) + ([30.0] * missed if missed > 1 else [])


@pytest.mark.parametrize(
    "label", ["prometheus_replica", "__replica__", "thanos_replica", "prometheus", "replica"]
)
def test_04_two_collectors_count_once_whatever_their_label(tmp_path: Path, label: str) -> None:
    draw = random.Random(label)
    truth = {(pod, i): draw.randint(0, 40) for pod in range(5) for i in range(8)}
    holes = {key: draw.choice("AB") for key in truth if draw.random() < 0.3}
    rows = [
        (15 * i, f"decode-{pod}", replica, "vllm:num_requests_running", value)
        for replica in "AB"
        for (pod, i), value in truth.items()
        if holes.get((pod, i)) != replica
    ]
    store, report = load(tmp_path, f"ts_s,pod,{label},metric,value", rows)
    assert report.sources[0].series == 5
    assert report.sources[0].rows_kept == len(truth)
    sums = [sum(truth[pod, i] for pod in range(5)) for i in range(8)]
    assert store.panel("svc", tick_s=15.0).frame["decode:running"].to_list() == sums


def test_04_serving_replicas_are_no_collectors(tmp_path: Path) -> None:
    """Ray names what serves with the same label: two replicas of one address add up."""
    rows = [
        (
            15 * i,
            "n0:8080",
            "llm",
            "DecodeServer",
            replica,
            "ray_serve_replica_processing_queries",
            v,
        )
        for i in range(4)
        for replica, v in (("a", 3), ("b", 4))
    ]
    store, _ = load(tmp_path, "ts_s,instance,application,deployment,replica,metric,value", rows)
    assert store.panel("svc", tick_s=15.0).frame["decode:running"].to_list() == [7.0] * 4


@pytest.mark.parametrize("seed", SEEDS)
def test_05_copies_conflicts_and_disorder(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    values, value = [], draw.randint(0, 10_000)
    for _ in range(30):
        value += draw.randint(5, 50)
        values.append(value)
    rows = [(15 * i, "p0", "vllm:generation_tokens_total", v) for i, v in enumerate(values)]
    clashes = draw.sample(range(1, 29), 3)
    doubled = draw.sample(rows, 4)
    rows += doubled + [
        (15 * i, "p0", "vllm:generation_tokens_total", values[i] + 1) for i in clashes
    ]
    store, report = load(tmp_path, "ts_s,pod,metric,value", rows)
    source = report.sources[0]
    assert (source.rows_read, source.rows_kept) == (37, 30)
    assert source.findings["duplicate"] == 4
    assert source.findings["conflict"] == 3
    assert source.findings["out_of_order"] >= 1
    panel = store.panel("svc", tick_s=15.0)
    assert total(panel, "unified:decode_tps") == pytest.approx(values[-1] - values[0])
    assert "counter_reset" not in codes(store)


def buckets(pod: str, counts: dict[str, int], at: int = 15) -> list[Row]:
    """A histogram that stands at zero and holds these cumulative counts `at` seconds later."""
    name = "vllm:time_to_first_token_seconds_bucket"
    return [
        (second, pod, le, name, count if second else 0)
        for le, count in counts.items()
        for second in (0, at)
    ]


def quantile(counts: dict[str, int], q: float) -> float | None:
    """Linear inside a bucket; None above the top bound."""
    wanted, low, below = q * counts["+Inf"], 0.0, 0
    for le, count in counts.items():
        if count >= wanted:
            top = float(le)
            return None if le == "+Inf" else low + (top - low) * (wanted - below) / (count - below)
        low, below = float(le), count
    return None


@pytest.mark.parametrize("seed", SEEDS)
def test_06_a_quantile_beyond_the_top_bound_is_no_number(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    counts, count = {}, 0
    for le in ("0.5", "1", "2.5", "5", "10"):
        count += draw.randint(1, 40)
        counts[le] = count
    counts["+Inf"] = count + draw.randint(count // 20 + 1, count // 8 + 2)
    store, _ = load(tmp_path, "ts_s,pod,le,metric,value", buckets("prefill-0", counts))
    panel = store.panel("svc", tick_s=15.0)
    last = panel.frame.row(-1, named=True)
    assert last["prefill:ttft_p50"] == pytest.approx(quantile(counts, 0.5))
    assert last.get("prefill:ttft_p99") is None
    (finding,) = [f for f in panel.findings if f.code == "open_bound"]
    assert "the top bound of 10 s" in finding.text
    share = 1 - counts["10"] / counts["+Inf"]
    assert f"{share:.0%}" in finding.text


@pytest.mark.parametrize("seed", SEEDS)
def test_07_histograms_of_two_versions_merge_on_common_bounds(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)

    def counts(bounds: Sequence[str]) -> dict[str, int]:
        grown, found = 0, {}
        for le in bounds:
            grown += draw.randint(3, 60)
            found[le] = grown
        return found

    old = counts(("1", "5", "10", "+Inf"))
    new = counts(("1", "2", "5", "10", "20", "40", "+Inf"))
    rows = buckets("prefill-0", old) + buckets("prefill-1", new)
    store, _ = load(tmp_path, "ts_s,pod,le,metric,value", rows)
    merged = {le: old[le] + new[le] for le in old}
    last = store.panel("svc", tick_s=15.0).frame.row(-1, named=True)
    for name, q in (("p50", 0.5), ("p90", 0.9), ("p99", 0.99)):
        wanted = quantile(merged, q)
        assert last.get(f"prefill:ttft_{name}") == (
            None if wanted is None else pytest.approx(wanted)
        )
    assert codes(store)["bounds_changed"] == 2


OLD_07 = {"1": 50, "5": 80, "10": 90, "+Inf": 100}
NEW_07 = {"1": 10, "5": 30, "10": 50, "20": 80, "40": 95, "80": 100, "+Inf": 100}


def test_07_what_an_open_quantile_is_at_most_is_told(tmp_path: Path) -> None:
    rows = buckets("prefill-0", OLD_07) + buckets("prefill-1", NEW_07)
    store, _ = load(tmp_path, "ts_s,pod,le,metric,value", rows)
    (finding,) = [f for f in store.panel("svc").findings if f.code == "open_bound"]
    assert "above the top bound of 10 s" in finding.text
    assert "p90 is 40 s at most" in finding.text
    assert "p99" not in finding.text


def test_07_a_rule_that_makes_pods_pools_gives_quantiles_of_each(tmp_path: Path) -> None:
    rows = buckets("old-0", OLD_07) + buckets("new-0", NEW_07)
    store, _ = load(
        tmp_path, "ts_s,pod,le,metric,value", rows, "prefill=pod:old-0", "decode=pod:new-0"
    )
    last = store.panel("svc", tick_s=15.0).frame.row(-1, named=True)
    found = [last["prefill:ttft_p90"], last["decode:ttft_p90"]]
    assert found == pytest.approx([10.0, 100 / 3])


@pytest.mark.parametrize(
    ("old", "new", "signal", "scale"),
    [
        ("vllm:gpu_cache_usage_perc", "vllm:kv_cache_usage_perc", "kv_usage", 1.0),
        ("dcgm_gpu_utilization", "DCGM_FI_DEV_GPU_UTIL", "gpu_util", 0.01),
    ],
)
@pytest.mark.parametrize("both", [0, 1, 5])
def test_08_a_rename_is_one_signal(
    tmp_path: Path, old: str, new: str, signal: str, scale: float, both: int
) -> None:
    values = [20 + 3 * i for i in range(12)]
    rows = [(30 * i, old, "p0", "GPU-1", scale_up(v, scale)) for i, v in enumerate(values[:6])]
    rows += [
        (30 * (i + 6 - both), new, "p0", "GPU-1", scale_up(v, scale))
        for i, v in enumerate(values[6 - both :])
    ]
    store, report = load(tmp_path, "ts_s,metric,pod,UUID,value", rows)
    found = store.panel("svc", tick_s=30.0).frame[f"unified:{signal}"].to_list()
    assert found == pytest.approx([v / 100 for v in values])
    assert report.sources[0].findings["old_name"] == 1
    assert report.sources[0].findings.get("duplicate", 0) == both


def scale_up(percent: float, scale: float) -> float:
    return percent / 100 / scale


@pytest.mark.parametrize(
    "blank",
    ["4294967295", "9223372036854775792", "9223372036854775794", "140737488355328", "808334905"],
)
def test_09_blanks_are_missing_never_zero_and_never_clipped(tmp_path: Path, blank: str) -> None:
    draw = random.Random(blank)
    truth = {(gpu, i): draw.randint(1, 99) for gpu in range(3) for i in range(6)}
    odd = set(draw.sample(sorted(truth), 4))
    rows = [
        (15 * i, "DCGM_FI_DEV_GPU_UTIL", gpu, f"GPU-{gpu}", blank if (gpu, i) in odd else value)
        for (gpu, i), value in truth.items()
    ]
    store, report = load(tmp_path, "ts_s,metric,gpu,UUID,value", rows)
    assert report.sources[0].findings["sentinel"] == 4
    assert report.sources[0].rows_kept == len(truth) - 4
    found = store.panel("svc", tick_s=15.0).frame["unified:gpu_util"].drop_nulls()
    assert 0 < found.min() <= found.max() < 1


@pytest.mark.parametrize("top", [1, 40, 100])
def test_10_the_unit_comes_from_the_name_whatever_the_values(tmp_path: Path, top: int) -> None:
    values = [(7 * i) % (top + 1) for i in range(30)]
    rows: list[Row] = [
        (15 * i, "DCGM_FI_DEV_GPU_UTIL", 0, "GPU-0", None, v) for i, v in enumerate(values)
    ]
    rows += [(15 * i, "DCGM_FI_PROF_SM_ACTIVE", 0, "GPU-0", 1, 0.9) for i in range(29)]
    rows.append((15 * 29, "DCGM_FI_PROF_SM_ACTIVE", 0, "GPU-0", 1, 1.294))
    store, _ = load(tmp_path, "ts_s,metric,gpu,UUID,GPU_I_ID,value", rows)
    frame = store.panel("svc", tick_s=15.0).frame
    assert frame["unified:gpu_util"].to_list() == pytest.approx([v / 100 for v in values])
    found = codes(store)
    assert found["out_of_range"] == 1
    assert found["mig_no_gpu_util"] == 1
    assert ("unit_doubtful" in found) == (top == 1)


@pytest.mark.parametrize("missing", ["[N/A]", "[Not Supported]", "[Unknown Error]"])
def test_11_cells_without_a_value_are_missing_and_memory_is_a_share_of_its_gpu(
    tmp_path: Path, missing: str
) -> None:
    draw = random.Random(missing)
    used = {(i, gpu): draw.randint(0, 40) * 1024 for i in range(6) for gpu in range(3)}
    holes = set(draw.sample(sorted(used), 4))
    lines = ["timestamp, index, memory.used [MiB], memory.total [MiB], power.draw [W]"]
    for (i, gpu), mebibytes in used.items():
        cell = missing if (i, gpu) in holes else f"{mebibytes} MiB"
        power = missing if gpu == 1 else "300.50 W"
        moment = f"2026/03/04 10:00:{5 * i:02d}.120"
        lines.append(f"{moment}, {gpu}, {cell}, {(1 + gpu) * 40960} MiB, {power}")
    file = tmp_path / "smi.csv"
    file.write_text("\n".join(lines) + "\n")
    store = create_store(tmp_path / "fleet.duckdb")
    report = store.load([file], LoadOptions(read=ReadOptions(service="svc", zone="UTC")))
    assert report.sources[0].findings["missing_cells"] == 4 + 6
    frame = store.panel("svc", tick_s=5.0).frame
    assert frame["unified:power_w"].to_list() == pytest.approx([300.5] * 6)
    # carried over holes, the same GPUs above and below: with one missing from the start there is no share
    whole = [
        i for i in range(6) if not any((j, gpu) in holes for j in range(i + 1) for gpu in range(3))
    ]
    shares = dict(enumerate(frame["unified:fb_used_ratio"].to_list()))
    assert [shares[i] for i in whole] == pytest.approx(
        [sum(used[i, gpu] for gpu in range(3)) / (6 * 40960) for i in whole]
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_12_a_gpu_is_its_uuid_whatever_pod_uses_it(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    values = [draw.randint(1, 99) for _ in range(12)]
    changes = sorted(draw.sample(range(1, 12), 3))
    rows: list[Row] = []
    for i, value in enumerate(values):
        turn = sum(i >= change for change in changes)
        sharers = [None] if turn == 0 else [f"llm-{turn}"] if turn < 3 else ["llm-3", "llm-4"]
        rows += [(15 * i, "DCGM_FI_DEV_GPU_UTIL", "GPU-aaaa", 0, pod, value) for pod in sharers]
    store, _ = load(tmp_path, "ts_s,metric,UUID,gpu,exported_pod,value", rows)
    assert store.inventory().pools["gpus"].to_list() == [1]
    found = store.panel("svc", tick_s=15.0).frame["unified:gpu_util"].to_list()
    assert found == pytest.approx([v / 100 for v in values])
