"""Component ids, each written once."""

from __future__ import annotations

from typing import Final

# Shell
URL: Final = "url"
CONTENT: Final = "content"
NAV: Final = "nav"
NOTICES: Final = "notices"
SERVICE: Final = "service"
THEME: Final = "theme"
THEME_SWITCH: Final = "theme-switch"
PAGE_TITLES: Final = "page-titles"

# Overview
OVERVIEW_SERVICES: Final = "overview-services"
OVERVIEW_FACTS: Final = "overview-facts"
OVERVIEW_POOLS: Final = "overview-pools"
OVERVIEW_SIGNALS: Final = "overview-signals"
OVERVIEW_SOURCES: Final = "overview-sources"
OVERVIEW_FINDINGS: Final = "overview-findings"

# Signals
SCORE_LOAD: Final = "score-load"
SCORE_HEADLINE: Final = "score-headline"
SCORE_ANSWER: Final = "score-answer"
SCORE_LOADS: Final = "score-loads"
SCORE_GRID: Final = "score-grid"
SCORE_FINDINGS: Final = "score-findings"
SCORE_TITLE: Final = "score-title"
SCORE_REASONS: Final = "score-reasons"
SCORE_MEASURES: Final = "score-measures"
SCORE_TIMELINE: Final = "score-timeline"
SCORE_LAG: Final = "score-lag"
SCORE_EVENTS: Final = "score-events"
SCORE_RESPONSE: Final = "score-response"
SCORE_WINDOW: Final = "score-window"
SCORE_QUERY: Final = "score-query"
SCORE_STABILITY: Final = "score-stability"
SCORE_LAGS: Final = "score-lags"
SCORE_ELASTICITIES: Final = "score-elasticities"

# Backtest
RUN: Final = "run"
RUN_SAVED: Final = "run-saved"
RUN_SUMMARY: Final = "run-summary"
RUN_GRID: Final = "run-grid"
RUN_TIMELINE: Final = "run-timeline"
RUN_PARETO: Final = "run-pareto"
RUN_SETTINGS: Final = "run-settings"
RUN_FINDINGS: Final = "run-findings"
FORM_POLICIES: Final = "form-policies"
FORM_TTFT: Final = "form-ttft"
FORM_TPOT: Final = "form-tpot"
FORM_LOAD_FACTOR: Final = "form-load-factor"
FORM_START: Final = "form-start"
FORM_CANCEL: Final = "form-cancel"
FORM_PROGRESS: Final = "form-progress"
FORM_STATUS: Final = "form-status"
