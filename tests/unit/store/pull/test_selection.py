"""What is pulled follows from what the server has."""

import pytest

from signals.errors import UsageError
from signals.store.parsed import NameChoice
from signals.store.pull.endpoint import parse_endpoint
from signals.store.pull.faults import ServerError
from signals.store.pull.plan import Window
from signals.store.pull.selection import Selection, Wanted, find_selections, own_selections

HOUR = Window(0, 3_600_000)
SERVER = parse_endpoint("http://metrics.example")


class Shop:
    """Stands for a client of a server that has some metrics with some labels."""

    endpoint = SERVER

    def __init__(self, metrics, **labels):
        self.metrics = metrics
        self.labels = labels
        self.asked = []

    def label_values(self, label, selector, _window):
        self.asked.append((label, selector))
        # as servers of before 2021: the selector is ignored
        return self.metrics if label == "__name__" else self.labels.get(label, [])


def test_presets_of_which_there_is_something():
    """All presets are looked for; those present are pulled with what goes with them."""
    shop = Shop(
        [
            "vllm:prompt_tokens_total",
            "DCGM_FI_DEV_GPU_UTIL",
            "up",
            "node_load1",
            "kube_deployment_spec_replicas",
            "http_requests_total",
        ],
        job=["llm", "gpu"],
        namespace=["chat"],
    )
    found = find_selections(shop, Wanted(), HOUR)
    assert [one.name for one in found] == ["dcgm", "vllm", "up", "arrivals", "replicas"]
    assert found[1].metrics == ("vllm:prompt_tokens_total",)
    assert 'job=~"gpu|llm"' in found[2].query
    assert 'handler=~"/v1/' in found[3].query
    assert 'job=~"gpu|llm"' in found[3].query
    assert 'namespace=~"chat"' in found[4].query


def test_matchers_hold_for_presets():
    """And a namespace of the user's outweighs the ones that were seen."""
    shop = Shop(["vllm:prompt_tokens_total", "kube_deployment_spec_replicas"], namespace=["chat"])
    wanted = Wanted(presets=("vllm",), matchers=('namespace="prod"',))
    vllm, replicas = find_selections(shop, wanted, HOUR)
    assert vllm.query.endswith(',namespace="prod"}')
    assert replicas.query.endswith(',namespace="prod"}')


def test_nothing_of_it_is_told():
    """With what was looked for."""
    with pytest.raises(ServerError, match="sglang, vllm that match"):
        find_selections(Shop(["up"]), Wanted(("vllm", "sglang"), matchers=('a="b"',)), HOUR)


def test_queries_alone_need_no_preset():
    """Nobody is asked for what the user named."""
    shop = Shop([])
    found = find_selections(shop, Wanted(queries=("node_load1 ", "up", "up")), HOUR)
    assert [(one.name, one.query) for one in found] == [("query1", "node_load1"), ("query2", "up")]
    assert shop.asked == []


def test_expressions_take_names_and_a_step():
    """In their order; selectors keep their own names."""
    name = NameChoice("decode_tps", "tokens/s")
    wanted = Wanted(queries=("up", "sum(up)"), names=(name,), step_ms=15_000)
    assert own_selections(wanted) == [
        Selection("query1", "up"),
        Selection("query2", "sum(up)", 15_000, name),
    ]


@pytest.mark.parametrize(
    ("wanted", "where"),
    [
        (Wanted(queries=("sum(up)",), step_ms=1), "--as"),
        (Wanted(queries=("up",), names=(NameChoice("a", ""),)), "--as"),
        (Wanted(queries=("sum(up)",), names=(NameChoice("a", ""),)), "--step"),
        (Wanted(queries=("up[5m]",)), "--query"),
        (Wanted(matchers=("namespace",)), "--match"),
        (Wanted(presets=("vlm",)), "--preset"),
    ],
)
def test_what_cannot_be_asked(wanted, where):
    """Told before the server is troubled."""
    with pytest.raises(UsageError) as raised:
        own_selections(wanted)
    assert raised.value.where == where


def test_key_depends_on_all_that_decides_the_answers():
    """And on nothing else: metrics that appear later do not begin the pull anew."""
    one = Selection("vllm", "up", metrics=("a",))
    key = one.key(SERVER, "chat")
    assert key == Selection("vllm", "up", metrics=("a", "b")).key(SERVER, "chat")
    others = {
        Selection("vllm", "up2").key(SERVER, "chat"),
        Selection("vllm", "up", 15_000).key(SERVER, "chat"),
        Selection("vllm", "up", 0, NameChoice("a", "s")).key(SERVER, "chat"),
        one.key(SERVER, "code"),
        one.key(parse_endpoint("http://metrics.example", org_id="b"), "chat"),
    }
    assert len(others | {key}) == 6
