"""A document as one HTML page: complete in itself, readable in light and dark, printable."""

from __future__ import annotations

import functools
import json
from importlib import resources

import jinja2
from markupsafe import Markup, escape

from signals.plots.theme import FONT, PLOT_CONFIG, Theme, dark_by_light, palette
from signals.report.document import Block, Document, Figure, Findings, Table
from signals.report.words import finding_text, moment_text, verdict_title
from signals.schema import Finding

__all__ = ["render_html"]

_SENTENCE_CHARS = 60
_NARROW_COLUMNS = 6
"""More columns than this do not fit a phone side by side."""
_PANELS: dict[Theme, str] = {"light": "#f6f8fa", "dark": "#181f27"}


def render_html(document: Document) -> str:
    """The whole page as text; it needs no other file and makes no request.

    Args:
        document: the report.

    Returns:
        HTML in UTF-8; every text that comes from data is escaped.
    """
    from plotly.offline import get_plotlyjs

    return _template().render(
        document=document,
        kind_of=_kind_of,
        is_wordy=_is_wordy,
        grouped=_grouped,
        breakable=_breakable,
        verdict_title=verdict_title,
        finding_text=finding_text,
        moment_text=moment_text,
        colors=Markup(_color_sheet()),  # noqa: S704 - our own text
        css=Markup(_asset("report.css")),  # noqa: S704 - our own text
        script=Markup(_asset("report.js")),  # noqa: S704 - our own text
        plotly_js=Markup(get_plotlyjs()),  # noqa: S704 - the library's own text
        figures=Markup(_figures_json(document)),  # noqa: S704 - escaped for a script element
    )


def _is_wordy(table: Table) -> bool:
    """Whether rows hold sentences or many cells, so that a narrow page shows cells one below the other."""
    sentences = any(len(cell.text) > _SENTENCE_CHARS for row in table.rows for cell in row)
    many = len(table.columns) > _NARROW_COLUMNS and not table.folded
    return len(table.columns) > 3 and (sentences or many)


def _grouped(findings: Findings) -> list[list[Finding]]:
    """Findings of one code together, in order of first appearance."""
    groups: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings.items:
        groups.setdefault((finding.severity, finding.code), []).append(finding)
    return list(groups.values())


def _breakable(text: str) -> Markup:
    """A name that may break after its colons and underscores."""
    escaped = str(escape(text))
    return Markup(escaped.replace(":", ":<wbr>").replace("_", "_<wbr>"))  # noqa: S704 - escaped above


def _kind_of(block: Block) -> str:
    return type(block).__name__


@functools.cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.from_string(_asset("report.html.j2"))


def _asset(name: str) -> str:
    return resources.files("signals.report").joinpath("templates", name).read_text("utf-8")


def _color_sheet() -> str:
    """The theme's colours as CSS variables, dark ones where the reader's system asks for them."""
    light, dark = (_variables(theme) for theme in ("light", "dark"))
    return (
        f":root {{ color-scheme: light; --font: {FONT}; {light} }}\n"
        f"@media screen and (prefers-color-scheme: dark) {{ :root {{ color-scheme: dark; {dark} }} }}"
    )


def _variables(theme: Theme) -> str:
    colors = palette(theme)
    names = ("paper", "ink", "muted", "grid", "prefill", "proportional", "feedback", "unusable")
    own = " ".join(f"--{name}: {getattr(colors, name)};" for name in names)
    return f"--panel: {_PANELS[theme]}; {own}"


def _figures_json(document: Document) -> str:
    """All figures by name, the colours' dark twins and the settings; safe inside a script element."""
    blocks = [b for section in (document.answer, *document.sections) for b in section.blocks]
    figures = {b.name: json.loads(b.figure.to_json()) for b in blocks if isinstance(b, Figure)}
    text = json.dumps(
        {"figures": figures, "config": PLOT_CONFIG, "dark": dark_by_light()},
        ensure_ascii=False,
        allow_nan=False,
        separators=(",", ":"),
    )
    escapes = {
        "<": "\\u003c",
        ">": "\\u003e",
        "&": "\\u0026",
        "\u2028": "\\u2028",
        "\u2029": "\\u2029",
    }
    for sign, escaped in escapes.items():
        text = text.replace(sign, escaped)
    return text
