"""Shipped profiles and their text form."""

import dataclasses
from importlib.resources import files

import pytest

from signals.errors import InputError, UsageError
from signals.profiles import load_profile, parse_profile, profile_names


def text() -> str:
    return files("signals.profiles").joinpath("llama2-70b-h100.toml").read_text(encoding="utf-8")


def test_names_hold_the_default():
    """The default of the command line is shipped."""
    assert "llama2-70b-h100" in profile_names()


@pytest.mark.parametrize("name", profile_names())
def test_every_shipped_profile_loads_with_source_and_fit_error(name):
    """A profile says where its numbers come from and how good its fit is."""
    profile = load_profile(name)
    assert profile.name == name
    assert "licence" in profile.source
    assert {error.curve for error in profile.fit_errors} == {"prefill", "decode"}
    assert all(error.points > 0 for error in profile.fit_errors)


def test_sizes_of_llama2_70b_follow_from_the_model():
    """KV bytes and capacity are arithmetic on the model's shape and the GPUs' memory."""
    profile = load_profile("llama2-70b-h100")
    per_token = 80 * 8 * 128 * 2 * 2
    assert profile.kv_bytes_per_token == per_token
    blocks = int((8 * 80e9 * 0.9 - 140e9) / per_token) // profile.kv_block_tokens
    assert profile.kv_capacity_tokens == blocks * profile.kv_block_tokens


def test_unknown_name_is_refused_with_the_nearest():
    """A misspelt profile names its neighbour."""
    with pytest.raises(UsageError) as caught:
        load_profile("llama2-70b-h10")
    assert caught.value.hint == "did you mean 'llama2-70b-h100'?"


def test_reading_twice_gives_equal_profiles():
    """The text form holds everything."""
    assert parse_profile(text(), name="llama2-70b-h100", where="x") == load_profile(
        "llama2-70b-h100"
    )


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("gpus_per_instance = 8", "", "the fields of the profile do not match"),
        (
            "gpus_per_instance = 8",
            "gpus_per_instances = 8",
            "the fields of the profile do not match",
        ),
        ("noise_ratio = 0.02", "", "the fields of the profile do not match"),
        ("x = [128, 256,", "x = [256, 128,", "a curve needs at least two knots with rising x"),
        ("[0.029554,", "[0.0,", "a step takes no time"),
        ("x = [128, 256,", 'x = ["a", 256,', "the profile holds a value of the wrong kind"),
        ("[prefill]", "[prefill", "not a TOML file"),
    ],
)
def test_broken_texts_are_input_errors_that_name_the_file(old, new, what):
    """Whatever is wrong with a profile file, the error is one of ours."""
    assert old in text()
    with pytest.raises(InputError) as caught:
        parse_profile(text().replace(old, new, 1), name="mine", where="mine.toml")
    assert caught.value.what.startswith(what)
    assert caught.value.where.startswith("mine.toml")


def test_profiles_are_values():
    """Two profiles that differ in one coefficient are different."""
    profile = load_profile("llama2-70b-h100")
    assert dataclasses.replace(profile, link_latency_s=1.0) != profile
