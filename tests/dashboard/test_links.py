"""Addresses carry page and service."""

from __future__ import annotations

from dashboard.links import choose_service, page_link, service_in, with_service


def test_link_of_a_service_reads_back() -> None:
    """Names with spaces, ampersands and umlauts survive."""
    for name in ("chat", "a & b", "größe=1"):
        assert service_in(page_link("/signals", name).partition("?")[2]) == name


def test_other_parts_of_the_query_stay() -> None:
    """Only the service is replaced."""
    assert with_service("?service=a&x=1", "b") == "?service=b&x=1"


def test_missing_parts_are_empty() -> None:
    """No query, no service."""
    assert service_in(None) == service_in("") == service_in("?x=1") == ""
    assert page_link("/", None) == "/"


def test_first_wanted_service_that_exists_is_chosen() -> None:
    """Unknown and empty wishes are passed over; an empty store has none."""
    assert choose_service(["a", "b"], "b", "a") == "b"
    assert choose_service(["a", "b"], "gone", None, "") == "a"
    assert choose_service([], "a") is None
