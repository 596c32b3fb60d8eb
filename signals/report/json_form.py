"""Results as JSON documents of a fixed shape, described in `docs/json.md`; shapes only ever grow.

Values are in base units, errors in log units; what is missing, NaN or infinite is null.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from signals.errors import SignalsError
from signals.replay.result import Comparison, Percentiles, PolicyResult
from signals.report.document import Evidence, Stock
from signals.report.json_advice import recommendation_json
from signals.report.json_listings import (
    catalog_json,
    checks_json,
    formats_json,
    frame_json,
    policies_json,
    profiles_json,
)
from signals.report.json_sources import source_json
from signals.report.json_values import (
    SCHEMA_VERSION,
    Json,
    document,
    estimate_json,
    moment,
    plain,
    rows,
)
from signals.report.skipped import skipped_json
from signals.schema import Estimate, Finding, Span
from signals.study.score import MEASURES, LoadChoice, Scorecard, SignalDetail, SignalScore

if TYPE_CHECKING:
    from signals.store.reports import ForgetReport, LoadReport

__all__ = [
    "SCHEMA_VERSION",
    "catalog_json",
    "checks_json",
    "comparison_json",
    "detail_json",
    "error_json",
    "forget_json",
    "formats_json",
    "frame_json",
    "inventory_json",
    "load_json",
    "policies_json",
    "profiles_json",
    "report_json",
    "scorecard_json",
    "survey_json",
]

_NOT_COMPUTED = Estimate(None, determined=False, reason="not computed")


def scorecard_json(scorecard: Scorecard) -> Json:
    """`signals evaluate --json`: every signal with its verdict and its measures as keys of their own."""
    columns = list(dict.fromkeys(choice.column for choice in scorecard.loads))
    return document(
        service=scorecard.service,
        load=",".join(columns),
        loads=[_load(choice) for choice in scorecard.loads],
        tick_s=scorecard.tick_s,
        span=_span(scorecard.span),
        headline=scorecard.headline,
        recommendations=[recommendation_json(one) for one in scorecard.recommendations],
        signals=[_score(score) for score in scorecard.signals],
        findings=[_finding(finding) for finding in scorecard.findings],
    )


def survey_json(cards: Sequence[Scorecard], failed: Mapping[str, SignalsError]) -> Json:
    """`signals evaluate --json` of several services: their scorecards, and why others have none."""
    errors = [
        {"service": name, "error": error_json(error)["error"]} for name, error in failed.items()
    ]
    return document(services=[scorecard_json(card) for card in cards], failed=errors)


def _load(choice: LoadChoice) -> Json:
    return asdict(choice)


def _span(span: Span) -> Json:
    return {"first": moment(span.first), "last": moment(span.last), "seconds": span.seconds}


def _finding(finding: Finding) -> Json:
    return asdict(finding)


def _score(score: SignalScore) -> Json:
    column = score.column
    return {
        "signal": score.signal,
        "pool": column.pool,
        "name": column.signal,
        "unit": column.unit,
        "scope": column.scope,
        "load": score.load,
        "verdict": score.verdict,
        "rank": score.rank,
        "identity": score.identity,
        "reasons": [asdict(remark) for remark in score.reasons],
        "conditions": [asdict(remark) for remark in score.conditions],
        "sources": column.sources,
        "resolution_s": column.resolution_s,
        "window_s": column.window_s,
        "sampling": column.sampling,
        "exported": column.exported,
        "findings": [_finding(finding) for finding in score.findings],
        **{name: estimate_json(score.measures.get(name, _NOT_COMPUTED)) for name in _names(score)},
    }


def _names(score: SignalScore) -> list[str]:
    """Every measure, so that each signal has the same keys; unknown ones of the study follow."""
    return list(dict.fromkeys([*(spec.name for spec in MEASURES), *score.measures]))


def detail_json(detail: SignalDetail) -> Json:
    """Score and curves of one signal."""
    return document(
        signal=_score(detail.score),
        load=_load(detail.load),
        series=detail.series,
        lag_curve=detail.lag_curve,
        response=detail.response,
        fit=detail.fit,
        extra=detail.extra,
        windows=detail.windows,
        events=detail.events,
        parts=detail.parts,
    )


def comparison_json(comparison: Comparison) -> Json:
    """`signals backtest --json`: the workload, what was assumed, and one account per policy."""
    return document(
        workload=comparison.workload,
        settings=comparison.settings,
        slo=asdict(comparison.slo),
        span=_span(comparison.span),
        policies=[_policy(result) for result in comparison.policies],
        findings=[_finding(finding) for finding in comparison.findings],
    )


def _policy(result: PolicyResult) -> Json:
    return {
        "policy": result.policy,
        "label": result.label,
        "params": result.params,
        "attainment": {key: result.attainment.get(key) for key in ("ttft", "tpot", "both")},
        "ttft_s": _percentiles(result.ttft_s),
        "tpot_s": _percentiles(result.tpot_s),
        "e2e_s": _percentiles(result.e2e_s),
        "gpu_hours": result.gpu_hours,
        "gpu_hours_by_pool": result.gpu_hours_by_pool,
        "cost": result.cost,
        "gpu_util": result.gpu_util,
        "scale_events": result.scale_events,
        "flaps": result.flaps,
        "ratio_violation_s": result.ratio_violation_s,
        "requests": result.requests,
        "peak_instances": result.peak_instances,
        "mean_instances": result.mean_instances,
        "regret": result.regret,
        "reason_no_regret": result.reason_no_regret,
        "findings": [_finding(finding) for finding in result.findings],
    }


def _percentiles(percentiles: Percentiles) -> Json:
    return {"p50": percentiles.p50, "p90": percentiles.p90, "p99": percentiles.p99}


def load_json(report: LoadReport) -> Json:
    """`signals load --json`: one object per file, and what lay beside them."""
    return document(
        sources=[source_json(source) for source in report.sources],
        skipped=skipped_json(report.skipped),
    )


def forget_json(report: ForgetReport) -> Json:
    """`signals forget --json`: what was removed."""
    return document(
        service=report.service,
        sources=report.sources,
        samples=report.samples,
        requests=report.requests,
        reload=list(report.reload),
    )


def inventory_json(stock: Stock) -> Json:
    """`signals inventory --json`: services, pools, targets, signals, findings and sources."""
    return document(
        services=rows(stock.services),
        pools=rows(stock.pools),
        targets=rows(stock.targets),
        signals=rows(stock.signals),
        findings=rows(stock.findings),
        sources=rows(stock.sources),
    )


def report_json(evidence: Evidence) -> Json:
    """`signals report -o FILE.json`: the scorecard, the backtests, and what they were made from."""
    return document(
        service=evidence.scorecard.service,
        generated_at=evidence.generated_at,
        scorecard=scorecard_json(evidence.scorecard),
        backtests=[comparison_json(comparison) for comparison in evidence.comparisons],
        inventory=None if evidence.stock is None else inventory_json(evidence.stock),
        versions=evidence.versions,
    )


def error_json(error: SignalsError) -> Json:
    """An error as one document: what, where, expected, hint."""
    return document(
        error={
            "kind": type(error).__name__,
            "what": error.what,
            "where": error.where,
            "expected": error.expected,
            "hint": error.hint,
            "exit_code": plain(error.exit_code),
        }
    )
