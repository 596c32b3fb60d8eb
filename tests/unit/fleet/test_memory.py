"""Room for instances and scrapes, without losing what is there."""

from __future__ import annotations

from signals.fleet import FleetSpec
from signals.fleet.memory import Memory
from signals.fleet.state import TABLES
from tests.builders_fleet import ROUND, workload


def test_tables_are_where_the_engine_is_told() -> None:
    """After growing, every address is that of its table."""
    memory = Memory(FleetSpec(ROUND, 1, 1), workload([0], [1], [1]), longest_run=1)
    memory.room_for_instances(5)
    memory.room_for_scrapes(10**15)
    for name in TABLES:
        assert memory.scalar(f"{name}_address") == memory[name].ctypes.data


def test_room_keeps_rows() -> None:
    """What was written stays."""
    memory = Memory(FleetSpec(ROUND, 1, 1), workload([0], [1], [1]), longest_run=1)
    memory.room_for_instances(2)
    memory["instances"]["number"] = [7, 8]
    memory.globals["instances"] = 2
    memory.room_for_instances(10)
    assert memory["instances"]["number"][:3].tolist() == [7, 8, 0]
    assert memory["slots"].shape[1] == ROUND.max_num_seqs
    assert len(memory["lists"]) == 1 + 2 * len(memory["instances"])
