"""Run scaling policies on the recorded load of a service, a trace file, or a scenario."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from signals.errors import UsageError
from signals.moments import parse_duration
from signals.policies import parse_policy
from signals.profiles import load_profile
from signals.profiles.spec import Profile
from signals.replay import ReplaySettings, run_backtest
from signals.replay.result import Comparison
from signals.scenario import Scenario, parse_initial, parse_slo, read_scenario
from signals.schema import Finding
from signals.store import LoadOptions, Store, create_store, open_store
from signals.store.parsed import ReadOptions
from signals.usecases.evaluate import choose_service
from signals.usecases.workload import find_workload

__all__ = ["DEFAULT_POLICIES", "from_scenario", "opened", "run", "with_policies"]

DEFAULT_POLICIES = ("static", "heteroscale", "hpa:signal=decode:gpu_util,target=0.7")


def from_scenario(asked: Scenario) -> Scenario:
    """The scenario itself, or the one in the file that its workload names."""
    path = Path(asked.workload)
    return read_scenario(path) if path.suffix == ".toml" and path.is_file() else asked


def with_policies(asked: Scenario, policies: Sequence[str]) -> Scenario:
    """The same scenario under other policies."""
    return replace(asked, policies=tuple(policies))


@contextmanager
def opened(asked: Scenario, store_path: Path) -> Iterator[tuple[Store, str]]:
    """The store and service that hold the workload; a trace file gets a store of its own.

    Args:
        asked: the scenario.
        store_path: the store to look in for a service.

    Yields:
        The store and the name of the service.
    """
    path = Path(asked.workload)
    if asked.workload and path.is_file():
        with tempfile.TemporaryDirectory(prefix="signals-") as folder:
            store = create_store(Path(folder) / "trace.duckdb")
            service = path.name.split(".")[0]
            store.load([path], LoadOptions(read=ReadOptions(service=service)))
            yield store, service
        return
    store = open_store(store_path)
    yield store, choose_service(store, asked.workload or None)


def run(
    store: Store,
    service: str,
    asked: Scenario,
    *,
    first: datetime | None = None,
    last: datetime | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> tuple[Comparison, str]:
    """Replay a service's requests under every policy asked for.

    Args:
        store: the store with the requests.
        service: name of the service.
        asked: what to replay and how.
        first: begin, UTC; None for the log's.
        last: end, UTC; None for the log's.
        progress: told what is being done and the share done.

    Returns:
        The comparison and the id under which it is kept beside the store.

    Raises:
        UsageError: a policy, profile or option is not known.
        AnalysisError: there is nothing to replay.
    """
    if asked.load_factor <= 0:
        raise UsageError(
            f"the load factor {asked.load_factor} is not above 0", where="--load-factor"
        )
    choices = [parse_policy(text) for text in asked.policies or DEFAULT_POLICIES]
    slo = parse_slo(asked.slo)
    profile = load_profile(asked.profile)
    settings = replace(
        ReplaySettings(),
        cold_start_s=parse_duration(asked.cold_start, where="--cold-start").total_seconds(),
        initial=parse_initial(asked.initial),
        max_instances=asked.max_instances,
        max_gpus=asked.max_gpus,
        load_factor=asked.load_factor,
        seed=asked.seed,
    )
    source = find_workload(store, service, first=first, last=last, seed=asked.seed)
    comparison = run_backtest(
        source.workload,
        choices,
        profile=profile,
        slo=slo,
        settings=settings,
        start=source.start,
        source={"service": service, "source": source.source},
        progress=progress,
    )
    findings = (*source.findings, _assumed_hardware(profile), *comparison.findings)
    comparison = replace(comparison, findings=findings)
    return comparison, store.runs.save(service, comparison)


def _assumed_hardware(profile: Profile) -> Finding:
    """Whose fleet was simulated: GPU-hours are of that hardware, and policies read its signals."""
    return Finding(
        "simulated_fleet",
        "info",
        f"policies read the signals of a simulated fleet of {profile.title}, not the recorded ones",
        action="compare policies with each other; GPU-hours are of that hardware",
    )
