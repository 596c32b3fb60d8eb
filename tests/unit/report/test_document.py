"""A report as data."""

from __future__ import annotations

from dataclasses import fields
from datetime import UTC, datetime
from typing import get_args

import pytest

from signals.report.document import Block, Document, Evidence, Section
from tests.builders import make_scorecard


def test_document_cannot_be_changed_after_it_is_made() -> None:
    """Renderers read; none of them may alter what the next one gets."""
    when = datetime(2026, 11, 30, tzinfo=UTC)
    document = Document(
        "t", "s", when, Section("answer", "a", ()), (), Evidence(make_scorecard(), when)
    )
    for field in fields(document):
        with pytest.raises(AttributeError):
            setattr(document, field.name, None)


def test_every_block_is_a_frozen_dataclass() -> None:
    """Blocks are data, so that each form of output can be written apart."""
    for kind in get_args(Block):
        assert kind.__dataclass_params__.frozen, kind
