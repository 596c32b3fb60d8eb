"""Spans in words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from dashboard.components.text import length_text

START = datetime(2026, 6, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("days", "text"), [(1, "24 h"), (6.5, "6.5 d"), (364, "364 d"), (20_408, "20,408 d")]
)
def test_lengths_are_never_powers_of_ten(days, text):
    assert length_text(START, START + timedelta(days=days)) == text
