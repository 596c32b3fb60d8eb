"""Names that try to be markup, to break the layout, or to turn the text around, in a real Chromium."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import polars as pl
import pytest

from dashboard.app import create_app
from signals.replay.result import Comparison
from signals.study.score import Scorecard, SignalDetail
from tests.dashboard.conftest import TOKEN
from tests.dashboard.sources import MadeOverview, MemorySource

pytestmark = pytest.mark.browser

SCRIPT = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
QUOTES = "\"' onmouseover='alert(3)' [b](javascript:alert(4)) [red]`x` %(a)s {b}"
LONG = "n" * 5000
TURNED = "\u202eevil\u202c \u2066name"
SERVICE = SCRIPT + QUOTES + TURNED
READY = {
    "/": "#overview-facts dl",
    "/signals": "#score-timeline .main-svg .scatterlayer .trace",
    "/backtest": "#run-settings dl",
}


class HostileSource(MemorySource):
    """Made results whose service, pools, signals, sources and policies have names that attack the page."""

    def overview(self) -> MadeOverview:
        seen = super().overview()
        odd = pl.lit(SCRIPT + LONG)
        return MadeOverview(
            seen.services,
            seen.pools.with_columns(pool=pl.lit(QUOTES + LONG), rule=odd),
            seen.signals.with_columns(pool=odd, signal=pl.lit(TURNED + LONG), unit=odd),
            seen.findings.with_columns(source=odd, subject=odd, text=odd, code=odd),
            seen.sources.with_columns(uri=odd, format=odd),
        )

    def scorecard(self, service: str, load: str | None) -> Scorecard:
        card = super().scorecard(service, load)
        names = (SCRIPT, QUOTES, TURNED, LONG)
        scores = [
            replace(score, column=replace(score.column, pool=name, signal=name))
            for score, name in zip(card.signals, names, strict=False)
        ]
        return replace(
            card, signals=(*scores, *card.signals[len(names) :]), headline=SERVICE + LONG
        )

    def detail(self, service: str, signal: str, load: str | None) -> SignalDetail:
        detail = super().detail(service, "decode:decode_tps", load)
        column = replace(detail.score.column, pool=SCRIPT, signal=QUOTES + LONG)
        return replace(detail, score=replace(detail.score, column=column))

    def comparison(self, run_id: str) -> Comparison:
        made = super().comparison(run_id)
        return replace(made, workload={**made.workload, "service": SERVICE + LONG})

    def runs(self, service: str) -> pl.DataFrame:
        return super().runs(service).with_columns(policies=pl.lit(SCRIPT + LONG))


@pytest.fixture
def hostile() -> Iterator[str]:
    """Address of an app over the hostile source."""
    from werkzeug.serving import make_server

    app = create_app(HostileSource(names=[SERVICE, "plain"]), token=TOKEN)
    server = make_server("127.0.0.1", 0, app.server, threaded=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


# figures with thousands of endless names take a while to draw on a busy machine
WAIT_MS = 120_000


@pytest.mark.parametrize("path", READY)
def test_hostile_names_are_text_and_fit(chromium: Any, hostile: str, path: str) -> None:
    """Nothing runs, nothing is loaded by a name, and the page is no wider than the phone."""
    context = chromium.new_context(viewport={"width": 390, "height": 844})
    page = context.new_page()
    problems: list[str] = []
    page.on("dialog", lambda d: (problems.append(f"dialog {d.message}"), d.dismiss()))
    page.on("console", lambda m: m.type == "error" and problems.append(m.text[:300]))
    page.on("pageerror", lambda e: problems.append(str(e)[:300]))
    page.goto(f"{hostile}{path}?{urlencode({'token': TOKEN})}")
    page.wait_for_selector(READY[path], timeout=WAIT_MS)
    page.wait_for_load_state("networkidle")
    root = "document.documentElement"
    wide = page.evaluate(
        "[...document.querySelectorAll('#content *, header *')].filter(e => !e.closest('.grid, .scroll, svg')"
        " && getComputedStyle(e).visibility !== 'hidden'"
        " && e.getBoundingClientRect().right > 391).map(e => e.id + ' ' + e.className).slice(0, 5)"
    )
    assert page.evaluate(f"{root}.scrollWidth - {root}.clientWidth") == 0, wide
    assert page.locator("img[src='x'], [onmouseover], a[href^='javascript']").count() == 0
    assert problems == []
    context.close()
