"""What a load passed over is named, by reason, and none of it is lost in JSON."""

from __future__ import annotations

import json
from pathlib import Path

from signals.report.skipped import skipped_json, skipped_lines
from signals.store.tree import Skipped

UNKNOWN = "the format is not recognised"
FILES = (
    *(Skipped(Path(f"run/{n}.md"), UNKNOWN) for n in range(8)),
    Skipped(Path("run/caf\udce9"), "a pipe"),
)


def test_a_line_for_each_reason_names_the_first_files():
    assert [line.plain for line in skipped_lines(FILES)] == [
        f"skipped 8 ({UNKNOWN}): 0.md, 1.md, 2.md, 3.md, 4.md, 5.md and 2 more",
        "skipped 1 (a pipe): caf\\udce9",
        "→ if one of them should be loaded: load it by its name to be told what it lacks",
    ]
    assert len(skipped_lines(FILES[-1:])) == 1
    assert skipped_lines(()) == []


def test_json_has_them_all():
    told = skipped_json(FILES)
    assert len(told) == 9
    assert told[0] == {"uri": "run/0.md", "reason": UNKNOWN}
    json.dumps(told, ensure_ascii=False).encode()
