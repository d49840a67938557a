"""A connection that dies in the middle of an append: whole or not at all, and a retry settles which."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

import pytest
from django.db import DatabaseError, InterfaceError, OperationalError, connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper

from matches import event_store, services, state_cache
from matches.engine import turn_of
from matches.engine.commands import PlaceBid
from matches.event_store import Outcome
from matches.services import Origin
from tests.tables import Head, Table, check_chain, folded, head_of, house, open_table, read_rows, stored_rows, together

LOST = (OperationalError, InterfaceError)


@pytest.fixture
def table(transactional_db: None) -> Table:
    """A match in its first auction."""
    return open_table(house("a mobile backend"))


def terminate(backend: int) -> None:
    """End a server process from a connection of its own, and see it gone."""

    def end() -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(%s, 30000)", [backend])
            assert cursor.fetchone() == (True,)

    together(end)


def own_backend() -> int:
    """The server process of this thread's connection."""
    connection.ensure_connection()
    return int(connection.connection.info.backend_pid)


def cut_off(during: str, monkeypatch: pytest.MonkeyPatch) -> Callable[[], bool]:
    """Have the next append of another thread cut off at this point, once; whether that has happened."""
    cut = threading.Event()

    def once() -> None:
        if threading.current_thread() is not threading.main_thread() and not cut.is_set():
            cut.set()
            terminate(own_backend())

    def before(owner: Any, name: str) -> None:
        original = getattr(owner, name)

        def cut_then_go_on(*args: Any, **kwargs: Any) -> Any:
            once()
            return original(*args, **kwargs)

        monkeypatch.setattr(owner, name, cut_then_go_on)

    match during:
        case "after the lock":
            before(event_store, "state_at_head")
        case "before the insert":
            before(event_store, "append")
        case "as the commit is sent":
            before(BaseDatabaseWrapper, "_commit")
        case "after the commit":
            commit = BaseDatabaseWrapper._commit  # type: ignore[attr-defined]

            def commit_then_cut(wrapper: BaseDatabaseWrapper) -> None:
                commit(wrapper)
                if not cut.is_set():
                    once()
                    with wrapper.cursor() as cursor:
                        cursor.execute("SELECT 1")

            monkeypatch.setattr(BaseDatabaseWrapper, "_commit", commit_then_cut)
    return cut.is_set


def submit(table: Table, origin: Origin) -> Outcome:
    """A bid by whoever was to speak when the table was last looked at, from a thread with a connection of its own."""
    seat = turn_of(table.state)
    assert seat is not None
    player = table.seated[seat]

    def work() -> Outcome:
        return services.submit_action(
            match_id=table.match_id, tenant_id=table.tenant_id, player=player, command=PlaceBid(7), origin=origin
        )

    [outcome] = together(work)
    return outcome


def check_whole(table: Table) -> Head:
    """The stream, the cache's idea of it, and the read row agree."""
    check_chain(table.match_id)
    head = head_of(table.match_id)
    state = event_store.state_at_head(table.match_id, head.version, head.head_hash)
    assert state == folded(table.match_id)
    [row] = read_rows()["matches_match"]
    assert (row["version"], row["turn_seat"]) == (head.version, turn_of(state))
    return head


@pytest.mark.parametrize(
    ("during", "stored"),
    [
        ("after the lock", False),
        ("before the insert", False),
        ("as the commit is sent", False),
        ("after the commit", True),
    ],
)
@pytest.mark.parametrize("remembers", [True, False])
def test_a_connection_that_dies_leaves_a_whole_stream(
    table: Table, during: str, stored: bool, remembers: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`remembers`: whether the retry comes to the same process, whose cache may hold what was never committed."""
    origin = Origin(uuid4(), b"d" * 32)
    with monkeypatch.context() as patched:
        was_cut = cut_off(during, patched)
        with pytest.raises(LOST):
            submit(table, origin)
        assert was_cut()
    if not remembers:
        state_cache.clear()
    assert check_whole(table).version == table.version + stored

    outcome = submit(table, origin)
    assert submit(table, origin) == outcome
    assert check_whole(table).version == outcome.version == table.version + 1
    rows = [row for row in stored_rows(table.match_id) if row.command_id == origin.command_id]
    assert [(row.version, row.type, row.hash) for row in rows] == [
        (outcome.version, "bid_placed", outcome.events[0].hash)
    ]


@contextmanager
def commits_that_wait(key: int) -> Iterator[None]:
    """Every commit that has moved a stream waits in the server for this advisory lock, which is held here."""
    with connection.cursor() as cursor:
        cursor.execute(f"""
            CREATE FUNCTION wait_in_commit() RETURNS trigger LANGUAGE plpgsql AS
                'BEGIN PERFORM pg_advisory_xact_lock({key}); RETURN NULL; END';
            CREATE CONSTRAINT TRIGGER wait_in_commit AFTER UPDATE ON matches_stream
                DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION wait_in_commit()""")
        cursor.execute("SELECT pg_advisory_lock(%s)", [key])
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [key])
            cursor.execute("DROP TRIGGER wait_in_commit ON matches_stream; DROP FUNCTION wait_in_commit()")


def waiting_for(key: int) -> list[int]:
    """The server processes that wait for an advisory lock."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT l.pid FROM pg_locks l JOIN pg_database d ON d.oid = l.database"
            " WHERE l.locktype = 'advisory' AND NOT l.granted AND l.objid = %s AND d.datname = current_database()",
            [key],
        )
        return [pid for (pid,) in cursor.fetchall()]


def test_a_server_process_that_dies_inside_the_commit_takes_the_append_with_it(table: Table) -> None:
    origin, key = Origin(uuid4(), b"d" * 32), 20_260_101
    errors: list[DatabaseError] = []

    def fail() -> None:
        try:
            submit(table, origin)
        except LOST as error:
            errors.append(error)
        finally:
            connections.close_all()

    with commits_that_wait(key):
        thread = threading.Thread(target=fail)
        thread.start()
        while not (pids := waiting_for(key)):
            assert thread.is_alive()
        terminate(pids[0])
        thread.join()
    assert [type(error) in LOST for error in errors] == [True]
    assert check_whole(table).version == table.version
    assert submit(table, origin).version == check_whole(table).version == table.version + 1


def test_play_goes_on_after_every_connection_was_cut(table: Table) -> None:
    """Also for the connection that finds itself dead only when it is used."""
    table.play(5)
    terminate(own_backend())
    with pytest.raises(LOST):
        table.step()
    connections.close_all()
    state_cache.clear()
    table.play(5)
    assert check_whole(table).version == table.version == 17
