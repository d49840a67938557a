"""Event streams: the memory of an idle one, and how long a committed event takes to whoever listens.

    python -m tests.bench.streams

Real gunicorn with one worker for the idle streams and two for the delivery, clients on the same machine. The time of an
event counts from `recorded_at`, which lies just before its commit, to its arrival in the client's process.
"""

import os
import re
import resource
import selectors
import socket
import sys
import threading
import time
from collections.abc import Iterable
from datetime import datetime

import psutil

from tests.bench._report import line, note
from tests.bench.http import PLAYERS, SECONDS, Client, Service, Table, percentile, prepared, serving

IDLE = int(os.environ.get("BENCH_IDLE_STREAMS", "5000"))
LISTENING = int(os.environ.get("BENCH_STREAMS", "1000"))
EVENTS_A_SECOND = 200
HANDS = 16
"""So many threads play, each at its share of the tables in turn."""

_RECORDED = re.compile(rb'\nevent: (?!match\n)[a-z_]+\ndata: [^\n]*?"recorded_at":"([^"]+)"')


def opened(service: Service, match: str, player: str) -> socket.socket:
    """A stream whose first bytes have come."""
    stream = socket.create_connection(("127.0.0.1", service.port), 60)
    stream.sendall(
        f"GET /api/v1/matches/{match}/stream HTTP/1.1\r\nHost: localhost\r\n"
        f"Authorization: Bearer {service.key}\r\nX-Player: {player}\r\n\r\n".encode()
    )
    first = stream.recv(65536)
    if b" 200 OK" not in first:
        raise RuntimeError(first.decode())
    return stream


class Ears:
    """Reads all streams in one thread and notes how long each event was under way, in seconds."""

    def __init__(self, streams: Iterable[socket.socket]) -> None:
        self.seconds: list[float] = []
        self.done = False
        self._selector = selectors.DefaultSelector()
        for stream in streams:
            stream.setblocking(False)
            self._selector.register(stream, selectors.EVENT_READ)
        self._thread = threading.Thread(target=self._listen)
        self._thread.start()

    def _listen(self) -> None:
        while not self.done:
            for key, _ in self._selector.select(0.2):
                stream = key.fileobj
                if isinstance(stream, socket.socket):
                    heard = stream.recv(262_144)
                    if not heard:
                        self._selector.unregister(stream)
                    now = time.time()
                    self.seconds += [
                        now - datetime.fromisoformat(found.decode()).timestamp() for found in _RECORDED.findall(heard)
                    ]

    def close(self) -> None:
        """Hear no more."""
        self.done = True
        self._thread.join()
        self._selector.close()


class PacedTable(Table):
    """A table that makes one move at a time, when it is told."""

    match: dict[str, object]

    def open(self) -> str:
        """Open a match; its id."""
        self.match = self._new_match()
        return str(self.match["id"])

    def move(self) -> None:
        """One move."""
        self.match = self._move(self.match)


def idle_memory(key: str) -> float:
    """Kilobytes of the worker for each idle stream."""
    with serving(key, WEB_WORKERS="1", WEB_CONNECTIONS=str(IDLE + 100)) as service:
        [worker] = psutil.Process(service.web.pid).children()
        client = Client(service.port, service.key)
        matches = [
            client.send("POST", "/api/v1/matches", {"players": PLAYERS})[1]["id"] for _ in range(max(1, IDLE // 4))
        ]
        warm = [opened(service, matches[0], PLAYERS[0]) for _ in range(20)]
        before = worker.memory_info().rss
        streams = [opened(service, matches[n // 4 % len(matches)], PLAYERS[n % 4]) for n in range(IDLE)]
        time.sleep(2)
        spent = worker.memory_info().rss - before
        for stream in [*warm, *streams]:
            stream.close()
        return spent / IDLE / 1000


def delivery(key: str) -> tuple[list[float], float]:
    """The sorted times of all deliveries, in seconds, and the events a second that were played."""
    with serving(key, WEB_WORKERS="2") as service:
        tables = [PacedTable(service.port, service.key, f"table {n}") for n in range(LISTENING // 4)]
        matches = [table.open() for table in tables]
        streams = [opened(service, match, player) for match in matches for player in PLAYERS]
        ears = Ears(streams)
        end = time.perf_counter() + SECONDS
        moved = [0] * HANDS

        def play(n: int) -> None:
            due = time.perf_counter()
            while (now := time.perf_counter()) < end:
                if now < due:
                    time.sleep(due - now)
                own = tables[n::HANDS]
                own[moved[n] % len(own)].move()
                moved[n] += 1
                due += HANDS / EVENTS_A_SECOND

        threads = [threading.Thread(target=play, args=[n]) for n in range(HANDS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        time.sleep(3)
        ears.close()
        for stream in streams:
            stream.close()
        return sorted(ears.seconds), sum(moved) / SECONDS


def main() -> int:
    """Measure both, print the budgets; 1 if one is missed."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 20_000), hard))
    print(f"Streams, {os.cpu_count()} cores, clients on the same machine")
    with prepared() as key:
        kept = [line(f"memory of an idle stream, {IDLE} on one process", idle_memory(key), 40, "KB", at_most=True)]
        times, events = delivery(key)
    note(f"events played, {LISTENING} streams listening", events, "events/s")
    note("events delivered", len(times), "in all")
    note("commit to delivery, median", percentile(times, 0.5), "ms")
    kept.append(line("commit to delivery, p99", percentile(times, 0.99), 150, "ms", at_most=True))
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
