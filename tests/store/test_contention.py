"""Writers that meet: no gap, no duplicate, nothing acknowledged lost, nothing refused stored."""

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from random import Random
from typing import Any, NamedTuple
from uuid import UUID, uuid4

import pytest
from django.db import connection

from matches import event_store, services, state_cache
from matches.engine import turn_of
from matches.engine.commands import PlaceBid
from matches.engine.errors import NotYourTurn, RuleViolation
from matches.engine.state import Over
from matches.event_store import Outcome
from matches.refusals import ConcurrentAppend, VersionMismatch
from matches.services import Origin
from tarneeb_service.database import all_or_nothing
from tests.tables import House, Row, Table, check_chain, folded, head_of, open_table, read_rows, some_action, together

WRITERS = 8


class Diary(NamedTuple):
    """What one writer was told: of each command it gave, what it did or that it was refused."""

    acknowledged: dict[UUID, Outcome]
    refused: set[UUID]


def write(tables: Sequence[Table], seed: int, *, commands: int) -> Diary:
    """Give commands that looked legal a moment ago, until so many were accepted or every match is over."""
    random, diary = Random(seed), Diary({}, set())
    while len(diary.acknowledged) < commands:
        table = random.choice(tables)
        head = head_of(table.match_id)
        if random.random() < 0.2:
            # As in a process that has not seen the match for a while.
            state_cache.clear()
        state = event_store.state_at_head(table.match_id, head.version, head.head_hash)
        if isinstance(state, Over):
            return diary
        seat = turn_of(state)
        assert seat is not None
        origin = Origin(uuid4(), random.randbytes(32))
        submit = partial(
            services.submit_action,
            match_id=table.match_id,
            tenant_id=table.tenant_id,
            player=table.seated[seat],
            command=some_action(state, random),
            origin=origin,
            expected=frozenset({head.version}) if random.random() < 0.5 else None,
        )
        try:
            outcome = submit()
        except (RuleViolation, VersionMismatch):
            diary.refused.add(origin.command_id)
            continue
        diary.acknowledged[origin.command_id] = outcome
        if random.random() < 0.1:
            assert submit() == outcome
    return diary


def check_diaries(tables: Sequence[Table], diaries: Sequence[Diary]) -> None:
    """The logs hold what was acknowledged, each command once and whole, and nothing besides."""
    acknowledged = {command_id: outcome for diary in diaries for command_id, outcome in diary.acknowledged.items()}
    refused = set[UUID]().union(*(diary.refused for diary in diaries))
    assert len(acknowledged) == sum(len(diary.acknowledged) for diary in diaries)
    assert not acknowledged.keys() & refused
    stored: dict[UUID, list[Row]] = {}
    for table in tables:
        for row in check_chain(table.match_id)[table.version :]:
            stored.setdefault(row.command_id, []).append(row)
    assert stored.keys() == acknowledged.keys()
    for command_id, outcome in acknowledged.items():
        rows = stored[command_id]
        assert [(row.version, row.hash, row.command_ix) for row in rows] == [
            (entry.version, entry.hash, ix) for ix, entry in enumerate(outcome.events)
        ]
        assert {row.stream_id for row in rows} == {outcome.match_id}
    versions = {row["id"]: row["version"] for row in read_rows()["matches_match"]}
    for table in tables:
        head = head_of(table.match_id)
        assert versions[table.match_id] == head.version
        state = event_store.state_at_head(table.match_id, head.version, head.head_hash)
        assert state == folded(table.match_id)


@pytest.mark.slow
def test_eight_writers_on_one_stream(table: Table) -> None:
    diaries = together(*[partial(write, [table], seed, commands=15) for seed in range(WRITERS)])
    check_diaries([table], diaries)
    # They did get in each other's way.
    assert any(diary.refused for diary in diaries)


@pytest.mark.slow
def test_eight_writers_on_many_streams(cast: House) -> None:
    tables = [open_table(cast) for _ in range(12)]
    diaries = together(*[partial(write, tables, seed, commands=30) for seed in range(WRITERS)])
    check_diaries(tables, diaries)
    assert sum(len(diary.acknowledged) for diary in diaries) == WRITERS * 30


def test_twins_of_one_command_act_once(table: Table) -> None:
    """The same request, sent again before the first has an answer."""
    seat = turn_of(table.state)
    assert seat is not None
    submit = partial(
        services.submit_action,
        match_id=table.match_id,
        tenant_id=table.tenant_id,
        player=table.seated[seat],
        command=PlaceBid(7),
        origin=Origin(uuid4(), b"d" * 32),
        expected=frozenset({table.version}),
    )
    outcomes = together(*[submit] * WRITERS)
    assert all(outcome == outcomes[0] for outcome in outcomes)
    assert [row.type for row in check_chain(table.match_id)[table.version :]] == ["bid_placed"]


# The guard: what it prevents, and that it is the lock that prevents it


def _meeting_before_append(monkeypatch: pytest.MonkeyPatch, writers: int) -> None:
    """Have this many writers wait for each other once all have decided, the first time that they come there."""
    meeting = threading.Barrier(writers)
    append = event_store.append

    def append_together(*args: Any, **kwargs: Any) -> list[event_store.Recorded]:
        with suppress(threading.BrokenBarrierError):
            meeting.wait(timeout=60)
        meeting.abort()
        return append(*args, **kwargs)

    monkeypatch.setattr(event_store, "append", append_together)


def _bid(table: Table, tricks: int, give: Callable[..., Outcome]) -> Outcome | Exception:
    seat = turn_of(table.state)
    assert seat is not None
    try:
        return give(
            match_id=table.match_id,
            tenant_id=table.tenant_id,
            player=table.seated[seat],
            command=PlaceBid(tricks),
            origin=Origin(uuid4()),
        )
    except (ConcurrentAppend, RuleViolation) as error:
        return error


def _once_only(**command: Any) -> Outcome:
    """The service without the second try."""
    given: Outcome = services.submit_action.__wrapped__(**command)  # type: ignore[attr-defined]  # by functools.wraps
    return given


def test_of_two_who_decided_on_one_version_the_second_decides_anew(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    _meeting_before_append(monkeypatch, 2)
    outcomes = together(*[partial(_bid, table, tricks, services.submit_action) for tricks in (7, 8)])
    assert {type(outcome) for outcome in outcomes} == {Outcome, NotYourTurn}
    assert len(check_chain(table.match_id)) == table.version + 1


@pytest.mark.parametrize("locked", [True, False])
def test_without_a_second_try_it_is_refused_whether_there_is_a_lock_or_not(
    table: Table, monkeypatch: pytest.MonkeyPatch, locked: bool
) -> None:
    """The lock only keeps order: that no version is taken twice is the key's doing."""
    if not locked:
        random = Random(0)
        monkeypatch.setattr(event_store, "lock_key", lambda _: random.getrandbits(62))
    _meeting_before_append(monkeypatch, 2)
    attempt = all_or_nothing(_once_only)
    outcomes = together(*[partial(_bid, table, tricks, attempt) for tricks in (7, 8)])
    assert {type(outcome) for outcome in outcomes} == {Outcome, ConcurrentAppend}
    assert len(check_chain(table.match_id)) == table.version + 1


def test_who_never_gets_through_has_the_stream_to_itself_in_the_end(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody else appends between each look and append of the slow one, but cannot once it holds the lock."""
    append, overtaken = event_store.append, []

    def append_late(stream: event_store.OpenStream, *args: Any, **kwargs: Any) -> list[event_store.Recorded]:
        if threading.current_thread().name == "slow" and not connection.in_atomic_block:
            [outcome] = together(table.step)
            overtaken.append(outcome)
        return append(stream, *args, **kwargs)

    monkeypatch.setattr(event_store, "append", append_late)

    def slow() -> Outcome:
        threading.current_thread().name = "slow"
        return services.abandon_match(match_id=table.match_id, tenant_id=table.tenant_id, reason="enough")

    [outcome] = together(slow)
    assert len(overtaken) == services.TRIES - 1
    assert outcome.version == table.version + 1
    check_chain(table.match_id)


def test_streams_have_locks_of_their_own(cast: House) -> None:
    keys = {event_store.lock_key(open_table(cast).match_id) for _ in range(20)}
    assert len(keys) == 20
    assert all(-(2**63) <= key < 2**63 for key in keys)
