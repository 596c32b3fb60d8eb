"""A CSV without a header, read by the format that it was exported with."""

from __future__ import annotations

import pytest

from signals.errors import InputError
from signals.store.parsed import NameChoice, ReadOptions

FORMAT = "__name__,pod,role,__value__,__timestamp__:unix_ms"
TEXT = (
    "vllm:num_requests_waiting,a,decode,3,1760000000000\n"
    "vllm:num_requests_waiting,b,,4.5,1760000015123\n"
)


def mapped(text: str = FORMAT, **named: str) -> ReadOptions:
    """Options as `--map format=...` and `--map 1=...` give them; `c1="name[unit]"`."""
    columns = {"format": NameChoice(text, "")} if text else {}
    for column, choice in named.items():
        name, _, unit = choice.rstrip("]").partition("[")
        columns[column[1:]] = NameChoice(name, unit)
    return ReadOptions(columns=columns)


def test_the_formats_own_words(whole, write):
    found = whole(write("x.csv", TEXT), mapped())
    assert found.format == "victoriametrics-csv"
    assert found.rows == [
        ("vllm:num_requests_waiting", {"pod": "a", "role": "decode"}, 0.0, 3.0),
        ("vllm:num_requests_waiting", {"pod": "b"}, 15.123, 4.5),
    ]
    assert found.findings == []


def test_column_by_column(whole, write):
    options = mapped("", c1="__name__", c2="pod", c3="role", c4="__value__", c5="__timestamp__[ms]")
    assert whole(write("x.csv", TEXT), options).seconds == [0.0, 15.123]
    options = mapped("", c1="__name__", c2="pod", c4="__value__", c5="__timestamp__")
    found = whole(write("x.csv", TEXT), options)
    assert found.rows[0][1] == {"pod": "a", "column_3": "decode"}
    assert found.codes == {"epoch_unit_inferred": 2}


@pytest.mark.parametrize(
    ("form", "cell"),
    [
        ("unix_s", "1760000015"),
        ("unix_ms", "1760000015000"),
        ("unix_ns", "1760000015000000000"),
        ("rfc3339", "2025-10-09T08:53:35Z"),
        ("rfc3339", "2025-10-09T10:53:35+02:00"),
    ],
)
def test_forms_of_time(whole, write, form, cell):
    path = write("x.csv", f"up,{cell},1\n")
    assert whole(path, mapped(f"__name__,__timestamp__:{form},__value__")).seconds == [15.0]


def test_without_the_format_it_is_asked_for(whole, write):
    with pytest.raises(InputError, match="no header") as caught:
        whole(write("x.csv", TEXT))
    assert (
        "--map 'format=__name__,label2,label3,__value__,__timestamp__:unix_ms'" in caught.value.hint
    )


@pytest.mark.parametrize(
    ("form", "what"),
    [
        ("__name__,__value__,__timestamp__:unix_ms", "names 3 columns, the file has 5"),
        ("__name__,pod,pod,__value__,__timestamp__:unix_ms", "every column once"),
        ("__name__,pod,role,x,__timestamp__:unix_ms", "a value and a time"),
        ("__name__,pod,role,__value__,x", "a value and a time"),
        ("__name__,pod,role,__value__,__timestamp__:custom:2006", "are not read"),
    ],
)
def test_formats_that_are_not_the_files(whole, write, form, what):
    with pytest.raises(InputError, match=what):
        whole(write("x.csv", TEXT), mapped(form))


def test_cells_quoted_as_the_server_does(whole, write):
    text = (
        'even,"x,\\"y\\" z","q\\n\\r",1,1760000000000\n'
        'even,"one \\" only",a\\b,2,1760000000000\n'
        'even,"",plain,3,1760000000000\n'
    )
    found = whole(write("x.csv", text), mapped())
    assert [row[1] for row in found.rows] == [
        {"pod": 'x,"y" z', "role": "q\n\r"},
        {"pod": 'one " only', "role": "a\\b"},
        {"role": "plain"},
    ]
    assert found.rejects == []


def test_numbers_are_written_out(whole, write):
    path = write("x.csv", f"up,1{'0' * 300},1760000000000\nup,-Inf,1760000000000\n")
    options = mapped("__name__,__value__,__timestamp__:unix_ms")
    assert whole(path, options, form="victoriametrics-csv").values == [1e300, float("-inf")]


def test_no_name_column(whole, write):
    path = write("x.csv", "3,1760000000000\n")
    form = "__value__,__timestamp__:unix_ms"
    with pytest.raises(InputError, match="no name"):
        whole(path, mapped(form), form="victoriametrics-csv")
    options = ReadOptions(as_name=NameChoice("up", ""), columns=mapped(form).columns)
    assert whole(path, options, form="victoriametrics-csv").rows == [("up", {}, 0.0, 3.0)]


def test_broken_rows_are_rejects(whole, write):
    text = (
        TEXT + "up,a,decode,x,1760000000000\nup,a,decode,1,soon\nup,a\nup,a,decode,,1760000000000\n"
    )
    found = whole(write("x.csv", text), mapped(), form="victoriametrics-csv")
    assert found.values == [3.0, 4.5]
    assert found.rejected == [
        (3, "bad_number"),
        (4, "bad_time"),
        (5, "wrong_column_count"),
        (6, "bad_number"),
    ]
    assert found.rows_read == 6


@pytest.mark.parametrize("text", ["", "\n"])
def test_nothing_in_it(whole, write, text):
    with pytest.raises(InputError, match="empty"):
        whole(write("x.csv", text), mapped(), form="victoriametrics-csv")


def test_the_real_export(whole, shared):
    found = whole(shared / "formats" / "victoriametrics_export.csv", mapped())
    assert len(found.rows) == 12
    assert found.values[:6] == [10.0, 14.0, 19.0, 22.0, 25.0, 31.0]
    assert found.rejects == []
