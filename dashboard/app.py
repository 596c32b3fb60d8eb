"""The Dash app: a factory that puts shell, pages, protection and error handling together."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dash import Dash, ctx, html, no_update, set_props
from dash.development.base_component import Component

from dashboard import ids, shell
from dashboard.components.alert import bug_alert, error_alert
from dashboard.components.graph import blank_figure
from dashboard.intake import hold_to_declared
from dashboard.jobs import background_jobs
from dashboard.pages import all_pages
from dashboard.security import LOOPBACK_HOSTS, Guard, protect
from dashboard.source import Source
from dashboard.theme import PRODUCT, palette_css
from signals.errors import SignalsError

__all__ = ["create_app"]

_LOG = logging.getLogger(__name__)
_EARLY_SCRIPT = "theme.js"


def create_app(
    source: Source,
    *,
    token: str,
    allowed_hosts: Sequence[str] = LOOPBACK_HOSTS,
) -> Dash:
    """Build the app.

    Args:
        source: where results come from.
        token: the secret of the launch link; every request must prove that it knows it.
        allowed_hosts: what the Host header may hold, with or without a port.

    Returns:
        The app; `app.server` is the WSGI application.
    """
    pages = all_pages()
    app = Dash(
        __name__,
        title=PRODUCT,
        update_title="",
        assets_folder=str(Path(__file__).parent / "assets"),
        assets_ignore=_EARLY_SCRIPT.replace(".", r"\."),
        serve_locally=True,
        add_log_handler=False,
        background_callback_manager=background_jobs(),
        on_error=_show_error,
        meta_tags=[{"name": "viewport", "content": "width=device-width, initial-scale=1"}],
    )
    app.index_string = shell.INDEX.replace(
        "{%theme_script%}", app.get_asset_url(_EARLY_SCRIPT)
    ).replace("{%palette%}", palette_css())
    frame = shell.layout(pages)
    app.layout = frame
    every_id = html.Div([frame, *(page.layout() for page in pages)])
    app.validation_layout = every_id  # type: ignore[assignment]
    shell.register(app, source, pages)
    for page in pages:
        page.register(app, source)
    guard = Guard(
        token=token,
        hosts=tuple(host.lower() for host in allowed_hosts),
        script_hashes=tuple(app.csp_hashes()),
    )
    protect(app.server, guard)
    hold_to_declared(app)
    return app


def _show_error(error: Exception) -> Any:  # noqa: ANN401 - the shape is the failed callback's
    """Show an error above the page, and blank what the failed callback would have filled.

    What is blanked would otherwise still show the previous service's results.
    """
    if isinstance(error, SignalsError):
        notice: Component = error_alert(error)
    else:
        error_id = secrets.token_hex(4)
        _LOG.error("internal error %s", error_id, exc_info=error)
        notice = bug_alert(error_id)
    set_props(ids.NOTICES, {"children": notice})
    outputs = ctx.outputs_list
    if isinstance(outputs, list):
        return [_blank(output) for output in outputs]
    return _blank(outputs)


def _blank(output: Mapping[str, Any]) -> Any:  # noqa: ANN401 - one value per kind of property
    blanks: dict[str, Any] = {
        "children": [],
        "figure": blank_figure(),
        "rowData": [],
        "selectedRows": [],
        "options": [],
    }
    return blanks.get(output["property"], no_update)
