"""The runner writes one table anew, leaves the others, and goes on from what was kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.calibration.document import page, sections_of
from tests.calibration.families import FAMILIES, chosen
from tests.calibration.run import THREADS, main


def test_run_replaces_one_table_and_goes_on_from_what_it_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two series of each setting, drawn in a process of their own; then read again."""
    for name in THREADS:  # what the runner sets for its workers does not outlive the test
        monkeypatch.setenv(name, "1")
    output, kept = tmp_path / "page.md", tmp_path / "kept"
    other = FAMILIES[0].title
    output.write_text(page({other: f"## {other}\n\nas it was"}, FAMILIES), encoding="utf-8")
    arguments = ["--series", "2", "--workers", "1", "--only", "association"]
    arguments += ["--output", str(output), "--keep", str(kept)]
    main(arguments)
    family = chosen(["association"])[0]
    sections = sections_of(output.read_text(encoding="utf-8"))
    assert sections[other] == f"## {other}\n\nas it was"
    assert "2 series a setting" in sections[family.title]
    assert [f"| {setting.name} |" in sections[family.title] for setting in family.settings] == [
        True
    ] * len(family.settings)
    assert "series 0 to 2, 4 of 4" in capsys.readouterr().err

    before = output.read_text(encoding="utf-8")
    made = {path: path.stat().st_mtime_ns for path in kept.iterdir()}
    assert len(made) == len(family.settings)
    main(arguments)
    assert output.read_text(encoding="utf-8") == before
    assert {path: path.stat().st_mtime_ns for path in kept.iterdir()} == made


def test_family_that_is_not_there_is_an_error() -> None:
    """With the names of those that are."""
    with pytest.raises(ValueError, match="no family is called 'lags'; there are lag, lag-week"):
        chosen(["lags"])
