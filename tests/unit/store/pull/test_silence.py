"""What did not come is named, with a way to find out why."""

import pytest

from signals.store.pull.reports import Pulled
from signals.store.pull.selection import Selection, Wanted
from signals.store.pull.silence import missing_presets, unanswered

BASE = "http://a:9090"
VLLM = Selection("vllm", '{__name__=~"vllm:.*"}', metrics=("vllm:a",))
OWN = Selection("query1", 'node_load1{host="a"}')


def test_presets_without_metrics_are_named():
    """Each, with the matchers and a question that lists names."""
    wanted = Wanted(presets=("vllm", "sglang", "tgi"), matchers=('namespace="llm"',))
    first, second = missing_presets(wanted, [VLLM], BASE)
    assert (first.code, first.severity) == ("empty_result", "warning")
    assert {first.subject, second.subject} == {"sglang", "tgi"}
    for part in (
        first.subject,
        'namespace="llm"',
        f"{BASE}/api/v1/label/__name__/values",
        "match[]",
        f'{{__name__=~"(?i).*{first.subject}.*"}}',
    ):
        assert part in first.text


def test_presets_nobody_asked_for_are_not_missed():
    """Looking for all of them is not asking for each."""
    assert missing_presets(Wanted(), [VLLM], BASE) == []


def test_questions_without_a_sample_are_named():
    """A selector that matches nothing, and metrics that pause."""
    asked = [Pulled(VLLM, questions=2, asked_ms=600_000), Pulled(OWN, questions=1, asked_ms=1_000)]
    first, second = unanswered(asked, BASE, known=frozenset())
    assert (first.subject, second.subject) == ("vllm", "query1")
    assert "none has a sample" in first.text
    assert OWN.query in second.text
    assert '"(?i).*node.*"' in second.text


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
    assert unanswered([one], BASE, known=frozenset({"vllm"})) == []


def test_long_queries_are_cut():
    """Nobody reads all of it."""
    one = Pulled(Selection("query1", f'{{a="{"x" * 500}"}}'), questions=1, asked_ms=600_000)
    (finding,) = unanswered([one], BASE, known=frozenset())
    assert len(finding.text) < 400
