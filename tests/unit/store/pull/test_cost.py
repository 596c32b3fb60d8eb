"""A cost is counted where it is short, and probed where it is long."""

from signals.store.pull.cost import _probes, count_cost
from signals.store.pull.faults import ServerError, TooMuch
from signals.store.pull.plan import Window
from signals.store.pull.selection import Selection

HOUR_MS = 3_600_000
VLLM = Selection("vllm", '{__name__=~"vllm:.*"}', metrics=("vllm:a", "vllm:b"))


class Counter:
    """Stands for a client of a server with ten series and a sample each second of each."""

    def __init__(self):
        self.asked = []

    def counts(self, query, moment_ms):
        self.asked.append((query, moment_ms))
        width_s = int(query.split("[")[1].split("ms]")[0]) // 1000
        each = 5 if "(count(" in query else 5 * width_s
        return [each for _ in range(query.count("label_replace"))]


def test_short_times_are_counted_whole():
    """Both metrics in one question."""
    client = Counter()
    cost = count_cost(client, VLLM, [Window(0, HOUR_MS)], aim_bytes=1 << 20)
    assert (cost.series, cost.samples, cost.exact) == (10, 36_000, True)
    assert len(client.asked) == 2
    assert 'vllm:a"}[3600000ms]' in client.asked[0][0]
    assert client.asked[0][1] == HOUR_MS - 1


def test_long_times_are_probed():
    """Four hours stand for a week."""
    cost = count_cost(Counter(), VLLM, [Window(0, 168 * HOUR_MS)], aim_bytes=16 << 20)
    assert (cost.series, cost.samples, cost.exact) == (10, 168 * 36_000, False)
    assert cost.questions > 5


def test_what_probes_miss_is_counted_whole():
    """Half an hour of a week, between the probes."""

    class Sparse(Counter):
        def counts(self, query, moment_ms):
            rows = super().counts(query, moment_ms)
            return rows if f"[{168 * HOUR_MS}ms]" in query else []

    cost = count_cost(Sparse(), VLLM, [Window(0, 168 * HOUR_MS)], aim_bytes=16 << 20)
    assert (cost.series, cost.exact) == (10, True)
    assert cost.samples > 0


def test_probes_lie_inside_the_windows():
    """Also where these are short and many."""
    windows = [Window(n * HOUR_MS, n * HOUR_MS + HOUR_MS // 2) for n in range(20)]
    probes = list(_probes(windows, sum(w.width_ms for w in windows)))
    assert len(probes) == 4
    assert all(
        any(w.start_ms <= p.start_ms < p.end_ms <= w.end_ms for w in windows) for p in probes
    )


def test_server_that_cannot_count():
    """Says so by leaving the figures open."""

    class Tired(Counter):
        def counts(self, query, moment_ms):
            raise TooMuch(ServerError("too many samples"))

    cost = count_cost(Tired(), VLLM, [Window(0, HOUR_MS)], aim_bytes=1)
    assert (cost.series, cost.samples, cost.questions) == (None, None, None)


def test_nothing_left_costs_nothing():
    """All of it is stored."""
    cost = count_cost(Counter(), VLLM, [], aim_bytes=1)
    assert (cost.samples, cost.questions, cost.example) == (0, 0, "")


def test_expression_costs_questions():
    """Its points are bounded, its series unknown."""
    one = Selection("query1", "sum(up)", 15_000)
    cost = count_cost(Counter(), one, [Window(0, 20_000 * 15_000)], aim_bytes=1)
    assert (cost.questions, cost.samples) == (2, None)
