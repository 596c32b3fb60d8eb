"""Callback requests that no page sends are refused, and failures are told in one line."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest
from dash import Dash
from flask.testing import FlaskClient

from dashboard.intake import LARGEST_BODY, fault
from tests.dashboard.conftest import _outputs

UPDATE = "/_dash-update-component"
ODD_VALUES: tuple[Any, ...] = (
    *("<script>alert(1)</script>", "../../etc/passwd", "x" * 1000, "?service=%ff&a="),
    *(None, True, -1, 1e308, 10**400, [], {}, [None], [{"signal": 1}], {"ids": 3}),
    {"xaxis.range[0]": "zzz", "xaxis.range[1]": "9999-12-31"},
)


def _request(rule: dict[str, Any], value: Any) -> dict[str, Any]:
    return {
        "output": rule["output"],
        "outputs": _outputs(rule["output"]),
        "inputs": [{**one, "value": value} for one in rule["inputs"]],
        "state": [{**one, "value": value} for one in rule["state"]],
        "changedPropIds": [],
    }


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"{", b"null", b"[]", b"1", b'"x"', b"{}", b"\xff", b"[" * 100_000),
        *(b'{"output": 1}', b'{"output": []}', b'{"output": "x.y", "inputs": []}'),
        b'{"output": "content.children", "inputs": null, "outputs": 1, "changedPropIds": null}',
    ],
)
def test_body_that_is_no_callback_is_refused_without_a_trace(
    client: FlaskClient, caplog: pytest.LogCaptureFixture, body: bytes
) -> None:
    """Broken, empty, nested too deep, or of no callback: the request is wrong, not the server."""
    answer = client.post(UPDATE, data=body, content_type="application/json")
    assert answer.status_code == 400
    assert not [r for r in caplog.records if r.levelno >= logging.WARNING]


def test_body_that_is_too_large_is_refused(client: FlaskClient) -> None:
    """Memory is not for strangers to the page to fill."""
    body = b'{"output": "' + b"x" * LARGEST_BODY + b'"}'
    answer = client.post(UPDATE, data=body, content_type="application/json")
    assert answer.status_code == 413


@pytest.mark.parametrize("value", ODD_VALUES, ids=lambda v: repr(v)[:30])
def test_odd_values_reach_no_traceback(
    client: FlaskClient, caplog: pytest.LogCaptureFixture, value: Any
) -> None:
    """Every callback with every value: refused, answered or told as a known error, never a bug."""
    for rule in client.get("/_dash-dependencies").get_json():
        if not rule["clientside_function"] and not rule["output"].startswith("..run-saved"):
            answer = client.post(UPDATE, json=_request(rule, value))
            assert answer.status_code in {200, 204, 400}, rule["output"]
    assert not [r for r in caplog.records if r.levelno >= logging.WARNING]


def test_half_a_surrogate_pair_is_refused(client: FlaskClient) -> None:
    """Such a text could not be written into the answer."""
    rules = client.get("/_dash-dependencies").get_json()
    rule = next(r for r in rules if r["output"] == "content.children")
    body = json.dumps(_request(rule, "\ud800"))
    answer = client.post(UPDATE, data=body, content_type="application/json")
    assert answer.status_code == 400


def test_declared_request_has_no_fault(app: Dash, client: FlaskClient) -> None:
    """What the page itself sends passes; one field off, and it does not."""
    rules = client.get("/_dash-dependencies").get_json()
    for rule in rules:
        if rule["clientside_function"]:
            continue
        body = _request(rule, None)
        assert fault(body, app.callback_map) == ""
        assert fault({**body, "outputs": {"id": "x", "property": "y"}}, app.callback_map)
        assert fault({**body, "inputs": body["inputs"][1:]}, app.callback_map)
        assert fault({**body, "changedPropIds": [1]}, app.callback_map)


def test_file_of_another_package_is_not_there(
    client: FlaskClient, caplog: pytest.LogCaptureFixture
) -> None:
    """Only scripts of the components in use are served."""
    assert client.get("/_dash-component-suites/os/os.py").status_code == 404
    assert not [r for r in caplog.records if r.levelno >= logging.WARNING]


def test_failed_request_is_told_in_one_line_with_an_id(
    app: Dash,
    client: FlaskClient,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The answer has the id alone; the log says what and where, without a traceback."""

    def fail(*_: object) -> None:
        raise KeyError("secret detail")

    monkeypatch.setattr(app, "_initialize_context", fail)
    rules = client.get("/_dash-dependencies").get_json()
    rule = next(r for r in rules if r["output"] == "content.children")
    answer = client.post(UPDATE, json=_request(rule, None))
    assert answer.status_code == 500
    text = answer.get_data(as_text=True)
    (record,) = [r for r in caplog.records if r.levelno >= logging.WARNING]
    assert record.exc_info is None
    message = record.getMessage()
    assert message.split()[2].rstrip(":") in text
    assert "secret detail" in message
    assert "test_intake.py" in message
    assert "secret detail" not in text
