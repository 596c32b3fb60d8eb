"""Apps over made results: one for the test client, one served to a real browser."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from dash import Dash
from flask.testing import FlaskClient

from tests.dashboard.sources import MemorySource

TOKEN = "a-token-for-tests"


@pytest.fixture
def source() -> MemorySource:
    """Two services: `chat` with results, `broken` without enough data."""
    return MemorySource()


@pytest.fixture
def app(source: MemorySource) -> Dash:
    """The app over the made source."""
    from dashboard.app import create_app

    return create_app(source, token=TOKEN)


@pytest.fixture
def stranger(app: Dash) -> FlaskClient:
    """A client that does not know the token."""
    return app.server.test_client()


@pytest.fixture
def client(app: Dash) -> FlaskClient:
    """A client that followed the launch link."""
    client = app.server.test_client()
    client.get("/", query_string={"token": TOKEN})
    return client


@pytest.fixture
def call(app: Dash, client: FlaskClient) -> Callable[..., dict[str, Any]]:
    """Run a callback as the browser does: `call(output id, {"id.prop": value}, changed="id.prop")`."""

    def run(output: str, values: dict[str, Any], changed: str | None = None) -> dict[str, Any]:
        dependencies = client.get("/_dash-dependencies").get_json()
        rule = next(d for d in dependencies if _names_output(d["output"], output))
        body = {
            "output": rule["output"],
            "outputs": _outputs(rule["output"]),
            "inputs": [_valued(i, values) for i in rule["inputs"]],
            "state": [_valued(s, values) for s in rule["state"]],
            "changedPropIds": [changed] if changed else [],
        }
        answer = client.post("/_dash-update-component", json=body)
        assert answer.status_code in {200, 204}, answer.get_data(as_text=True)
        return answer.get_json() if answer.status_code == 200 else {}

    return run


def _names_output(text: str, wanted: str) -> bool:
    """Whether a rule writes to an output; `id.prop@` means the second writer, which Dash marks by a hash."""
    parts = text.strip(".").split("...")
    if wanted.endswith("@"):
        return any(part.startswith(wanted) for part in parts)
    return wanted in parts


def _outputs(text: str) -> Any:
    def one(part: str) -> dict[str, str]:
        name, _, prop = part.rpartition(".")
        return {"id": name, "property": prop}

    parts = [one(part) for part in text.strip(".").split("...")]
    return parts if text.startswith("..") else parts[0]


def _valued(dependency: dict[str, str], values: dict[str, Any]) -> dict[str, Any]:
    key = f"{dependency['id']}.{dependency['property']}"
    return {**dependency, "value": values.get(key)}


@pytest.fixture
def served(app: Dash) -> Iterator[str]:
    """Address of the app, served on a free port."""
    from werkzeug.serving import make_server

    server = make_server("127.0.0.1", 0, app.server, threaded=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()
