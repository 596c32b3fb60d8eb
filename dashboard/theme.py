"""What the pages hand to plotly and AG Grid so that both follow the style sheet."""

from __future__ import annotations

from typing import Final

from signals.plots import Theme, palette

__all__ = ["GRID_THEME", "PRODUCT", "palette_css", "theme_of"]

PRODUCT: Final = "autoscale-signals"


def theme_of(value: object) -> Theme:
    """The theme in the browser's store; light until it has answered."""
    return "dark" if value == "dark" else "light"


_SHARED: Final = (
    "paper",
    "ink",
    "muted",
    "proportional",
    "feedback",
    "unusable",
    "insufficient_data",
)


def palette_css() -> str:
    """The colours that pages share with figures, as custom properties of both themes."""
    themes: tuple[tuple[str, Theme], ...] = ((":root", "light"), ('[data-theme="dark"]', "dark"))
    return " ".join(f"{selector} {{ {_properties(theme)} }}" for selector, theme in themes)


def _properties(theme: Theme) -> str:
    colors = palette(theme)
    return " ".join(f"--{name.replace('_', '-')}: {getattr(colors, name)};" for name in _SHARED)


# Parameters may be CSS variables, so that one theme object serves light and dark.
GRID_THEME: Final[dict[str, str]] = {
    "function": "themeQuartz.withParams({"
    "accentColor: 'var(--accent)',"
    "backgroundColor: 'var(--surface)',"
    "foregroundColor: 'var(--text)',"
    "borderColor: 'var(--line)',"
    "browserColorScheme: 'inherit',"
    "headerBackgroundColor: 'var(--surface-2)',"
    "headerTextColor: 'var(--text-2)',"
    "oddRowBackgroundColor: 'var(--surface)',"
    "rowHoverColor: 'var(--hover)',"
    "selectedRowBackgroundColor: 'var(--selected)',"
    "fontFamily: 'inherit',"
    "fontSize: 14,"
    "headerFontSize: 13,"
    "headerFontWeight: 600,"
    "spacing: 7,"
    "wrapperBorderRadius: 8,"
    "wrapperBorder: true"
    "})"
}
