"""Wakes who waits for a match in this process.

One thread hears the broker's hints, another asks the database every few seconds, in one query, where all matches stand
that somebody here waits for: a lost hint costs that long and nothing else. Neither holds a database connection between.
"""

import logging
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from uuid import UUID

import redis
from django.conf import settings
from django.db import DatabaseError, connection

from matches import hints, selectors

logger = logging.getLogger(__name__)

HEAR_SECONDS = 0.5
RECONNECT_SECONDS = 1.0


class Waiter:
    """Somebody who waits for one match."""

    def __init__(self) -> None:
        self.version = 0
        self._woken = threading.Event()

    def wake(self) -> None:
        """Have it look again."""
        self._woken.set()

    def wait(self, seconds: float) -> bool:
        """Wait for a wake-up, at most so long; whether there was one."""
        woken = self._woken.wait(seconds)
        if woken:
            # Only then: a wake-up that comes just as the time runs out is for the next wait.
            self._woken.clear()
        return woken


class _Switchboard:
    """Who waits for what in one process."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.waiters: dict[UUID, set[Waiter]] = {}
        self.heads: dict[UUID, int] = {}
        self.polling = False
        self.closed = False
        self.hearing = threading.Thread(target=self._hear, name="wake-ups", daemon=True)
        self.hearing.start()

    def add(self, match_id: UUID, waiter: Waiter) -> None:
        with self.lock:
            self.waiters.setdefault(match_id, set()).add(waiter)
            if not self.polling:
                self.polling = True
                threading.Thread(target=self._poll, name="slow poll", daemon=True).start()

    def remove(self, match_id: UUID, waiter: Waiter) -> None:
        with self.lock:
            left = self.waiters.get(match_id, set())
            left.discard(waiter)
            if not left:
                self.waiters.pop(match_id, None)
                self.heads.pop(match_id, None)

    def moved(self, match_id: UUID, version: int) -> None:
        """Wake those who wait for this match, unless they were woken for this version."""
        with self.lock:
            if self.heads.get(match_id, 0) >= version or match_id not in self.waiters:
                return
            self.heads[match_id] = version
            woken = list(self.waiters[match_id])
        for waiter in woken:
            waiter.wake()

    def _hear(self) -> None:
        away = False
        while not self.closed:
            try:
                with hints.client() as broker, broker.pubsub(ignore_subscribe_messages=True) as channel:
                    channel.subscribe(hints.CHANNEL)
                    away = False
                    while not self.closed:
                        self._heard(channel.get_message(timeout=HEAR_SECONDS))
            except (redis.RedisError, OSError) as error:
                if not away:
                    logger.warning("hints are not heard: %r", error)
                away = True
                threading.Event().wait(RECONNECT_SECONDS)

    def _heard(self, message: dict[str, bytes] | None) -> None:
        if message is None:
            return
        try:
            match_id, version = message["data"].decode().split(" ")
            self.moved(UUID(match_id), int(version))
        except ValueError:
            logger.warning("a hint that is none")

    def _poll(self) -> None:
        while True:
            threading.Event().wait(settings.LIVE_POLL_SECONDS)
            with self.lock:
                followed = list(self.waiters)
                if not followed:
                    self.polling = False
                    return
            try:
                for match_id, version in selectors.heads_of(followed).items():
                    self.moved(match_id, version)
            except DatabaseError as error:
                logger.warning("the slow poll found no database: %r", error)
            finally:
                connection.close()


_lock = threading.Lock()
_boards: dict[int, _Switchboard] = {}


def _board() -> _Switchboard:
    # A fork has no threads of its parent's: each process has its own.
    with _lock:
        if os.getpid() not in _boards:
            _boards[os.getpid()] = _Switchboard()
        return _boards[os.getpid()]


def close() -> None:
    """Hear no more in this process, until somebody waits again."""
    with _lock:
        board = _boards.pop(os.getpid(), None)
    if board is not None:
        board.closed = True
        board.hearing.join()


@contextmanager
def waiting_for(match_id: UUID) -> Iterator[Waiter]:
    """A waiter for this match. What it should not miss is read after this has begun."""
    waiter, board = Waiter(), _board()
    board.add(match_id, waiter)
    try:
        yield waiter
    finally:
        board.remove(match_id, waiter)


class _Serving:
    """Whether this process goes on serving: gunicorn's worker says so, where there is one."""

    goes_on: Callable[[], bool] = staticmethod(lambda: True)


def ends_with(goes_on: Callable[[], bool]) -> None:
    """Let what waits in this process end soon after `goes_on` has become false."""
    _Serving.goes_on = staticmethod(goes_on)


def goes_on() -> bool:
    """Whether to wait any longer."""
    return _Serving.goes_on()
