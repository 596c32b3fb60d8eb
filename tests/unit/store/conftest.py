"""A store made by hand, for tests of the store."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sql.hand import Hand


@pytest.fixture
def hand(tmp_path: Path) -> Hand:
    """A folder in which chunks become a store."""
    return Hand(tmp_path)
