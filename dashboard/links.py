"""Addresses of pages: the page in the path, the service in the query, so that a view can be shared."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import parse_qs, urlencode

__all__ = ["choose_service", "page_link", "service_in", "with_service"]


def service_in(search: str | None) -> str:
    """The service that the query part of an address names; empty if none."""
    return parse_qs((search or "").lstrip("?")).get("service", [""])[0]


def with_service(search: str | None, service: str) -> str:
    """The query part with the service replaced."""
    parts = parse_qs((search or "").lstrip("?"))
    parts["service"] = [service]
    return "?" + urlencode(parts, doseq=True)


def page_link(path: str, service: str | None) -> str:
    """The address of a page for a service."""
    return path + with_service("", service) if service else path


def choose_service(known: Sequence[str], *wanted: str | None) -> str | None:
    """The first wanted service that exists, else the first there is; None in an empty store."""
    return next((name for name in wanted if name and name in known), known[0] if known else None)
