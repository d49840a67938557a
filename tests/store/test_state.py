"""Snapshot and tail, cache and fold: one state at every version, whatever a process happens to remember."""

from random import Random
from uuid import uuid4

import pytest
from django.db import connection

from matches import codec, event_store, state_cache
from matches.engine import VARIANTS, evolve
from matches.engine.state import State
from tests.tables import House, Table, folded, head_of, open_table, stored_rows, taken_back


def at_head(table: Table) -> State:
    """What a command would be decided on."""
    head = head_of(table.match_id)
    return event_store.state_at_head(table.match_id, head.version, head.head_hash)


@pytest.mark.parametrize("variant", VARIANTS)
def test_snapshot_and_tail_are_the_fold_at_every_version(cast: House, variant: str) -> None:
    random = Random(variant)
    table = open_table(cast, variant)
    in_memory: dict[int, State] = {}
    state: State | None = None
    for _ in range(80):
        if random.random() < 0.3:
            state_cache.clear()
        table.step(random)
        for entry in event_store.events_of(table.match_id, after=len(in_memory)):
            state = evolve(state, entry.event)
            in_memory[entry.version] = state
        assert table.state == in_memory[table.version]
        assert at_head(table) == state
        state_cache.clear()
        assert at_head(table) == state
        if table.over:
            break
    for version, then in in_memory.items():
        assert event_store.state_at(table.match_id, version) == then


def test_the_snapshot_is_the_state_at_the_start_of_the_hand(table: Table) -> None:
    """It is what the fold gives at its version, that version is the latest deal's, and the tail stays within a hand."""
    for _ in range(4):
        table.play(40)
        head = head_of(table.match_id)
        deals = [row.version for row in stored_rows(table.match_id) if row.type == "hand_dealt"]
        assert head.snapshot_version == deals[-1]
        assert head.snapshot is not None
        assert state_cache.load(head.snapshot) == folded(table.match_id, upto=deals[-1])


def test_the_snapshot_is_used_and_only_the_tail_is_read(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    table.finish_hand()
    table.play(4)
    decoded: list[str] = []
    decode = codec.decode

    def counting(name: str, version: int, text: str) -> object:
        decoded.append(name)
        return decode(name, version, text)

    monkeypatch.setattr(codec, "decode", counting)
    state_cache.clear()
    assert at_head(table) == table.state
    assert len(decoded) == 4


def test_a_snapshot_of_another_format_is_passed_over(table: Table) -> None:
    table.play(20)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE matches_stream SET snapshot = '0 {}' WHERE id = %s", [table.match_id])
    state_cache.clear()
    assert at_head(table) == folded(table.match_id) == table.state


# What a rolled back transaction leaves in the process


def rolled_back(table: Table, moves: int) -> state_cache.Cached:
    """Play on and take it all back: what the cache then holds is a state that never was."""

    playing_on = Table(table.match_id, table.tenant_id, table.state, table.seated)
    taken_back(lambda: playing_on.play(moves, Random(f"{uuid4()}")))
    left = state_cache.get(table.match_id)
    assert left is not None
    assert left.version > head_of(table.match_id).version
    return left


def test_a_lying_cache_ahead_of_the_head_is_not_believed(table: Table) -> None:
    table.play(20)
    rolled_back(table, 3)
    assert at_head(table) == folded(table.match_id) == table.state
    rolled_back(table, 1)
    table.step()
    assert at_head(table) == folded(table.match_id) == table.state


@pytest.mark.parametrize("moves", [1, 3])
def test_a_lying_cache_of_the_heads_version_is_not_believed(table: Table, moves: int) -> None:
    """Version equal, hash different: another process has written that version since."""
    table.play(20)
    lie = rolled_back(table, moves)
    table.play(lie.version - head_of(table.match_id).version)
    head = head_of(table.match_id)
    assert (head.version, head.head_hash != lie.head_hash) == (lie.version, True)
    state_cache.put(table.match_id, *lie)
    assert at_head(table) == folded(table.match_id) == table.state


@pytest.mark.parametrize("behind", [1, 2, 5])
def test_a_lying_cache_behind_the_head_is_not_built_upon(table: Table, behind: int) -> None:
    """The next event in the log does not follow the hash of the state that never was."""
    table.play(20)
    lie = rolled_back(table, 1)
    table.play(behind + 1)
    assert head_of(table.match_id).version == lie.version + behind
    state_cache.put(table.match_id, *lie)
    assert at_head(table) == folded(table.match_id) == table.state
    state_cache.put(table.match_id, *lie)
    table.play(3)
    assert at_head(table) == folded(table.match_id) == table.state


def test_a_true_cache_behind_the_head_is_built_upon(table: Table) -> None:
    table.play(12)
    then = state_cache.get(table.match_id)
    assert then is not None
    table.play(6)
    state_cache.put(table.match_id, *then)
    assert at_head(table) == folded(table.match_id) == table.state
