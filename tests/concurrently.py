"""Several connections at once: threads from one start, transactions held open, writers that wait for a lock."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import NamedTuple, TypeVar

from django.db import connection, connections, transaction

T = TypeVar("T")


def together(*jobs: Callable[[], T]) -> list[T]:
    """Run the jobs in threads of their own, with connections of their own, all from one start; their results in order.

    The first exception is raised once all have ended.
    """
    start = threading.Barrier(len(jobs))

    def run(job: Callable[[], T]) -> T:
        try:
            start.wait(timeout=60)
            return job()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(jobs)) as pool:
        running = [pool.submit(run, job) for job in jobs]
    return [each.result() for each in running]


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


class Blocked(NamedTuple):
    """A server process that waits for somebody's lock; `xid` is None as long as it has written nothing."""

    pid: int
    xid: str | None


def blocked() -> list[Blocked]:
    """The server processes of this database that wait for a lock."""
    with connection.cursor() as cursor:
        # Within a transaction the view would else go on showing what it showed first.
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute(
            "SELECT pid, backend_xid::text FROM pg_stat_activity"
            " WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
        return [Blocked(*row) for row in cursor.fetchall()]


@contextmanager
def until_blocked(work: Callable[[], object]) -> Iterator[Blocked]:
    """Start this in a thread, wait until it waits for a lock, and see it end after the block."""
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(together, work)
        while not (waiting := blocked()):
            assert not running.done(), running.result()
        yield waiting[0]
    running.result()
