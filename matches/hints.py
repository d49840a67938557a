"""Tells the other processes that a match has moved: a hint by the broker's pub/sub, never data.

Whoever hears it reads the log from the version they have; whoever misses it finds out by a slow poll. So a hint is
thrown away rather than let a move wait for a broker: the move only puts it into a queue of this process, and a thread
(a greenlet under gevent) sends what has gathered there.
"""

import logging
import os
import threading
from collections import deque
from uuid import UUID

import redis
from django.conf import settings
from redis.backoff import NoBackoff
from redis.retry import Retry

logger = logging.getLogger(__name__)

CHANNEL = "tarneeb:moved"
QUEUE_LENGTH = 5000
BATCH = 500
BROKER_SECONDS = 1.0
"""How long one exchange with the broker may take."""
REST_SECONDS = 1.0
"""How long nothing is sent after the broker was not to be had."""


def client() -> "redis.Redis":
    """A client of the server that carries the hints; it connects when it is first used."""
    return redis.Redis.from_url(
        settings.CACHE_URL,
        socket_connect_timeout=BROKER_SECONDS,
        socket_timeout=BROKER_SECONDS,
        # Whoever uses it has a pause of its own between tries.
        retry=Retry(NoBackoff(), 0),
    )


class _Sender:
    """The queue of one process and the thread that empties it."""

    def __init__(self) -> None:
        self.queue: deque[str] = deque(maxlen=QUEUE_LENGTH)
        self.filled = threading.Event()
        threading.Thread(target=self._run, name="hints", daemon=True).start()

    def _run(self) -> None:
        broker = client()
        away = False
        while True:
            self.filled.wait()
            self.filled.clear()
            try:
                while self.queue:
                    pipeline = broker.pipeline(transaction=False)
                    for _ in range(min(len(self.queue), BATCH)):
                        pipeline.publish(CHANNEL, self.queue.popleft())
                    pipeline.execute()
                if away:
                    logger.info("hints are sent again")
                away = False
            except (redis.RedisError, OSError) as error:
                if not away:
                    logger.warning("hints are not sent: %r", error)
                away = True
                threading.Event().wait(REST_SECONDS)


_lock = threading.Lock()
_senders: dict[int, _Sender] = {}


def announce(match_id: UUID, version: int) -> None:
    """Tell everybody that this match stands at this version now. Never waits, never fails."""
    sender = _senders.get(os.getpid()) or _new_sender()
    # A full queue loses its oldest.
    sender.queue.append(f"{match_id} {version}")
    if not sender.filled.is_set():
        sender.filled.set()


def _new_sender() -> _Sender:
    # A fork inherits the entry of its parent but not the thread: each process has its own.
    with _lock:
        process = os.getpid()
        if process not in _senders:
            _senders[process] = _Sender()
        return _senders[process]
