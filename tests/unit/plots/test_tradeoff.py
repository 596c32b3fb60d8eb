"""Attainment against GPU-hours."""

from __future__ import annotations

from dataclasses import replace

from signals.plots.theme import policy_color
from signals.plots.tradeoff import plot_attainment_cost
from tests.builders import make_comparison


def test_each_policy_is_one_mark_of_its_own_shape_with_units_on_the_axes() -> None:
    """Positions are GPU-hours and the share within both objectives; colours follow the policies' order."""
    comparison = make_comparison(hours=2)
    figure = plot_attainment_cost(comparison, theme="light")
    marks = {t.name: (t.x[0], t.y[0], t.marker.color) for t in figure.data}
    assert marks == {
        result.label: (result.gpu_hours, result.attainment["both"], policy_color(i, "light"))
        for i, result in enumerate(comparison.policies)
    }
    assert len({t.marker.symbol for t in figure.data}) == 3
    assert figure.layout.showlegend
    assert figure.layout.xaxis.title.text == "GPU-hours (h)"
    assert figure.layout.yaxis.title.text == "requests within both objectives (%)"


def test_policy_without_attainment_has_no_mark() -> None:
    """Nothing arrived: nothing to place."""
    comparison = make_comparison(hours=1, policies=1)
    nothing = replace(comparison.policies[0], attainment={"both": None})
    figure = plot_attainment_cost(replace(comparison, policies=(nothing,)), theme="light")
    assert not figure.data
    assert "no policy" in figure.layout.annotations[0].text
