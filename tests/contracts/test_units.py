"""Law 5: every number has a unit in its name or its row."""

import polars as pl
import pytest

from signals import schema
from signals.catalog import MEASUREMENTS, SIGNALS
from signals.policies import POLICIES
from signals.policies.choice import SIGNAL_UNIT, TEXT_UNIT
from signals.replay import frames
from signals.schema import Column, FrameSchema
from signals.study.score import MEASURES
from signals.units import UNITS

BASE_UNITS = {unit.base for unit in UNITS}
OF_ANOTHER_ROW = {"the measurement's", "the signal's"}
"""Columns whose rows carry values of many units name the row that says which."""
OF_THE_LOAD = {"load"}
"""Measures that are a place on the load axis carry the load's own unit."""
LOGARITHMIC = {"dB", "ln"}
"""Units of measures that compare by ratio; nothing is stored or read in them."""
FREQUENT = {"1/h"}
"""Units of measures that count rare things; nothing is stored or read in them."""

FRAMES = [
    value
    for module in (schema, frames)
    for value in vars(module).values()
    if isinstance(value, FrameSchema)
]
COLUMNS = [(frame.name, column) for frame in FRAMES for column in frame.columns]


def is_number(column: Column) -> bool:
    """Whether a column holds numbers."""
    dtype = column.dtype() if isinstance(column.dtype, type) else column.dtype
    return isinstance(dtype, pl.DataType) and dtype.is_numeric()


def test_units_are_written_once():
    """A spelling stands for one unit."""
    spellings = [text for unit in UNITS for text in (unit.name, *unit.aliases)]
    assert sorted(set(spellings)) == sorted(spellings)


@pytest.mark.parametrize("spec", MEASUREMENTS, ids=lambda spec: spec.name)
def test_measurement_is_stored_in_a_base_unit(spec):
    """What is stored needs no conversion."""
    assert spec.unit in BASE_UNITS


@pytest.mark.parametrize("spec", SIGNALS, ids=lambda spec: spec.name)
def test_signal_is_in_a_base_unit(spec):
    """What is computed needs no conversion."""
    assert spec.unit in BASE_UNITS


@pytest.mark.parametrize("spec", MEASURES, ids=lambda spec: spec.name)
def test_measure_has_a_known_unit(spec):
    """An empty unit says that the measure has none, such as a correlation."""
    assert spec.unit in BASE_UNITS | LOGARITHMIC | FREQUENT | OF_THE_LOAD | {""}


@pytest.mark.parametrize(
    ("frame", "column"), COLUMNS, ids=[f"{frame}.{column.name}" for frame, column in COLUMNS]
)
def test_column_has_a_known_unit(frame, column):
    """Numbers carry one; times, names and words carry none."""
    if is_number(column):
        assert column.unit in BASE_UNITS | OF_ANOTHER_ROW, frame
    else:
        assert column.unit in BASE_UNITS | {""}, frame


PARAMETERS = [
    (entry.spec.name, parameter) for entry in POLICIES for parameter in entry.spec.parameters
]


@pytest.mark.parametrize(
    ("policy", "parameter"), PARAMETERS, ids=[f"{name}.{p.name}" for name, p in PARAMETERS]
)
def test_policy_parameter_has_a_known_unit(policy, parameter):
    """A unit, or the word for a text, a choice, or a value of the signal that another parameter names."""
    if isinstance(parameter.default, (int, float)) and not isinstance(parameter.default, bool):
        assert parameter.unit in BASE_UNITS | {SIGNAL_UNIT}, policy
    else:
        assert parameter.unit in BASE_UNITS | {SIGNAL_UNIT, TEXT_UNIT, ""}, policy
