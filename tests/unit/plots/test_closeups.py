"""The views of one signal."""

from __future__ import annotations

import pytest

from signals.plots import closeups
from signals.plots.closeups import CLOSEUPS, closeup
from tests.builders import make_detail


def test_every_view_asks_one_question_and_says_in_one_sentence_how_to_read_it() -> None:
    """Names are unique; a page shows them in this order."""
    names = [view.name for view in CLOSEUPS]
    assert names == ["timeline", "lag", "events", "response", "window", "stability"]
    for view in CLOSEUPS:
        assert view.question.endswith("?")
        assert view.reading.endswith(".")
        assert ". " not in view.reading


@pytest.mark.parametrize("name", [view.name for view in CLOSEUPS])
def test_every_view_draws_a_detail(name: str) -> None:
    """Data, an own height, and the plot of its name."""
    figure = closeup(name).draw(make_detail(), theme="dark")
    assert figure.data
    assert figure.layout.height >= 200
    assert closeup(name).plot is getattr(closeups, f"plot_{name}")


def test_unknown_view_is_an_error() -> None:
    """No silent first one."""
    with pytest.raises(KeyError):
        closeup("pie")
