"""A backtest as grid rows, as facts, and its form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dash import dcc, html
from dash.development.base_component import Component

from dashboard import ids
from dashboard.components.aria import aria
from dashboard.components.grid import number_column, on_phone, text_column
from dashboard.components.table import facts
from dashboard.components.text import period_text
from signals.replay.result import Comparison, PolicyResult
from signals.report.words import (
    count_text,
    parameters_text,
    quantity,
    share_text,
    slo_text,
    workload_text,
)
from signals.schema import Slo

__all__ = ["DEFAULT_POLICIES", "RUN_COLUMNS", "run_facts", "run_form", "run_headline", "run_rows"]

DEFAULT_POLICIES = ("static", "heteroscale", "hpa:signal=decode:gpu_util,target=0.7")

_REQUESTS = ("arrived", "completed", "dropped", "cut", "running")
_UNITS = {"s": "s", "rps": "req/s", "tps": "tokens/s"}


_ON_PHONE = {
    "both": on_phone(width=92, place=1),
    "gpu_hours": on_phone(width=96, place=2),
}


def _number(field: str, title: str, question: str, width: int = 92) -> dict[str, Any]:
    phone = _ON_PHONE.get(field, {})
    return number_column(field, title, headerTooltip=question, width=width, **phone)


RUN_COLUMNS: tuple[dict[str, Any], ...] = (
    text_column(
        "policy",
        "policy",
        pinned="left",
        width=212,
        tooltipField="params",
        cellRenderer="Breakable",
        cellClass="is-wrapping",
        **on_phone(width=140),
    ),
    {
        "headerName": "SLO met",
        "children": [
            _number("both", "both", "share of arrived requests within both objectives"),
            _number("ttft", "TTFT", "share of arrived requests whose first token came in time"),
            _number("tpot", "TPOT", "share of arrived requests whose tokens came fast enough"),
        ],
    },
    {
        "headerName": "Cost",
        "children": [
            _number("gpu_hours", "GPU-hours", "of starting, ready and draining instances", 108),
            _number("mean", "mean", "mean ready instances, prefill + decode", 124),
            _number("peak", "peak", "most ready instances, prefill + decode", 104),
        ],
    },
    {
        "headerName": "Time to first token",
        "children": [_number(f"ttft_{p}", p, f"{p} over requests") for p in ("p50", "p90", "p99")],
    },
    {
        "headerName": "Time per output token",
        "children": [_number(f"tpot_{p}", p, f"{p} over requests") for p in ("p50", "p90", "p99")],
    },
    {
        "headerName": "Busy share of ready time",
        "children": [
            _number("util_prefill", "prefill", "mean share of ready time that instances were busy"),
            _number("util_decode", "decode", "mean share of ready time that instances were busy"),
        ],
    },
    {
        "headerName": "Scaling",
        "children": [
            _number("scale_events", "orders", "orders that changed a pool's desired count"),
            _number("flaps", "flaps", "changes that undid the last one within 15 min"),
            _number("off_ratio", "off ratio", "time with the ready P/D ratio off its target", 104),
        ],
    },
    {
        "headerName": "Requests",
        "children": [_number(f"n_{name}", name, f"requests {name}", 108) for name in _REQUESTS],
    },
)


def run_rows(comparison: Comparison) -> list[dict[str, Any]]:
    """One row per policy, in the order asked."""
    return [_row(result) for result in comparison.policies]


def _row(result: PolicyResult) -> dict[str, Any]:
    row: dict[str, Any] = {
        "id": result.label,
        "policy": result.label,
        "params": parameters_text(result.params),
    }
    for name in ("both", "ttft", "tpot"):
        _put(row, name, result.attainment.get(name), share_text(result.attainment.get(name)))
    _put(row, "gpu_hours", result.gpu_hours, f"{result.gpu_hours:,.1f}")
    _put(row, "mean", sum(result.mean_instances.values()), _by_pool(result.mean_instances, ".1f"))
    _put(row, "peak", sum(result.peak_instances.values()), _by_pool(result.peak_instances, "d"))
    for name, percentiles in (("ttft", result.ttft_s), ("tpot", result.tpot_s)):
        for p in ("p50", "p90", "p99"):
            value = getattr(percentiles, p)
            _put(row, f"{name}_{p}", value, quantity(value, "s"))
    for pool in ("prefill", "decode"):
        value = result.gpu_util.get(pool)
        _put(row, f"util_{pool}", value, share_text(value))
    for name, count in (("scale_events", result.scale_events), ("flaps", result.flaps)):
        _put(row, name, count, count_text(count))
    _put(row, "off_ratio", result.ratio_violation_s, quantity(result.ratio_violation_s, "s"))
    for name in _REQUESTS:
        _put(row, f"n_{name}", result.requests.get(name), count_text(result.requests.get(name)))
    return row


def _put(row: dict[str, Any], field: str, value: float | None, text: str) -> None:
    row[field] = value
    row[f"{field}_text"] = text


def _by_pool(values: Mapping[str, float], form: str) -> str:
    return " + ".join(
        f"{values[pool]:{form}}" for pool in ("prefill", "decode", "unified") if pool in values
    )


def run_headline(comparison: Comparison) -> str:
    """What was replayed and what it was held to, in one sentence."""
    span = comparison.span
    return (
        f"Replayed {workload_text(comparison)}, {period_text(span.first, span.last)}, "
        f"held to {slo_text(comparison.slo)}."
    )


def run_facts(comparison: Comparison) -> Component:
    """What was replayed and what was assumed."""
    pairs = [*comparison.workload.items(), *comparison.settings.items()]
    return facts(
        [(_words(name), _value(name, value)) for name, value in pairs if value is not None]
    )


def _words(name: str) -> str:
    stem, _, unit = name.rpartition("_")
    return (stem if stem and unit in _UNITS else name).replace("_", " ")


def _value(name: str, value: float | str) -> str:
    if isinstance(value, str):
        return value
    unit = _UNITS.get(name.rpartition("_")[2])
    if unit is not None:
        return quantity(float(value), unit)
    return count_text(value) if float(value).is_integer() else f"{value:.4g}"


def run_form(policies: Sequence[str] = DEFAULT_POLICIES) -> Component:
    """What to replay: policies, objectives, load."""
    slo = Slo()
    return html.Div(
        [
            html.Div(
                [
                    html.Label("Policies, one per line", htmlFor=ids.FORM_POLICIES),
                    dcc.Textarea(
                        id=ids.FORM_POLICIES, value="\n".join(policies), rows=4, spellCheck=False
                    ),
                    html.P(
                        [
                            "NAME[:key=value,...]; ",
                            html.Code("signals policies"),
                            " lists names and keys.",
                        ],
                        className="note",
                    ),
                ],
                className="field field-wide",
            ),
            _number_field(ids.FORM_TTFT, "First token within, s", slo.ttft_s),
            _number_field(ids.FORM_TPOT, "Time per token, ms", slo.tpot_s * 1000),
            _number_field(ids.FORM_LOAD_FACTOR, "Load factor", 1.0),
            html.Div(
                [
                    html.Button(
                        "Run backtest", id=ids.FORM_START, type="button", className="button"
                    ),
                    html.Button(
                        "Cancel",
                        id=ids.FORM_CANCEL,
                        type="button",
                        className="button-quiet",
                        disabled=True,
                    ),
                    html.Progress(id=ids.FORM_PROGRESS, value="0", max="100", className="progress"),
                    html.Div(id=ids.FORM_STATUS, className="status", **aria(live="polite")),
                ],
                className="field-actions",
            ),
        ],
        className="form",
    )


def _number_field(id: str, label: str, value: float) -> Component:  # noqa: A002 - Dash's own word
    return html.Div(
        [
            html.Label(label, htmlFor=id),
            dcc.Input(id=id, type="number", value=value, min=0, step="any", debounce=True),
        ],
        className="field",
    )
