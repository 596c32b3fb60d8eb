"""OpenMetrics and Prometheus text exposition: scrapes, folders of timed scrapes, and dumps with times."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from signals.errors import InputError
from signals.schema import Finding
from signals.store.parsed import Chunk, ReadOptions, Source
from signals.store.sources.exposition import parse_labels, split_sample
from signals.store.sources.sample_chunks import SampleChunks
from signals.store.sources.scrape import Scrape
from signals.store.sources.scrape_folder import open_folder

__all__ = ["OPENMETRICS"]

_EOF = b"# EOF"
_META_LINE = re.compile(r"^# (HELP|TYPE|UNIT) \S+")
_LOOKED_AT = 20


def _detect(head: bytes, path: Path) -> float:  # noqa: ARG001 - the content tells
    lines = head.decode("utf-8", errors="replace").splitlines()[:_LOOKED_AT]
    lines = [line for line in lines if line.strip()]
    if any(_META_LINE.match(line) for line in lines):
        return 0.95
    if lines == [_EOF.decode()]:
        return 0.95
    samples = [line for line in lines if not line.startswith("#")]
    fitting = sum(_is_sample(line) for line in samples)
    return 0.7 if samples and fitting >= 0.8 * len(samples) else 0.0


def _is_sample(line: str) -> bool:
    found = split_sample(line.strip())
    # braces alone are a block dump's line, and a colon behind the name is YAML
    if found is None or found[0].startswith("{") or found[0].endswith(":"):
        return False
    if parse_labels(found[0]) is None:
        return False
    try:
        float(found[1])
    except ValueError:
        return False
    return True


def _read(path: Path, options: ReadOptions) -> Iterator[Chunk]:
    chunks = SampleChunks(path)
    if path.is_dir():
        yield from _read_folder(path, options, chunks)
    else:
        scrape = Scrape(path, options, chunks)
        for _ in scrape.blocks():
            yield from chunks.full()
        yield from chunks.rest()
        idle = _idle_at("each sample has a time of its own") if _is_idle(scrape, options) else ()
        yield Chunk(findings=(*scrape.findings(), *idle))
    if chunks.rows_read == 0:
        raise InputError(
            "the text holds no sample",
            where=str(path),
            expected='lines such as vllm:num_requests_running{engine="0"} 3',
        )


def _read_folder(path: Path, options: ReadOptions, chunks: SampleChunks) -> Iterator[Chunk]:
    folder = open_folder(path, options, lambda head, file: _detect(head, file) > 0)
    findings: list[Finding] = [*folder.findings]
    took_at = False
    for one in folder.scrapes:
        own = replace(options, at=one.at or options.at)
        scrape = Scrape(one.path, own, chunks, labels=one.labels, ask=folder.ask)
        for _ in scrape.blocks():
            yield from chunks.full()
        findings += scrape.findings()
        took_at |= one.at is None and scrape.took_at
    if options.at is not None and not took_at:
        findings += _idle_at("an index, the names of the files or the samples give each its own")
    yield from chunks.rest()
    yield Chunk(findings=_summed(findings))


def _is_idle(scrape: Scrape, options: ReadOptions) -> bool:
    return options.at is not None and not scrape.took_at


def _idle_at(why: str) -> tuple[Finding, ...]:
    return (
        Finding(
            "option_unused",
            "warning",
            f"the time given with --at was not used: {why}",
            subject="--at",
            action="times of the file taken",
        ),
    )


def _summed(findings: list[Finding]) -> tuple[Finding, ...]:
    """One finding per code: a folder holds thousands of scrapes that all say the same."""
    first: dict[str, Finding] = {}
    for finding in findings:
        known = first.get(finding.code)
        count = finding.count + (known.count if known else 0)
        first[finding.code] = replace(known or finding, count=count)
    return tuple(first.values())


OPENMETRICS = Source(
    name="openmetrics",
    title="OpenMetrics or Prometheus text exposition",
    suffixes=(".prom", ".om", ".txt", ".txt.gz"),
    detect=_detect,
    read=_read,
    open_end=None,
    folder=True,
    example='vllm:generation_tokens_total{engine="0",pod="decode-0"} 1450 1780300815',
    export="`curl -s POD:8000/metrics > decode-0_$(date +%s).prom`, again and again; blocks: "
    "`promtool tsdb dump-openmetrics DATA_DIR > dump.om`",
    load="[--at TIME]",
    traps=(
        "Scrapes have no times: one alone takes --at, a folder takes them from index.jsonl or "
        "index.csv (file, time) or from file names, epoch or ISO; never from the file's date.",
        "Scrapes of several pods have the same series: the index's pod or instance, or what is "
        "left of the file names, tells them apart.",
        "Times are milliseconds, but seconds in OpenMetrics, which ends in # EOF; a text that "
        "contradicts itself is reported.",
        "Exemplars are passed over, _created series are left out, and native histograms are "
        "counted as rejects.",
    ),
)
