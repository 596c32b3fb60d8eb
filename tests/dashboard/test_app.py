"""The app as a whole: ids, routes, errors on the page."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import pytest
from dash import Dash
from dash.development.base_component import Component
from flask.testing import FlaskClient

from dashboard import ids
from dashboard.pages import all_pages
from tests.dashboard.sources import MemorySource

Call = Callable[..., dict[str, Any]]


def _ids(component: Any) -> set[str]:
    found: set[str] = set()
    for child in component._traverse() if isinstance(component, Component) else ():
        name = getattr(child, "id", None)
        if isinstance(name, str):
            found.add(name)
    return found


def test_every_id_of_every_callback_exists(app: Dash, client: FlaskClient) -> None:
    """No callback names a component that no page has."""
    known = _ids(app.validation_layout)
    for rule in client.get("/_dash-dependencies").get_json():
        parts = rule["output"].strip(".").split("...")
        named = {p.rpartition(".")[0] for p in parts}
        named |= {d["id"] for d in (*rule["inputs"], *rule["state"])}
        assert named <= known, rule["output"]


def test_every_declared_id_is_used_once(app: Dash) -> None:
    """Ids are unique in the app, and none is declared in vain."""
    declared = [value for name, value in vars(ids).items() if name.isupper()]
    assert len(set(declared)) == len(declared)
    assert set(declared) <= _ids(app.validation_layout)


def test_pages_have_unique_paths_and_titles() -> None:
    """The navigation can tell them apart."""
    pages = all_pages()
    assert [p.PATH for p in pages] == ["/", "/signals", "/backtest"]
    assert len({p.TITLE for p in pages}) == len(pages)


def test_frame_has_language_and_no_outside_address(client: FlaskClient) -> None:
    """The page names its language and loads nothing from elsewhere."""
    text = client.get("/").get_data(as_text=True)
    assert '<html lang="en">' in text
    assert "https://" not in text
    assert "/assets/theme.js" in text


@pytest.mark.parametrize(
    ("path", "heading"), [("/", "Overview"), ("/signals", "Signals"), ("/gone", "No such page")]
)
def test_path_chooses_the_page(call: Call, path: str, heading: str) -> None:
    """An unknown path says so."""
    answer = call("content.children", {"url.pathname": path}, "url.pathname")
    assert heading in str(answer["response"]["content"]["children"])


def test_address_chooses_the_service(call: Call) -> None:
    """The service in the address wins over the one picked before, and an unknown one gives way."""
    values = {"url.search": "?service=chat", "service.value": "broken"}
    answer = call("service.value", values, "url.search")["response"]
    assert answer["service"]["value"] == "chat"
    values["url.search"] = "?service=gone"
    assert call("service.value", values, "url.search")["response"]["service"]["value"] == "broken"


def test_picked_service_goes_into_the_address(call: Call) -> None:
    """A view can be shared by its address."""
    values = {"url.search": "?service=broken", "service.value": "chat"}
    answer = call("service.value", values, "service.value")["response"]
    assert answer["url"]["search"] == "?service=chat"


def test_empty_store_has_no_service(call: Call, source: MemorySource) -> None:
    """Nothing is chosen where there is nothing."""
    source.names.clear()
    answer = call("service.value", {"url.search": ""}, "url.search")["response"]
    assert answer["service"]["options"] == []
    assert answer["service"]["value"] is None


def test_known_error_is_shown_with_its_parts_and_old_results_go(call: Call) -> None:
    """The alert has what, where, expected and hint; the grid is emptied."""
    answer = call(
        "score-grid.rowData",
        {"service.value": "broken", "score-load.value": ""},
        "score-load.value",
    )
    notice = str(answer["sideUpdate"]["notices"]["children"])
    for part in ("Fewer than 120 ticks.", "service 'broken'", "2 h of data", "load more"):
        assert part in notice
    assert answer["response"]["score-grid"]["rowData"] == []
    assert answer["response"]["score-headline"]["children"] == []


def test_bug_is_logged_with_an_id_and_not_shown(
    call: Call,
    source: MemorySource,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The page shows the id alone; the log has id and traceback."""

    def fail(self: MemorySource) -> None:
        raise KeyError("secret detail")

    monkeypatch.setattr(MemorySource, "overview", fail)
    with caplog.at_level(logging.ERROR, logger="dashboard.app"):
        answer = call("overview-services.children", {"service.value": "chat"}, "service.value")
    notice = str(answer["sideUpdate"]["notices"]["children"])
    assert "secret detail" not in notice
    (record,) = caplog.records
    error_id = record.getMessage().split()[-1]
    assert error_id in notice
    assert "secret detail" in str(record.exc_info)
