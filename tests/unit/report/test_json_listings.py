"""What there is, as JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass

import polars as pl
import pytest

from signals.catalog import SIGNALS
from signals.errors import UsageError
from signals.policies import POLICIES
from signals.report import json_listings
from signals.store.sources import SOURCES


@dataclass(frozen=True)
class Check:
    name: str
    state: str
    text: str


@pytest.mark.parametrize(
    ("make", "key", "names"),
    [
        (json_listings.catalog_json, "signals", [s.name for s in SIGNALS]),
        (json_listings.policies_json, "policies", [p.spec.name for p in POLICIES]),
        (json_listings.formats_json, "formats", [s.name for s in SOURCES]),
        (json_listings.profiles_json, "profiles", None),
    ],
)
def test_listing_holds_every_row_of_its_table(make, key: str, names: list[str] | None) -> None:
    """Strict JSON with one object per row."""
    document = json.loads(json.dumps(make(), allow_nan=False))
    found = [row["name"] for row in document[key]]
    assert found == names if names is not None else found


def test_query_rows_and_query_names_share_a_shape() -> None:
    """Rows are objects; names are rows with one column."""
    assert json_listings.frame_json("q", pl.DataFrame({"a": [1], "b": ["x"]})) == {
        "schema_version": 1, "query": "q", "columns": ["a", "b"], "rows": [{"a": 1, "b": "x"}],
    }  # fmt: skip
    assert json_listings.frame_json("queries", ["q"])["rows"] == [{"name": "q"}]


def test_checks_are_ok_unless_one_fails() -> None:
    """A warning is no failure."""
    good, bad = Check("a", "warn", "x"), Check("b", "fail", "y")
    assert json_listings.checks_json([good])["ok"] is True
    assert json_listings.checks_json([good, bad])["ok"] is False


def test_one_format_is_told_alone_with_its_command() -> None:
    """The same shape as the list of all; an unknown name is an error with a suggestion."""
    (found,) = json_listings.formats_json("dcgmi-dmon")["formats"]
    assert found["needs"] == ["--start TIME", "--interval DURATION"]
    assert found["command"] == "signals load FILE.txt --start TIME --interval DURATION"
    assert found["export"].startswith("`dcgmi dmon")
    assert found["traps"]
    with pytest.raises(UsageError) as error:
        json_listings.formats_json("grafana")
    assert error.value.hint == "did you mean 'grafana-csv'?"
