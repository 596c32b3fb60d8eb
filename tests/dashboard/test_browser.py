"""The pages in a real Chromium: they render, stay offline, fit, and answer to the user."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.dashboard.conftest import TOKEN

pytestmark = pytest.mark.browser

PAGES = {
    "overview": ("/", "#overview-findings .ag-row"),
    "signals": ("/signals", "#score-timeline .main-svg .scatterlayer .trace"),
    "backtest": ("/backtest", "#run-timeline .main-svg .scatterlayer .trace"),
}
WIDTHS = (1440, 800, 390)
WAIT_MS = 60_000


@dataclass
class Visit:
    """A browser tab, and what went wrong in it."""

    page: Any
    base: str
    problems: list[str] = field(default_factory=list)

    def watch(self) -> None:
        """Note console errors, failed requests and requests to other hosts."""
        self.page.on("console", lambda m: m.type == "error" and self.problems.append(m.text))
        self.page.on("pageerror", lambda e: self.problems.append(str(e)))
        self.page.on("request", self._note_request)
        self.page.on("response", lambda r: r.status >= 400 and self.problems.append(r.url))

    def _note_request(self, request: Any) -> None:
        if not request.url.startswith((self.base, "data:", "blob:")):
            self.problems.append(f"outside: {request.url}")

    def open(self, path: str, ready: str, service: str = "chat") -> None:
        """Follow the launch link to a page and wait until it shows something."""
        self.page.goto(f"{self.base}{path}?service={service}&token={TOKEN}")
        self.page.wait_for_selector(ready, timeout=WAIT_MS)


@pytest.fixture
def visit(chromium: Any, served: str) -> Iterator[Visit]:
    """A fresh tab, 1440 px wide, light."""
    context = chromium.new_context(
        viewport={"width": 1440, "height": 900}, color_scheme="light", reduced_motion="reduce"
    )
    tab = Visit(context.new_page(), served)
    tab.page.set_default_timeout(WAIT_MS)
    tab.watch()
    yield tab
    context.close()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", PAGES)
def test_page_renders_offline_and_fits(visit: Visit, name: str, width: int) -> None:
    """No errors, no request beyond this server, no sideways scrolling of the page."""
    path, ready = PAGES[name]
    visit.page.set_viewport_size({"width": width, "height": 900})
    visit.open(path, ready)
    visit.page.wait_for_load_state("networkidle")
    root = "document.documentElement"
    assert visit.page.evaluate(f"{root}.scrollWidth - {root}.clientWidth") == 0
    assert "token" not in visit.page.url
    assert visit.problems == []


def test_chart_keeps_its_height_when_the_window_changes(visit: Visit) -> None:
    """After a turn of the phone nothing overlaps: the chart is as high as its figure."""
    visit.open(*PAGES["signals"])
    chart = visit.page.locator("#score-timeline")
    before = chart.locator(".main-svg").first.bounding_box()["height"]
    visit.page.set_viewport_size({"width": 390, "height": 800})
    visit.page.wait_for_timeout(1500)
    assert chart.locator(".main-svg").first.bounding_box()["height"] == before
    assert chart.bounding_box()["height"] == before
    assert chart.locator(".main-svg").first.bounding_box()["width"] < 390
    assert visit.problems == []


def test_navigation_keeps_the_service(visit: Visit) -> None:
    """Address, title and service follow the links; nothing reloads."""
    visit.open(*PAGES["overview"])
    visit.page.click("nav >> text=Signals")
    visit.page.wait_for_selector("#score-grid .ag-row")
    assert visit.page.url.endswith("/signals?service=chat")
    assert visit.page.title().startswith("Signals")
    visit.page.click("nav >> text=Backtest")
    visit.page.wait_for_selector("#run-grid .ag-row")
    assert visit.page.url.endswith("/backtest?service=chat")
    visit.page.go_back()
    visit.page.wait_for_selector("#score-grid .ag-row")
    assert visit.problems == []


def test_chosen_row_changes_the_figures(visit: Visit) -> None:
    """A click and a key press each show another signal's curves."""
    visit.open(*PAGES["signals"])
    visit.page.click("#score-grid .ag-row[row-id='prefill:gpu_util'] [col-id='verdict']")
    visit.page.wait_for_selector("#score-title code:text-is('prefill:gpu_util')")
    _wait_for_trace(visit, "prefill:gpu_util")
    visit.page.keyboard.press("ArrowDown")
    visit.page.keyboard.press("Space")
    visit.page.wait_for_selector("#score-title code:text-is('prefill:sm_active')")
    assert visit.problems == []


def _until(visit: Visit, expression: str, arg: object = None) -> None:
    """Ask from outside until the page says yes: its content policy refuses code that polls inside it."""
    deadline = time.monotonic() + WAIT_MS / 1000
    while not visit.page.evaluate(expression, arg):
        assert time.monotonic() < deadline, f"never true: {expression}"
        visit.page.wait_for_timeout(50)


def _wait_for_trace(visit: Visit, name: str) -> None:
    _until(
        visit,
        "name => document.querySelector('#score-timeline .js-plotly-plot')"
        ".data.some(trace => trace.name === name)",
        arg=name,
    )


def test_zoom_shows_every_tick_of_the_window(visit: Visit) -> None:
    """Four days are thinned; an hour has its own ticks; a double click brings back the whole."""
    visit.open(*PAGES["signals"])
    whole = _points(visit)
    assert whole < 5760
    chart = visit.page.locator("#score-timeline .nsewdrag").first
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    y = box["y"] + box["height"] / 2
    visit.page.mouse.move(box["x"] + 200, y)
    visit.page.mouse.down()
    visit.page.mouse.move(box["x"] + 260, y, steps=6)
    visit.page.mouse.up()
    _until(
        visit,
        "whole => document.querySelector('#score-timeline .js-plotly-plot').data[0].x.length < whole",
        arg=whole // 2,
    )
    first, last = visit.page.evaluate(
        "document.querySelector('#score-timeline .js-plotly-plot').layout.xaxis.range"
    )
    assert first > "2026-11-23"
    assert last < "2026-11-27"
    # plotly takes two clicks for one double click only if it hears them within 300 ms; a busy machine may miss that
    for _ in range(5):
        visit.page.mouse.dblclick(box["x"] + 230, y)
        visit.page.wait_for_timeout(2000)
        if _points(visit) == whole:
            break
    assert _points(visit) == whole
    assert visit.problems == []


def _points(visit: Visit) -> int:
    return int(
        visit.page.evaluate(
            "document.querySelector('#score-timeline .js-plotly-plot').data[0].x.length"
        )
    )


def test_theme_switch_changes_page_and_figures_and_is_remembered(visit: Visit) -> None:
    """Light by the system's wish, dark after a click, dark after a reload."""
    visit.open(*PAGES["signals"])
    ink = "getComputedStyle(document.querySelector('#score-timeline .xtick text')).fill"
    light = visit.page.evaluate(ink)
    visit.page.click("#theme-switch")
    _until(visit, f"light => {ink} !== light", arg=light)
    assert visit.page.evaluate("document.documentElement.dataset.theme") == "dark"
    visit.page.reload()
    visit.page.wait_for_selector(PAGES["signals"][1])
    assert visit.page.evaluate("document.documentElement.dataset.theme") == "dark"
    _until(visit, f"light => {ink} !== light", arg=light)
    assert visit.problems == []


def test_failed_evaluation_is_told_and_leaves_with_its_page(visit: Visit) -> None:
    """The alert shows the four parts, and is gone on the next page."""
    visit.open("/signals", ".alert-error", service="broken")
    text = visit.page.inner_text(".alert-error")
    for part in ("Fewer than 120 ticks.", "Where", "service 'broken'", "Hint", "load more"):
        assert part in text
    visit.page.click("nav >> text=Overview")
    visit.page.wait_for_selector("#overview-findings .ag-row")
    assert visit.page.locator(".alert-error").count() == 0
    assert visit.problems == []


def test_columns_sort_with_missing_values_last(visit: Visit) -> None:
    """Ascending and descending, what is undetermined stays at the end."""
    visit.open("/signals", "#score-grid .ag-row")
    header = "#score-grid .ag-header-cell[col-id='lag_s']"
    for _ in range(2):
        visit.page.click(header)
        visit.page.wait_for_timeout(200)
        texts = visit.page.locator("#score-grid .ag-row [col-id='lag_s'] .value").all_inner_texts()
        rows = visit.page.locator("#score-grid .ag-center-cols-container .ag-row")
        order = [rows.nth(i).get_attribute("row-index") for i in range(rows.count())]
        told = [text for _, text in sorted(zip(map(int, order), texts, strict=True))]
        assert set(told[-3:]) <= {"undetermined", "–"}
    assert visit.problems == []


def test_backtest_runs_in_the_background(visit: Visit) -> None:
    """The button starts it, the status tells where it is kept."""
    visit.open(*PAGES["backtest"])
    visit.page.click("#form-start")
    visit.page.wait_for_selector("#form-status:has-text('stored as run')")
    assert visit.page.is_enabled("#form-start")
    assert visit.page.is_disabled("#form-cancel")
    assert visit.problems == []


def test_backtest_that_cannot_run_says_why(visit: Visit) -> None:
    """A known error of the job reaches the form."""
    visit.open(*PAGES["backtest"])
    visit.page.fill("#form-load-factor", "1000")
    visit.page.keyboard.press("Tab")
    visit.page.click("#form-start")
    visit.page.wait_for_selector("#form-status .alert-error:has-text('load factor is too large')")
    assert visit.problems == []


def test_focus_is_visible(visit: Visit) -> None:
    """The keyboard's place can be seen: links, buttons and the picker get a ring."""
    visit.open(*PAGES["overview"])
    seen = 0
    for _ in range(7):
        visit.page.keyboard.press("Tab")
        style = visit.page.evaluate(
            "(() => { const s = getComputedStyle(document.activeElement);"
            " return s.boxShadow + ' ' + s.outlineStyle; })()"
        )
        seen += style != "none none"
    assert seen == 7


def test_finger_on_a_chart_scrolls_the_page(chromium: Any, served: str) -> None:
    """On a phone a tall chart is no trap: a swipe over it moves on, and nothing is zoomed."""
    context = chromium.new_context(
        viewport={"width": 390, "height": 800}, has_touch=True, is_mobile=True
    )
    tab = Visit(context.new_page(), served)
    tab.page.set_default_timeout(WAIT_MS)
    tab.watch()
    tab.open(*PAGES["backtest"])
    tab.page.locator("#run-timeline").scroll_into_view_if_needed()
    before = tab.page.evaluate("scrollY")
    box = tab.page.locator("#run-timeline .nsewdrag").first.bounding_box()
    touch = context.new_cdp_session(tab.page)
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    touch.send(
        "Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]}
    )
    for step in range(1, 12):
        point = {"x": x, "y": y - 20 * step}
        touch.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [point]})
        tab.page.wait_for_timeout(20)
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    _until(tab, "before => scrollY > before + 100", arg=before)
    assert tab.problems == []
    context.close()


@pytest.mark.parametrize(
    ("path", "grid", "columns"),
    [
        ("/signals", "#score-grid", ("signal", "capacity_error", "lag_s")),
        ("/backtest", "#run-grid", ("policy", "both", "gpu_hours")),
    ],
)
def test_phone_shows_what_matters_most_without_scrolling(
    visit: Visit, path: str, grid: str, columns: tuple[str, ...]
) -> None:
    """At 390 px the first columns lie inside the grid's frame; the verdict stands beside the signal."""
    visit.page.set_viewport_size({"width": 390, "height": 844})
    visit.open(path, f"{grid} .ag-row")
    _wait_for_phone_columns(visit)
    frame = visit.page.locator(grid).bounding_box()
    for column in columns:
        for part in (".ag-header-cell", ".ag-cell"):
            box = visit.page.locator(f"{grid} {part}[col-id='{column}']").first.bounding_box()
            assert box["x"] >= frame["x"]
            assert box["x"] + box["width"] <= frame["x"] + frame["width"], column
    if grid == "#score-grid":
        first = visit.page.locator(f"{grid} .ag-cell[col-id='signal']").first
        assert first.locator(".chip").is_visible()
        assert "proportional" in first.inner_text()
    assert visit.problems == []


def _wait_for_phone_columns(visit: Visit) -> None:
    _until(visit, "document.querySelector('.ag-row')?.offsetHeight === 64")


def test_turned_phone_gets_the_columns_of_a_wide_screen(visit: Visit) -> None:
    """The verdict has its own column again, in its place, and rows are as low as before."""
    visit.page.set_viewport_size({"width": 390, "height": 844})
    visit.open("/signals", "#score-grid .ag-row")
    row = visit.page.locator("#score-grid .ag-row").first
    _wait_for_phone_columns(visit)
    visit.page.set_viewport_size({"width": 1200, "height": 844})
    visit.page.wait_for_selector("#score-grid .ag-header-cell[col-id='verdict'][aria-colindex='2']")
    assert row.bounding_box()["height"] == 46
    assert not visit.page.locator("#score-grid .signal .chip").first.is_visible()
    visit.page.set_viewport_size({"width": 390, "height": 844})
    _wait_for_phone_columns(visit)
    assert visit.problems == []
