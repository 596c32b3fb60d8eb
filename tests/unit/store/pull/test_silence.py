"""What did not come is named, with a way to find out why."""

import pytest

from signals.store.pull.reports import Pulled
from signals.store.pull.selection import Selection, Wanted
from signals.store.pull.silence import missing_presets, silence_of, unanswered

BASE = "http://a:9090"
VLLM = Selection("vllm", '{__name__=~"vllm:.*"}', metrics=("vllm:a",))
OWN = Selection("query1", 'node_load1{host="a"}')


def test_presets_without_metrics_are_missed():
    """Those that were asked for by name: looking for all of them is not asking for each."""
    assert missing_presets(Wanted(presets=("vllm", "sglang", "tgi")), [VLLM]) == ["sglang", "tgi"]
    assert missing_presets(Wanted(), [VLLM]) == []


def test_everything_is_told_at_once():
    """Presets, queries and matchers, and one question that lists the names there are."""
    wanted = Wanted(presets=("tgi",), matchers=('namespace="llm"',))
    (finding,) = silence_of(wanted, ["tgi"], [VLLM, OWN], BASE)
    assert (finding.code, finding.severity, finding.count) == ("empty_result", "warning", 3)
    assert finding.subject == ""
    for part in (
        "preset tgi",
        "vllm (at other times it has)",
        f"query1 {OWN.query}",
        'namespace="llm"',
        f"curl -G {BASE}/api/v1/label/__name__/values",
        'match[]={__name__=~"(?i).*(tgi|node_load1).*"}',
    ):
        assert part in finding.text


def test_silence_about_nothing():
    """All came."""
    assert silence_of(Wanted(), [], [], BASE) == []


@pytest.mark.parametrize(
    ("query", "pattern"),
    [
        ("a:b_c", "(?i).*(a:b_c).*"),
        ("sum(rate(x_total[5m]))", "(?i).*(x_total).*"),
        ('{job="llm"}', ".+"),
    ],
)
def test_names_are_looked_for_by_what_the_query_says(query, pattern):
    """As far as it names a metric."""
    (finding,) = silence_of(Wanted(), [], [Selection("query1", query)], BASE)
    assert f'=~"{pattern}"' in finding.text


def test_long_queries_are_cut():
    """Nobody reads all of it."""
    one = Selection("query1", f'{{a="{"x" * 500}"}}')
    (finding,) = silence_of(Wanted(), [], [one], BASE)
    assert finding.subject == "query1"
    assert len(finding.text) < 400


def test_questions_without_a_sample_are_unanswered():
    """For a long time, or of what never had any."""
    asked = [Pulled(VLLM, questions=2, asked_ms=600_000), Pulled(OWN, questions=1, asked_ms=1_000)]
    assert unanswered(asked, known=frozenset({"vllm"})) == [VLLM, OWN]


@pytest.mark.parametrize(
    "one",
    [
        Pulled(VLLM, questions=1, samples=1, asked_ms=600_000),
        Pulled(VLLM, stored_ms=600_000),
        Pulled(VLLM, questions=1, asked_ms=20_000),
    ],
)
def test_what_is_in_order_is_not_told(one):
    """Samples came, nothing was asked, or only a moment since the last ones."""
    assert unanswered([one], known=frozenset({"vllm"})) == []
