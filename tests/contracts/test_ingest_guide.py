"""The guide to ingest says what the code says."""

import re

from signals.report.guide import renewed
from signals.store.pull.presets import preset_names
from signals.store.sources import SOURCES
from tests.contracts.tree import ROOT

GUIDE = (ROOT / "docs" / "ingest.md").read_text(encoding="utf-8")


def test_written_parts_are_up_to_date():
    """`make docs` writes them."""
    assert renewed(GUIDE) == GUIDE, (
        "docs/ingest.md is older than the formats or findings: make docs"
    )


def test_links_lead_somewhere():
    """Headings of the guide itself."""
    heads = {
        re.sub(r"[^a-z0-9 -]", "", line.lstrip("# ").lower()).replace(" ", "-")
        for line in GUIDE.splitlines()
        if line.startswith("#")
    }
    assert set(re.findall(r"\]\(#([^)]+)\)", GUIDE)) - heads == set()


def test_presets_are_all_named():
    """Of pull."""
    assert [name for name in preset_names() if f"`{name}`" not in GUIDE] == []


def test_formats_say_how_they_are_exported_and_what_to_mind():
    """Sentences that end, and commands between backticks that open and close."""
    for source in SOURCES:
        assert source.export, source.name
        assert source.traps, source.name
        for text in (source.export, *source.traps):
            assert text.count("`") % 2 == 0, text
            assert text.endswith((".", "`")), text
            assert len(text) <= 260, text
