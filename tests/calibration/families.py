"""The families in the order of the report."""

from __future__ import annotations

from tests.calibration.association import CHANCE, GRANGER, SHARED_DAY
from tests.calibration.capacity import CAPACITY, FLAPPING
from tests.calibration.lag import DAY, WEEK
from tests.calibration.response import ELASTICITY, KNEE, SMOOTH
from tests.calibration.rise import RISE
from tests.calibration.strength import PARTIAL_STRENGTH, STRENGTH
from tests.calibration.table import Family
from tests.calibration.target import TARGET
from tests.calibration.unrelated import UNRELATED
from tests.calibration.verdicts import FOOLED, VERDICTS

__all__ = ["FAMILIES", "chosen"]

FAMILIES = (
    DAY,
    WEEK,
    UNRELATED,
    RISE,
    CHANCE,
    SHARED_DAY,
    STRENGTH,
    PARTIAL_STRENGTH,
    GRANGER,
    ELASTICITY,
    KNEE,
    SMOOTH,
    CAPACITY,
    FLAPPING,
    TARGET,
    VERDICTS,
    FOOLED,
)


def chosen(names: list[str]) -> list[Family]:
    """Families by name, in the order of the report; all without a name.

    Args:
        names: of families.

    Returns:
        At least one.

    Raises:
        ValueError: for a name that no family has.
    """
    known = [family.name for family in FAMILIES]
    for name in names:
        if name not in known:
            raise ValueError(f"no family is called {name!r}; there are {', '.join(known)}")
    return [family for family in FAMILIES if not names or family.name in names]
