"""Fixtures that every test may use."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with real traces and telemetry; the test is skipped where it is absent."""
    folder = Path(os.environ.get("SIGNALS_SHARED", ROOT.parent / "shared"))
    if not folder.is_dir():
        pytest.skip(f"needs the folder of real data, absent here: {folder}")
    return folder


@pytest.fixture
def rng() -> np.random.Generator:
    """A seeded generator."""
    return np.random.default_rng(20261130)
