"""Ways of doing one thing in one run, and how many times as long as ours the others take."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

__all__ = ["Ways"]


@dataclass
class Ways:
    """Times of several ways.

    Attributes:
        title: what is done.
        ours: which way the others are held against; it has to be timed last.
        seconds: the least time of each way.
    """

    title: str
    ours: str
    seconds: dict[str, float] = field(default_factory=dict)

    def time(
        self,
        benchmark: Any,
        request: pytest.FixtureRequest,
        way: str,
        work: Callable[[], Any],
        *,
        rounds: int = 5,
        share: float = 1.0,
    ) -> Any:
        """Time one way, keep its ratios with the run, and print them for ours.

        Args:
            benchmark: the fixture.
            request: of the test.
            way: its name.
            work: what is timed.
            rounds: how often, after once to warm up; once and cold if 1.
            share: part of the work that is compared.

        Returns:
            What the work returned.
        """
        result = benchmark.pedantic(work, rounds=rounds, warmup_rounds=int(rounds > 1))
        if benchmark.disabled:
            return result
        self.seconds[way] = benchmark.stats.stats.min * share
        if way == self.ours:
            mine = self.seconds[way]
            others = {w: s / mine for w, s in self.seconds.items() if w != way}
            benchmark.extra_info.update({f"times_{w}": round(r, 2) for w, r in others.items()})
            ratios = ", ".join(f"{other} {ratio:.2f} times that" for other, ratio in others.items())
            plugins = request.config.pluginmanager
            with plugins.get_plugin("capturemanager").global_and_fixture_disabled():
                plugins.get_plugin("terminalreporter").write_line(
                    f"\n{self.title}: {mine:.3g} s; {ratios}"
                )
        return result
