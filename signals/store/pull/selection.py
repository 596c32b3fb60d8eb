"""What is pulled: selectors and expressions, found by asking which metrics exist."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from signals.errors import UsageError
from signals.store.parsed import NameChoice
from signals.store.pull.client import Client
from signals.store.pull.endpoint import Endpoint
from signals.store.pull.faults import ServerError, TooMuch
from signals.store.pull.plan import Window
from signals.store.pull.presets import ARRIVALS, REPLICAS, TARGETS, Preset, find_presets
from signals.store.pull.selector import any_of, check_matcher, is_selector, with_matchers

__all__ = ["Selection", "Wanted", "find_selections", "names_hint", "own_selections"]

_NAME = "__name__"
_OWN = "query"
_METRIC = re.compile(r"[a-zA-Z_:][\w:]*")
_MOST_PLACES = 500
_COMPLETIONS = 'handler=~"/v1/(chat/completions|completions|responses)"'
"""What tells the counter of an engine's HTTP server from those of all other servers, whose name it shares."""


@dataclass(frozen=True)
class Selection:
    """One thing to pull.

    Attributes:
        name: preset, `up`, `replicas`, or `query1` and so on.
        query: a selector, or with a step any expression.
        step_ms: step of a range query over an expression; 0 for a selector's raw samples.
        as_name: name and unit of an expression's nameless result.
        metrics: names of the metrics that were found; empty if nobody looked.
    """

    name: str
    query: str
    step_ms: int = 0
    as_name: NameChoice | None = None
    metrics: tuple[str, ...] = ()

    @property
    def about(self) -> str:
        """The name of the result, the metric of a query of the user's own, or the selection's name."""
        if self.as_name is not None:
            return self.as_name.name
        named = _METRIC.match(self.query) if self.name.startswith(_OWN) else None
        return named[0] if named else self.name

    def key(self, endpoint: Endpoint, service: str) -> str:
        """What tells the answers to this question from those to others: a hash of all that decides them."""
        chosen = [self.as_name.name, self.as_name.unit] if self.as_name else []
        parts = [endpoint.base, endpoint.org_id, service, self.query, self.step_ms, chosen]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:12]


@dataclass(frozen=True)
class Wanted:
    """What the user asked for.

    Attributes:
        presets: names of presets; empty for all, unless there are queries.
        queries: selectors and expressions.
        names: names and units of the expressions' results, in their order.
        matchers: label matchers that all selectors of presets must fulfil too.
        step_ms: step for expressions; 0 if none was named.
    """

    presets: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()
    names: tuple[NameChoice, ...] = ()
    matchers: tuple[str, ...] = ()
    step_ms: int = 0


def own_selections(wanted: Wanted) -> list[Selection]:
    """The selections of the user's own queries; nothing is asked.

    Raises:
        UsageError: a query or matcher is malformed, or an expression lacks its name or step.
    """
    for matcher in wanted.matchers:
        check_matcher(matcher)
    find_presets(wanted.presets)
    expressions = [query for query in wanted.queries if not is_selector(query)]
    if len(expressions) != len(wanted.names):
        raise UsageError(
            f"of {len(wanted.queries)} queries {len(expressions)} need names, but --as names {len(wanted.names)}",
            where="--as",
            expected="one --as NAME[unit] for each expression, in their order",
            hint='a plain selector such as metric{label="value"} keeps its own names',
        )
    if expressions and not wanted.step_ms:
        raise UsageError(
            "an expression has values at steps only",
            where="--step",
            expected="--step, such as 15s, for --query with an expression",
        )
    chosen = iter(wanted.names)
    found = []
    for number, query in enumerate(dict.fromkeys(wanted.queries), start=1):
        if query in expressions:
            found.append(Selection(f"{_OWN}{number}", query, wanted.step_ms, next(chosen)))
        else:
            found.append(Selection(f"{_OWN}{number}", query.strip()))
    return found


def find_selections(client: Client, wanted: Wanted, window: Window) -> list[Selection]:
    """Everything to pull: presets of which the server has metrics, what goes with them, and the queries.

    Args:
        client: asks the server which metrics it has.
        wanted: what the user asked for.
        window: the time that is looked at.

    Raises:
        ServerError: the server has none of it, or cannot be asked.
        UsageError: see `own_selections`.
    """
    own = own_selections(wanted)
    found: list[Selection] = []
    if wanted.presets or not own:
        asked = find_presets(wanted.presets)
        for preset in asked:
            found += _existing(client, preset, wanted.matchers, window)
        if found:
            found += _beside(client, found, wanted.matchers, window)
        elif not own:
            raise _nothing(asked, wanted, client)
    return [*found, *own]


def _existing(
    client: Client, preset: Preset, matchers: Sequence[str], window: Window
) -> list[Selection]:
    selector = with_matchers(preset.selector, matchers)
    names = _values(client, _NAME, selector, window)
    # servers of before 2021 ignore the selector and name every metric they have
    metrics = tuple(name for name in names if preset.fits(name))
    return [Selection(preset.name, selector, metrics=metrics)] if metrics else []


def _beside(
    client: Client, found: Sequence[Selection], matchers: Sequence[str], window: Window
) -> list[Selection]:
    """Whether the engines' targets answer, what arrives there, how many replicas: of their jobs and namespaces."""
    places: Mapping[str, set[str]] = {"job": set(), "namespace": set()}
    for selection in found:
        for label, values in places.items():
            values |= {v for v in _values(client, label, selection.query, window) if v}
    beside: list[Selection] = []
    for preset, label, own in (
        (TARGETS, "job", ()),
        (ARRIVALS, "job", (_COMPLETIONS,)),
        (REPLICAS, "namespace", ()),
    ):
        values = places[label]
        near = [any_of(label, values)] if 0 < len(values) <= _MOST_PLACES else []
        if label == "namespace" and any(_matches_label(m, label) for m in matchers):
            near = []
        beside += _existing(client, preset, [*matchers, *own, *near], window)
    return beside


def _matches_label(matcher: str, label: str) -> bool:
    return re.match(rf"\s*{label}\s*[=!]", matcher) is not None


def _values(client: Client, label: str, selector: str, window: Window) -> list[str]:
    try:
        return client.label_values(label, selector, window)
    except TooMuch as error:
        raise error.error from error


def _nothing(asked: Sequence[Preset], wanted: Wanted, client: Client) -> ServerError:
    names = ", ".join(preset.name for preset in asked)
    matched = f" that match {', '.join(wanted.matchers)}" if wanted.matchers else ""
    return ServerError(
        f"the server has no metrics of {names}{matched} in this time",
        where=client.endpoint.base,
        hint="look at --since, --from and --to; --query pulls metrics of other names; "
        + names_hint(
            client.endpoint.base, [preset.name for preset in asked] if wanted.presets else []
        ),
    )


def names_hint(base: str, words: Sequence[str]) -> str:
    """How to list the names of metrics that a server has.

    Args:
        base: its address.
        words: what the names should contain, one of them; empty for all.
    """
    parts = "|".join(dict.fromkeys(words))
    pattern = f"(?i).*({parts}).*" if parts else ".+"
    return (
        f"which names it has: curl -G {base}/api/v1/label/__name__/values "
        f"--data-urlencode 'match[]={{__name__=~\"{pattern}\"}}'"
    )
