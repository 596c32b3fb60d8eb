"""What the pages hand to plotly and AG Grid so that both follow the style sheet."""

from __future__ import annotations

from typing import Final

from signals.plots import Theme

__all__ = ["GRID_THEME", "PRODUCT", "theme_of"]

PRODUCT: Final = "autoscale-signals"


def theme_of(value: object) -> Theme:
    """The theme in the browser's store; light until it has answered."""
    return "dark" if value == "dark" else "light"


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
