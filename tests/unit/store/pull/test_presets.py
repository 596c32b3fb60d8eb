"""Presets cover what the catalog knows, in every spelling, and nothing of others."""

import re

import pytest

from signals.catalog.naming import ENGINES
from signals.errors import UsageError
from signals.store.pull.presets import PRESETS, REPLICAS, find_presets, preset_names
from signals.store.pull.selector import is_selector

SPELLINGS = {
    "aibrix": ("gateway_{name}", "aibrix_gateway_{name}"),
    "dcgm": ("DCGM_FI_{upper}",),
    "dynamo": ("dynamo_{name}",),
    "epp": ("inference_{name}",),
    "ray": ("ray_serve_{name}",),
    "sglang": ("sglang:{name}", "sglang_{name}"),
    "tgi": ("tgi_{name}",),
    "trtllm": ("trtllm_{name}", "trtllm:{name}"),
    "vllm": ("vllm:{name}", "vllm_{name}", "ray_vllm_{name}"),
}
KNOWN = [
    (engine.name, rule.metric)
    for engine in ENGINES
    for rule in engine.rules
    if engine.name in SPELLINGS
    and not (engine.name == "dcgm" and not rule.metric.startswith(("dev", "prof")))
]


@pytest.mark.parametrize(("engine", "metric"), sorted(set(KNOWN)))
def test_preset_covers_the_catalog(engine, metric):
    """A metric that becomes a measurement is pulled, with and without the suffixes of its parts."""
    (preset,) = find_presets((engine,))
    for spelling in SPELLINGS[engine]:
        name = spelling.format(name=metric, upper=metric.upper())
        for suffix in ("", "_total", "_bucket", "_sum", "_count"):
            assert preset.fits(f"{name}{suffix}"), name
        assert not preset.fits(f"{name}_created")


def test_old_names_of_dcgm():
    """The 1.x exporter wrote lower case."""
    (preset,) = find_presets(("dcgm",))
    assert preset.fits("dcgm_gpu_utilization")
    assert preset.fits("dcgm_power_usage")


@pytest.mark.parametrize("name", ["node_load1", "python_info", "vllm:x", "myvllm:prompt_tokens"])
def test_others_are_left_alone(name):
    """A preset asks for nothing it does not name."""
    assert not any(preset.fits(name) for preset in PRESETS)


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.name)
def test_servers_understand_the_pattern(preset):
    """Their regular expressions know no looking ahead or behind, and no references."""
    assert re.findall(r"\(\?(?!:)|\\[1-9]|\*\+|\+\+|\?\+", preset.pattern) == []


def test_name_that_its_prefix_alone_tells():
    """AIBrix's replicas, without its prefix or with it; no other name gets along without."""
    (preset,) = find_presets(("aibrix",))
    assert preset.fits("model_replicas")
    assert preset.fits("aibrix:model_replicas")
    assert not preset.fits("requests")


def test_names_are_sorted_and_known():
    """The table is alphabetical; a wrong name is told with the right ones."""
    assert list(preset_names()) == sorted(preset_names())
    assert find_presets(()) == PRESETS
    with pytest.raises(UsageError, match="vlm"):
        find_presets(("vlm",))


@pytest.mark.parametrize("preset", [*PRESETS, REPLICAS], ids=lambda preset: preset.name)
def test_selector_is_one(preset):
    """It can be asked as it stands."""
    assert is_selector(preset.selector)
