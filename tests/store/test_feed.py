"""The feed across streams: everything once, each stream in order, whoever commits when."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from random import Random
from uuid import UUID

import pytest
from django.db import connection, connections, transaction

from matches import event_store, services
from matches.engine.errors import RuleViolation
from matches.engine.state import Over
from matches.event_store import FEED_START, FeedEntry
from tests.tables import House, Table, head_of, open_table, stored_rows, together

Delivered = list[tuple[UUID, int]]


class Reader:
    """A reader of the feed that remembers what it was given, stream and version."""

    def __init__(self, seed: int = 0, tenant_id: UUID | None = None) -> None:
        self.random = Random(seed)
        self.tenant_id = tenant_id
        self.position = FEED_START
        self.delivered: Delivered = []

    def poll(self) -> list[FeedEntry]:
        """One page, of some size."""
        entries = event_store.feed(self.position, limit=self.random.randint(1, 40), tenant_id=self.tenant_id)
        if entries:
            self.position = entries[-1].position
            self.delivered += [(entry.stream_id, entry.recorded.version) for entry in entries]
        return entries

    def read_until(self, finished: Callable[[], bool]) -> Delivered:
        """Poll until `finished`. Any transaction that is open anywhere on the server may keep the feed waiting."""
        while not finished():
            if not self.poll():
                time.sleep(0.005)
        return self.delivered


class PositionReader:
    """What the feed would be by position alone: the way that loses events."""

    def __init__(self) -> None:
        self.position = 0
        self.delivered: Delivered = []

    def poll(self) -> None:
        """All that is there beyond the last position seen."""
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pos, stream_id, version FROM matches_storedevent WHERE pos > %s ORDER BY pos", [self.position]
            )
            for self.position, stream_id, version in cursor.fetchall():
                self.delivered.append((stream_id, version))


def in_the_log(*tables: Table) -> Delivered:
    """Stream and version of every stored event of these matches."""
    return [(table.match_id, row.version) for table in tables for row in stored_rows(table.match_id)]


def check_order(delivered: Delivered) -> None:
    """Every stream's versions in order, each once."""
    by_stream: dict[UUID, list[int]] = {}
    for stream_id, version in delivered:
        by_stream.setdefault(stream_id, []).append(version)
    for versions in by_stream.values():
        assert versions == list(range(1, len(versions) + 1))


@contextmanager
def held_open(work: Callable[[], object]) -> Iterator[None]:
    """Another connection's transaction that has done this and commits when the block ends."""
    written, release = threading.Event(), threading.Event()
    errors: list[BaseException] = []

    def hold() -> None:
        try:
            with transaction.atomic():
                work()
                written.set()
                release.wait(timeout=120)
        except BaseException as error:  # noqa: BLE001  raised below, in the test's own thread
            errors.append(error)
        finally:
            written.set()
            connections.close_all()

    thread = threading.Thread(target=hold)
    thread.start()
    try:
        written.wait(timeout=120)
        yield
    finally:
        release.set()
        thread.join()
    assert errors == []


def test_pages_are_the_whole_log_in_order(cast: House) -> None:
    tables = [open_table(cast) for _ in range(3)]
    for _ in range(10):
        for table in tables:
            table.step()
    expected = in_the_log(*tables)
    reader = Reader()
    reader.read_until(lambda: len(reader.delivered) >= len(expected))
    assert sorted(reader.delivered) == sorted(expected)
    check_order(reader.delivered)
    assert reader.poll() == []
    again = Reader(seed=1)
    again.read_until(lambda: len(again.delivered) >= len(expected))
    assert again.delivered == reader.delivered


def test_an_entry_is_the_stored_event(table: Table) -> None:
    table.play(5)
    reader = Reader()
    entries: list[FeedEntry] = []
    while len(entries) < table.version:
        entries += reader.poll()
    assert [entry.recorded for entry in entries] == event_store.events_of(table.match_id)
    assert {entry.tenant_id for entry in entries} == {table.tenant_id}
    assert [entry.position for entry in entries] == [(row.xid, row.pos) for row in stored_rows(table.match_id)]


def test_a_tenants_feed_has_its_own_matches_only(cast: House, other_house: House) -> None:
    ours, theirs = open_table(cast), open_table(other_house)
    for _ in range(5):
        ours.step()
        theirs.step()
    expected = in_the_log(ours)
    reader = Reader(tenant_id=cast.tenant_id)
    reader.read_until(lambda: len(reader.delivered) >= len(expected))
    assert reader.delivered == expected
    assert reader.poll() == []


def test_what_commits_late_is_waited_for_and_not_lost(cast: House) -> None:
    early, late = open_table(cast), open_table(cast)
    reader, by_position = Reader(), PositionReader()
    expected = in_the_log(early, late)
    reader.read_until(lambda: len(reader.delivered) >= len(expected))
    by_position.poll()
    assert sorted(by_position.delivered) == sorted(reader.delivered) == sorted(expected)

    with held_open(late.step):
        early.step()
        for _ in range(3):
            by_position.poll()
            assert reader.poll() == []
    reader.read_until(lambda: len(reader.delivered) >= len(expected) + 2)
    by_position.poll()

    assert reader.delivered[-2:] == [(late.match_id, 8), (early.match_id, 8)]
    # The reason for all this: a reader that goes by position had passed the place before anything stood there.
    assert by_position.delivered[-1] == (early.match_id, 8)
    assert (late.match_id, 8) not in by_position.delivered


def test_a_transaction_that_wrote_before_it_had_the_lock_keeps_the_streams_order(table: Table) -> None:
    """Its transaction is older than the one that overtakes it, its event is newer."""
    overtake, overtaken = threading.Event(), threading.Event()

    def write_first() -> None:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("UPDATE access_tenant SET name = name || '.' WHERE id = %s", [table.tenant_id])
            overtake.set()
            overtaken.wait(timeout=120)
            table.step()

    def come_between() -> None:
        overtake.wait(timeout=120)
        table.step()
        overtaken.set()

    together(write_first, come_between)
    reader = Reader()
    reader.read_until(lambda: len(reader.delivered) >= 9)
    check_order(reader.delivered)


@pytest.mark.slow
def test_readers_miss_nothing_while_writers_commit_late(cast: House) -> None:
    tables = [open_table(cast) for _ in range(3)]
    writers, finished = 4, threading.Semaphore(0)

    def write(seed: int) -> None:
        random = Random(seed)
        try:
            for _ in range(25):
                table = random.choice(tables)
                try:
                    with services.alone_with(table.match_id):
                        head = head_of(table.match_id)
                        state = event_store.state_at_head(table.match_id, head.version, head.head_hash)
                        if not isinstance(state, Over):
                            Table(table.match_id, table.tenant_id, state, table.seated).step()
                        time.sleep(random.random() * 0.02)
                except RuleViolation:
                    continue
        finally:
            finished.release()

    def read(seed: int) -> Delivered:
        reader = Reader(seed)

        def has_everything() -> bool:
            if finished._value < writers:
                return False
            return len(reader.delivered) >= len(in_the_log(*tables))

        return reader.read_until(has_everything)

    results = together(*[partial(write, seed) for seed in range(writers)], *[partial(read, seed) for seed in range(3)])
    expected = sorted(in_the_log(*tables))
    assert len(expected) > 60
    for delivered in results[writers:]:
        assert delivered is not None
        assert sorted(delivered) == expected
        check_order(delivered)
