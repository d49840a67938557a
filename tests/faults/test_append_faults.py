"""A connection that dies in the middle of an append: whole or not at all, and a retry settles which."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

import pytest
from django.db import InterfaceError, OperationalError, connection, connections

from matches import event_store, services, state_cache
from matches.engine import turn_of
from matches.engine.commands import PlaceBid
from matches.event_store import Outcome
from matches.services import Origin
from tarneeb_service import database
from tests.tables import Head, Table, check_chain, folded, head_of, house, open_table, read_rows, stored_rows, together

LOST = (OperationalError, InterfaceError)
KEY = 20_260_101
"""The advisory lock that the server processes of these tests are made to wait for."""


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


def bid(table: Table, origin: Origin) -> Outcome:
    """Seven, by whoever was to speak when the table was last looked at, over a connection of its own."""
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


def check_settled_by_retry(table: Table, origin: Origin) -> None:
    """The same command once more, and then there is exactly one event of it."""
    outcome = bid(table, origin)
    assert bid(table, origin) == outcome
    assert check_whole(table).version == outcome.version == table.version + 1
    rows = [row for row in stored_rows(table.match_id) if row.command_id == origin.command_id]
    assert [(row.version, row.type, row.hash) for row in rows] == [
        (outcome.version, "bid_placed", outcome.events[0].hash)
    ]


# Cut off while the client is at work


def cut_off(during: str, monkeypatch: pytest.MonkeyPatch) -> Callable[[], bool]:
    """Have the next append of another thread cut off at this point, once; whether that has happened."""
    cut = threading.Event()

    def once() -> None:
        if threading.current_thread() is not threading.main_thread() and not cut.is_set():
            cut.set()
            terminate(own_backend())

    owner, name = {
        "after the lock": (event_store, "state_at_head"),
        "before the insert": (event_store, "append"),
        "after the commit": (database, "_send"),
    }[during]
    original = getattr(owner, name)

    def cut_then_go_on(*args: Any, **kwargs: Any) -> Any:
        once()
        return original(*args, **kwargs)

    def commit_then_cut(statements: list[database.Statement]) -> None:
        original(statements)
        if not cut.is_set():
            once()
            # The client learns no more than that the connection is gone.
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1")

    monkeypatch.setattr(owner, name, commit_then_cut if during == "after the commit" else cut_then_go_on)
    return cut.is_set


@pytest.mark.parametrize(
    ("during", "stored"), [("after the lock", False), ("before the insert", False), ("after the commit", True)]
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
            bid(table, origin)
        assert was_cut()
    if not remembers:
        state_cache.clear()
    assert check_whole(table).version == table.version + stored
    check_settled_by_retry(table, origin)


# Cut off while the server is at work


@contextmanager
def a_wait(trigger: str) -> Iterator[None]:
    """The server processes that set off this trigger wait in it for a lock which is held here."""
    with connection.cursor() as cursor:
        cursor.execute(f"""
            CREATE FUNCTION wait_a_while() RETURNS trigger LANGUAGE plpgsql AS
                'BEGIN PERFORM pg_advisory_xact_lock({KEY}); RETURN NULL; END';
            {trigger} FOR EACH ROW EXECUTE FUNCTION wait_a_while()""")
        cursor.execute("SELECT pg_advisory_lock(%s)", [KEY])
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [KEY])
            cursor.execute("DROP FUNCTION wait_a_while() CASCADE")


def waiting() -> list[int]:
    """The server processes that wait there."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT l.pid FROM pg_locks l JOIN pg_database d ON d.oid = l.database"
            " WHERE l.locktype = 'advisory' AND NOT l.granted AND l.objid = %s AND d.datname = current_database()",
            [KEY],
        )
        return [pid for (pid,) in cursor.fetchall()]


@pytest.mark.parametrize(
    "trigger",
    [
        pytest.param("CREATE TRIGGER a_wait AFTER INSERT ON matches_storedevent", id="after the insert"),
        pytest.param(
            "CREATE CONSTRAINT TRIGGER a_wait AFTER UPDATE ON matches_stream DEFERRABLE INITIALLY DEFERRED",
            id="inside the commit",
        ),
    ],
)
def test_a_server_process_that_dies_takes_the_append_with_it(table: Table, trigger: str) -> None:
    origin = Origin(uuid4(), b"d" * 32)
    errors: list[Exception] = []

    def fail() -> None:
        try:
            bid(table, origin)
        except LOST as error:
            errors.append(error)
        finally:
            connections.close_all()

    with a_wait(trigger):
        thread = threading.Thread(target=fail)
        thread.start()
        while not (pids := waiting()):
            assert thread.is_alive()
        terminate(pids[0])
        thread.join()
    assert [type(error) in LOST for error in errors] == [True]
    assert check_whole(table).version == table.version
    check_settled_by_retry(table, origin)


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
