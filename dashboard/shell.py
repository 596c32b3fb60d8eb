"""What every page stands in: header, navigation, service picker, theme switch, notices."""

from __future__ import annotations

from collections.abc import Sequence

from dash import ClientsideFunction, Dash, Input, Output, State, ctx, dcc, html
from dash.development.base_component import Component
from dash.exceptions import PreventUpdate

from dashboard import ids
from dashboard.components.aria import aria
from dashboard.links import choose_service, page_link, service_in, with_service
from dashboard.pages import Page
from dashboard.source import Source
from dashboard.theme import PRODUCT

__all__ = ["INDEX", "layout", "register"]

INDEX = """<!DOCTYPE html>
<html lang="en">
    <head>
        {%metas%}
        <title>{%title%}</title>
        <script src="{%theme_script%}"></script>
        <style>{%palette%}</style>
        {%favicon%}
        {%css%}
    </head>
    <body>
        <a class="skip" href="#content">Skip to content</a>
        {%app_entry%}
        <footer>{%config%}{%scripts%}{%renderer%}</footer>
    </body>
</html>
"""


def layout(pages: Sequence[Page]) -> Component:
    """The frame around the pages."""
    return html.Div(
        [
            dcc.Location(id=ids.URL, refresh=False),
            dcc.Store(id=ids.THEME, storage_type="local"),
            dcc.Store(id=ids.PAGE_TITLES, data={page.PATH: page.TITLE for page in pages}),
            html.Header(
                html.Div(
                    [
                        dcc.Link(
                            [html.Span(className="mark"), html.Span(PRODUCT)],
                            href="/",
                            className="brand",
                        ),
                        html.Nav(id=ids.NAV, className="nav", **aria(label="Pages")),
                        html.Div(
                            [
                                html.Label(
                                    "Service", htmlFor=ids.SERVICE, className="picker-label"
                                ),
                                dcc.Dropdown(
                                    id=ids.SERVICE,
                                    options=[],
                                    clearable=False,
                                    searchable=False,
                                    placeholder="no service",
                                ),
                            ],
                            className="picker",
                        ),
                        html.Button(
                            html.Span(className="theme-icon"),
                            id=ids.THEME_SWITCH,
                            className="icon-button",
                            type="button",
                            title="Switch between light and dark",
                            **aria(label="Switch between light and dark"),
                        ),
                    ],
                    className="bar-inner",
                ),
                className="bar-top",
            ),
            html.Main(
                [
                    html.Div(id=ids.NOTICES, className="notices", **aria(live="polite")),
                    html.Div(id=ids.CONTENT),
                ],
                className="content",
            ),
        ],
        className="app",
    )


def register(app: Dash, source: Source, pages: Sequence[Page]) -> None:
    """Register the shell's callbacks: routing, navigation, service, theme."""

    @app.callback(Output(ids.CONTENT, "children"), Input(ids.URL, "pathname"))
    def show_page(path: str | None) -> Component:
        page = next((p for p in pages if (path or "/") == p.PATH), None)
        return page.layout() if page else _not_found(path or "/")

    @app.callback(
        Output(ids.NAV, "children"), Input(ids.URL, "pathname"), Input(ids.SERVICE, "value")
    )
    def show_navigation(path: str | None, service: str | None) -> list[Component]:
        return [_nav_link(page, path or "/", service) for page in pages]

    @app.callback(
        Output(ids.SERVICE, "options"),
        Output(ids.SERVICE, "value"),
        Output(ids.URL, "search"),
        Input(ids.SERVICE, "value"),
        Input(ids.URL, "search"),
    )
    def keep_service(picked: str | None, search: str | None) -> tuple[list[str], str | None, str]:
        if search is None:  # the address is not known yet
            raise PreventUpdate
        known = source.services()
        asked = service_in(search)
        wanted = (picked, asked) if ctx.triggered_id == ids.SERVICE else (asked, picked)
        service = choose_service(known, *wanted)
        return known, service, with_service(search, service) if service else search

    app.clientside_callback(  # type: ignore[no-untyped-call]
        ClientsideFunction(namespace="shell", function_name="theme"),
        Output(ids.THEME, "data"),
        Input(ids.THEME_SWITCH, "n_clicks"),
        State(ids.THEME, "data"),
    )
    app.clientside_callback(  # type: ignore[no-untyped-call]
        ClientsideFunction(namespace="shell", function_name="enterPage"),
        Output(ids.NOTICES, "children"),
        Input(ids.URL, "pathname"),
        Input(ids.SERVICE, "value"),
        State(ids.PAGE_TITLES, "data"),
    )


def _nav_link(page: Page, path: str, service: str | None) -> Component:
    here = path == page.PATH
    link = dcc.Link(
        page.TITLE,
        href=page_link(page.PATH, service),
        className="nav-link is-here" if here else "nav-link",
    )
    return html.Span(link, **aria(current="page" if here else "false"))


def _not_found(path: str) -> Component:
    return html.Div(
        [html.H1("No such page"), html.P(["There is nothing at ", html.Code(path), "."])],
        className="page-head",
    )
