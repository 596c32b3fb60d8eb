"""A comparison as a frame and in a notebook."""

from __future__ import annotations

from tests.builders import make_comparison


def test_frame_has_a_row_per_policy() -> None:
    comparison = make_comparison(hours=1)
    frame = comparison.frame()
    assert frame["label"].to_list() == [p.label for p in comparison.policies]
    assert frame["gpu_hours"].to_list() == [p.gpu_hours for p in comparison.policies]
    assert frame["attainment_both"][0] == comparison.policies[0].attainment["both"]
    assert frame["arrived"][0] == comparison.policies[0].requests["arrived"]
    assert comparison.policies[0].label in comparison._repr_html_()
