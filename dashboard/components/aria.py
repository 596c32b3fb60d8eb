"""ARIA attributes, whose names are no Python identifiers."""

from __future__ import annotations

from typing import Any

__all__ = ["aria"]


def aria(**attributes: str) -> dict[str, Any]:
    """Keyword arguments `aria-NAME` for a component."""
    return {f"aria-{name}": value for name, value in attributes.items()}
