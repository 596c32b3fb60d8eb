"""What a callback request may look like, and what is told when a request fails.

Dash trusts its own page: it takes ids and shapes of a request as given, and fails in odd places when they are
not. Here a request is held to what the callback declared, so that pages only ever see values that they expect.
"""

from __future__ import annotations

import json
import logging
import secrets
import traceback
from collections.abc import Mapping, Sequence
from typing import Any

from dash import Dash
from dash.exceptions import DependencyException, InvalidResourceError
from flask import Response, request
from werkzeug.exceptions import HTTPException

from dashboard import ids

__all__ = ["LARGEST_BODY", "fault", "hold_to_declared"]

LARGEST_BODY = 8 * 2**20
"""Bytes of a request's body; the largest honest one carries the options of a picker."""

_LOG = logging.getLogger(__name__)
_UPDATE_PATH = "/_dash-update-component"
_NUMBERS = frozenset({ids.FORM_TTFT, ids.FORM_TPOT, ids.FORM_LOAD_FACTOR})
_TEXTS = frozenset({"value", "search", "pathname"})
_LARGEST_NUMBER = 1e300


def hold_to_declared(app: Dash) -> None:
    """Refuse callback requests that no page sends, and tell failures in one line.

    Args:
        app: the app; its callbacks may be registered later.
    """

    def check() -> Response | None:
        if request.path != _UPDATE_PATH or request.method != "POST":
            return None
        wrong = fault(_body(), app.callback_map)
        return Response(f"{wrong}\n", status=400, mimetype="text/plain") if wrong else None

    server: Any = app.server
    server.config["MAX_CONTENT_LENGTH"] = LARGEST_BODY
    server.before_request(check)
    server.register_error_handler(DependencyException, _not_there)
    server.register_error_handler(InvalidResourceError, _not_there)
    server.register_error_handler(Exception, _failed)


def fault(body: object, declared: Mapping[str, Mapping[str, Any]]) -> str:
    """What is wrong with the body of a callback request.

    Args:
        body: the parsed JSON; None if it could not be parsed.
        declared: Dash's callback map, keyed by output.

    Returns:
        A few words; empty if the request fits its callback.
    """
    if not isinstance(body, dict):
        return "the body is not an object"
    output = body.get("output")
    rule = declared.get(output) if isinstance(output, str) else None
    if rule is None or not isinstance(output, str):
        return "no callback has this output"
    if not _same_outputs(body.get("outputs"), output):
        return "the outputs are not those of the callback"
    for part in ("inputs", "state"):
        if not _fits(body.get(part, []), rule[part]):
            return f"the {part} do not fit the callback"
    changed = body.get("changedPropIds", [])
    if not isinstance(changed, list) or not all(isinstance(name, str) for name in changed):
        return "changedPropIds is not a list of names"
    return ""


def _body() -> object:
    try:
        body: object = request.get_json()
        json.dumps(body, ensure_ascii=False).encode()  # half a surrogate pair is no text
    except (RecursionError, UnicodeEncodeError):
        return None
    return body


def _same_outputs(told: object, output: str) -> bool:
    many = output.startswith("..")
    wanted = [part.partition("@")[0] for part in output.strip(".").split("...")]
    parts = told if many else [told]
    if not isinstance(parts, list):
        return False
    return [_name(part).partition("@")[0] for part in parts] == wanted


def _fits(told: object, declared: Sequence[Mapping[str, Any]]) -> bool:
    if not isinstance(told, list) or len(told) != len(declared):
        return False
    return all(
        _name(one) == _name(rule) and _is_expected(one)
        for one, rule in zip(told, declared, strict=True)
    )


def _name(part: object) -> str:
    if not isinstance(part, Mapping):
        return ""
    return f"{part.get('id')}.{part.get('property')}"


def _is_expected(part: Mapping[str, Any]) -> bool:
    value = part.get("value")
    if value is None or part["property"] not in _TEXTS:
        return True
    if part["id"] in _NUMBERS:
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        return is_number and -_LARGEST_NUMBER < value < _LARGEST_NUMBER
    return isinstance(value, str)


def _not_there(_error: Exception) -> Response:
    return Response("There is no such file.\n", status=404, mimetype="text/plain")


def _failed(error: Exception) -> Response | HTTPException:
    if isinstance(error, HTTPException):
        return error
    error_id = secrets.token_hex(4)
    last = traceback.extract_tb(error.__traceback__)[-1:]
    place = "".join(f" at {frame.filename}:{frame.lineno}" for frame in last)
    _LOG.error("request failed %s: %s%s", error_id, repr(error)[:200], place)
    text = f"This request failed inside the dashboard; the log has it under {error_id}.\n"
    return Response(text, status=500, mimetype="text/plain")
