"""The short form of the calibration of verdicts: fewer signals, in worlds of three days of minutes at most."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.calibration import verdict_worlds
from tests.calibration.table import row_of
from tests.calibration.verdict_signals import KINDS
from tests.calibration.verdicts import CLASSES, FOOLED, VERDICTS

SHORT_TICKS = 4_320


@pytest.fixture(autouse=True)
def small_worlds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three days of minutes, or one of 20 s."""
    monkeypatch.setattr(verdict_worlds, "MOST_TICKS", SHORT_TICKS)


@pytest.mark.parametrize("setting", VERDICTS.settings, ids=lambda setting: setting.name)
def test_class_is_right(setting) -> None:
    """At least 95 % of made signals get the class they deserve, within what ten can tell."""
    row = row_of(VERDICTS, setting, 10)
    assert row.missed(errors=1) == [], row.figures
    assert sum(row.figures[verdict] for verdict in CLASSES) == pytest.approx(1)


@pytest.mark.parametrize("setting", FOOLED.settings, ids=lambda setting: setting.name)
def test_fooling_signal_is_named(setting) -> None:
    """By the reason or condition that says what is wrong, and none passes as clean."""
    row = row_of(FOOLED, setting, 2)
    assert row.missed() == [], row.figures


def test_every_class_has_several_kinds() -> None:
    """But the one that is nothing but right."""
    kinds = Counter(kind.verdict for kind in KINDS)
    assert set(kinds) == set(CLASSES)
    assert kinds["proportional"] == 1
    assert min(kinds[verdict] for verdict in CLASSES[1:]) >= 3
    assert [kind.name for kind in KINDS if not kind.rises] == ["falls with load"]
