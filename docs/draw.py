"""Draw the pictures of measures.md anew, and write what stands below them: `python docs/draw.py [NAME ...]`.

Needs Chromium. Beside the pictures lies `numbers.json`, what they show, which captions are made from.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

from signals.report.guide import with_parts
from signals.report.svg import draw_svg, open_plotly
from signals.usecases.illustrations import ILLUSTRATIONS
from signals.usecases.illustrations.captions import FOLDER, figure_parts, kept

DOCS = Path(__file__).parent
GUIDE = DOCS / "measures.md"
FIGURES = DOCS / FOLDER
NUMBERS = FIGURES / "numbers.json"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def main(names: list[str]) -> int:
    """Draw the pictures of these names, or all."""
    browser_path = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if browser_path is None:
        sys.stderr.write(
            "error: the pictures need Chromium (on Debian: apt-get install chromium)\n"
        )
        return 1
    FIGURES.mkdir(exist_ok=True)
    numbers = json.loads(NUMBERS.read_text(encoding="utf-8")) if NUMBERS.exists() else {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
        page = browser.new_page()
        open_plotly(page)
        for picture in ILLUSTRATIONS:
            if names and picture.name not in names:
                continue
            drawn = picture.make()
            svg = draw_svg(page, drawn.figure, title=picture.title)
            (FIGURES / f"{picture.name}.svg").write_text(svg, encoding="utf-8")
            numbers[picture.name] = kept(drawn.numbers)
        browser.close()
    _write(numbers)
    return 0


def _write(numbers: dict[str, dict[str, float | None]]) -> None:
    """Numbers of the pictures that there are, and the guide; what belongs to no picture goes."""
    known = {picture.name: numbers[picture.name] for picture in ILLUSTRATIONS}
    NUMBERS.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
    for path in FIGURES.glob("*.svg"):
        if path.stem not in known:
            path.unlink()
    text = GUIDE.read_text(encoding="utf-8")
    GUIDE.write_text(with_parts(text, figure_parts(known)), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
