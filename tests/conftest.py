"""Fixtures that every test may use."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import settings

# a busy machine is no reason to fail
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")

ROOT = Path(__file__).parent.parent
CHROMIUM = Path("/usr/bin/chromium")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


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


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """Debian's Chromium under playwright; absent, tests skip, but in CI they fail.

    There is one for the whole run: playwright refuses a second one beside it.
    """
    missing = ""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing = "playwright is not installed"
    if not missing and not CHROMIUM.exists():
        missing = f"{CHROMIUM} is not there (make test installs it where it may)"
    if missing:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(missing)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=list(FLAGS))
        yield browser
        browser.close()
