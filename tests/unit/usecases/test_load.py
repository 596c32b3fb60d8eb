"""Words of the command line about a load."""

from __future__ import annotations

from typing import Any

import pytest

from signals.errors import UsageError
from signals.store.parsed import NameChoice
from signals.usecases.load import options


def test_without_words_nothing_is_asked_for() -> None:
    read = options().read
    assert (read.seed, read.skip_s, read.span_s, read.share) == (0, 0.0, None, 1.0)


def test_a_draw_is_described() -> None:
    read = options(seed=7, skip_s=3600.0, span_s=60.0, share=0.25).read
    assert (read.seed, read.skip_s, read.span_s, read.share) == (7, 3600.0, 60.0, 0.25)


@pytest.mark.parametrize(
    "words",
    [{"seed": -1}, {"share": 0.0}, {"share": 1.5}, {"share": float("nan")}, {"max_reject": 2.0}],
)
def test_impossible_words_name_their_option(words: dict[str, Any]) -> None:
    with pytest.raises(UsageError) as caught:
        options(**words)
    assert caught.value.where == f"--{next(iter(words)).replace('_', '-')}"


def test_columns_and_results_get_names() -> None:
    read = options(as_name="decode_tps[tokens/s]", columns=("a b=gpu_util[%]",)).read
    assert read.as_name == NameChoice("decode_tps", "tokens/s")
    assert read.columns == {"a b": NameChoice("gpu_util", "%")}
    read = options(columns=('{pod="a"}=decode:itl_p50[ms]',)).read
    assert read.columns == {'{pod="a"}': NameChoice("decode:itl_p50", "ms")}
