"""Results kept beside the store: backtests and scorecards, in a file of their own."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import duckdb
import polars as pl
from pydantic import TypeAdapter

from signals.errors import StoreError
from signals.replay.frames import RUN_EVENT, RUN_MINUTE, RUN_READING, RUN_TICK
from signals.replay.result import Comparison, PolicyResult
from signals.schema import Finding, FrameSchema, Slo, Span, check_frame
from signals.store.connect import empty, reading, writing
from signals.store.place import locate
from signals.store.provenance import identify, input_hashes, versions
from signals.store.sql import execute, run
from signals.study.score import Scorecard

__all__ = ["Runs"]

_FOLDER = "runs"
_HINT = "signals backtest SERVICE makes one"
_FRAMES: Mapping[str, FrameSchema] = {
    "ticks": RUN_TICK,
    "readings": RUN_READING,
    "events": RUN_EVENT,
    "minutes": RUN_MINUTE,
}
_SCORE_TYPES = {
    "rank": pl.Int32,
    "value": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
}


@dataclass(frozen=True)
class _Summary:
    """A comparison without its frames."""

    workload: Mapping[str, float | int | str | None]
    settings: Mapping[str, float | int | str | None]
    slo: Slo
    span: Span
    policies: tuple[PolicyResult, ...]
    findings: tuple[Finding, ...]


class Runs:
    """The file of results beside a store.

    Attributes:
        store: the store's DuckDB file.
    """

    def __init__(self, store: Path) -> None:
        self.store = store

    @property
    def path(self) -> Path:
        """The DuckDB file, made when the first result is kept.

        Raises:
            StoreError: the store's path leads to no file.
        """
        store = locate(self.store)
        return store.with_name(f"{store.stem}.runs{store.suffix or '.duckdb'}")

    def save(self, service: str, comparison: Comparison) -> str:
        """Keep a comparison; one that was asked for in the same way before is replaced.

        Args:
            service: the service whose workload was replayed.
            comparison: the results.

        Returns:
            The run's identifier: the same for the same inputs, settings, policies and seed.

        Raises:
            StoreError: the file cannot be written.
        """
        summary = _Summary(
            comparison.workload,
            comparison.settings,
            comparison.slo,
            comparison.span,
            comparison.policies,
            comparison.findings,
        )
        # pydantic's own JSON turns infinities into nulls
        values = _adapter().dump_python(summary, mode="json")
        hashes = input_hashes(self.store, service)
        run_id = identify(service, hashes, values)
        seed = comparison.settings.get("seed")
        chosen: dict[str, object] = {"run_id": run_id}
        row: dict[str, object] = {
            **chosen,
            "service": service,
            "first": comparison.span.first,
            "last": comparison.span.last,
            "policies": [policy.label for policy in comparison.policies],
            "inputs": [content for content, _ in hashes],
            "versions": json.dumps(versions()),
            "seed": seed if isinstance(seed, int) else None,
            "summary": json.dumps(values),
        }
        with writing(self.path, schema=_FOLDER) as connection:
            execute(connection, "results/delete_run", chosen)
            execute(connection, "results/insert_run", row)
            for name, schema in _FRAMES.items():
                frame = check_frame(getattr(comparison, name), schema)
                execute(connection, f"results/delete_{schema.name}", chosen)
                _insert(connection, f"results/insert_{schema.name}", frame, chosen)
        return run_id

    def list(self, service: str | None = None) -> pl.DataFrame:
        """Stored backtests, newest first: run_id, service, created_at, first_at, last_at, policies, inputs, versions, seed.

        Args:
            service: name of a service; None for all.
        """
        return self._rows("results/runs", {"service": service})

    def load(self, run_id: str) -> Comparison:
        """A stored comparison.

        Args:
            run_id: as `list` names it.

        Raises:
            StoreError: there is no such run.
        """
        with reading(self.path, hint=_HINT, views=()) as connection:
            params: dict[str, object] = {"run_id": run_id}
            texts = run(connection, "results/run_summary", params)["summary"]
            if texts.is_empty():
                raise StoreError(f"run '{run_id}' is not stored", where=str(self.path), hint=_HINT)
            frames = {
                name: run(connection, f"results/{schema.name}s", params).cast(
                    pl.Schema(schema.polars())
                )
                for name, schema in _FRAMES.items()
            }
        summary = _adapter().validate_python(json.loads(texts[0]))
        return Comparison(
            workload=summary.workload,
            settings=summary.settings,
            slo=summary.slo,
            span=summary.span,
            policies=summary.policies,
            findings=summary.findings,
            **frames,
        )

    def save_scorecard(self, card: Scorecard) -> str:
        """Keep the measures of a scorecard, one row per signal and measure.

        Returns:
            The scorecard's identifier; identifiers sort by time.

        Raises:
            StoreError: the file cannot be written.
        """
        rows = [
            {
                "signal": score.signal,
                "load": score.load,
                "verdict": score.verdict,
                "rank": score.rank,
                "identity": score.identity,
                "measure": name,
                "value": estimate.value,
                "low": estimate.low,
                "high": estimate.high,
                "determined": estimate.determined,
                "reason": estimate.reason,
            }
            for score in card.signals
            for name, estimate in score.measures.items()
        ]
        with writing(self.path, schema=_FOLDER) as connection:
            card_id = _identifier(connection, f"{card.service} {card.span} {rows}")
            if rows:
                frame = pl.DataFrame(rows, infer_schema_length=None, schema_overrides=_SCORE_TYPES)
                params: dict[str, object] = {
                    "card_id": card_id,
                    "service": card.service,
                    "first": card.span.first,
                    "last": card.span.last,
                    "tick_s": card.tick_s,
                }
                _insert(connection, "results/insert_scores", frame, params)
        return card_id

    def scores(self, service: str | None = None) -> pl.DataFrame:
        """Rows of stored scorecards, newest first; columns as in the table `score`.

        Args:
            service: name of a service; None for all.
        """
        return self._rows("results/scores", {"service": service})

    def _rows(self, name: str, params: Mapping[str, object]) -> pl.DataFrame:
        """Rows of a query; of an empty file if there is none yet."""
        if self.path.exists():
            with reading(self.path, views=()) as connection:
                return run(connection, name, params)
        with empty(_FOLDER) as connection:
            return run(connection, name, params)


def _adapter() -> TypeAdapter[_Summary]:
    return TypeAdapter(_Summary)


def _identifier(connection: duckdb.DuckDBPyConnection, content: str) -> str:
    identifier = run(connection, "results/new_identifier", {"content": content})["identifier"][0]
    return str(identifier)


def _insert(
    connection: duckdb.DuckDBPyConnection,
    name: str,
    frame: pl.DataFrame,
    params: Mapping[str, object],
) -> None:
    connection.register("chunk", frame)
    try:
        execute(connection, name, params)
    finally:
        connection.unregister("chunk")
