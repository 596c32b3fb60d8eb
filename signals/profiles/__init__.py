"""Service-time profiles: declared data with their source and fit error."""

from __future__ import annotations

from signals.profiles.shipped import load_profile, parse_profile, profile_names
from signals.profiles.spec import CounterModel, FitError, Knots, Profile

__all__ = [
    "CounterModel",
    "FitError",
    "Knots",
    "Profile",
    "load_profile",
    "parse_profile",
    "profile_names",
]
