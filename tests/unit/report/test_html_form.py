"""The HTML page: complete in itself, escaped, readable in light and dark, at any width."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from signals.plots.theme import palette
from signals.report.compose import build_document
from signals.report.document import Evidence
from signals.report.html_form import render_html
from signals.study.score import Remark
from tests.builders import make_comparison, make_detail, make_scorecard
from tests.builders_stock import make_stock

HOSTILE = '</script><script>window.hacked=1</script><img src="http://evil.test/x" onerror="window.hacked=1">'


def page(**changes: Any) -> str:
    whole = Evidence(
        make_scorecard(),
        datetime(2026, 11, 30, 17, tzinfo=UTC),
        (make_detail("decode:decode_tps", ticks=600),),
        (make_comparison(hours=2),),
        make_stock(),
        {"autoscale-signals": "0.1.0"},
    )
    return render_html(build_document(replace(whole, **changes)))


def hostile_page() -> str:
    """Every text that comes from data tries to break out."""
    card = make_scorecard()
    first = replace(
        card.signals[0],
        column=replace(card.signals[0].column, name=f"decode:{HOSTILE}", signal=HOSTILE),
        reasons=(Remark(HOSTILE, HOSTILE),),
    )
    comparison = make_comparison(hours=1, policies=1)
    labelled = {
        name: getattr(comparison, name).with_columns(pl.lit(HOSTILE).alias("policy"))
        for name in ("ticks", "minutes", "readings")
    }
    policy = replace(comparison.policies[0], label=HOSTILE, params={"x": HOSTILE})
    return page(
        scorecard=replace(
            card, service=HOSTILE, headline=HOSTILE, signals=(first, *card.signals[1:])
        ),
        details=(replace(make_detail(ticks=300), score=first),),
        comparisons=(replace(comparison, policies=(policy,), **labelled),),
        stock=None,
    )


@pytest.fixture(scope="module")
def html() -> str:
    return page()


def own_markup(text: str) -> str:
    """The page without plotly.js."""
    head, _, tail = text.partition('<script type="application/json" id="figures">')
    return head + tail.partition("</script>")[0]


def test_page_holds_plotly_once_and_names_no_other_resource(html: str) -> None:
    """One copy of plotly.js; no src, no stylesheet, no import: nothing to fetch."""
    assert html.count("plotly.js v") == 1
    assert 4.5e6 < len(html) < 7e6
    markup = own_markup(html)
    links = re.findall(r"""(?:src|href)\s*=\s*["']?([^"'\s>]*)""", markup)
    assert [link for link in links if not link.startswith(("#", "data:"))] == []
    assert "http://" not in markup
    assert "https://" not in markup
    assert "default-src 'none'" in markup


def test_figures_are_strict_json_in_light_colours_with_dark_twins(html: str) -> None:
    """The page turns figures dark by exchanging colours."""
    text = html.partition('<script type="application/json" id="figures">')[2].partition(
        "</script>"
    )[0]
    data = json.loads(text)
    views = ("timeline", "lag", "events", "response", "window", "stability")
    whole = {"scorecard", "lags", "elasticities", "cost-0", "backtest-0"}
    assert set(data["figures"]) == whole | {f"{view}-0" for view in views}
    assert data["dark"][palette("light").ink] == palette("dark").ink
    drawn = set(re.findall(r"#[0-9a-f]{6}", json.dumps(data["figures"])))
    assert drawn <= data["dark"].keys()


def test_hostile_texts_are_escaped() -> None:
    """No tag from data reaches the page, in markup or inside the figures' script."""
    text = hostile_page()
    assert "<script>window.hacked" not in text
    assert '<img src="http' not in text
    assert "&lt;script&gt;window.hacked=1" in text


def test_missing_values_have_their_reason_as_a_title(html: str) -> None:
    """A dash explains itself."""
    assert 'title="no peak"' in html


def opened(chromium: Any, path: Path, **settings: Any) -> tuple[Any, list[str], list[str]]:
    """The page with all figures drawn, the requests it made, and the errors it met."""
    tab = chromium.new_context(**settings).new_page()
    requests: list[str] = []
    errors: list[str] = []
    tab.on("request", lambda r: requests.append(r.url))
    tab.on("pageerror", lambda e: errors.append(str(e)))
    tab.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
    tab.goto(path.as_uri())
    tab.wait_for_selector("html[data-drawn]")
    return tab, requests, errors


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_page_draws_all_figures_offline_and_fits_the_width(
    chromium: Any, html: str, tmp_path: Path, width: int, scheme: str
) -> None:
    """No request beyond the file itself, no error, no sideways scroll, text in the scheme's ink."""
    path = tmp_path / "report.html"
    path.write_text(html, encoding="utf-8")
    tab, requests, errors = opened(
        chromium, path, viewport={"width": width, "height": 900}, color_scheme=scheme
    )
    assert errors == []
    assert [url for url in requests if not url.startswith(("file:", "data:"))] == []
    assert tab.locator(".plot .main-svg").count() >= 6
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    assert tab.evaluate("document.documentElement.dataset.drawn") == scheme
    ink = palette(scheme).ink  # type: ignore[arg-type]
    rgb = f"rgb({', '.join(str(int(ink[i : i + 2], 16)) for i in (1, 3, 5))})"
    assert tab.evaluate("getComputedStyle(document.body).color") == rgb
    heading = "getComputedStyle(document.querySelector('#plot-backtest-0 .annotation-text')).fill"
    assert tab.evaluate(heading) == rgb


@pytest.mark.browser
def test_page_follows_a_change_of_scheme(chromium: Any, html: str, tmp_path: Path) -> None:
    """Whoever switches to dark while reading sees the figures follow."""
    path = tmp_path / "report.html"
    path.write_text(html, encoding="utf-8")
    tab, _, errors = opened(chromium, path, color_scheme="light")
    tab.emulate_media(color_scheme="dark")
    tab.wait_for_selector("html[data-drawn=dark]")
    assert errors == []


@pytest.mark.browser
def test_hostile_page_runs_nothing_and_fetches_nothing(chromium: Any, tmp_path: Path) -> None:
    """Seen by a real browser, plotly's labels included."""
    path = tmp_path / "report.html"
    path.write_text(hostile_page(), encoding="utf-8")
    tab, requests, _ = opened(chromium, path)
    assert tab.evaluate("window.hacked") is None
    assert [url for url in requests if not url.startswith(("file:", "data:"))] == []
