"""Write the report of a service: its scorecard, the evidence, and its backtests."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from signals.errors import AnalysisError, InputError, UsageError
from signals.replay.result import Comparison
from signals.report import json_form
from signals.report.answer import notable_signals, sentence
from signals.report.compose import build_document, build_tear_sheet
from signals.report.document import Document, Evidence
from signals.report.html_form import render_html
from signals.report.markdown import render_markdown
from signals.scenario import Scenario
from signals.schema import Panel
from signals.store import Store
from signals.study.score import Scorecard
from signals.study.scorecard import evaluate_panel
from signals.usecases import backtest
from signals.usecases.evaluate import details, read_panel
from signals.usecases.load import clock

__all__ = ["Written", "sentence", "write", "write_tear_sheets"]

Progress = Callable[[str, float], None]

SHOWN_BACKTESTS = 3
"""How many of the newest stored backtests a report shows."""


@dataclass(frozen=True, slots=True)
class Written:
    """A report on disk: its path, its size and its answer in one sentence."""

    path: Path
    size_bytes: int
    headline: str


def write(
    store: Store,
    service: str,
    output: Path,
    *,
    load: str | None = None,
    first: datetime | None = None,
    last: datetime | None = None,
    panel: Panel | None = None,
    card: Scorecard | None = None,
    comparisons: Sequence[Comparison] | None = None,
    progress: Progress | None = None,
) -> Written:
    """Evaluate a service and write its report; run the default backtests if none is stored.

    Args:
        store: the store.
        service: name of the service.
        output: file that ends in .html, .md or .json; replaced at once when the report is complete.
        load: the signal taken as load; None for what clients asked for.
        first: begin, UTC; None for the data's.
        last: end, UTC; None for the data's.
        panel: the service's panel, if it is at hand.
        card: its evaluation, if it is at hand.
        comparisons: the backtests, if they are at hand.
        progress: told what is being done and the share done.

    Raises:
        UsageError: the file's ending is not known.
        InputError: the file cannot be written.
        AnalysisError: there is nothing to evaluate.
    """
    render = _renderer(output)
    _check_target(output)
    say = progress or _silent
    say("evaluating", 0.05)
    panel = panel or read_panel(store, service, first=first, last=last)
    scorecard = card or evaluate_panel(panel, load=load)
    say("looking closely", 0.3)
    curves = details(panel, notable_signals(scorecard), load=load, card=scorecard)
    say("backtests", 0.45)
    runs = comparisons if comparisons is not None else _backtests(store, service)
    say("writing", 0.9)
    evidence = Evidence(
        scorecard=scorecard,
        generated_at=clock(),
        details=tuple(curves),
        comparisons=tuple(runs),
        stock=store.inventory(),
        versions=_versions(),
    )
    text = render(build_document(evidence))
    size = _replace(output, text)
    return Written(output, size, sentence(scorecard, runs[0] if runs else None))


def write_tear_sheets(
    panel: Panel, card: Scorecard, folder: Path, *, load: str | None = None
) -> list[Path]:
    """Write one HTML page per signal of a scorecard.

    Args:
        panel: the panel that was scored.
        card: its scorecard.
        folder: made if absent.
        load: as for the scorecard.

    Returns:
        The pages, in the scorecard's order.
    """
    _make_folder(folder)
    evidence = Evidence(scorecard=card, generated_at=clock(), versions=_versions())
    pages = []
    names = [s.signal for s in card.signals if not s.identity]
    for curve in details(panel, names, load=load, card=card):
        path = folder / (re.sub(r"\W+", "-", curve.score.signal) + ".html")
        _replace(path, render_html(build_tear_sheet(evidence, curve)))
        pages.append(path)
    return pages


def _silent(_text: str, _share: float) -> None:
    return


def _renderer(output: Path) -> Callable[[Document], str]:
    renderers: dict[str, Callable[[Document], str]] = {
        ".html": render_html,
        ".md": render_markdown,
        ".json": _render_json,
    }
    if output.suffix in renderers:
        return renderers[output.suffix]
    raise UsageError(
        f"'{output}' does not say what to write",
        where="--output",
        expected=f"one of {', '.join(renderers)}",
    )


def _render_json(document: Document) -> str:
    return json.dumps(
        json_form.report_json(document.evidence), ensure_ascii=False, allow_nan=False, indent=2
    )


def _backtests(store: Store, service: str) -> list[Comparison]:
    """The newest stored backtests; else the default ones, if the service's load can be replayed."""
    rows = store.runs.list(service)
    if rows.height:
        newest = rows.sort("created_at", descending=True)["run_id"].head(SHOWN_BACKTESTS)
        return [store.runs.load(run_id) for run_id in newest]
    try:
        comparison, _ = backtest.run(store, service, Scenario())
    except AnalysisError:
        # telemetry without absolute load still deserves a report; the page says that no run is stored
        return []
    return [comparison]


def _versions() -> dict[str, str]:
    names = ("autoscale-signals", "duckdb", "polars", "statsmodels", "numpy", "scipy", "numba")
    return {
        "python": platform.python_version(),
        **{name: importlib.metadata.version(name) for name in names},
    }


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"the folder cannot be made: {error.strerror}", where=str(folder)
        ) from error
    _check_target(folder / "page.html")


def _check_target(path: Path) -> None:
    """Find out at once, not after minutes of work, that a file cannot be written."""
    draft = _draft(path)
    try:
        if path.is_dir():
            raise InputError("this is a folder", where=str(path), expected="a file to write")
        draft.touch()
        draft.unlink()
    except OSError as error:
        raise _cannot_write(path, error) from error


def _draft(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.getpid()}")


def _cannot_write(path: Path, error: OSError) -> InputError:
    return InputError(
        f"the report cannot be written: {error.strerror}",
        where=str(path),
        hint="name a file in a folder that exists and that you may write to",
    )


def _replace(path: Path, text: str) -> int:
    """Write a text file so that a reader sees the old or the new one, never a part."""
    draft = _draft(path)
    try:
        size = draft.write_text(text, encoding="utf-8", errors="backslashreplace")
        draft.replace(path)
    except OSError as error:
        raise _cannot_write(path, error) from error
    finally:
        if draft.exists():
            draft.unlink()
    return size
