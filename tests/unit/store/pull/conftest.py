"""A server that says what a test tells it to."""

from datetime import UTC, datetime

import pytest

from signals.store.pull import client as client_module
from signals.store.pull.client import Client
from signals.store.pull.endpoint import Access, parse_endpoint
from tests.builders_servers import Proxy, free_port


@pytest.fixture(autouse=True)
def hasty(monkeypatch):
    """Pauses between attempts that a test can wait for."""
    monkeypatch.setattr(client_module, "_FIRST_PAUSE_S", 0.001)
    monkeypatch.setattr(client_module, "_LONGEST_PAUSE_S", 0.002)


@pytest.fixture
def server():
    """A proxy with nothing behind it: `mood` and `text` say what it answers."""
    proxy = Proxy(free_port())
    yield proxy
    proxy.close()


@pytest.fixture
def client(server):
    """A client of it."""
    made = Client(
        parse_endpoint(server.url), Access(), clock=lambda: datetime(2026, 3, 2, tzinfo=UTC)
    )
    yield made
    made.close()
