"""The log on disk, and appends through the services without HTTP.

    python -m tests.bench.store

A real PostgreSQL that flushes every commit. Matches are autoplayed to their end. For the size they are stored sixteen
at a time, one command of each in turn, so that rows and index pages fill up in the order in which they would in use.
"""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tests.bench._report import line, note
from tests.services import TEST_SECRETS, ThrowAwayServers

if TYPE_CHECKING:
    from uuid import UUID

    from matches.engine.state import State
    from matches.event_store import OpenStream, Pending
    from tests.tables import House

MATCHES = int(os.environ.get("BENCH_MATCHES", "208"))
AT_ONCE = 16
SECONDS = float(os.environ.get("BENCH_SECONDS", "8"))


class Command(NamedTuple):
    """What one command stores."""

    pending: list["Pending"]
    state: "State"
    snapshot: bool


def main() -> int:
    """Start the servers, measure, print; 1 if the budget is missed."""
    servers = ThrowAwayServers(durable=True)
    os.environ.update(TEST_SECRETS)
    os.environ["LOCAL_DIR"] = "/nonexistent"
    os.environ["DJANGO_SETTINGS_MODULE"] = "tarneeb_service.settings"
    static = Path(servers.directory, "static")
    static.mkdir()
    os.environ["STATIC_ROOT"] = str(static)
    servers.start()
    try:
        import django

        django.setup()
        from django.core.management import call_command

        from tests.tables import house

        call_command("migrate", verbosity=0)
        at = house("bench")
        kept = measure_size(at)
        measure_speed(at)
        return 0 if kept else 1
    finally:
        servers.stop()


# Bytes


def measure_size(at: "House") -> bool:
    """Store whole matches and weigh the partitions."""
    from django.db import connection

    for _ in range(MATCHES // AT_ONCE):
        store_together(at, AT_ONCE)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE matches_storedevent")
        cursor.execute("VACUUM ANALYZE matches_stream")
        cursor.execute(_WEIGHT)
        heap, indexes, total, heads, events, body = cursor.fetchone()
    print(f"The log of {MATCHES} whole matches, {events:,} events")
    note("canonical text of an event, mean", float(body), "bytes")
    note("its row, with page overhead", float(heap) / events, "bytes")
    note("its index entries", float(indexes) / events, "bytes")
    note("heads with snapshots, a match", float(heads) / MATCHES, "bytes")
    return line("an event on disk, indexes included", float(total) / events, 500, "bytes", at_most=True)


_WEIGHT = """
SELECT sum(pg_table_size(inhrelid)), sum(pg_indexes_size(inhrelid)), sum(pg_total_relation_size(inhrelid)),
       pg_total_relation_size('matches_stream'), (SELECT count(*) FROM matches_storedevent),
       (SELECT avg(length(body)) FROM matches_storedevent)
  FROM pg_inherits WHERE inhparent = 'matches_storedevent'::regclass"""


def store_together(at: "House", count: int) -> None:
    """So many matches from their first event to their last, one command of each in turn."""
    from django.db import transaction
    from uuid_utils.compat import uuid4, uuid7

    from matches import event_store
    from tarneeb_service.database import writes_together

    playing: list[tuple[OpenStream, Iterator[Command]]] = []
    for _ in range(count):
        match_id = uuid7()
        stream = event_store.begin_stream(match_id, tenant_id=at.tenant_id)
        playing.append((stream, commands_of(match_id, at)))
    while playing:
        going_on = []
        with transaction.atomic(), writes_together():
            for stream, commands in playing:
                command = next(commands, None)
                if command is None:
                    continue
                event_store.append(
                    stream, command.pending, state=command.state, command_id=uuid4(), request_digest=os.urandom(32),
                    snapshot=command.snapshot,
                )  # fmt: skip
                going_on.append((stream, commands))
        playing = going_on


def commands_of(match_id: "UUID", at: "House") -> Iterator[Command]:
    """A match as the services would store it, with a digest of a request for each command, as over HTTP."""
    from matches import deals
    from matches.engine import Actor, autoplay, rules_for, turn_of
    from matches.engine.commands import CreateMatch, TakeSeat
    from matches.engine.events import HandDealt
    from matches.engine.room import Room
    from matches.engine.state import Over
    from matches.services import TENANT, _Decisions

    seed = deals.new_seed()
    decisions = _Decisions(match_id, None, lambda: seed)
    decisions.give(TENANT, CreateMatch(rules_for("classic", target=41), Room(30), deals.anchor_of(seed)))
    for seat, player in enumerate(at.four):
        decisions.give(TENANT, TakeSeat(seat, str(player), "5a" * 32))
    while True:
        decisions.settle()
        state, pending = decisions.state, decisions.pending
        if state is None:
            return
        yield Command(pending, state, isinstance(pending[-1].event, HandDealt))
        if isinstance(state, Over):
            return
        decisions.pending = []
        decisions.give(Actor("player", turn_of(state)), autoplay(state))


# Moves a second


def measure_speed(at: "House") -> None:
    """Autoplayed moves through the services, each a durable transaction."""
    print(f"Moves through the services, durable, one process, {SECONDS:.0f} s each")
    for matches in (1, AT_ONCE):
        jobs: list[Callable[[], int]] = [partial(play_for, at, SECONDS) for _ in range(matches)]
        play_for(at, 0.5)
        began = time.perf_counter()
        moves = sum(in_threads(jobs))
        note(
            f"{matches} match{'es at once' if matches > 1 else ' alone'}",
            moves / (time.perf_counter() - began),
            "moves/s",
        )


def play_for(at: "House", seconds: float) -> int:
    """Matches one after the other for so long; the number of moves."""
    from tests.tables import open_table

    moves, end = 0, time.perf_counter() + seconds
    table = open_table(at)
    while time.perf_counter() < end:
        if table.over:
            table = open_table(at)
        table.step()
        table.outcomes.clear()
        moves += 1
    return moves


def in_threads(jobs: list[Callable[[], int]]) -> list[int]:
    """The results of jobs that run at once, each with its connection."""
    from django.db import connections

    results = [0] * len(jobs)

    def run(place: int) -> None:
        try:
            results[place] = jobs[place]()
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=[place]) for place in range(len(jobs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


if __name__ == "__main__":
    sys.exit(main())
