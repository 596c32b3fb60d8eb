"""Recommendations as JSON objects."""

from __future__ import annotations

import json

from signals.report.json_advice import recommendation_json
from signals.report.json_form import scorecard_json
from tests.builders_advice import make_advice, make_advised


def test_every_recommendation_has_every_key() -> None:
    """With a signal or without; the target is an estimate with figures of its own."""
    documents = [recommendation_json(one) for one in make_advice()]
    assert len({tuple(document) for document in documents}) == 1
    decode, _, nothing = documents
    assert decode["target"]["low"] == 411.0
    assert decode["target"]["basis"] == "knee"
    assert decode["runner_up"]["lost_by"] == "capacity_error"
    assert decode["limits"][0]["code"] == "few_days"
    assert (nothing["signal"], nothing["window_s"], nothing["runner_up"]) == (None, None, None)
    assert nothing["target"]["value"] is None


def test_the_scorecard_holds_them() -> None:
    """As strict JSON."""
    document = scorecard_json(make_advised())
    assert [one["pool"] for one in document["recommendations"]] == ["decode", "prefill", "unified"]
    assert json.loads(json.dumps(document, allow_nan=False)) == document
